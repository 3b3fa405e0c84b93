//! The words that every dialect has: HOSTNAME, and TAG with its process id.

use super::Header;

/// RFC 3164 allows 32 for TAG and RFC 5424 48 for APP-NAME; real ones are longer, sentences are not single words.
pub(super) const MAX_TAG_BYTES: usize = 128;
/// RFC 5424 6.2.4.
const MAX_HOST_BYTES: usize = 255;

/// Whether a word can be a HOSTNAME: a name or an address.
pub(super) fn is_host(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= MAX_HOST_BYTES
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:/@%".contains(&byte) || byte >= 0x80)
        && !word.bytes().all(|byte| byte == b':')
}

/// `TAG: `, `TAG[PID]: ` or `TAG[PID] ` becomes app_name and proc_id; where there is none, all is message.
pub(super) fn read_tag(content: &str, header: &mut Header) {
    let is_tag = |tag: &str| {
        !tag.is_empty() && tag.len() <= MAX_TAG_BYTES && tag.bytes().all(|byte| byte.is_ascii_graphic() && !b"[]:\"<>{}=,".contains(&byte))
    };
    // `app:text` is a tag; a URL, a path of modules or a port number is not.
    let ends_tag = |message: &str| !message.starts_with(|first: char| first.is_ascii_digit() || "/\\:=".contains(first));
    let tag_end = content.find(['[', ':', ' ', '\t']).unwrap_or(content.len());
    let (tag, rest) = content.split_at_checked(tag_end).unwrap_or((content, ""));
    header.syslog.message = content.to_owned();
    if !is_tag(tag) {
        return;
    }
    let (proc_id, message) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((proc_id, after)) if !proc_id.contains(' ') => match after.strip_prefix(':').or_else(|| after.strip_prefix(' ')) {
            Some(message) => (proc_id, message),
            None if after.is_empty() => (proc_id, after),
            None => return,
        },
        Some(_) => return,
        None => match rest.strip_prefix(':') {
            Some(message) if ends_tag(message) => ("", message),
            _ => return,
        },
    };
    header.syslog.app_name = tag.to_owned();
    header.syslog.proc_id = proc_id.to_owned();
    let message = message.strip_prefix(' ').unwrap_or(message);
    header.syslog.message = message.to_owned();
    header.name_from_text();
}
