//! Values as people type them. Pure.

use std::net::IpAddr;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};

use super::question::Parameter;
use super::zone::Zone;

/// A typed value in the form that ClickHouse reads for this parameter. Times may be relative to `now`, and are those of a clock in `zone`.
///
/// Times: `now`, `-15m`, `-36h`, `-7d`, `-4w`, RFC 3339, or `YYYY-MM-DD[ HH:MM[:SS]]`. A parameter `ip` or `mac` is an address in any notation. Everything
/// else is passed on as it is.
pub fn for_parameter(typed: &str, parameter: &Parameter, now: Timestamp, zone: &Zone) -> Result<String, String> {
    match parameter.name.as_str() {
        _ if parameter.is_time() => Ok(in_utc(time(typed, now, zone)?)),
        "ip" => ip(typed).ok_or_else(|| format!("{typed:?} is no address; write it as 10.1.2.3 or 2001:db8::1")),
        "mac" => mac(typed)
            .ok_or_else(|| format!("{typed:?} is no hardware address; write it as 02:00:00:00:00:2a, 02-00-00-00-00-2A or 0200.0000.002a")),
        _ => Ok(typed.to_owned()),
    }
}

/// First and last moment of `YYYY-MM-DD` or `YYYY-MM`: a day or a month of `zone`, as [`for_parameter`] gives them.
pub fn during(typed: &str, zone: &Zone) -> Result<(String, String), String> {
    let (first, next) = match day(typed) {
        Some(day) => (day, day.checked_add(1.day())),
        None => {
            let first = month(typed).ok_or_else(|| format!("{typed:?} is no day and no month; write 2026-11-20 or 2026-11"))?;
            (first, first.checked_add(1.month()))
        }
    };
    let next = next.map_err(|error| error.to_string())?;
    Ok((in_utc(zone.day_start(first)?), in_utc(zone.day_start(next)?)))
}

/// `YYYY-MM-DD` and nothing behind it.
fn day(typed: &str) -> Option<Date> {
    typed.parse().ok().filter(|_| typed.len() == 10)
}

/// The first day of `YYYY-MM`.
pub fn month(typed: &str) -> Option<Date> {
    format!("{typed}-01").parse().ok().filter(|_| typed.len() == 7)
}

/// As ClickHouse reads `DateTime64(3, 'UTC')`.
fn in_utc(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%d %H:%M:%S.%3f").to_string()
}

fn time(typed: &str, now: Timestamp, zone: &Zone) -> Result<Timestamp, String> {
    if typed == "now" {
        return Ok(now);
    }
    if let Some(time) = relative(typed, now) {
        return Ok(time);
    }
    if let Ok(time) = typed.parse::<Timestamp>() {
        return Ok(time);
    }
    if let Some(day) = day(typed) {
        return zone.day_start(day);
    }
    let shown = typed.parse::<DateTime>().map_err(|_| {
        format!("{typed:?} is no time; write now, -15m, -36h, -7d, -4w, 2026-11-20, '2026-11-20 14:05' ({}) or RFC 3339", zone.name)
    })?;
    zone.instant(shown)
}

/// `-7d` and the like.
fn relative(typed: &str, now: Timestamp) -> Option<Timestamp> {
    let ago = typed.strip_prefix('-')?;
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
    now.checked_sub(SignedDuration::from_secs(i64::from(seconds) * unit_seconds)).ok()
}

/// RFC 5952 or dotted, as tables have it: an IPv4 address that is written as IPv6 is the IPv4 address.
fn ip(typed: &str) -> Option<String> {
    let bare = typed.trim().trim_start_matches('[').trim_end_matches(']');
    Some(bare.parse::<IpAddr>().ok()?.to_canonical().to_string())
}

