//! How much one sender may send. Pure: times are those of the frames.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytesize::ByteSize;
use lru::LruCache;
use tocsin_sources::{RateLimitConfig, sender_of};
use tocsin_wire::alerts::Severity;
use tocsin_wire::events::AlertUpdate;
use tocsin_wire::events::alert_update::Action;

/// Senders whose traffic is watched at once. Beyond it the one that was quiet for longest is forgotten, unless it is over its limit.
const MAX_SENDERS: usize = 200_000;
/// Senders over their limit that are told of at once: one alert each. Further ones are limited, too, and counted.
const MAX_TOLD: usize = 1_000;
/// How often a sender that stays over its limit is told of again.
const RENEWAL: Duration = Duration::from_secs(60);
/// Parts of a period that are counted apart.
const PARTS: usize = 10;

/// A sum over a sliding period: whole parts of it, and the part that has begun. It looks back for at least the period and at most a tenth
/// longer, so that within any period no more is taken than is allowed.
#[derive(Debug, Default)]
struct Window {
    newest: u64,
    parts: [u64; PARTS + 1],
}

impl Window {
    fn sum(&mut self, at_unix_nanos: u64, period: Duration) -> u64 {
        let part = at_unix_nanos / (nanos(period) / PARTS as u64).max(1);
        let length = self.parts.len() as u64;
        // A clock that was set back by more than a period begins anew; one that is a little behind is another reader's.
        if part >= self.newest + length || part + length < self.newest {
            *self = Self { newest: part, ..Self::default() };
        }
        while self.newest < part {
            self.newest += 1;
            self.parts[(self.newest % length) as usize] = 0;
        }
        self.parts.iter().sum()
    }

    fn add(&mut self, amount: u64) {
        let length = self.parts.len() as u64;
        self.parts[(self.newest % length) as usize] += amount;
    }
}

/// What is watched of a sender.
#[derive(Debug, Default)]
struct Sender {
    messages: Window,
    bytes: Window,
    last_unix_nanos: u64,
    penalty_until_unix_nanos: u64,
}

/// A sender over its limit.
#[derive(Clone, Copy, Debug)]
struct Excess {
    messages: u64,
    bytes: u64,
    last_unix_nanos: u64,
    told_unix_nanos: u64,
}

/// A sender over the limit, or one that no longer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    /// The sender.
    pub(crate) address: IpAddr,
    /// Messages of it that were refused since it went over.
    pub(crate) messages: u64,
    /// Their bytes.
    pub(crate) bytes: u64,
    /// Whether it is still over.
    pub(crate) is_over: bool,
}

/// The limit of one listener, for all of its readers.
#[derive(Debug)]
pub(crate) struct RateLimit(Mutex<Table>);

#[derive(Debug)]
struct Table {
    config: RateLimitConfig,
    senders: LruCache<IpAddr, Sender>,
    over: HashMap<IpAddr, Excess>,
    /// Senders in `over` that have not been told of.
    fresh: Vec<IpAddr>,
}

impl Table {
    /// Forgets senders that `is_old`, the longest quiet first; those that are over stay.
    fn forget(&mut self, is_old: impl Fn(&Self, &Sender) -> bool) {
        for _ in 0..self.senders.len() {
            let Some((address, _)) = self.senders.peek_lru().filter(|(_, sender)| is_old(self, sender)) else { return };
            let address = *address;
            if self.over.contains_key(&address) {
                self.senders.promote(&address);
            } else {
                self.senders.pop_lru();
            }
        }
    }
}

/// Judges the frames of one batch.
pub(crate) struct Judge<'a>(MutexGuard<'a, Table>);

impl RateLimit {
    pub(crate) fn new(config: RateLimitConfig) -> Self {
        Self(Mutex::new(Table { config, senders: LruCache::unbounded(), over: HashMap::new(), fresh: Vec::new() }))
    }

    /// From now on so much is allowed, and counting begins anew. Who was over is told of when it no longer is, as ever.
    pub(crate) fn allow(&self, config: RateLimitConfig) {
        let mut table = self.lock();
        if table.config != config {
            table.config = config;
            table.senders.clear();
        }
    }

