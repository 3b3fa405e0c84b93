//! Gaps in the numbers that senders give their messages: what the network lost before the agent could count it.
//!
//! Pure and bounded: numbers go in with the time of reception, gaps come out. UDP and relays reorder, so a gap stays open for [`HOLD_NANOS`]
//! and is told only if its numbers have not come by then. A sender that restarts begins small again; that is no gap.

use std::collections::{HashMap, VecDeque};
use std::net::IpAddr;

/// How long a missing number may be late: far above the reordering of a network or of a relay's threads, far below a person's patience.
pub const HOLD_NANOS: u64 = 1_000_000_000;
/// Senders that are remembered, in two generations of this many: some 10 MB when full. Forged names cannot fill the memory.
const MAX_SENDERS_PER_GENERATION: usize = 32_768;
/// Gaps that are open at one time; the oldest is told early when there are more.
const MAX_OPEN_GAPS: usize = 4_096;
const MAX_OPEN_GAPS_PER_SENDER: usize = 64;
/// A number this little behind is a late or repeated one; one further behind means that the sender has restarted.
const MAX_LATE: u64 = 16;
/// Numbers a little behind that follow each other are a restart after all.
const RESTART_RUN: u8 = 2;
/// A sequenceId (RFC 5424 7.3.1), and a counter of 32 bits.
const WRAPS: [Wrap; 2] = [Wrap { limit: 2_147_483_647, first: 1 }, Wrap { limit: 4_294_967_295, first: 0 }];
/// Greater numbers are no count of messages.
const MAX_NUMBER: u64 = 1 << 62;
/// Numbers that go back this often within a minute are those of several counters under one name: their gaps mean nothing.
const MAX_RESTARTS_PER_MINUTE: u8 = 8;
const MINUTE_NANOS: u64 = 60_000_000_000;

/// Who numbers: an address, and the name that its messages give; empty where they give none. A relay has one address and many names, and many
/// devices are named `Switch`.
pub type Sender = (IpAddr, String);

/// Numbers that did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Number of the last message before it.
    pub last_before: u64,
    /// Number of the message after it.
    pub first_after: u64,
    /// Messages missing between the two.
    pub missing: u64,
}

/// Watches the numbers of many senders. `M` is what is kept of the message that showed a gap.
#[derive(Debug)]
pub struct Sequences<M> {
    young: HashMap<Sender, Counter<M>>,
    old: HashMap<Sender, Counter<M>>,
    /// Every gap that was opened, in the order of time; some are closed by now.
    opened: VecDeque<(u64, Sender)>,
}

/// After `limit` comes `first`.
#[derive(Clone, Copy, Debug)]
struct Wrap {
    limit: u64,
    first: u64,
}

/// The counter of one sender. Positions are numbers that go on where the sender's wrap.
#[derive(Clone, Debug)]
struct Counter<M> {
    /// What is added to a number to give its position.
    base: u64,
    /// How it has last wrapped.
    wrap: Option<Wrap>,
    highest: u64,
    open: Vec<Open<M>>,
    /// The last position that was a little behind, and how many in a row led to it.
    behind: Option<(u64, u8)>,
    restarts: u8,
    restarts_since_unix_nanos: u64,
}

/// Positions `first..=last` are missing.
#[derive(Clone, Debug)]
struct Open<M> {
    first: u64,
    last: u64,
    at_unix_nanos: u64,
    base: u64,
    wrap: Option<Wrap>,
    message: M,
}

impl<M> Default for Sequences<M> {
    fn default() -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), opened: VecDeque::new() }
    }
}

impl<M: Clone> Sequences<M> {
    /// Takes the number of a message and calls `tell` for each gap that is certain now. `message` is asked for what to keep of this message
    /// when it shows a new gap.
    pub fn see(
        &mut self,
        sender: Sender,
        number: u64,
        received_at_unix_nanos: u64,
        message: impl FnOnce() -> M,
        mut tell: impl FnMut(Gap, M),
    ) {
        if number > MAX_NUMBER {
            return;
        }
        self.expire(received_at_unix_nanos, &mut tell);
        let Some(counter) = self.counter(&sender, &mut tell) else {
            self.young.insert(sender, Counter::new(number, received_at_unix_nanos));
            return;
        };
        if counter.see(number, received_at_unix_nanos, message, &mut tell) {
            self.opened.push_back((received_at_unix_nanos, sender));
            if self.opened.len() > MAX_OPEN_GAPS {
                self.tell_oldest(&mut tell);
            }
        }
    }

    /// Tells the gaps that have been open for long enough.
    pub fn expire(&mut self, now_unix_nanos: u64, mut tell: impl FnMut(Gap, M)) {
        while self.opened.front().is_some_and(|(at, _)| at.saturating_add(HOLD_NANOS) <= now_unix_nanos) {
            self.tell_oldest(&mut tell);
        }
    }

    /// Tells every gap that is still open: nothing more will come.
    pub fn finish(&mut self, mut tell: impl FnMut(Gap, M)) {
        while !self.opened.is_empty() {
            self.tell_oldest(&mut tell);
        }
    }

    fn tell_oldest(&mut self, tell: &mut impl FnMut(Gap, M)) {
        let Some((at, sender)) = self.opened.pop_front() else { return };
        if let Some(counter) = self.young.get_mut(&sender).or_else(|| self.old.get_mut(&sender)) {
            counter.tell(|open| open.at_unix_nanos <= at, tell);
        }
    }