/// Lower case with colons, as tables have it.
fn mac(typed: &str) -> Option<String> {
    let parts: Vec<&str> = typed.trim().split([':', '-', '.', ' ']).collect();
    // Six numbers may lack leading zeros: 2:0:0:0:0:2a.
    let width = if parts.len() == 6 { 2 } else { 0 };
    let digits: String = parts.iter().map(|part| format!("{part:0>width$}")).collect();
    let is_mac = digits.len() == 12 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_mac.then(|| {
        let octets: Vec<&str> = (0..6).map(|index| &digits[2 * index..2 * index + 2]).collect();
        octets.join(":").to_ascii_lowercase()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(typed: &str, name: &str, data_type: &str, zone: &str) -> Result<String, String> {
        let parameter = Parameter { name: name.to_owned(), data_type: data_type.to_owned(), meaning: String::new(), default: None };
        for_parameter(typed, &parameter, "2026-11-20T12:00:00Z".parse().unwrap(), &Zone::find(Some(zone)).unwrap())
    }

    fn time(typed: &str, zone: &str) -> Result<String, String> {
        read(typed, "at", "DateTime64(3, 'UTC')", zone)
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
            assert_eq!(time(typed, "UTC").as_deref(), Ok(expected), "{typed}");
        }
    }

    #[test]
    fn a_time_without_an_offset_is_that_of_the_viewers_clock() {
        let cases = [
            ("2026-11-20 14:05", "2026-11-20 13:05:00.000"),
            ("2026-07-01", "2026-06-30 22:00:00.000"),
            ("2026-11-20T14:05:06Z", "2026-11-20 14:05:06.000"),
            ("-1h", "2026-11-20 11:00:00.000"),
        ];
        for (typed, expected) in cases {
            assert_eq!(time(typed, "Europe/Berlin").as_deref(), Ok(expected), "{typed}");
        }
        assert!(time("2026-10-25 02:30", "Europe/Berlin").unwrap_err().contains("comes twice"));
    }

    #[test]
    fn a_day_and_a_month_are_those_of_the_viewers_calendar() {
        let berlin = Zone::find(Some("Europe/Berlin")).unwrap();
        let during = |typed| during(typed, &berlin).map(|(first, next)| format!("{first} to {next}"));
        assert_eq!(during("2026-10-25").as_deref(), Ok("2026-10-24 22:00:00.000 to 2026-10-25 23:00:00.000"));
        assert_eq!(during("2026-10").as_deref(), Ok("2026-09-30 22:00:00.000 to 2026-10-31 23:00:00.000"));
        for typed in ["", "2026", "2026-13", "2026-1", "2026-11-20 14:05", "october"] {
            assert!(during(typed).unwrap_err().contains("no day and no month"), "{typed}");
        }
    }

    #[test]
    fn what_is_no_time_is_refused_with_the_forms_that_are() {
        for typed in ["", "-", "-7", "-7y", "--7d", "yesterday", "14:05", "-99999999999d", "2026-13-01"] {
            assert!(time(typed, "UTC").unwrap_err().contains("RFC 3339"), "{typed}");
        }
    }

    #[test]
    fn addresses_are_read_in_any_notation() {
        for typed in [
            "02:00:00:00:00:2a",
            "02-00-00-00-00-2A",
            "0200.0000.002A",
            "02000000002a",
            "020000-00002A",
            "2:0:0:0:0:2a",
            "02 00 00 00 00 2a",
        ] {
            assert_eq!(read(typed, "mac", "String", "UTC").as_deref(), Ok("02:00:00:00:00:2a"), "{typed}");
        }
        for (typed, expected) in [
            ("10.1.2.3", "10.1.2.3"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("2001:DB8:0:0::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
        ] {
            assert_eq!(read(typed, "ip", "String", "UTC").as_deref(), Ok(expected), "{typed}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_before_anything_is_asked() {
        for typed in ["", "02:00:00:00:00", "02:00:00:00:00:2g", "02:00:00:00:00:2a:01", "10.1.2.3"] {
            assert!(read(typed, "mac", "String", "UTC").unwrap_err().contains("no hardware address"), "{typed}");
        }
        for typed in ["", "10.1.2", "10.1.2.300", "sw1"] {
            assert!(read(typed, "ip", "String", "UTC").unwrap_err().contains("no address"), "{typed}");
        }
    }

    #[test]
    fn other_values_are_left_to_the_database() {
        assert_eq!(read("x' OR 1=1 --", "device", "String", "UTC").as_deref(), Ok("x' OR 1=1 --"));
    }
}
