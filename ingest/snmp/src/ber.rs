//! BER (X.690) as far as SNMP uses it: definite lengths, low tag numbers.

use tocsin_parse::Refusal;
use tocsin_wire::rejects::Reason;

pub(crate) const INTEGER: u8 = 0x02;
pub(crate) const OCTET_STRING: u8 = 0x04;
pub(crate) const NULL: u8 = 0x05;
pub(crate) const OBJECT_IDENTIFIER: u8 = 0x06;
pub(crate) const SEQUENCE: u8 = 0x30;

/// Bytes that are not the BER that was expected: what was wrong, and how many bytes were left of the message then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed {
    pub(crate) what: &'static str,
    pub(crate) bytes_left: usize,
}

impl Malformed {
    /// For what is well-formed and yet not what was expected.
    pub fn of(what: &'static str) -> Self {
        Self { what, bytes_left: 0 }
    }

    /// As a refusal of a message of so many bytes.
    pub(crate) fn refusal(self, message_bytes: usize) -> Refusal {
        let at = message_bytes.saturating_sub(self.bytes_left);
        Refusal::new(
            Reason::Syntax,
            format!("not an SNMP message: {} near byte {at} of {message_bytes}; see what sends to this port", self.what),
        )
    }
}

/// Reads one value after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    /// What is left.
    pub(crate) fn rest(self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn malformed(self, what: &'static str) -> Malformed {
        Malformed { what, bytes_left: self.bytes.len() }
    }

    /// The next value: its tag and content.
    pub(crate) fn next(&mut self) -> Result<(u8, &'a [u8]), Malformed> {
        let [tag, length, rest @ ..] = self.bytes else { return Err(self.malformed("the end is missing")) };
        let (length, rest) = match *length {
            short @ 0..=0x7f => (usize::from(short), rest),
            0x80 => return Err(self.malformed("a value of indefinite length")),
            long => {
                let size = usize::from(long & 0x7f);
                let Some((digits, rest)) = rest.split_at_checked(size) else { return Err(self.malformed("a length is cut off")) };
                let mut length = 0_usize;
                for digit in digits {
                    length = length.checked_mul(256).ok_or(self.malformed("a length beyond all memory"))? | usize::from(*digit);
                }
                (length, rest)
            }
        };
        let Some((content, rest)) = rest.split_at_checked(length) else {
            return Err(self.malformed("a value is longer than what is left"));
        };
        self.bytes = rest;
        Ok((*tag, content))
    }

    /// The content of the next value, which must have this tag.
    pub(crate) fn expect(&mut self, tag: u8, what: &'static str) -> Result<&'a [u8], Malformed> {
        let before = *self;
        match self.next()? {
            (found, content) if found == tag => Ok(content),
            _ => Err(before.malformed(what)),
        }
    }

    pub(crate) fn sequence(&mut self, what: &'static str) -> Result<Reader<'a>, Malformed> {
        self.expect(SEQUENCE, what).map(Reader::new)
    }

    pub(crate) fn octets(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        self.expect(OCTET_STRING, what)
    }

    pub(crate) fn integer(&mut self, what: &'static str) -> Result<i64, Malformed> {
        let before = *self;
        signed(self.expect(INTEGER, what)?).ok_or(before.malformed(what))
    }

    /// An integer from 0 to 2^31-1, as most fields of a header are.
    pub(crate) fn unsigned31(&mut self, what: &'static str) -> Result<u32, Malformed> {
        let before = *self;
        let value = self.integer(what)?;
        u32::try_from(value).ok().filter(|value| *value <= i32::MAX as u32).ok_or(before.malformed(what))
    }
}

/// A two's complement number of at most eight bytes.
pub(crate) fn signed(content: &[u8]) -> Option<i64> {
    let first = *content.first()?;
    if content.len() > 8 {
        return None;
    }
    let start = if first & 0x80 == 0 { 0 } else { -1 };
    Some(content.iter().fold(start, |value: i64, byte| (value << 8) | i64::from(*byte)))
}

/// A number without sign of at most eight bytes; one more zero in front is what BER asks for. Senders that forget it are understood.
pub(crate) fn unsigned(content: &[u8]) -> Option<u64> {
    let significant = content.strip_prefix(&[0]).unwrap_or(content);
    if content.is_empty() || significant.len() > 8 {
        return None;
    }
    Some(significant.iter().fold(0, |value, byte| (value << 8) | u64::from(*byte)))
}

/// One value with its tag and length.
pub(crate) fn write(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = Vec::with_capacity(length + 6);
    bytes.push(tag);
    match u8::try_from(length) {
        Ok(short @ 0..=0x7f) => bytes.push(short),
        _ => {
            let digits = length.to_be_bytes();
            let digits = &digits[digits.iter().take_while(|digit| **digit == 0).count()..];
            bytes.push(0x80 | digits.len() as u8);
            bytes.extend_from_slice(digits);
        }
    }
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// An INTEGER, in as few bytes as it takes.
pub(crate) fn write_integer(value: i64) -> Vec<u8> {
    write_number(INTEGER, value.into())
}

/// A number under any tag, in as few bytes as it takes.
pub(crate) fn write_number(tag: u8, value: i128) -> Vec<u8> {
    let bytes = value.to_be_bytes();
    let mut start = 0;
    while start < 15 && ((bytes[start] == 0 && bytes[start + 1] < 0x80) || (bytes[start] == 0xff && bytes[start + 1] >= 0x80)) {
        start += 1;
    }
    write(tag, &[&bytes[start..]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_in_as_few_bytes_as_they_take() {
        for value in [0, 1, 127, 128, 255, 256, -1, -128, -129, i64::from(i32::MAX), i64::MIN, i64::MAX] {
            let bytes = write_integer(value);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.integer("n"), Ok(value));
            assert!(reader.is_empty());
        }
        assert_eq!(write_integer(128), [INTEGER, 2, 0, 128]);
        assert_eq!(write_number(0x46, u64::MAX.into()).len(), 2 + 9);
    }

    #[test]
    fn lengths_beyond_127_take_the_long_form() {
        for length in [127, 128, 255, 256, 70_000] {
            let bytes = write(OCTET_STRING, &[&vec![7; length]]);
            assert_eq!(Reader::new(&bytes).octets("o").unwrap().len(), length);
        }
    }

    #[test]
    fn what_is_cut_or_endless_is_malformed() {
        for bytes in [&[][..], &[0x30], &[0x30, 0x80, 0, 0], &[0x30, 5, 1], &[0x30, 0x84, 1], &[0x30, 0x89, 1, 1, 1, 1, 1, 1, 1, 1, 1]] {
            assert!(Reader::new(bytes).next().is_err(), "{bytes:?}");
        }
    }

    #[test]
    fn a_counter_without_its_leading_zero_is_not_negative() {
        assert_eq!(unsigned(&[0xff, 0xff, 0xff, 0xff]), Some(u64::from(u32::MAX)));
        assert_eq!(unsigned(&[0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]), Some(u64::MAX));
        assert_eq!(unsigned(&[1; 9]), None);
    }
}
