//! The times of RFC 3164 as they are sent: without a year, with one in any place, ISO 8601 and nearly so, with fractions, zones and marks.

use jiff::civil::{DateTime, Time};

use super::zone;
use crate::time;

const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A time at the start of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Timestamp<'a> {
    /// `None`: a time that cannot be kept, like the 30th of February.
    pub(super) unix_nanos: Option<u64>,
    /// A zone's name that is not known; the time was then taken for UTC.
    pub(super) unknown_zone: Option<&'a str>,
    /// No zone that is known stands with it.
    pub(super) is_zone_missing: bool,
}

/// A time, and what follows it and its separator.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Option<(Timestamp<'_>, &str)> {
    // Cisco marks a clock that is not synchronised: `*` never was, `.` no longer is.
    let text = text.trim_start_matches(['*', '.']);
    let first = *text.as_bytes().first()?;
    if !first.is_ascii_alphanumeric() {
        return None;
    }
    let (unix_nanos, rest) = match time::rfc3339_prefix(text) {
        Some((nanos, rest)) => (Some(nanos), rest),
        None => month_name(text, received_at_unix_nanos).or_else(|| dashed(text)).or_else(|| slashed(text)).or_else(|| coloned(text))?,
    };
    let time = Timestamp { unix_nanos, unknown_zone: None, is_zone_missing: !has_zone(text, rest) };
    after(time, without_count(rest))
}

/// Whether what was read up to `rest` had a zone behind its minutes: a sign, or letters that are not those of a clock of twelve hours.
fn has_zone(text: &str, rest: &str) -> bool {
    let read = text.get(..text.len() - rest.len()).unwrap_or_default();
    let read = coloned_date(read).map_or(read, |(_, clock)| clock);
    let Some((_, behind_hours)) = read.split_once(':') else { return false };
    let is_zoned = |text: &str| text.bytes().any(|byte| b"+-".contains(&byte) || byte.is_ascii_alphabetic());
    is_zoned(behind_hours) && is_zoned(&behind_hours.replace(" AM", "").replace(" PM", ""))
}

/// A time and nothing but a zone after it. The zone's name need not be known.
pub(super) fn alone(text: &str, received_at_unix_nanos: u64) -> Option<Timestamp<'_>> {
    match parse(text, received_at_unix_nanos)? {
        (time, "") => Some(time),
        (time, rest) if zone::is_name(rest) => Some(Timestamp { unknown_zone: Some(rest), ..time }),
        _ => None,
    }
}

/// What follows a time: nothing, a colon, or white space and perhaps a zone.
fn after<'a>(time: Timestamp<'a>, rest: &'a str) -> Option<(Timestamp<'a>, &'a str)> {
    if rest.is_empty() {
        return Some((time, rest));
    }
    if let Some(after) = rest.strip_prefix(':') {
        return Some((time, after.trim_start()));
    }
    let rest = rest.strip_prefix([' ', '\t'])?.trim_start();
    let (word, tail) = rest.split_once(' ').unwrap_or((rest, ""));
    let word = word.trim_end_matches(':');
    // Huawei says with it that the offset before it is that of summer.
    if word == "DST" {
        return Some((time, tail.trim_start()));
    }
    let is_capital = |text: &str| text.as_bytes().first().is_some_and(u8::is_ascii_uppercase);
    match is_capital(word).then(|| zone::offset_seconds(word)).flatten() {
        Some(seconds) => {
            let unix_nanos = time.unix_nanos.and_then(|nanos| east(nanos, seconds));
            Some((Timestamp { unix_nanos, is_zone_missing: false, ..time }, tail.trim_start()))
        }
        None => Some((time, rest)),
    }
}

/// The time in UTC of a clock that is `seconds` ahead of it.
fn east(nanos: u64, seconds: i32) -> Option<u64> {
    nanos.checked_add_signed(-i64::from(seconds) * NANOS_PER_SECOND)
}

