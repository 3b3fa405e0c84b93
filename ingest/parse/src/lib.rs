//! Bytes -> event body. Pure: no I/O, no async, no clock, no panic; whatever a frame holds, the answer is an event or a refusal.
//!
//! [`framing`] cuts a byte stream into frames, [`Format`] reads one frame. Add a format as a module of its own with cases in `testdata/`,
//! a fuzz target in `fuzz/` and a row in `benches/parse.rs`.

mod alert;
pub mod framing;
mod syslog;
mod text;
mod time;

use tocsin_wire::Body;
use tocsin_wire::rejects::Reason;

/// What a listener expects a frame to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One syslog message, RFC 5424 or RFC 3164, told apart message by message.
    Syslog,
    /// One or several alert updates as JSON, XML or logfmt, told apart by the first byte.
    Alert,
}

/// What a frame said, without the envelope that only the agent can fill.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Name of the device from the message; `None` where the message has none.
    pub device: Option<String>,
    /// The sender's clock, Unix nanoseconds from 1970 to 2262; `None` where it gave none that can be kept.
    pub event_time_unix_nanos: Option<u64>,
    /// The message itself.
    pub body: Body,
}

/// Why a frame, or one element of it, did not become an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Entry of the closed list.
    pub reason: Reason,
    /// One sentence for a person: what, where in the bytes, and what to do.
    pub detail: String,
}

impl Refusal {
    fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

impl Format {
    /// Reads one frame and calls `each` once for every event or refusal in it; at least once, whatever the frame holds.
    ///
    /// `received_at_unix_nanos` is needed for times without a year (RFC 3164).
    pub fn parse(self, frame: &[u8], received_at_unix_nanos: u64, mut each: impl FnMut(Result<Parsed, Refusal>)) {
        let text = match text::decode(frame) {
            Ok(text) => text,
            Err(refusal) => return each(Err(refusal)),
        };
        match self {
            Self::Syslog => each(Ok(syslog::parse(&text, received_at_unix_nanos))),
            Self::Alert => alert::parse(&text, each),
        }
    }
}
