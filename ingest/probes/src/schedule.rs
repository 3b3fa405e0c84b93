//! When each link is asked. Pure: time comes in as a value.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::time::{Duration, Instant};

/// The next time of every link.
#[derive(Debug)]
pub(crate) struct Schedule {
    next: BinaryHeap<Reverse<(Instant, usize)>>,
    intervals: Vec<Duration>,
}

impl Schedule {
    /// Spreads links over their intervals: the phase of each comes from its name, so that a thousand links are not asked at once, and a link
    /// keeps its place when others come and go.
    pub(crate) fn new<'a>(links: impl IntoIterator<Item = (&'a str, Duration)>, start: Instant) -> Self {
        let mut schedule = Self { next: BinaryHeap::new(), intervals: Vec::new() };
        for (number, (id, interval)) in links.into_iter().enumerate() {
            schedule.next.push(Reverse((start + phase(id, interval), number)));
            schedule.intervals.push(interval);
        }
        schedule
    }

    /// The time of the next probe; `None` without links.
    pub(crate) fn next_at(&self) -> Option<Instant> {
        self.next.peek().map(|Reverse((at, _))| *at)
    }

    /// A link whose time has come, and sets its next. Times are multiples of the interval from the first on, so lateness never adds up; times
    /// that have passed as a whole, as after a suspend, are left out.
    pub(crate) fn due(&mut self, now: Instant) -> Option<usize> {
        let Reverse((at, link)) = *self.next.peek().filter(|Reverse((at, _))| *at <= now)?;
        self.next.pop();
        let interval = self.intervals[link];
        let late = now.duration_since(at);
        let missed = u32::try_from(late.as_nanos() / interval.as_nanos()).unwrap_or(u32::MAX);
        self.next.push(Reverse((at + interval * missed.saturating_add(1), link)));
        Some(link)
    }
}

/// A place within the interval that depends on nothing but the name: FNV-1a, then the finalizer of MurmurHash3, because names that differ in
/// their last byte alone would lie side by side.
fn phase(id: &str, interval: Duration) -> Duration {
    let mut hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash = (hash ^ hash >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    hash = (hash ^ hash >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    interval.mul_f64((hash >> 33) as f64 / (1_u64 << 31) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn every_link_is_asked_once_an_interval_without_drift() {
        let start = Instant::now();
        let mut schedule = Schedule::new([("a", SECOND), ("b", SECOND * 2)], start);
        let mut asked = [0; 2];
        // The clock looks in late, by an odd 7 ms each time.
        for step in 0..=20_000 / 7 {
            let now = start + Duration::from_millis(7) * step;
            while let Some(link) = schedule.due(now) {
                let first = start + phase(["a", "b"][link], schedule.intervals[link]);
                let expected = first + schedule.intervals[link] * asked[link];
                assert!(now >= expected && now - expected < Duration::from_millis(7), "probe {} of link {link}", asked[link]);
                asked[link] += 1;
            }
        }
        assert_eq!(asked, [20, 10]);
    }

    #[test]
    fn a_thousand_links_are_spread_over_the_interval() {
        let ids: Vec<_> = (0..1000).map(|number| format!("link-{number}")).collect();
        let start = Instant::now();
        let mut schedule = Schedule::new(ids.iter().map(|id| (id.as_str(), SECOND)), start);
        for tenth in 1..=10 {
            let until = start + SECOND / 10 * tenth;
            let asked = std::iter::from_fn(|| schedule.due(until)).count();
            assert!((60..=140).contains(&asked), "{asked} of 1000 in tenth {tenth}");
        }
    }

    #[test]
    fn a_phase_depends_on_the_name_alone() {
        assert_eq!(phase("a", SECOND), phase("a", SECOND));
        assert_ne!(phase("a", SECOND), phase("b", SECOND));
    }

    #[test]
    fn after_a_suspend_the_missed_times_are_left_out_and_the_rhythm_stays() {
        let start = Instant::now();
        let mut schedule = Schedule::new([("a", SECOND)], start);
        let first = schedule.next_at().unwrap();
        let awake = first + SECOND * 600 + SECOND / 2;
        assert_eq!(std::iter::from_fn(|| schedule.due(awake)).count(), 1);
        assert_eq!(schedule.next_at(), Some(first + SECOND * 601));
    }
}
