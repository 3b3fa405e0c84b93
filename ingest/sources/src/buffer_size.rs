//! `receive_buffer` in the agent's config: a size, or the word auto.

use std::fmt;

use bytesize::ByteSize;
use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Size of the kernel's receive buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferSize {
    /// UDP: 16 MiB at first, and it grows with the peaks. TCP: what the kernel finds right for each connection.
    #[default]
    Auto,
    /// This, whatever comes.
    Fixed(ByteSize),
}

impl Serialize for BufferSize {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Fixed(size) => size.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for BufferSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeOrAuto)
    }
}

struct SizeOrAuto;

impl Visitor<'_> for SizeOrAuto {
    type Value = BufferSize;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("auto, or a size such as 16MiB")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<BufferSize, E> {
        match text {
            "auto" => Ok(BufferSize::Auto),
            size => size.parse().map(BufferSize::Fixed).map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self)),
        }
    }

    fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<BufferSize, E> {
        Ok(BufferSize::Fixed(ByteSize::b(bytes)))
    }

    fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<BufferSize, E> {
        u64::try_from(bytes).map_err(|_| E::invalid_value(de::Unexpected::Signed(bytes), &self)).and_then(|bytes| self.visit_u64(bytes))
    }
}
