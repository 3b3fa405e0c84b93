//! Syslog, RFC 5424 or RFC 3164, told apart message by message.
//!
//! Any text is a syslog message: RFC 3164 4.3.3 has a rule for the worst of them, and a message that is stored as it came is worth more
//! than a refusal. So this parser never refuses; what it cannot name stays in `message`.

mod cisco;
mod host;
mod in_text;
mod key_value;
mod rfc3164;
mod rfc5424;
mod tag;
mod timestamp;
mod vendor;
mod zone;

pub(crate) use key_value::value;
use tocsin_wire::Body;
use tocsin_wire::events::Syslog;

use crate::Parsed;

/// PRI of a message that has none: user.notice (RFC 3164 4.3.3).
const DEFAULT_PRIORITY: u32 = 13;
/// local7.debug, the highest PRI (RFC 5424 6.2.1).
const MAX_PRIORITY: u32 = 191;

/// Key in structured data for the name of a time zone that is not known; the time was taken for UTC.
const UNKNOWN_ZONE: &str = "tocsin.unknown_time_zone";

/// What a header said; absent fields are empty.
#[derive(Debug, Default)]
struct Header {
    host: Option<String>,
    event_time_unix_nanos: Option<u64>,
    is_zone_missing: bool,
    syslog: Syslog,
}

impl Header {
    fn set_time(&mut self, time: timestamp::Timestamp<'_>) {
        self.event_time_unix_nanos = time.unix_nanos;
        self.is_zone_missing = time.is_zone_missing;
        if let Some(zone) = time.unknown_zone {
            self.syslog.structured_data.insert(UNKNOWN_ZONE.to_owned(), zone.to_owned());
        }
    }

    /// The time that a device puts into its message goes before that of whoever wrote the header.
    fn set_own_time(&mut self, unix_nanos: Option<u64>, is_zone_missing: bool) {
        if unix_nanos.is_some() {
            (self.event_time_unix_nanos, self.is_zone_missing) = (unix_nanos, is_zone_missing);
        }
    }
}

/// Reads one message. A time without a year is taken to be the one nearest to `received_at_unix_nanos`.
pub(crate) fn parse(text: &str, received_at_unix_nanos: u64) -> Parsed {
    let (priority, rest) = priority(text).unwrap_or((DEFAULT_PRIORITY, text));
    let mut header = rfc5424::parse(rest, received_at_unix_nanos).unwrap_or_else(|| rfc3164::parse(rest, received_at_unix_nanos));
    header.syslog.facility = priority / 8;
    header.syslog.severity = priority % 8;
    let Header { host: device, event_time_unix_nanos, is_zone_missing, syslog } = header;
    Parsed { device, event_time_unix_nanos, is_zone_missing, body: Body::Syslog(syslog) }
}

/// `<PRI>` and what follows; `None` where there is no valid one.
fn priority(text: &str) -> Option<(u32, &str)> {
    let text = text.strip_prefix('<')?;
    let end = text.bytes().take(4).position(|byte| !byte.is_ascii_digit()).filter(|end| *end > 0)?;
    let (digits, rest) = text.split_at_checked(end)?;
    let priority = digits.parse().ok()?;
    (priority <= MAX_PRIORITY).then_some((priority, rest.strip_prefix('>')?))
}
