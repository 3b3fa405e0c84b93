//! Logs at most a few lines of a kind per period, and says how many were left out.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const BURST: u64 = 3;
const PERIOD: Duration = Duration::from_secs(10);

/// Lets the first three of each ten seconds pass.
#[derive(Debug, Default)]
pub(crate) struct Sampler {
    period_start: Mutex<Option<Instant>>,
    seen: AtomicU64,
}

impl Sampler {
    /// `Some(n)` when this one may be logged; `n` were left out since the last that was.
    pub(crate) fn pass(&self) -> Option<u64> {
        self.pass_at(Instant::now())
    }

    fn pass_at(&self, now: Instant) -> Option<u64> {
        let mut period_start = self.period_start.lock().unwrap_or_else(PoisonError::into_inner);
        let mut left_out = 0;
        if period_start.is_none_or(|start| now.duration_since(start) >= PERIOD) {
            *period_start = Some(now);
            left_out = self.seen.swap(0, Ordering::Relaxed).saturating_sub(BURST);
        }
        let seen = self.seen.fetch_add(1, Ordering::Relaxed);
        (seen < BURST).then_some(left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pass_in_a_period_and_the_next_period_tells_how_many_did_not() {
        let sampler = Sampler::default();
        let start = Instant::now();
        let passed: Vec<_> = (0..5).map(|_| sampler.pass_at(start)).collect();
        assert_eq!(passed, [Some(0), Some(0), Some(0), None, None]);
        assert_eq!(sampler.pass_at(start + PERIOD), Some(2));
        assert_eq!(sampler.pass_at(start + PERIOD), Some(0));
    }
}
