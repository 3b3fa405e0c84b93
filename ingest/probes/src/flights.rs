//! What is under way, and who an answer belongs to. Pure: time comes in as a value.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Probes that were sent and whose timeout is not over. `T` is what the method needs to recognise its answer.
#[derive(Debug)]
pub(crate) struct Flights<T> {
    by_number: HashMap<u64, Flight<T>>,
    deadlines: BinaryHeap<Reverse<(Instant, u64)>>,
    last_number: u64,
    unanswered: usize,
}

/// One probe under way.
#[derive(Debug)]
pub(crate) struct Flight<T> {
    /// What was sent, and when.
    pub(crate) departure: Departure,
    /// What the method needs.
    pub(crate) ticket: T,
    is_answered: bool,
}

/// What was sent, and when.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Departure {
    /// Index of the link.
    pub(crate) link: usize,
    /// Counts the probes of the link from 1.
    pub(crate) sequence: u64,
    /// Address asked; `None` where the target's name could not be looked up.
    pub(crate) target: Option<SocketAddr>,
    pub(crate) at: Instant,
    pub(crate) at_unix_nanos: u64,
    pub(crate) timeout: Duration,
}

/// What an answer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrival {
    /// The first one in time.
    First(Departure),
    /// One more to a probe that is answered.
    Duplicate,
    /// One to a probe that is over.
    Late,
}

impl<T> Default for Flights<T> {
    fn default() -> Self {
        Self { by_number: HashMap::new(), deadlines: BinaryHeap::new(), last_number: 0, unanswered: 0 }
    }
}

impl<T> Flights<T> {
    /// A number that no other probe of this run has.
    pub(crate) fn new_number(&mut self) -> u64 {
        self.last_number += 1;
        self.last_number
    }

    /// Notes that a probe was sent.
    pub(crate) fn depart(&mut self, number: u64, departure: Departure, ticket: T) {
        self.deadlines.push(Reverse((departure.at + departure.timeout, number)));
        self.by_number.insert(number, Flight { departure, ticket, is_answered: false });
        self.unanswered += 1;
    }

    /// The probe of this number while its timeout is not over, answered or not.
    pub(crate) fn get(&self, number: u64) -> Option<&Flight<T>> {
        self.by_number.get(&number)
    }

    /// Notes an answer. The probe stays known until its timeout is over, so that another answer is recognised as a duplicate.
    pub(crate) fn arrive(&mut self, number: u64) -> Arrival {
        match self.by_number.get_mut(&number) {
            None => Arrival::Late,
            Some(flight) if flight.is_answered => Arrival::Duplicate,
            Some(flight) => {
                flight.is_answered = true;
                self.unanswered -= 1;
                Arrival::First(flight.departure)
            }
        }
    }

    /// Forgets a probe that can have no second answer.
    pub(crate) fn remove(&mut self, number: u64) -> Option<Flight<T>> {
        let flight = self.by_number.remove(&number)?;
        self.unanswered -= usize::from(!flight.is_answered);
        Some(flight)
    }

    /// When the next timeout is over.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.peek().map(|Reverse((at, _))| *at)
    }

    /// Takes one probe whose timeout is over; with it, whether it was answered.
    pub(crate) fn expire(&mut self, now: Instant) -> Option<(Flight<T>, bool)> {
        while let Some(Reverse((_, number))) = self.deadlines.peek().filter(|Reverse((at, _))| *at <= now).copied() {
            self.deadlines.pop();
            if let Some(flight) = self.remove(number) {
                let is_answered = flight.is_answered;
                return Some((flight, is_answered));
            }
        }
        None
    }

    /// Takes everything that has no answer yet, in the order of sending.
    pub(crate) fn abandon(&mut self) -> Vec<Flight<T>> {
        let mut left: Vec<_> = self.by_number.drain().map(|(_, flight)| flight).filter(|flight| !flight.is_answered).collect();
        left.sort_by_key(|flight| flight.departure.at);
        self.unanswered = 0;
        left
    }

    /// Whether every probe has its answer or its timeout.
    pub(crate) fn is_settled(&self) -> bool {
        self.unanswered == 0
    }
}

