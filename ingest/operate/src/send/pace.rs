//! When each message is due.

use std::time::Duration;

/// How fast to send.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// At the times that the messages carry.
    OwnTimes,
    /// So many messages a second, evenly; those of one millisecond leave together. A sleep before each of 50,000 a second would take more of a
    /// processor than to send them.
    PerSecond(f64),
    /// As fast as the kernel takes them.
    FullSpeed,
}

impl Pace {
    /// When message `index` (from 0) is due, after the start. Deadlines count from the start and not from the message before, so
    /// that a late message does not delay all that follow.
    pub fn due(self, index: u64, own_time: impl FnOnce() -> Duration) -> Duration {
        match self {
            Self::OwnTimes => own_time(),
            Self::PerSecond(rate) => Duration::from_millis((index as f64 * 1_000.0 / rate) as u64),
            Self::FullSpeed => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deadlines_count_from_the_start_in_whole_milliseconds() {
        let own_time = || Duration::from_millis(7);
        assert_eq!(Pace::OwnTimes.due(1_000_000, own_time), Duration::from_millis(7));
        assert_eq!(Pace::PerSecond(4.0).due(3_600 * 4, own_time), Duration::from_secs(3_600));
        assert_eq!(Pace::PerSecond(4_000.0).due(4_007, own_time), Pace::PerSecond(4_000.0).due(4_004, own_time));
        assert_eq!(Pace::FullSpeed.due(1_000_000, own_time), Duration::ZERO);
    }
}
