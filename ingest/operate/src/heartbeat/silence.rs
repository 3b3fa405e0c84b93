//! When beats have been away for too long. Pure: time comes with each look.

use std::time::Duration;

/// What a look has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// None has come for this long.
    Silent(Duration),
    /// They come again, after this long.
    Heard(Duration),
}

/// Since when nothing was heard. It begins as if one had just been.
#[derive(Debug)]
pub(super) struct Silence {
    limit: Duration,
    heard_at: Duration,
    silent_since: Option<Duration>,
}

impl Silence {
    /// Silence of `limit` is too long.
    pub(super) fn new(limit: Duration) -> Self {
        Self { limit, heard_at: Duration::ZERO, silent_since: None }
    }

    /// A beat, `at` a time since the start.
    pub(super) fn hear(&mut self, at: Duration) -> Option<Change> {
        self.heard_at = at;
        self.silent_since.take().map(|since| Change::Heard(at.saturating_sub(since)))
    }

    /// A look at the clock.
    pub(super) fn look(&mut self, at: Duration) -> Option<Change> {
        let lasts = self.lasts(at);
        if self.silent_since.is_some() || lasts < self.limit {
            return None;
        }
        self.silent_since = Some(self.heard_at);
        Some(Change::Silent(lasts))
    }

    /// How long ago the last beat was.
    pub(super) fn lasts(&self, at: Duration) -> Duration {
        at.saturating_sub(self.heard_at)
    }

    /// Whether it is too long.
    pub(super) fn is_too_long(&self, at: Duration) -> bool {
        self.lasts(at) >= self.limit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn second(second: u64) -> Duration {
        Duration::from_secs(second)
    }

    #[test]
    fn silence_is_told_once_when_it_is_too_long_and_its_end_once_too() {
        let mut silence = Silence::new(second(60));
        silence.hear(second(10));
        assert_eq!(silence.look(second(69)), None);
        assert_eq!(silence.look(second(70)), Some(Change::Silent(second(60))));
        assert_eq!(silence.look(second(100)), None);
        assert!(silence.is_too_long(second(100)));
        assert_eq!(silence.hear(second(130)), Some(Change::Heard(second(120))));
        assert_eq!(silence.hear(second(145)), None);
        assert!(!silence.is_too_long(second(145)));
    }

    #[test]
    fn who_never_hears_anything_complains_too() {
        let mut silence = Silence::new(second(60));
        assert_eq!(silence.look(second(59)), None);
        assert_eq!(silence.look(second(60)), Some(Change::Silent(second(60))));
    }
}
