//! HOSTNAME, which every dialect has.

/// RFC 5424 6.2.4.
const MAX_HOST_BYTES: usize = 255;

/// Whether a word can be a HOSTNAME: a name or an address.
pub(super) fn is_host(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= MAX_HOST_BYTES
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:/@%".contains(&byte) || byte >= 0x80)
        && !word.bytes().all(|byte| byte == b':')
}
