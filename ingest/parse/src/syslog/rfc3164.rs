//! RFC 3164 as it is sent: `TIMESTAMP SP HOSTNAME SP TAG[PID]: CONTENT`, with every part missing somewhere.

use jiff::civil::{DateTime, Time};

use super::{Header, cisco};
use crate::time;

/// RFC 3164 allows 32 for TAG and RFC 5424 48 for APP-NAME; real ones are longer, sentences are not single words.
const MAX_TAG_BYTES: usize = 128;
/// RFC 5424 6.2.4.
const MAX_HOST_BYTES: usize = 255;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon ", "Tue ", "Wed ", "Thu ", "Fri ", "Sat ", "Sun "];
/// Time zones that stand between a time and a host; any other word there is the host.
const ZONES: [&str; 14] = ["UTC", "GMT", "WET", "WEST", "CET", "CEST", "EET", "EEST", "EST", "EDT", "CST", "CDT", "PST", "PDT"];

/// Reads what follows PRI. Never fails: what has no name is the message.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Header {
    let text = text.trim_start();
    if let Some(header) = cisco::parse(text, received_at_unix_nanos) {
        return header;
    }
    // NX-OS writes a colon first.
    let (event_time_unix_nanos, host, content) = match timestamp(text.trim_start_matches([':', ' ']), received_at_unix_nanos) {
        Some((nanos, rest)) => {
            let (host, content) = host(rest);
            (nanos, host.map(str::to_owned), content)
        }
        // Without a time there is no host name either: the next word would be a guess.
        None => (None, None, text),
    };
    // The header of a relay goes before what the device says of itself.
    if let Some(header) = cisco::parse(content, received_at_unix_nanos) {
        return Header {
            host: host.or(header.host),
            event_time_unix_nanos: event_time_unix_nanos.or(header.event_time_unix_nanos),
            syslog: header.syslog,
        };
    }
    let mut header = Header { host, event_time_unix_nanos, ..Header::default() };
    read_tag(content, &mut header);
    header
}

/// A time and what follows it and its separator. The inner `None` is a time that cannot be kept.
pub(super) fn timestamp(text: &str, received_at_unix_nanos: u64) -> Option<(Option<u64>, &str)> {
    // Cisco marks a clock that is not synchronised: `*` never was, `.` no longer is.
    let text = text.trim_start_matches(['*', '.']);
    let (nanos, rest) = match time::rfc3339_prefix(text) {
        Some((nanos, rest)) => (Some(nanos), rest),
        None => month_name_timestamp(text, received_at_unix_nanos)?,
    };
    Some((nanos, after_timestamp(rest)?))
}

/// What follows a time: a colon, or white space and perhaps a time zone's name, which is not interpreted: abbreviations are ambiguous.
fn after_timestamp(rest: &str) -> Option<&str> {
    if rest.is_empty() {
        return Some(rest);
    }
    if let Some(after) = rest.strip_prefix(':') {
        return Some(after.trim_start());
    }
    let after = rest.strip_prefix([' ', '\t'])?.trim_start();
    Some(match after.split_once(' ') {
        Some((word, tail)) if ZONES.contains(&word.trim_end_matches(':')) => tail.trim_start(),
        _ => after,
    })
}

/// `Mmm dd hh:mm:ss[.fraction]`, with a year before or behind it or none at all.
fn month_name_timestamp(text: &str, received_at_unix_nanos: u64) -> Option<(Option<u64>, &str)> {
    let text = WEEKDAYS.iter().find_map(|day| text.strip_prefix(day)).unwrap_or(text);
    let (leading_year, rest) = match year(text) {
        Some((year, rest)) => (Some(year), rest),
        None => (None, text),
    };
    let (month_name, rest) = rest.split_at_checked(3)?;
    let month = MONTHS.iter().zip(1u32..).find(|(name, _)| name.eq_ignore_ascii_case(month_name))?.1;
    let rest = rest.strip_prefix(' ')?.trim_start();
    let (day_text, rest) = rest.split_once(' ')?;
    let day: u32 = day_text.parse().ok().filter(|day| (1..=31).contains(day))?;
    let rest = rest.trim_start();
    let (year, rest) = match leading_year {
        Some(year) => (Some(year), rest),
        None => year(rest).map_or((None, rest), |(year, rest)| (Some(year), rest)),
    };
    let (clock, rest) = clock(rest)?;
    let nanos = match year {
        Some(year) => time::date_time(year, month, day, clock).and_then(|at| time::civil(at, 0)),
        None => nearest_year(received_at_unix_nanos, |year| time::date_time(year, month, day, clock)),
    };
    // Some senders (rsyslog templates, some firewalls) put the year behind the time.
    let (nanos, rest) = match (year, self::year(rest.trim_start())) {
        (None, Some((trailing, after))) => {
            (time::date_time(trailing, month, day, clock).and_then(|at| time::civil(at, 0)), with_leading_space(rest, after))
        }
        _ => (nanos, rest),
    };
    Some((nanos, rest))
}

