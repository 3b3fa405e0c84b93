//! Whether a job is up or down, from looks at it. Pure: time comes with each look.

use std::collections::VecDeque;
use std::time::Duration;

/// So many falls within [`FALLS_WITHIN`] are a job that is down, however short each was.
const MAX_FALLS: usize = 3;
const FALLS_WITHIN: Duration = Duration::from_secs(600);

/// What one look has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Sight {
    /// It runs with all its tasks, of which the newest has run since `since_ms`: another value means that it has been restarted.
    Running { since_ms: i64 },
    /// It does not, and why.
    Away(String),
}

/// When a job is called down, and when up again.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Of one that this watch has not seen running yet: both may have just been started.
    pub(super) first_within: Duration,
    pub(super) down_after: Duration,
    pub(super) up_after: Duration,
}

/// What a look has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    Down,
    Up,
}

/// What is known of one job.
#[derive(Debug, Default)]
pub(super) struct JobHealth {
    has_run: bool,
    running_since_ms: Option<i64>,
    /// When it fell; it stands until the job has run for long enough.
    fell_at: Option<Duration>,
    /// Since when every look has found it running.
    up_since: Option<Duration>,
    falls: VecDeque<Duration>,
    reason: String,
    is_down: bool,
}

impl JobHealth {
    /// Takes what a look has shown `at` a time since the watch began.
    pub(super) fn look(&mut self, at: Duration, sight: Sight, limits: &Limits) -> Option<Change> {
        match self.away(sight) {
            Some(reason) => {
                self.reason = reason;
                self.up_since = None;
                if self.fell_at.is_none() {
                    self.fell_at = Some(at);
                    self.falls.push_back(at);
                }
            }
            None => {
                self.run_for_the_first_time();
                let up_since = *self.up_since.get_or_insert(at);
                if at.saturating_sub(up_since) >= limits.up_after {
                    self.fell_at = None;
                }
            }
        }
        while self.falls.front().is_some_and(|&fall| at.saturating_sub(fall) > FALLS_WITHIN) {
            self.falls.pop_front();
        }
        self.judge(at, limits)
    }

    /// That it was not there before is no fall, unless it has been told.
    fn run_for_the_first_time(&mut self) {
        if !self.has_run && !self.is_down {
            self.fell_at = None;
            self.falls.clear();
        }
        self.has_run = true;
    }

    /// Why it is not counted as running now.
    fn away(&mut self, sight: Sight) -> Option<String> {
        match sight {
            Sight::Away(reason) => {
                self.running_since_ms = None;
                Some(reason)
            }
            Sight::Running { since_ms } => {
                let before = self.running_since_ms.replace(since_ms);
                before.is_some_and(|before| before != since_ms).then(|| "it has been restarted".to_owned())
            }
        }
    }

    fn judge(&mut self, at: Duration, limits: &Limits) -> Option<Change> {
        let falls_often = self.falls.len() >= MAX_FALLS;
        // A job that is just coming back is not called down for the time that it was away.
        let limit = if self.has_run { limits.down_after } else { limits.first_within.max(limits.down_after) };
        let is_away_long = self.up_since.is_none() && self.fell_at.is_some_and(|fell| at.saturating_sub(fell) >= limit);
        if !self.is_down && (is_away_long || falls_often) {
            self.is_down = true;
            return Some(Change::Down);
        }
        if self.is_down && self.fell_at.is_none() && !falls_often {
            self.is_down = false;
            return Some(Change::Up);
        }
        None
    }

    /// Why it was away when it last was.
    pub(super) fn reason(&self) -> &str {
        &self.reason
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { first_within: Duration::from_secs(120), down_after: Duration::from_secs(30), up_after: Duration::from_secs(60) };
    const RUNNING: Sight = Sight::Running { since_ms: 1 };

    fn away() -> Sight {
        Sight::Away("it is failed".to_owned())
    }

    /// Changes with their second, for a look every five seconds at what `sight` shows.
    fn changes(seconds: u64, sight: impl Fn(u64) -> Sight) -> Vec<(u64, Change)> {
        let mut health = JobHealth::default();
        (0..=seconds)
            .step_by(5)
            .filter_map(|second| Some((second, health.look(Duration::from_secs(second), sight(second), &LIMITS)?)))
            .collect()
    }

    #[test]
    fn a_job_that_runs_is_never_told() {
        assert_eq!(changes(3_600, |_| RUNNING), []);
    }

    #[test]
    fn a_job_that_dies_is_down_after_the_limit_and_up_when_it_has_run_for_the_other() {
        let found = changes(600, |second| if (100..200).contains(&second) { away() } else { RUNNING });
        assert_eq!(found, [(130, Change::Down), (260, Change::Up)]);
    }

    #[test]
    fn a_job_that_was_never_there_is_down_when_its_time_to_start_is_over() {
        assert_eq!(changes(300, |_| away()), [(120, Change::Down)]);
        assert_eq!(changes(600, |second| if second < 200 { away() } else { RUNNING }), [(120, Change::Down), (260, Change::Up)]);
    }

    #[test]
    fn a_job_that_takes_its_time_to_start_is_not_told_and_falls_like_any_other_from_then_on() {
        assert_eq!(changes(600, |second| if second < 90 { away() } else { RUNNING }), []);
        assert_eq!(changes(600, |second| if second < 90 || (100..115).contains(&second) { away() } else { RUNNING }), []);
        let found = changes(600, |second| if second < 90 || (100..200).contains(&second) { away() } else { RUNNING });
        assert_eq!(found, [(130, Change::Down), (260, Change::Up)]);
    }

    #[test]
    fn a_short_restart_is_not_told() {
        assert_eq!(changes(600, |second| if (100..120).contains(&second) { away() } else { RUNNING }), []);
    }

    #[test]
    fn a_job_that_runs_for_moments_between_its_failures_is_down_until_it_stays() {
        let found = changes(900, |second| if (100..500).contains(&second) && second % 40 != 0 { away() } else { RUNNING });
        assert_eq!(found, [(130, Change::Down), (560, Change::Up)]);
    }

    #[test]
    fn restarts_between_two_looks_are_seen_by_the_time_since_which_it_runs() {
        let found = changes(300, |second| Sight::Running { since_ms: i64::try_from(second.clamp(100, 200) / 5).unwrap_or(0) });
        assert_eq!(found, [(135, Change::Down), (265, Change::Up)]);
    }

    #[test]
    fn a_third_fall_within_ten_minutes_is_told_however_short_each_was() {
        let found = changes(1_200, |second| if second > 0 && second % 150 == 0 && second <= 450 { away() } else { RUNNING });
        assert_eq!(found, [(450, Change::Down), (755, Change::Up)]);
    }
}
