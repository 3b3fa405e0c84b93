//! How long until what waits in Kafka is stored: two sheets, some time apart.

use std::fmt;
use std::time::Duration;

use super::Sheet;

/// What waits to be stored, and how fast it becomes less.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct CatchingUp {
    waiting: i64,
    stored_per_second: f64,
    arriving_per_second: f64,
}

impl CatchingUp {
    /// From a sheet and a newer one; none where nothing waits, or where too little time has passed for a rate: an agent reports each second.
    pub(super) fn between(before: &Sheet, now: &Sheet, elapsed: Duration) -> Option<Self> {
        let waiting: i64 = now.0.iter().map(|line| line.missing).sum();
        if waiting == 0 || elapsed < Duration::from_secs(2) {
            return None;
        }
        let per_second = |before: u64, now: u64| now.saturating_sub(before) as f64 / elapsed.as_secs_f64();
        Some(Self {
            waiting,
            stored_per_second: per_second(before.kept(), now.kept()),
            arriving_per_second: per_second(before.acked(), now.acked()),
        })
    }

    /// None where what waits becomes no less.
    fn remaining(self) -> Option<Duration> {
        let less_per_second = self.stored_per_second - self.arriving_per_second;
        (less_per_second > 0.0).then(|| Duration::from_secs_f64((self.waiting as f64 / less_per_second).min(1e9).ceil()))
    }
}

impl fmt::Display for CatchingUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (stored, arriving) = (self.stored_per_second, self.arriving_per_second);
        write!(f, "{} records wait to be stored; {stored:.0} a second are, and {arriving:.0} a second arrive: ", self.waiting)?;
        match self.remaining().map(|remaining| remaining.as_secs()) {
            Some(seconds @ 0..120) => write!(f, "{seconds} s to go"),
            Some(seconds @ 120..7_200) => write!(f, "{} min to go", seconds.div_ceil(60)),
            Some(seconds) => write!(f, "{} h to go", seconds.div_ceil(3_600)),
            None => f.write_str("they become no fewer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Line;
    use super::*;

    fn sheet(acked: u64, stored_events: u64) -> Sheet {
        let missing = i64::try_from(acked - stored_events).unwrap();
        Sheet(vec![Line { acked, stored_events, missing, ..Line::default() }])
    }

    fn told(before: &Sheet, now: &Sheet) -> Option<String> {
        CatchingUp::between(before, now, Duration::from_secs(10)).map(|catching_up| catching_up.to_string())
    }

    #[test]
    fn what_is_stored_faster_than_it_arrives_has_an_end() {
        assert_eq!(
            told(&sheet(1_000_000, 100_000), &sheet(1_100_000, 900_000)).as_deref(),
            Some("200000 records wait to be stored; 80000 a second are, and 10000 a second arrive: 3 s to go")
        );
        let long = told(&sheet(10_000_000, 0), &sheet(10_000_000, 100_000)).unwrap();
        assert!(long.ends_with("10000 a second are, and 0 a second arrive: 17 min to go"), "{long}");
        let longer = told(&sheet(100_000_000, 0), &sheet(100_000_000, 100_000)).unwrap();
        assert!(longer.ends_with(": 3 h to go"), "{longer}");
    }

    #[test]
    fn what_is_not_stored_or_too_slowly_has_none() {
        let none = told(&sheet(1_000, 0), &sheet(2_000, 0)).unwrap();
        assert!(none.ends_with("0 a second are, and 100 a second arrive: they become no fewer"), "{none}");
        let slow = told(&sheet(1_000, 0), &sheet(2_000, 1_000)).unwrap();
        assert!(slow.ends_with("they become no fewer"), "{slow}");
    }

    #[test]
    fn nothing_is_said_where_nothing_waits_or_no_time_has_passed() {
        assert_eq!(told(&sheet(1_000, 0), &sheet(1_000, 1_000)), None);
        assert_eq!(CatchingUp::between(&sheet(1_000, 0), &sheet(1_000, 0), Duration::from_millis(250)), None);
    }

    #[test]
    fn rows_in_the_quarantine_and_rejects_do_not_wait() {
        let now = Sheet(vec![Line { acked: 100, stored_events: 50, stored_rejects: 20, quarantined: 10, missing: 20, ..Line::default() }]);
        let told = told(&sheet(100, 0), &now).unwrap();
        assert!(told.starts_with("20 records wait to be stored; 8 a second are"), "{told}");
    }
}