/// The tail of `text` that begins one space before `after`, so that the caller still sees a separator.
fn with_leading_space<'a>(text: &'a str, after: &'a str) -> &'a str {
    text.len().checked_sub(after.len() + 1).and_then(|start| text.get(start..)).unwrap_or(after)
}

/// A year from 1970 to 2262 followed by a space.
fn year(text: &str) -> Option<(u32, &str)> {
    let year = time::digits(text.as_bytes(), 0, 4).filter(|year| (1970..=2262).contains(year))?;
    Some((year, text.get(4..)?.strip_prefix(' ')?.trim_start()))
}

/// `hh:mm:ss[.fraction]`.
fn clock(text: &str) -> Option<(Time, &str)> {
    let bytes = text.as_bytes();
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') {
        return None;
    }
    let (hour, minute, second) = (time::digits(bytes, 0, 2)?, time::digits(bytes, 3, 2)?, time::digits(bytes, 6, 2)?);
    let (nanos, rest) = time::fraction(text.get(8..)?);
    Some((time::time_of_day(hour, minute, second, nanos)?, rest))
}

/// The time in that one of the three years around reception which is nearest to it: in January a message of December is of last year, and
/// a clock that is ahead in December is of next year.
fn nearest_year(received_at_unix_nanos: u64, at: impl Fn(u32) -> Option<DateTime>) -> Option<u64> {
    const NANOS_PER_YEAR: u64 = 31_556_952_000_000_000;
    let about = 1970 + u32::try_from(received_at_unix_nanos / NANOS_PER_YEAR).ok()?;
    (about.saturating_sub(1)..=about + 1)
        .filter_map(|year| time::civil(at(year)?, 0))
        .min_by_key(|nanos| nanos.abs_diff(received_at_unix_nanos))
}

/// HOSTNAME after a time, and what follows it. A word that ends like a TAG is no host name: local senders leave theirs away.
fn host(text: &str) -> (Option<&str>, &str) {
    // What syslogd of AIX and of the BSDs says itself, with its own words where the host belongs.
    if let Some((name, rest)) = text.strip_prefix("Message forwarded from ").and_then(|after| after.split_once(": ")) {
        return (Some(name), rest);
    }
    if text.starts_with("last message repeated ") {
        return (None, text);
    }
    let Some((word, rest)) = text.split_once([' ', '\t']) else { return (None, text) };
    if let Some(name) = word.strip_suffix(':') {
        let before_mnemonic = rest.trim_start().starts_with('%') && is_host(name);
        return if before_mnemonic { (Some(name), rest.trim_start()) } else { (None, text) };
    }
    if word == "-" {
        return (None, rest.trim_start());
    }
    if !is_host(word) || word.ends_with(']') || word.starts_with('%') {
        return (None, text);
    }
    let rest = rest.trim_start();
    // ASA writes `host : %ASA-...`.
    (Some(word), rest.strip_prefix(": ").filter(|after| after.starts_with('%')).unwrap_or(rest))
}

pub(super) fn is_host(word: &str) -> bool {
    !word.is_empty()
        && word.len() <= MAX_HOST_BYTES
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:/@%".contains(&byte) || byte >= 0x80)
        && !word.bytes().all(|byte| byte == b':')
}

/// `TAG: `, `TAG[PID]: ` or `TAG[PID] ` becomes app_name and proc_id; where there is none, all is message.
fn read_tag(content: &str, header: &mut Header) {
    let is_tag = |tag: &str| {
        !tag.is_empty() && tag.len() <= MAX_TAG_BYTES && tag.bytes().all(|byte| byte.is_ascii_graphic() && !b"[]:\"<>{}=,".contains(&byte))
    };
    // `app:text` is a tag; a URL, a path of modules or a port number is not.
    let ends_tag = |message: &str| !message.starts_with(|first: char| first.is_ascii_digit() || "/\\:=".contains(first));
    let tag_end = content.find(['[', ':', ' ', '\t']).unwrap_or(content.len());
    let (tag, rest) = content.split_at_checked(tag_end).unwrap_or((content, ""));
    header.syslog.message = content.to_owned();
    if !is_tag(tag) {
        return;
    }
    let (proc_id, message) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((proc_id, after)) if !proc_id.contains(' ') => match after.strip_prefix(':').or_else(|| after.strip_prefix(' ')) {
            Some(message) => (proc_id, message),
            None if after.is_empty() => (proc_id, after),
            None => return,
        },
        Some(_) => return,
        None => match rest.strip_prefix(':') {
            Some(message) if ends_tag(message) => ("", message),
            _ => return,
        },
    };
    header.syslog.app_name = tag.to_owned();
    header.syslog.proc_id = proc_id.to_owned();
    header.syslog.message = message.strip_prefix(' ').unwrap_or(message).to_owned();
}