    /// The counter of a sender that is known. Those that were silent for a whole generation are forgotten.
    fn counter(&mut self, sender: &Sender, tell: &mut impl FnMut(Gap, M)) -> Option<&mut Counter<M>> {
        if !self.young.contains_key(sender) {
            if self.young.len() >= MAX_SENDERS_PER_GENERATION {
                let forgotten = std::mem::replace(&mut self.old, std::mem::take(&mut self.young));
                forgotten.into_values().for_each(|mut counter| counter.tell(|_| true, tell));
            }
            let counter = self.old.remove(sender)?;
            self.young.insert(sender.clone(), counter);
        }
        self.young.get_mut(sender)
    }
}

impl<M: Clone> Counter<M> {
    fn new(number: u64, at_unix_nanos: u64) -> Self {
        Self { base: 0, wrap: None, highest: number, open: Vec::new(), behind: None, restarts: 0, restarts_since_unix_nanos: at_unix_nanos }
    }

    /// Takes the next number; true where it opened a gap.
    fn see(&mut self, number: u64, at_unix_nanos: u64, message: impl FnOnce() -> M, tell: &mut impl FnMut(Gap, M)) -> bool {
        let position = self.position(number);
        if position <= self.highest {
            self.see_behind(number, position, at_unix_nanos, tell);
            return false;
        }
        self.behind = None;
        let first = self.highest + 1;
        self.highest = position;
        if first == position || self.is_several(at_unix_nanos) {
            return false;
        }
        if self.open.len() >= MAX_OPEN_GAPS_PER_SENDER {
            let oldest = self.open.remove(0);
            tell(oldest.gap(), oldest.message);
        }
        self.open.push(Open { first, last: position - 1, at_unix_nanos, base: self.base, wrap: self.wrap, message: message() });
        true
    }

    /// A number that is not greater than the greatest: late, repeated, or the sender has restarted.
    fn see_behind(&mut self, number: u64, position: u64, at_unix_nanos: u64, tell: &mut impl FnMut(Gap, M)) {
        if let Some(index) = self.open.iter().position(|open| (open.first..=open.last).contains(&position)) {
            self.fill(index, position);
            return;
        }
        let run = match self.behind {
            Some((before, run)) if position == before + 1 => run + 1,
            _ => 1,
        };
        if self.highest - position <= MAX_LATE && run < RESTART_RUN {
            self.behind = Some((position, run));
            return;
        }
        if at_unix_nanos.saturating_sub(self.restarts_since_unix_nanos) > MINUTE_NANOS {
            (self.restarts, self.restarts_since_unix_nanos) = (0, at_unix_nanos);
        }
        self.restarts = self.restarts.saturating_add(1);
        if self.is_several(at_unix_nanos) {
            self.open.clear();
        }
        self.tell(|_| true, tell);
        (self.base, self.wrap, self.highest, self.behind) = (0, None, number, None);
    }

    /// A late number closes its gap or leaves the parts before and after it.
    fn fill(&mut self, index: usize, position: u64) {
        let open = self.open.remove(index);
        if position < open.last {
            self.open.insert(index, Open { first: position + 1, ..open.clone() });
        }
        if position > open.first {
            self.open.insert(index, Open { last: position - 1, ..open });
        }
    }

    /// Where a number stands among those before it, wraps included.
    fn position(&mut self, number: u64) -> u64 {
        let last = self.highest - self.base;
        let is_near = |limit: u64, number: u64| limit.checked_sub(number).is_some_and(|missing| missing < MAX_LATE);
        if let Some(wrap) =
            WRAPS.into_iter().find(|wrap| is_near(wrap.limit, last) && (wrap.first..wrap.first + MAX_LATE).contains(&number))
        {
            (self.base, self.wrap) = (self.base + wrap.period(), Some(wrap));
        }
        match self.wrap {
            // A late one of before the wrap.
            Some(wrap) if last < MAX_LATE && is_near(wrap.limit, number) => self.base + number - wrap.period(),
            _ => self.base + number,
        }
    }

    fn is_several(&self, at_unix_nanos: u64) -> bool {
        self.restarts >= MAX_RESTARTS_PER_MINUTE && at_unix_nanos.saturating_sub(self.restarts_since_unix_nanos) <= MINUTE_NANOS
    }

    fn tell(&mut self, is_certain: impl Fn(&Open<M>) -> bool, tell: &mut impl FnMut(Gap, M)) {
        self.open.retain(|open| {
            let is_certain = is_certain(open);
            if is_certain {
                tell(open.gap(), open.message.clone());
            }
            !is_certain
        });
    }
}

impl<M> Open<M> {
    /// The gap in the sender's own numbers.
    fn gap(&self) -> Gap {
        let number = |position: u64| match (position.checked_sub(self.base), self.wrap) {
            (number, Some(wrap)) if number.is_none_or(|number| number < wrap.first) => (position + wrap.period()).saturating_sub(self.base),
            (number, _) => number.unwrap_or_default(),
        };
        Gap { last_before: number(self.first - 1), first_after: number(self.last + 1), missing: self.last - self.first + 1 }
    }
}

impl Wrap {
    fn period(self) -> u64 {
        self.limit + 1 - self.first
    }
}

#[cfg(test)]
mod tests;