/// `Mmm dd hh:mm:ss[.fraction]`, with a year before or behind it or none at all.
fn month_name(text: &str, received_at_unix_nanos: u64) -> Option<(Option<u64>, &str)> {
    let text = match text.split_at_checked(3) {
        Some((day, rest)) if WEEKDAYS.contains(&day) => rest.trim_start_matches([',', ' ']),
        _ => text,
    };
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
    // Some senders (`date`, rsyslog templates, some firewalls) put the year behind the time or its zone.
    let (year, zone_seconds, rest) = match (year, trailing_year(rest)) {
        (None, Some((year, zone_seconds, rest))) => (Some(year), zone_seconds, rest),
        (year, _) => (year, 0, rest),
    };
    let (offset_seconds, rest) = time::offset(rest)?;
    let nanos = match year {
        Some(year) => time::date_time(year, month, day, clock).and_then(|at| time::civil(at, zone_seconds + offset_seconds)),
        None => nearest_year(received_at_unix_nanos, |year| time::date_time(year, month, day, clock))
            .and_then(|nanos| east(nanos, offset_seconds)),
    };
    Some((nanos, rest))
}

/// ` [ZONE] yyyy ` behind a time: the year, the zone's seconds, and what follows with its separator.
fn trailing_year(rest: &str) -> Option<(u32, i32, &str)> {
    let text = rest.strip_prefix(' ')?.trim_start();
    let (zone_seconds, text) = match text.split_once(' ') {
        Some((word, tail)) if word.starts_with(|first: char| first.is_ascii_uppercase()) => (zone::offset_seconds(word)?, tail),
        _ => (0, text),
    };
    let year = time::digits(text.as_bytes(), 0, 4).filter(|year| (1970..=2262).contains(year))?;
    let rest = text.get(4..)?;
    (rest.is_empty() || rest.starts_with(' ') || rest.starts_with(": ")).then_some((year, zone_seconds, rest))
}

/// `mm/dd/yyyy:hh:mm:ss` of NetScaler, day first where no month has the number, and `yyyy/mm/dd hh:mm:ss`.
fn slashed(text: &str) -> Option<(Option<u64>, &str)> {
    let bytes = text.as_bytes();
    let (year, month, day) = match (bytes.get(2), bytes.get(4)) {
        (Some(b'/'), _) if bytes.get(5) == Some(&b'/') => {
            let (first, second) = (time::digits(bytes, 0, 2)?, time::digits(bytes, 3, 2)?);
            let (month, day) = if first > 12 { (second, first) } else { (first, second) };
            (time::digits(bytes, 6, 4)?, month, day)
        }
        (_, Some(b'/')) if bytes.get(7) == Some(&b'/') => {
            (time::digits(bytes, 0, 4)?, time::digits(bytes, 5, 2)?, time::digits(bytes, 8, 2)?)
        }
        _ => return None,
    };
    let (clock, rest) = clock(text.get(10..)?.strip_prefix([':', ' '])?)?;
    Some((time::date_time(year, month, day, clock).and_then(|at| time::civil(at, 0)), rest))
}

/// `yyyy:mm:dd-hh:mm:ss` of Sophos UTM.
fn coloned(text: &str) -> Option<(Option<u64>, &str)> {
    let ((year, month, day), rest) = coloned_date(text)?;
    let (clock, rest) = clock(rest)?;
    Some((time::date_time(year, month, day, clock).and_then(|at| time::civil(at, 0)), rest))
}

/// Year, month and day, and what follows their dash.
fn coloned_date(text: &str) -> Option<((u32, u32, u32), &str)> {
    let bytes = text.as_bytes();
    if bytes.get(4) != Some(&b':') || bytes.get(7) != Some(&b':') {
        return None;
    }
    let date = (time::digits(bytes, 0, 4)?, time::digits(bytes, 5, 2)?, time::digits(bytes, 8, 2)?);
    Some((date, text.get(10..)?.strip_prefix('-')?))
}

/// Whether a text begins with the name of a month, as the times of RFC 3164 4.1.2 do.
pub(super) fn starts_with_month(text: &str) -> bool {
    text.split_at_checked(3).is_some_and(|(name, rest)| rest.starts_with(' ') && MONTHS.contains(&name))
}

