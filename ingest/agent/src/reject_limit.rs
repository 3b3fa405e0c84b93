//! How many rejects one sender may cause: the first ones of a period are kept whole, the rest become one counted summary for each reason. Pure:
//! times are those of the frames.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tocsin_sources::sender_of;
use tocsin_wire::rejects::{Reason, Stage};

/// Rejects of one sender that are kept whole in one period.
pub(crate) const MAX_REJECTS: u64 = 1_000;
/// How long they are counted together.
pub(crate) const PERIOD: Duration = Duration::from_secs(60);
/// Senders that are told apart in one period; all others share one limit, so that forged addresses are bounded too.
const MAX_SENDERS: usize = 10_000;

/// What becomes of a reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is a record, with its bytes.
    Kept,
    /// It begins a summary, which will be its record.
    Summarised,
    /// It is counted in a summary that has begun.
    Counted,
}

/// Whose rejects are summed up, and which. Without an address: of all senders that are not told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Group {
    sender: Option<IpAddr>,
    stage: Stage,
    reason: Reason,
}

/// Rejects that stand in one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Summary {
    /// The sender; an IPv6 network of 64 bits by its first address. `None`: many, which are not told apart.
    pub(crate) sender: Option<IpAddr>,
    pub(crate) stage: Stage,
    pub(crate) reason: Reason,
    pub(crate) rejects: u64,
    pub(crate) bytes: u64,
    pub(crate) first_unix_nanos: u64,
    pub(crate) last_unix_nanos: u64,
}

/// The rejects of one listener, for all of its readers.
#[derive(Debug, Default)]
pub(crate) struct RejectLimit(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    began_unix_nanos: u64,
    rejects: HashMap<Option<IpAddr>, u64>,
    summaries: HashMap<Group, Summary>,
}

impl RejectLimit {
    /// Counts a reject of a sender.
    pub(crate) fn judge(&self, sender: IpAddr, stage: Stage, reason: Reason, bytes: u64, at_unix_nanos: u64) -> Verdict {
        let mut table = self.lock();
        if table.rejects.is_empty() {
            table.began_unix_nanos = at_unix_nanos;
        }
        let address = Some(sender_of(sender));
        let is_told_apart = table.rejects.len() < MAX_SENDERS || table.rejects.contains_key(&address);
        let sender = address.filter(|_| is_told_apart);
        let rejects = table.rejects.entry(sender).or_default();
        *rejects += 1;
        if *rejects <= MAX_REJECTS {
            return Verdict::Kept;
        }
        let group = Group { sender, stage, reason };
        let verdict = if table.summaries.contains_key(&group) { Verdict::Counted } else { Verdict::Summarised };
        table.summaries.entry(group).or_insert_with(|| Summary::new(group, at_unix_nanos)).add(bytes, at_unix_nanos);
        verdict
    }

    /// The summaries of a period that is over.
    pub(crate) fn expired(&self, now_unix_nanos: u64) -> Vec<Summary> {
        let mut table = self.lock();
        // A clock that was set back ends the period as well.
        if u128::from(now_unix_nanos.abs_diff(table.began_unix_nanos)) < PERIOD.as_nanos() {
            return Vec::new();
        }
        table.end()
    }

    /// The summaries of a period that has not ended, when nothing more will come.
    pub(crate) fn rest(&self) -> Vec<Summary> {
        self.lock().end()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn end(&mut self) -> Vec<Summary> {
        std::mem::take(self).summaries.into_values().collect()
    }
}

impl Summary {
    fn new(Group { sender, stage, reason }: Group, at_unix_nanos: u64) -> Self {
        Self { sender, stage, reason, rejects: 0, bytes: 0, first_unix_nanos: at_unix_nanos, last_unix_nanos: at_unix_nanos }
    }

    fn add(&mut self, bytes: u64, at_unix_nanos: u64) {
        self.rejects += 1;
        self.bytes += bytes;
        self.first_unix_nanos = self.first_unix_nanos.min(at_unix_nanos);
        self.last_unix_nanos = self.last_unix_nanos.max(at_unix_nanos);
    }