/// The 16-bit sequence numbers of ICMP: which probe has which. An error message may bring back nothing else of a probe.
#[derive(Debug, Default)]
pub(crate) struct IcmpSequences {
    numbers: HashMap<u16, u64>,
    last: u16,
}

impl IcmpSequences {
    /// The next one that no probe under way has; `None` where all 65,536 are in use.
    pub(crate) fn take(&mut self, number: u64) -> Option<u16> {
        let free = (1..=u16::MAX).map(|step| self.last.wrapping_add(step)).find(|sequence| !self.numbers.contains_key(sequence))?;
        self.numbers.insert(free, number);
        self.last = free;
        Some(free)
    }

    /// The probe under way that has it.
    pub(crate) fn number(&self, sequence: u16) -> Option<u64> {
        self.numbers.get(&sequence).copied()
    }

    /// Gives one back.
    pub(crate) fn release(&mut self, sequence: u16) {
        self.numbers.remove(&sequence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn departure(link: usize, at: Instant) -> Departure {
        Departure { link, sequence: 1, target: Some(([192, 0, 2, 1], 0).into()), at, at_unix_nanos: 0, timeout: Duration::from_secs(1) }
    }

    #[test]
    fn an_answer_counts_once_and_the_next_is_a_duplicate_until_the_timeout() {
        let start = Instant::now();
        let mut flights = Flights::default();
        let number = flights.new_number();
        flights.depart(number, departure(7, start), ());
        assert_eq!(flights.arrive(number), Arrival::First(departure(7, start)));
        assert_eq!(flights.arrive(number), Arrival::Duplicate);
        assert!(flights.is_settled());
        let (flight, is_answered) = flights.expire(start + Duration::from_secs(1)).unwrap();
        assert_eq!((flight.departure.link, is_answered), (7, true));
        assert_eq!(flights.arrive(number), Arrival::Late);
    }

    #[test]
    fn a_probe_without_an_answer_expires_at_its_timeout_and_not_before() {
        let start = Instant::now();
        let mut flights = Flights::default();
        for link in 0..3 {
            let number = flights.new_number();
            flights.depart(number, departure(link, start + Duration::from_millis(link as u64)), ());
        }
        assert_eq!(flights.next_deadline(), Some(start + Duration::from_secs(1)));
        assert!(flights.expire(start + Duration::from_millis(999)).is_none());
        let expired = std::iter::from_fn(|| flights.expire(start + Duration::from_millis(1001))).map(|(flight, _)| flight.departure.link);
        assert_eq!(expired.collect::<Vec<_>>(), [0, 1]);
        assert!(!flights.is_settled());
        assert_eq!(flights.abandon().iter().map(|flight| flight.departure.link).collect::<Vec<_>>(), [2]);
        assert!(flights.is_settled() && flights.expire(start + Duration::from_secs(9)).is_none());
    }

    #[test]
    fn a_removed_probe_neither_expires_nor_holds_up_the_end() {
        let start = Instant::now();
        let mut flights = Flights::default();
        let number = flights.new_number();
        flights.depart(number, departure(0, start), "socket");
        assert_eq!(flights.remove(number).unwrap().ticket, "socket");
        assert!(flights.is_settled() && flights.expire(start + Duration::from_secs(2)).is_none());
    }

    #[test]
    fn a_sequence_number_in_use_is_passed_over() {
        let mut sequences = IcmpSequences::default();
        let first = sequences.take(1).unwrap();
        for number in 2..=u64::from(u16::MAX) {
            let sequence = sequences.take(number).unwrap();
            sequences.release(sequence);
        }
        assert_eq!(sequences.number(first), Some(1));
        let next = sequences.take(99).unwrap();
        assert_ne!(next, first);
        assert_eq!(sequences.number(next), Some(99));
    }

    #[test]
    fn with_every_sequence_number_in_use_there_is_none() {
        let mut sequences = IcmpSequences::default();
        let taken = (0..=u64::from(u16::MAX)).filter(|number| sequences.take(*number).is_some()).count();
        assert_eq!(taken, usize::from(u16::MAX) + 1);
        assert_eq!(sequences.take(0), None);
    }
}
