//! Values as people write them.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::names::{Names, Object};
use super::pdu::Value;

/// Longest text of one value; the raw bytes have the rest.
const MAX_TEXT_BYTES: usize = 16 * 1024;

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    text
}

/// The ASN.1 type as MIBs write it.
pub(crate) fn type_name(value: &Value<'_>, object: Option<&Object>) -> String {
    let name = match value {
        Value::Integer(_) => "INTEGER",
        Value::Octets(_) if object.is_some_and(Object::is_bits) => "BITS",
        Value::Octets(_) => "OCTET STRING",
        Value::Null => "NULL",
        Value::Oid(_) => "OBJECT IDENTIFIER",
        Value::IpAddress(_) => "IpAddress",
        Value::Counter32(_) => "Counter32",
        Value::Gauge32(_) => "Gauge32",
        Value::TimeTicks(_) => "TimeTicks",
        Value::Opaque(_) => "Opaque",
        Value::Counter64(_) => "Counter64",
        Value::NoSuchObject => "noSuchObject",
        Value::NoSuchInstance => "noSuchInstance",
        Value::EndOfMibView => "endOfMibView",
        Value::Unknown(tag, _) => return format!("tag 0x{tag:02x}"),
    };
    name.to_owned()
}

/// The value: an enumeration's word with its number, text where it is text, else hexadecimal after 0x.
pub(crate) fn text(value: &Value<'_>, object: Option<&Object>, names: &Names) -> String {
    match value {
        Value::Integer(number) => integer(*number, object),
        Value::Octets(octets) => octet_string(octets, object),
        Value::Null | Value::NoSuchObject | Value::NoSuchInstance | Value::EndOfMibView => String::new(),
        Value::Oid(oid) => names.name(oid.arcs()).0,
        Value::IpAddress(octets) => address(octets).unwrap_or_else(|| format!("0x{}", hex(octets))),
        Value::Counter32(number) | Value::TimeTicks(number) | Value::Counter64(number) => number.to_string(),
        Value::Gauge32(number) => i64::try_from(*number).map_or_else(|_| number.to_string(), |number| integer(number, object)),
        Value::Opaque(octets) => opaque(octets),
        Value::Unknown(_, octets) => octet_string(octets, None),
    }
}

fn integer(number: i64, object: Option<&Object>) -> String {
    match object {
        Some(object) => match (object.word(number), object.hint()) {
            (Some(word), _) => format!("{word}({number})"),
            (None, Some(hint)) => hinted_integer(number, hint).unwrap_or_else(|| number.to_string()),
            (None, None) => number.to_string(),
        },
        None => number.to_string(),
    }
}

/// RFC 2579 3.1: `d-2` puts the point before the last two digits, `x` is hexadecimal.
fn hinted_integer(number: i64, hint: &str) -> Option<String> {
    match hint.strip_prefix("d-").map(str::parse::<u32>) {
        Some(Ok(decimals @ 1..=18)) => {
            let (unit, sign) = (10_u64.pow(decimals), if number < 0 { "-" } else { "" });
            let (whole, rest) = (number.unsigned_abs() / unit, number.unsigned_abs() % unit);
            Some(format!("{sign}{whole}.{rest:0width$}", width = decimals as usize))
        }
        _ if hint == "x" => Some(format!("0x{number:x}")),
        _ => None,
    }
}

fn octet_string(octets: &[u8], object: Option<&Object>) -> String {
    if let Some(object) = object {
        if object.is_bits() {
            return bits(octets, object);
        }
        let hinted = match object.hint() {
            Some("ip") => address(octets),
            Some(hint) => hinted_octets(octets, hint),
            None => None,
        };
        if let Some(text) = hinted {
            return text;
        }
    }
    let trimmed = octets.strip_suffix(&[0]).unwrap_or(octets);
    match std::str::from_utf8(trimmed) {
        Ok(text) if text.chars().all(|c| !c.is_control() || matches!(c, '\t' | '\r' | '\n')) => {
            text.get(..text.floor_char_boundary(MAX_TEXT_BYTES)).unwrap_or_default().to_owned()
        }
        _ => format!("0x{}", hex(octets.get(..MAX_TEXT_BYTES / 2).unwrap_or(octets))),
    }
}

/// The words of the bits that are set, the first bit being the highest of the first byte.
fn bits(octets: &[u8], object: &Object) -> String {
    let mut text = String::new();
    for (byte, octet) in octets.iter().enumerate().take(MAX_TEXT_BYTES / 64) {
        for bit in (0..8).filter(|bit| octet & (0x80 >> bit) != 0) {
            let number = (byte * 8 + bit) as i64;
            let separator = if text.is_empty() { "" } else { " " };
            // Writing to a String cannot fail.
            let _ = match object.word(number) {
                Some(word) => write!(text, "{separator}{word}({number})"),
                None => write!(text, "{separator}{number}"),
            };
        }
    }
    text
}

