//! Looks into Kafka's log for records that were left in the spool, before any of them is sent again.

use std::time::{Duration, Instant};

use super::Leftovers;
use crate::Topic;

/// How far before the oldest reception the search begins: the broker's clock, which stamps the records, may be as far behind the agent's.
const MARGIN_MILLIS: i64 = 60_000;
/// From Kafka's first answer to the question how far its log goes. What the killed process had sent is stored by then, unless the broker or
/// the network stalls.
const SETTLE: Duration = Duration::from_secs(1);
/// Between two attempts.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// How often in a row a topic may be refused while Kafka itself answers: it is missing, or the account may not read it. A broker that has just
/// started knows its topics sooner. Its records are sent without having been looked for: twice is better than never.
const MAX_REFUSALS: u32 = 30;
/// Between two lines about the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);
/// Between two lines about what is waited for.
const WAITING_INTERVAL: Duration = Duration::from_secs(10);

/// Kafka's log. Problems are one sentence; the call can be made again.
pub(crate) trait LogReader {
    /// Asks whether Kafka answers.
    fn connect(&mut self) -> Result<(), String>;

    /// Points the reader at the records of `topic` that are stored now and stamped at or after `since_unix_millis`.
    fn seek(&mut self, topic: Topic, since_unix_millis: i64) -> Result<(), String>;

    /// Shows the next record's value to `visit`, if one comes soon. Returns how many are left, 0 at the end.
    fn read(&mut self, visit: &mut dyn FnMut(&[u8])) -> Result<u64, String>;
}

/// One search. Its end is either that everything was read, or that `pause` says so.
pub(crate) struct Search<'a, L> {
    pub(crate) log: L,
    /// Waits as long, and returns whether to go on.
    pub(crate) pause: &'a dyn Fn(Duration) -> bool,
    /// Hears of every problem.
    pub(crate) problem: &'a dyn Fn(&str),
    read: u64,
    begun: Instant,
    last_progress: Instant,
    last_waiting: Option<Instant>,
}

/// The agent is being stopped.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Stopped;

impl<'a, L: LogReader> Search<'a, L> {
    pub(crate) fn new(log: L, pause: &'a dyn Fn(Duration) -> bool, problem: &'a dyn Fn(&str)) -> Self {
        let now = Instant::now();
        Self { log, pause, problem, read: 0, begun: now, last_progress: now, last_waiting: None }
    }

    /// Settles those leftovers that Kafka has. Waits for Kafka as long as it takes.
    pub(crate) fn run(mut self, leftovers: &mut Leftovers) -> Result<(), Stopped> {
        if leftovers.is_all_settled() {
            return Ok(());
        }
        self.persist(L::connect)?;
        self.pause(SETTLE)?;
        let since_unix_millis = leftovers.oldest_received_at_unix_millis().saturating_sub(MARGIN_MILLIS).max(0);
        for topic in leftovers.topics() {
            if !self.seek(topic, since_unix_millis)? || !self.read_topic(topic, leftovers)? {
                tracing::warn!(
                    topic = topic.name(),
                    remedy = "make the topic with `tocsin schema apply`, or let the agent's account read it",
                    "cannot look for the spool's records in a topic; those that may stand there are sent, perhaps for the second time"
                );
            }
        }
        tracing::info!(
            records = leftovers.records(),
            in_kafka = leftovers.settled(),
            read = self.read,
            seconds = self.begun.elapsed().as_secs_f32(),
            "looked for the spool's records in Kafka; what is not there is sent now"
        );
        Ok(())
    }

    /// False: the topic cannot be read.
    fn seek(&mut self, topic: Topic, since_unix_millis: i64) -> Result<bool, Stopped> {
        let mut refusals = 0;
        while let Err(problem) = self.log.seek(topic, since_unix_millis) {
            if self.is_given_up(&problem, &mut refusals)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Counts one more refusal of a topic, and waits.
    fn is_given_up(&mut self, problem: &str, refusals: &mut u32) -> Result<bool, Stopped> {
        self.tell_waiting(problem);
        self.pause(RETRY_PAUSE)?;
        match self.log.connect() {
            Ok(()) => *refusals += 1,
            Err(away) => {
                self.tell_waiting(&away);
                *refusals = 0;
            }
        }
        Ok(*refusals >= MAX_REFUSALS)
    }

    /// False: the topic cannot be read.
    pub(super) fn read_topic(&mut self, topic: Topic, leftovers: &mut Leftovers) -> Result<bool, Stopped> {
        let mut refusals = 0;
        while !leftovers.is_all_settled() {
            let mut read = 0;
            let mut visit = |payload: &[u8]| {
                read += 1;
                leftovers.settle(payload);
            };
            match self.log.read(&mut visit) {
                Ok(0) => return self.count(read).map(|()| true),
                Ok(left) => {
                    refusals = 0;
                    self.tell_progress(topic, left, leftovers);
                }
                // The reader goes on by itself where it can.
                Err(problem) => {
                    if self.is_given_up(&problem, &mut refusals)? {
                        return Ok(false);
                    }
                }
            }
            self.count(read)?;
        }
        Ok(true)
    }

    fn count(&mut self, read: u64) -> Result<(), Stopped> {
        self.read += read;
        self.pause(Duration::ZERO)
    }

    /// Tries until it works.
    fn persist(&mut self, attempt: impl Fn(&mut L) -> Result<(), String>) -> Result<(), Stopped> {
        while let Err(problem) = attempt(&mut self.log) {
            self.tell_waiting(&problem);
            self.pause(RETRY_PAUSE)?;
        }
        Ok(())
    }

    fn pause(&self, duration: Duration) -> Result<(), Stopped> {
        if (self.pause)(duration) { Ok(()) } else { Err(Stopped) }
    }

    fn tell_waiting(&mut self, problem: &str) {
        (self.problem)(problem);
        if self.last_waiting.is_none_or(|last| last.elapsed() >= WAITING_INTERVAL) {
            self.last_waiting = Some(Instant::now());
            tracing::warn!(problem, "waiting for Kafka, to see which of the spool's records it has; new records go to the spool");
        }
    }

    fn tell_progress(&mut self, topic: Topic, left: u64, leftovers: &Leftovers) {
        if self.last_progress.elapsed() >= PROGRESS_INTERVAL {
            self.last_progress = Instant::now();
            let (topic, read, in_kafka) = (topic.name(), self.read, leftovers.settled());
            tracing::info!(topic, read, left, in_kafka, "looking for the spool's records in Kafka; new records go to the spool");
        }
    }
}
