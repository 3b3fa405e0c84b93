//! How messages are told apart in a TCP stream.

use clap::ValueEnum;
use serde::Deserialize;

/// RFC 6587 framing.
#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// The length in front of each message (RFC 6587 3.4.1).
    OctetCounting,
    /// A line feed after each message (RFC 6587 3.4.2).
    Newline,
    /// The payload as it is: for what a well-behaved sender would not send.
    None,
}

impl Framing {
    /// Appends `payload` as one frame.
    pub fn write(self, payload: &[u8], stream: &mut Vec<u8>) {
        if self == Self::OctetCounting {
            stream.extend_from_slice(payload.len().to_string().as_bytes());
            stream.push(b' ');
        }
        stream.extend_from_slice(payload);
        if self == Self::Newline {
            stream.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_those_of_rfc_6587() {
        for (framing, expected) in [(Framing::OctetCounting, "5 hello"), (Framing::Newline, "hello\n"), (Framing::None, "hello")] {
            let mut stream = Vec::new();
            framing.write(b"hello", &mut stream);
            assert_eq!(stream, expected.as_bytes(), "{framing:?}");
        }
    }
}
