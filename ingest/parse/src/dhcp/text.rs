//! Bytes of options as the text that stands in an event.

use std::net::Ipv4Addr;

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Lower-case hexadecimal without separators.
pub(super) fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        push_hex(*byte, &mut text);
    }
    text
}

/// Lower-case hexadecimal with colons, as hardware addresses are written.
pub(super) fn mac(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(3 * bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            text.push(':');
        }
        push_hex(*byte, &mut text);
    }
    text
}

fn push_hex(byte: u8, text: &mut String) {
    text.push(char::from(HEX[usize::from(byte >> 4)]));
    text.push(char::from(HEX[usize::from(byte & 15)]));
}

/// Text where it is printable, else hexadecimal after `0x`. A zero byte at the end, as C programs send it, is not part of it.
pub(super) fn printable_or_hex(bytes: &[u8]) -> String {
    let text = without_end_zeros(bytes);
    match std::str::from_utf8(text) {
        Ok(text) if !text.is_empty() && !text.chars().any(char::is_control) => text.to_owned(),
        _ if bytes.is_empty() => String::new(),
        _ => format!("0x{}", hex(bytes)),
    }
}

/// Text for people; bytes that are not UTF-8 become U+FFFD.
pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(without_end_zeros(bytes)).into_owned()
}

fn without_end_zeros(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or_default()
}

/// Dotted form; empty for 0.0.0.0, which means "none" in every field of BOOTP.
pub(super) fn ipv4(address: Ipv4Addr) -> String {
    if address.is_unspecified() { String::new() } else { address.to_string() }
}

/// `1,3,6`, in the order given.
pub(super) fn numbers(numbers: impl Iterator<Item = u16>) -> String {
    use std::fmt::Write;
    let mut text = String::new();
    for number in numbers {
        let comma = if text.is_empty() { "" } else { "," };
        // Writing to a string does not fail.
        let _ = write!(text, "{comma}{number}");
    }
    text
}

/// First label of a domain name in the form of RFC 1035 3.1.
pub(super) fn first_label(name: &[u8]) -> String {
    let label = name.split_first().and_then(|(length, rest)| rest.get(..usize::from(*length)));
    label.map(lossy).unwrap_or_default()
}

/// First label of a name with dots.
pub(super) fn before_dot(name: &str) -> &str {
    name.split('.').next().unwrap_or_default()
}