fn address(octets: &[u8]) -> Option<String> {
    match octets.len() {
        4 => <[u8; 4]>::try_from(octets).ok().map(|octets| Ipv4Addr::from(octets).to_string()),
        16 => <[u8; 16]>::try_from(octets).ok().map(|octets| Ipv6Addr::from(octets).to_string()),
        _ => None,
    }
}

/// Net-SNMP puts floating-point numbers into an Opaque: 0x9f, a type, a length.
fn opaque(octets: &[u8]) -> String {
    match octets {
        [0x9f, 0x78, 4, a, b, c, d] => f32::from_be_bytes([*a, *b, *c, *d]).to_string(),
        [0x9f, 0x79, 8, rest @ ..] if rest.len() == 8 => {
            <[u8; 8]>::try_from(rest).map_or_else(|_| String::new(), |bytes| f64::from_be_bytes(bytes).to_string())
        }
        _ => format!("0x{}", hex(octets.get(..MAX_TEXT_BYTES / 2).unwrap_or(octets))),
    }
}

/// RFC 2579 3.1 for octets: parts such as `1x:` or `2d-`, the last one repeated as long as octets are left. `None` where the hint is text,
/// which is shown as any text, or is not understood.
fn hinted_octets(octets: &[u8], hint: &str) -> Option<String> {
    let parts = hint_parts(hint)?;
    if octets.len() > 256 || parts.iter().any(|part| matches!(part.form, 'a' | 't') && parts.len() == 1) {
        return None;
    }
    let mut text = String::new();
    let mut rest = octets;
    let mut index = 0;
    while !rest.is_empty() {
        let part = parts.get(index).or(parts.last())?;
        index += 1;
        let (taken, left) = rest.split_at(part.length.min(rest.len()));
        rest = left;
        let number = taken.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        // Writing to a String cannot fail.
        let _ = match part.form {
            'd' => write!(text, "{number}"),
            'x' => write!(text, "{number:0width$x}", width = taken.len() * 2),
            'o' => write!(text, "{number:o}"),
            _ => write!(text, "{}", String::from_utf8_lossy(taken)),
        };
        if let (Some(separator), false) = (part.separator, rest.is_empty()) {
            text.push(separator);
        }
    }
    Some(text)
}

struct HintPart {
    length: usize,
    form: char,
    separator: Option<char>,
}

fn hint_parts(hint: &str) -> Option<Vec<HintPart>> {
    let mut parts = Vec::new();
    let mut characters = hint.chars().peekable();
    while characters.peek().is_some() {
        let mut length = 0_usize;
        while let Some(digit) = characters.peek().and_then(|c| c.to_digit(10)) {
            length = length * 10 + digit as usize;
            if length > 65_535 {
                return None;
            }
            characters.next();
        }
        let form = characters.next().filter(|form| matches!(form, 'd' | 'x' | 'o' | 'a' | 't'))?;
        let separator = characters.next_if(|c| !c.is_ascii_digit() && *c != '*');
        if length == 0 {
            return None;
        }
        parts.push(HintPart { length, form, separator });
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_of_the_usual_textual_conventions_are_followed() {
        assert_eq!(hinted_octets(&[0, 0x1b, 0xff, 1, 2, 3], "1x:").unwrap(), "00:1b:ff:01:02:03");
        let date = [0x07, 0xea, 11, 20, 12, 5, 9, 0, b'+', 1, 0];
        assert_eq!(hinted_octets(&date, "2d-1d-1d,1d:1d:1d.1d,1a1d:1d").unwrap(), "2026-11-20,12:5:9.0,+1:0");
        assert_eq!(hinted_octets(b"text", "255a"), None);
        assert_eq!(hinted_octets(b"text", "0a"), None);
        assert_eq!(hinted_integer(-1234, "d-2").unwrap(), "-12.34");
        assert_eq!(hinted_integer(5, "d-2").unwrap(), "0.05");
    }

    #[test]
    fn octets_are_text_where_they_are_and_hexadecimal_otherwise() {
        assert_eq!(octet_string(b"GigabitEthernet0/1\0", None), "GigabitEthernet0/1");
        assert_eq!(octet_string("größe".as_bytes(), None), "größe");
        assert_eq!(octet_string(&[0, 1, 0xfe], None), "0x0001fe");
        assert_eq!(octet_string(b"", None), "");
    }
}