/// Whether a text may begin with a time, by a look at its first bytes.
pub(super) fn starts_like_time(text: &str) -> bool {
    match text.as_bytes() {
        [b'1' | b'2', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', ..] => true,
        [b'A'..=b'Z', _, _, b' ' | b',', ..] => text.get(..3).is_some_and(|name| MONTHS.contains(&name) || WEEKDAYS.contains(&name)),
        _ => false,
    }
}

/// `2018-7-23 01:00:34.270` of Huawei and `2018-Nov- 9 15:38:25.341` of console servers: a month without a leading zero or by its name, a day
/// behind a space.
fn dashed(text: &str) -> Option<(Option<u64>, &str)> {
    let (year, rest) = text.split_once('-').filter(|(year, _)| year.len() == 4)?;
    let year = time::digits(year.as_bytes(), 0, 4)?;
    let (month, rest) = rest.split_once('-').filter(|(month, _)| month.len() <= 3)?;
    let month = match MONTHS.iter().zip(1u32..).find(|(name, _)| name.eq_ignore_ascii_case(month)) {
        Some((_, number)) => number,
        None => short_number(month)?,
    };
    let (day, rest) = rest.trim_start().split_once([' ', 'T'])?;
    let day = short_number(day)?;
    let (clock, rest) = clock(rest)?;
    let (offset_seconds, rest) = time::offset(rest)?;
    Some((time::date_time(year, month, day, clock).and_then(|at| time::civil(at, offset_seconds)), rest))
}

/// One or two digits.
fn short_number(text: &str) -> Option<u32> {
    matches!(text.len(), 1 | 2).then(|| time::digits(text.as_bytes(), 0, text.len())).flatten()
}

/// Huawei counts what it says within a millisecond: `.1` behind the fraction.
fn without_count(rest: &str) -> &str {
    let end = || rest.strip_prefix('.')?.find(|byte: char| !byte.is_ascii_digit()).filter(|digits| (1..=9).contains(digits));
    end().and_then(|digits| rest.get(1 + digits..)).unwrap_or(rest)
}

/// A year from 1970 to 2262 followed by a space.
fn year(text: &str) -> Option<(u32, &str)> {
    let year = time::digits(text.as_bytes(), 0, 4).filter(|year| (1970..=2262).contains(year))?;
    Some((year, text.get(4..)?.strip_prefix(' ')?.trim_start()))
}

/// `hh:mm:ss[.fraction]`, or `hh:mm:ss PM[.fraction]` of Cisco's call managers.
fn clock(text: &str) -> Option<(Time, &str)> {
    let bytes = text.as_bytes();
    if bytes.get(2) != Some(&b':') || bytes.get(5) != Some(&b':') {
        return None;
    }
    let (hour, minute, second) = (time::digits(bytes, 0, 2)?, time::digits(bytes, 3, 2)?, time::digits(bytes, 6, 2)?);
    let (hour, rest) = match (hour, bytes.get(8..11)) {
        (1..=12, Some(b" AM")) => (hour % 12, text.get(11..)?),
        (1..=12, Some(b" PM")) => (hour % 12 + 12, text.get(11..)?),
        _ => (hour, text.get(8..)?),
    };
    let (nanos, rest) = time::fraction(rest);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_says_whether_it_told_its_zone() {
        for (text, is_zone_missing) in [
            ("Nov 20 11:59:59 sw1 app: text", true),
            ("Nov 20 2026 11:59:59.123: text", true),
            ("Nov 20 11:59:59 2026 sw1", true),
            ("2026-11-20T11:59:59 sw1", true),
            ("2018-Nov- 9 15:38:25.341 RXDATA:", true),
            ("Nov 20 11:59:59 PM text", true),
            ("11/20/2026:11:59:59 text", true),
            ("2026:11:20-11:59:59 utm1", true),
            ("Nov 20 11:59:59 UTC: text", false),
            ("Nov 20 11:59:59 CET 2026 sw1", false),
            ("11/20/2026:11:59:59 GMT text", false),
            ("2026-11-20T11:59:59Z sw1", false),
            ("2026-11-20T11:59:59.5+01:00 sw1", false),
            ("2026-11-20T11:59:59-0500 sw1", false),
            ("2018-7-23 01:00:34.270+08:00 DST sw1", false),
        ] {
            let (time, _) = parse(text, 1_795_176_000_000_000_000).unwrap();
            assert_eq!(time.is_zone_missing, is_zone_missing, "{text}");
            assert!(time.unix_nanos.is_some(), "{text}");
        }
    }
}
