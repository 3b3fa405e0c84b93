//! Bytes -> event body. Pure: no I/O, no async, no clock, no panic; whatever a frame holds, the answer is an event or a refusal.
//!
//! [`framing`] cuts a byte stream into frames, [`Format`] reads one frame, [`icmp`] and [`dns`] make and read the packets of probes. Add a
//! format as a module of its own with cases in `testdata/`, a fuzz target in `../fuzz/` and a row in `benches/parse.rs`.

mod alert;
pub mod dhcp;
pub mod dns;
pub mod framing;
pub mod icmp;
pub mod proxy;
pub mod relp;
pub mod sequence;
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
    /// One DHCP packet without the headers it travelled in, version 4 (BOOTP) or 6, told apart by its content.
    Dhcp,
}

/// What a frame said, without the envelope that only the agent can fill.
#[derive(Clone, Debug, PartialEq)]
pub struct Parsed {
    /// Name of the device from the message; `None` where the message has none.
    pub device: Option<String>,
    /// The sender's clock, Unix nanoseconds from 1970 to 2262; `None` where it gave none that can be kept.
    pub event_time_unix_nanos: Option<u64>,
    /// The clock told no zone, or one that is not known, and was taken for UTC.
    pub is_zone_missing: bool,
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
    /// One that the caller has words for.
    pub fn new(reason: Reason, detail: impl Into<String>) -> Self {
        Self { reason, detail: detail.into() }
    }
}

impl Format {
    /// Reads one frame and calls `each` once for every event or refusal in it; at least once, whatever the frame holds.
    ///
    /// `received_at_unix_nanos` is needed for times without a year (RFC 3164).
    pub fn parse(self, frame: &[u8], received_at_unix_nanos: u64, mut each: impl FnMut(Result<Parsed, Refusal>)) {
        match self {
            Self::Dhcp => each(dhcp::parse_copy(frame)),
            Self::Syslog => match text::decode(frame) {
                Ok(text) => syslog(&text, received_at_unix_nanos, each),
                Err(refusal) => each(Err(refusal)),
            },
            Self::Alert => match text::decode(frame) {
                Ok(text) => alert::parse(&text, each),
                Err(refusal) => each(Err(refusal)),
            },
        }
    }
}

/// A message, and beside it the DHCP event that a server's line tells of.
fn syslog(text: &str, received_at_unix_nanos: u64, mut each: impl FnMut(Result<Parsed, Refusal>)) {
    let parsed = syslog::parse(text, received_at_unix_nanos);
    let logged = dhcp::of_log_line(&parsed);
    each(Ok(parsed));
    logged.into_iter().for_each(|parsed| each(Ok(parsed)));
}
