//! Is a frame text at all, and where does it end.

use std::borrow::Cow;

use tocsin_wire::rejects::Reason;

use crate::Refusal;

/// A byte-order mark in UTF-8, which some senders put first (RFC 5424 6.4).
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The frame as text, without what surrounds it: white space, zero bytes, a byte-order mark at the start. Bytes that are not
/// UTF-8 become U+FFFD; the raw bytes travel with the event, so nothing is lost by it.
pub(crate) fn decode(frame: &[u8]) -> Result<Cow<'_, str>, Refusal> {
    let trimmed = trim(frame);
    if trimmed.is_empty() {
        let detail = match frame.len() {
            0 => "the datagram or frame has no bytes; nothing to do, unless a monitor was to send something".to_owned(),
            n => format!("all {n} bytes are white space or zero; look at what the sender is configured to send"),
        };
        return Err(Refusal::new(Reason::Empty, detail));
    }
    // Most frames have none, which is seen sixteen bytes at a time.
    let has_controls = trimmed.iter().fold(false, |found, byte| found | is_control(*byte));
    let controls = if has_controls { trimmed.iter().filter(|byte| is_control(**byte)).count() } else { 0 };
    // A stray control byte is common in real messages (colours, form feeds, a zero in a field). A tenth of all bytes is not: compressed
    // or encrypted data has an eighth, binary protocols have more.
    if controls > 1 + trimmed.len() / 10 || controls * 2 > trimmed.len() {
        let detail = format!(
            "{controls} of {} bytes are control characters; send plain text (no TLS, no compression) to this listener",
            trimmed.len()
        );
        return Err(Refusal::new(Reason::NotText, detail));
    }
    let text = std::str::from_utf8(trimmed).map_or_else(|_| String::from_utf8_lossy(trimmed), Cow::Borrowed);
    Ok(match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.trim_start_matches(BYTE_ORDER_MARK)),
        Cow::Owned(text) => Cow::Owned(text.trim_start_matches(BYTE_ORDER_MARK).to_owned()),
    })
}

/// Some senders end a message with a zero byte after the newline, which puts it before the next line of a stream.
fn trim(frame: &[u8]) -> &[u8] {
    let is_text = |byte: &u8| *byte != 0 && !byte.is_ascii_whitespace();
    let start = frame.iter().position(is_text).unwrap_or(frame.len());
    let end = frame.iter().rposition(is_text).map_or(start, |last| last + 1);
    frame.get(start..end).unwrap_or_default()
}

fn is_control(byte: u8) -> bool {
    const ESCAPE: u8 = 0x1b;
    byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | ESCAPE) || byte == 0x7f
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(frame: &[u8]) -> Option<Reason> {
        decode(frame).err().map(|refusal| refusal.reason)
    }

    #[test]
    fn zero_bytes_and_line_ends_after_the_text_are_not_part_of_it() {
        assert_eq!(decode(b"<13>hello\r\n\0").unwrap(), "<13>hello");
    }

    #[test]
    fn a_byte_order_mark_before_the_text_is_not_part_of_it() {
        assert_eq!(decode("\u{feff}{}".as_bytes()).unwrap(), "{}");
    }

    #[test]
    fn nothing_but_white_space_or_zero_bytes_is_empty() {
        assert_eq!([reason(b""), reason(b" \r\n\t"), reason(b"\0\0\0")], [Some(Reason::Empty); 3]);
    }

    #[test]
    fn binary_data_is_not_text() {
        let client_hello = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\x8f\x01\xc4\x00\x00 ABC";
        assert_eq!([reason(client_hello), reason(b"a\0b\0c\0d\0e\0f"), reason(b"\x01\x02")], [Some(Reason::NotText); 3]);
    }

    #[test]
    fn a_stray_control_byte_or_another_encoding_is_still_text() {
        assert_eq!(decode(b"<13>caf\xe9 \x01 open").unwrap(), "<13>caf\u{fffd} \u{1} open");
        assert_eq!(reason(b"\x1b[31mred\x1b[0m"), None);
    }
}