    /// Judges frames, and returns the senders that went over with them.
    pub(crate) fn judge(&self, frames: impl FnOnce(&mut Judge<'_>)) -> Vec<Violation> {
        let mut judge = Judge(self.lock());
        frames(&mut judge);
        let table = &mut *judge.0;
        table.fresh.drain(..).filter_map(|address| table.over.get(&address).map(|excess| excess.violation(address, true))).collect()
    }

    /// Senders that are still over after a minute, and those that are no longer. Forgets who is quiet.
    pub(crate) fn renewed(&self, now_unix_nanos: u64) -> Vec<Violation> {
        let mut table = self.lock();
        let memory = nanos(table.config.messages_period.max(table.config.bytes_period)).saturating_mul(2);
        let Table { senders, over, .. } = &mut *table;
        let mut violations = Vec::new();
        over.retain(|address, excess| {
            let penalty_until = senders.peek(address).map_or(0, |sender| sender.penalty_until_unix_nanos);
            let is_over = now_unix_nanos < penalty_until || now_unix_nanos.saturating_sub(excess.last_unix_nanos) < memory / 2;
            if !is_over || now_unix_nanos.saturating_sub(excess.told_unix_nanos) >= nanos(RENEWAL) {
                excess.told_unix_nanos = now_unix_nanos;
                violations.push(excess.violation(*address, is_over));
            }
            is_over
        });
        table.forget(|_, sender| now_unix_nanos.saturating_sub(sender.last_unix_nanos) >= memory);
        violations
    }

    /// Every sender that is over when nobody watches any more: its alert must not stay open for ever.
    pub(crate) fn rest(&self) -> Vec<Violation> {
        let mut table = self.lock();
        table.over.drain().map(|(address, excess)| excess.violation(address, false)).collect()
    }

    /// The alert that tells of a sender. `listener` is part of its identity: a device may send too much to one and little to another.
    pub(crate) fn alert(&self, violation: &Violation, listener: &str) -> AlertUpdate {
        let refused = format!("{} messages ({}) refused", violation.messages, ByteSize::b(violation.bytes));
        let (action, severity, summary) = if violation.is_over {
            (Action::Update, Severity::Warning, format!("sends more than {}; {refused} so far", self.allowed()))
        } else {
            (Action::Delete, Severity::Cleared, format!("is no longer limited; {refused} in all"))
        };
        let labels = [
            ("listener", listener.to_owned()),
            ("network", if violation.address.is_ipv6() { format!("{}/64", violation.address) } else { violation.address.to_string() }),
            ("refused_messages", violation.messages.to_string()),
            ("refused_bytes", violation.bytes.to_string()),
        ];
        AlertUpdate {
            action: action.into(),
            source: "tocsin-agent".to_owned(),
            check: "rate-limited".to_owned(),
            severity: severity.into(),
            summary,
            labels: labels.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            fingerprint_labels: vec!["listener".to_owned()],
        }
    }

    fn allowed(&self) -> String {
        let RateLimitConfig { messages, messages_period, bytes, bytes_period, .. } = self.lock().config.clone();
        let messages = (messages > 0).then(|| format!("{messages} messages in {messages_period:?}"));
        let bytes = (bytes.as_u64() > 0).then(|| format!("{bytes} in {bytes_period:?}"));
        messages.into_iter().chain(bytes).collect::<Vec<_>>().join(" or ")
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Judge<'_> {
    /// Whether a frame of so many bytes is taken.
    pub(crate) fn takes(&mut self, address: IpAddr, bytes: u64, at_unix_nanos: u64) -> bool {
        let Table { config, .. } = &*self.0;
        if config.is_unlimited() || config.allow.iter().any(|network| network.contains(&address)) {
            return true;
        }
        let address = sender_of(address);
        if self.0.senders.len() >= MAX_SENDERS && !self.0.senders.contains(&address) {
            self.0.forget(|table, _| table.senders.len() >= MAX_SENDERS);
        }
        let Table { config, senders, over, fresh } = &mut *self.0;
        let sender = senders.get_or_insert_mut(address, Sender::default);
        sender.last_unix_nanos = sender.last_unix_nanos.max(at_unix_nanos);
        if sender.takes(config, bytes, at_unix_nanos) {
            return true;
        }
        if over.len() >= MAX_TOLD && !over.contains_key(&address) {
            return false;
        }
        let excess = over.entry(address).or_insert_with(|| {
            fresh.push(address);
            Excess { messages: 0, bytes: 0, last_unix_nanos: at_unix_nanos, told_unix_nanos: at_unix_nanos }
        });
        excess.messages += 1;
        excess.bytes += bytes;
        excess.last_unix_nanos = excess.last_unix_nanos.max(at_unix_nanos);
        false
    }
}

impl Sender {
    fn takes(&mut self, config: &RateLimitConfig, bytes: u64, at_unix_nanos: u64) -> bool {
        if at_unix_nanos < self.penalty_until_unix_nanos {
            return false;
        }
        let has_messages = config.messages == 0 || self.messages.sum(at_unix_nanos, config.messages_period) < config.messages;
        let max_bytes = config.bytes.as_u64();
        let has_bytes = max_bytes == 0 || self.bytes.sum(at_unix_nanos, config.bytes_period) + bytes <= max_bytes;
        if has_messages && has_bytes {
            self.messages.add(1);
            self.bytes.add(bytes);
            return true;
        }
        self.penalty_until_unix_nanos = at_unix_nanos.saturating_add(nanos(config.penalty));
        false
    }
}

impl Excess {
    fn violation(&self, address: IpAddr, is_over: bool) -> Violation {
        Violation { address, messages: self.messages, bytes: self.bytes, is_over }
    }
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
