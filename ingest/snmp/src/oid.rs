//! Object identifiers.

use std::fmt::{self, Write};
use std::str::FromStr;

use super::ber;

/// RFC 2578 3.5: at most 128 numbers.
const MAX_ARCS: usize = 128;

/// An object identifier; written as dotted numbers without a dot in front.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Oid(Vec<u32>);

impl Oid {
    /// From its numbers.
    pub fn new(arcs: &[u32]) -> Self {
        Self(arcs.to_vec())
    }

    /// Its numbers.
    pub fn arcs(&self) -> &[u32] {
        &self.0
    }

    /// Whether X.660 has a place for it: below 0 and 1 are 40 numbers each.
    pub(crate) fn is_possible(&self) -> bool {
        match self.0.as_slice() {
            [] => false,
            [root] => *root <= 2,
            [root, second, ..] => *root == 2 || (*root < 2 && *second < 40),
        }
    }

    /// This one with further numbers behind it.
    pub fn with(&self, further: &[u32]) -> Self {
        Self([&self.0, further].concat())
    }

    /// Reads the content of an OBJECT IDENTIFIER.
    pub(crate) fn read(content: &[u8]) -> Option<Self> {
        let mut arcs = Vec::with_capacity(content.len() + 1);
        let mut arc = 0_u32;
        let mut is_inside = false;
        for byte in content {
            arc = arc.checked_mul(128)? | u32::from(byte & 0x7f);
            is_inside = byte & 0x80 != 0;
            if is_inside {
                continue;
            }
            if arcs.is_empty() {
                let first = (arc / 40).min(2);
                arcs.extend([first, arc - first * 40]);
            } else {
                arcs.push(arc);
            }
            arc = 0;
        }
        (!is_inside && arcs.len() <= MAX_ARCS).then_some(Self(arcs))
    }

    /// As a value of BER.
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut content = Vec::with_capacity(self.0.len() + 4);
        let (first, rest) = match self.0.as_slice() {
            [] => (0, &[][..]),
            [only] => (u64::from(*only) * 40, &[][..]),
            [one, two, rest @ ..] => (u64::from(*one) * 40 + u64::from(*two), rest),
        };
        for arc in std::iter::once(first).chain(rest.iter().map(|arc| u64::from(*arc))) {
            let groups = (64 - arc.leading_zeros()).div_ceil(7).max(1);
            for group in (0..groups).rev() {
                let more = if group > 0 { 0x80 } else { 0 };
                content.push((arc >> (7 * group)) as u8 & 0x7f | more);
            }
        }
        ber::write(ber::OBJECT_IDENTIFIER, &[&content])
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::with_capacity(self.0.len() * 4);
        write_dotted(&mut text, &self.0);
        f.write_str(text.strip_prefix('.').unwrap_or(&text))
    }
}

/// Appends the numbers, each with a dot in front.
pub(crate) fn write_dotted(text: &mut String, arcs: &[u32]) {
    for arc in arcs {
        text.push('.');
        match arc {
            digit @ 0..=9 => text.push(char::from(b'0' + *digit as u8)),
            // Writing to a String cannot fail.
            number => drop(write!(text, "{number}")),
        }
    }
}

impl FromStr for Oid {
    type Err = String;

    /// Reads dotted numbers, with or without a dot in front.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let arcs: Result<Vec<u32>, _> = text.strip_prefix('.').unwrap_or(text).split('.').map(str::parse).collect();
        match arcs.map(Self) {
            Ok(oid) if oid.0.len() >= 2 && oid.0.len() <= MAX_ARCS && oid.is_possible() => Ok(oid),
            _ => Err(format!("{text:?} is not an OID; write it as dotted numbers, for example 1.3.6.1.2.1.1.3.0")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dotted_numbers_and_bytes_say_the_same() {
        for text in ["1.3.6.1.2.1.1.3.0", "0.0", "2.999.3", "1.3.6.1.4.1.4294967295.128.127"] {
            let oid: Oid = text.parse().unwrap();
            assert_eq!(oid.to_string(), text);
            let bytes = oid.write();
            assert_eq!(Oid::read(&bytes[2..]), Some(oid));
        }
        assert_eq!(".1.3.6".parse::<Oid>().unwrap().to_string(), "1.3.6");
    }

    #[test]
    fn what_is_no_oid_is_refused() {
        for text in ["", "1", "1.x", "3.1", "1.40", "1.3.4294967296"] {
            assert!(text.parse::<Oid>().is_err(), "{text}");
        }
        assert_eq!(Oid::read(&[0x2b, 0x86]), None, "cut inside a number");
        assert_eq!(Oid::read(&[0x2b, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]), None, "beyond 32 bits");
        assert_eq!(Oid::read(&[1; 200]), None, "too many numbers");
    }
}