    /// Sentence for the record.
    pub(crate) fn detail(&self) -> String {
        let Self { sender, rejects, bytes, .. } = self;
        let seconds = Duration::from_nanos(self.last_unix_nanos - self.first_unix_nanos).as_secs_f64();
        let whose = if sender.is_some() { "this sender" } else { "senders beyond the first 10,000 of this minute" };
        format!(
            "{rejects} rejects more ({bytes} bytes) of {whose} in {seconds:.1} s, counted here and not kept: of one sender {MAX_REJECTS} a minute are; \
             stop it, or refuse it by deny or rate_limit of the listener"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: u64 = 1_795_176_000_000_000_000;
    const SECOND: u64 = 1_000_000_000;

    fn judge(limit: &RejectLimit, sender: &str, reason: Reason, at: u64) -> Verdict {
        limit.judge(sender.parse().unwrap(), Stage::Parse, reason, 10, at)
    }

    fn exhaust(limit: &RejectLimit, sender: &str) {
        (0..MAX_REJECTS).for_each(|_| assert_eq!(judge(limit, sender, Reason::Empty, START), Verdict::Kept));
    }

    #[test]
    fn beyond_the_limit_each_reason_has_one_summary_a_sender_and_period() {
        let limit = RejectLimit::default();
        exhaust(&limit, "192.0.2.1");
        assert_eq!(judge(&limit, "192.0.2.1", Reason::Empty, START + SECOND), Verdict::Summarised);
        assert_eq!(judge(&limit, "192.0.2.1", Reason::Empty, START + 3 * SECOND), Verdict::Counted);
        assert_eq!(judge(&limit, "192.0.2.1", Reason::Syntax, START + 3 * SECOND), Verdict::Summarised);
        assert_eq!(judge(&limit, "192.0.2.2", Reason::Empty, START), Verdict::Kept, "another sender has its own");

        assert_eq!(limit.expired(START + 59 * SECOND), []);
        let mut told = limit.expired(START + 60 * SECOND);
        told.sort_by_key(|summary| summary.rejects);
        let sender = Some("192.0.2.1".parse().unwrap());
        let syntax = Summary {
            sender,
            stage: Stage::Parse,
            reason: Reason::Syntax,
            rejects: 1,
            bytes: 10,
            first_unix_nanos: START + 3 * SECOND,
            last_unix_nanos: START + 3 * SECOND,
        };
        let empty = Summary { reason: Reason::Empty, rejects: 2, bytes: 20, first_unix_nanos: START + SECOND, ..syntax };
        assert_eq!(told, [syntax, empty]);
        assert!(empty.detail().starts_with("2 rejects more (20 bytes) of this sender in 2.0 s"), "{}", empty.detail());

        exhaust(&limit, "192.0.2.1");
        assert_eq!(limit.rest(), [], "a new period begins anew");
    }

    #[test]
    fn addresses_of_one_ipv6_network_are_one_sender() {
        let limit = RejectLimit::default();
        exhaust(&limit, "2001:db8::1");
        assert_eq!(judge(&limit, "2001:db8::2", Reason::Empty, START), Verdict::Summarised);
        assert_eq!(judge(&limit, "2001:db8:0:1::1", Reason::Empty, START), Verdict::Kept);
    }

    #[test]
    fn senders_beyond_those_that_are_told_apart_share_one_limit() {
        let limit = RejectLimit::default();
        let sender = |number: u32| IpAddr::V4(number.into()).to_string();
        let kept = (0..20_000).filter(|number| judge(&limit, &sender(*number), Reason::Empty, START) == Verdict::Kept).count() as u64;
        assert_eq!(kept, MAX_SENDERS as u64 + MAX_REJECTS);
        let [others] = limit.rest()[..] else { panic!("one summary") };
        assert_eq!((others.sender, others.rejects), (None, 20_000 - kept));
    }

    #[test]
    fn a_clock_that_is_set_back_ends_the_period() {
        let limit = RejectLimit::default();
        exhaust(&limit, "192.0.2.1");
        judge(&limit, "192.0.2.1", Reason::Empty, START);
        assert_eq!(limit.expired(START - 3_600 * SECOND).len(), 1);
    }
}
