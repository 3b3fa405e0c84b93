//! Values as people type them. Pure.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

/// A typed value in the form that ClickHouse reads for `data_type`. Times may be relative to `now`.
///
/// Times: `now`, `-15m`, `-36h`, `-7d`, `-4w`, RFC 3339, or `YYYY-MM-DD[ HH:MM[:SS]]` in UTC. Everything else is passed on as it is.
pub fn for_type(typed: &str, data_type: &str, now: Timestamp) -> Result<String, String> {
    if !data_type.starts_with("DateTime") {
        return Ok(typed.to_owned());
    }
    let time = time(typed, now).ok_or_else(|| {
        format!("{typed:?} is no time; write now, -15m, -36h, -7d, -4w, 2026-11-20, '2026-11-20 14:05' (UTC) or RFC 3339")
    })?;
    Ok(time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S.%3f").to_string())
}

fn time(typed: &str, now: Timestamp) -> Option<Timestamp> {
    if typed == "now" {
        return Some(now);
    }
    if let Some(ago) = typed.strip_prefix('-') {
        let (digits, unit) = ago.split_at_checked(ago.len().checked_sub(1)?)?;
        let unit_seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            "w" => 604_800,
            _ => return None,
        };
        let seconds = digits.parse::<u32>().ok()?;
        return now.checked_sub(SignedDuration::from_secs(i64::from(seconds) * unit_seconds)).ok();
    }
    if let Ok(time) = typed.parse::<Timestamp>() {
        return Some(time);
    }
    let civil = typed.parse::<DateTime>().ok()?;
    civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str) -> Result<String, String> {
        for_type(typed, "DateTime64(3, 'UTC')", "2026-11-20T12:00:00Z".parse().unwrap())
    }

    #[test]
    fn times_are_read_as_people_write_them() {
        let cases = [
            ("now", "2026-11-20 12:00:00.000"),
            ("-90s", "2026-11-20 11:58:30.000"),
            ("-7d", "2026-11-13 12:00:00.000"),
            ("2026-11-20", "2026-11-20 00:00:00.000"),
            ("2026-11-20 14:05", "2026-11-20 14:05:00.000"),
            ("2026-11-20 14:05:06.5", "2026-11-20 14:05:06.500"),
            ("2026-11-20T14:05:06+01:00", "2026-11-20 13:05:06.000"),
        ];
        for (typed, expected) in cases {
            assert_eq!(read(typed).as_deref(), Ok(expected), "{typed}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_the_forms_that_are() {
        for typed in ["", "-", "-7", "-7y", "--7d", "yesterday", "14:05", "-99999999999d", "2026-13-01"] {
            assert!(read(typed).unwrap_err().contains("RFC 3339"), "{typed}");
        }
    }

    #[test]
    fn other_types_are_left_to_the_database() {
        assert_eq!(for_type("x' OR 1=1 --", "String", Timestamp::UNIX_EPOCH).as_deref(), Ok("x' OR 1=1 --"));
    }
}
