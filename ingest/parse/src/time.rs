//! The times that senders write, as Unix nanoseconds. Everything returns `None` for what cannot be kept in nanoseconds from 1970 to 2262,
//! the range of ClickHouse's `DateTime64(9)`.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

const NANOS_PER_SECOND: i64 = 1_000_000_000;

/// A civil time at an offset from UTC in seconds.
pub(crate) fn civil(date_time: DateTime, offset_seconds: i32) -> Option<u64> {
    let timestamp = TimeZone::UTC.to_timestamp(date_time).ok()?;
    let nanos = timestamp.as_nanosecond().checked_sub(i128::from(offset_seconds) * i128::from(NANOS_PER_SECOND))?;
    i64::try_from(nanos).ok().and_then(|nanos| u64::try_from(nanos).ok())
}

/// RFC 3339, with `T` or one space between date and time; an absent offset means UTC. Returns the time and what follows it.
pub(crate) fn rfc3339_prefix(text: &str) -> Option<(u64, &str)> {
    let bytes = text.as_bytes();
    let (year, month, day) = (digits(bytes, 0, 4)?, digits(bytes, 5, 2)?, digits(bytes, 8, 2)?);
    let (hour, minute, second) = (digits(bytes, 11, 2)?, digits(bytes, 14, 2)?, digits(bytes, 17, 2)?);
    let separators = [*bytes.get(4)?, *bytes.get(7)?, *bytes.get(10)?, *bytes.get(13)?, *bytes.get(16)?];
    if !matches!(separators, [b'-', b'-', b'T' | b't' | b' ', b':', b':']) {
        return None;
    }
    let (nanos, rest) = fraction(text.get(19..)?);
    let (offset_seconds, rest) = offset(rest)?;
    let time = date_time(year, month, day, time_of_day(hour, minute, second, nanos)?)?;
    Some((civil(time, offset_seconds)?, rest))
}

/// RFC 3339 and nothing after it.
pub(crate) fn rfc3339(text: &str) -> Option<u64> {
    rfc3339_prefix(text).filter(|(_, rest)| rest.is_empty()).map(|(nanos, _)| nanos)
}

/// Seconds since 1970 in decimal, with or without a fraction; digits beyond nanoseconds are cut.
pub(crate) fn unix_seconds(text: &str) -> Option<u64> {
    let (seconds, fraction_text) = text.split_once('.').unwrap_or((text, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if seconds.is_empty() || !all_digits(seconds) || !all_digits(fraction_text) {
        return None;
    }
    let seconds: i64 = seconds.parse().ok()?;
    let nanos = seconds.checked_mul(NANOS_PER_SECOND)?.checked_add(i64::from(nanos_of_fraction(fraction_text)))?;
    u64::try_from(nanos).ok()
}

/// A time of day that a clock can show; RFC 5424 has no leap seconds.
pub(crate) fn time_of_day(hour: u32, minute: u32, second: u32, nanos: u32) -> Option<Time> {
    Time::new(hour.try_into().ok()?, minute.try_into().ok()?, second.try_into().ok()?, nanos.try_into().ok()?).ok()
}

/// A date that exists in the calendar, with a time of day.
pub(crate) fn date_time(year: u32, month: u32, day: u32, time: Time) -> Option<DateTime> {
    let date = Date::new(year.try_into().ok()?, month.try_into().ok()?, day.try_into().ok()?).ok()?;
    Some(date.to_datetime(time))
}

/// `.` or `,` (ISO 8601) and digits at the start of `text` as nanoseconds, and what follows; 0 where there is no fraction.
pub(crate) fn fraction(text: &str) -> (u32, &str) {
    let Some(after_dot) = text.strip_prefix(['.', ',']) else { return (0, text) };
    let end = after_dot.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(after_dot.len());
    match after_dot.split_at_checked(end) {
        Some((fraction_text, rest)) if end > 0 => (nanos_of_fraction(fraction_text), rest),
        _ => (0, text),
    }
}

fn nanos_of_fraction(digits: &str) -> u32 {
    let mut nanos = 0;
    for place in 0..9 {
        nanos = nanos * 10 + digits.as_bytes().get(place).map_or(0, |byte| u32::from(byte.wrapping_sub(b'0')));
    }
    nanos
}

/// `Z`, `+hh:mm`, `+hhmm` or `+hh` at the start of `text`, in seconds, and what follows.
pub(crate) fn offset(text: &str) -> Option<(i32, &str)> {
    if let Some(rest) = text.strip_prefix(['Z', 'z']) {
        return Some((0, rest));
    }
    let Some(digits_text) = text.strip_prefix(['+', '-']) else { return Some((0, text)) };
    let bytes = digits_text.as_bytes();
    let colon = usize::from(bytes.get(2) == Some(&b':'));
    let hours = digits(bytes, 0, 2)?;
    let (minutes, end) = digits(bytes, 2 + colon, 2).map_or((0, 2), |minutes| (minutes, 4 + colon));
    if hours > 23 || minutes > 59 {
        return None;
    }
    let seconds = i32::try_from(hours * 3600 + minutes * 60).ok()?;
    let sign = if text.starts_with('-') { -1 } else { 1 };
    Some((sign * seconds, digits_text.get(end..)?))
}

/// `count` decimal digits from `start`.
pub(crate) fn digits(bytes: &[u8], start: usize, count: usize) -> Option<u32> {
    let mut value = 0;
    for byte in bytes.get(start..start + count)? {
        if !byte.is_ascii_digit() {
            return None;
        }
        value = value * 10 + u32::from(byte - b'0');
    }
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: u64 = 1_795_176_000_000_000_000; // 2026-11-20T12:00:00Z

    #[test]
    fn rfc3339_knows_offsets_and_fractions() {
        assert_eq!(rfc3339("2026-11-20T12:00:00Z"), Some(NOON));
        assert_eq!(rfc3339("2026-11-20T13:30:00.25+01:30"), Some(NOON + 250_000_000));
        assert_eq!(rfc3339("2026-11-20 07:00:00-0500"), Some(NOON));
        assert_eq!(rfc3339("2026-11-20T12:00:00.0000000019Z"), Some(NOON + 1));
    }

    #[test]
    fn what_no_calendar_has_is_no_time() {
        for text in ["2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20", "2026-11-20T12:00:00Zx", "", "é"]
        {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn times_outside_1970_to_2262_are_not_kept() {
        assert_eq!(rfc3339("1969-12-31T23:59:59Z"), None);
        assert_eq!(rfc3339("2262-04-11T23:47:16.854775807Z"), Some(i64::MAX as u64));
        assert_eq!(rfc3339("2262-04-11T23:47:16.854775808Z"), None);
        assert_eq!(unix_seconds("9223372037"), None);
    }

    #[test]
    fn unix_seconds_may_have_a_fraction_and_nothing_else() {
        assert_eq!(unix_seconds("1795176000"), Some(NOON));
        assert_eq!(unix_seconds("1795176000.5"), Some(NOON + 500_000_000));
        for text in ["", ".", "-1", "1e9", "12 ", "0x10", "nan"] {
            assert_eq!(unix_seconds(text), None, "{text}");
        }
    }
}
