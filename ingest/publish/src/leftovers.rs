//! Records that an earlier run left in the spool, and which of them need not be sent: those that Kafka has, and second copies.
//!
//! Memory: a sequence number and a flag a record, at most 39 bytes of a hash table with room to spare, half as much again while it grows.
//! `spool.max_size` bounds it: 1 GiB of spool, 2 million messages, needs at most 80 MB until the last of them is sent.

mod kafka_log;
mod search;

use std::collections::HashMap;

use prost::Message;

use crate::{Record, Topic};
pub(crate) use kafka_log::KafkaLog;
pub(crate) use search::Search;

/// What must be known of an event here: two fields of `tocsin.events.v1.Event`, by the same numbers. All others are skipped unread.
#[derive(Clone, PartialEq, Message)]
struct Identity {
    #[prost(string, tag = "1")]
    event_id: String,
    #[prost(fixed64, tag = "6")]
    received_at_unix_nanos: u64,
}

/// The identity in an encoded event, as run (`<agent_id>-<boot_id>`) and sequence.
fn identity(payload: &[u8]) -> Option<(Identity, usize, u64)> {
    let identity = Identity::decode(payload).ok()?;
    let (run, sequence) = identity.event_id.rsplit_once('-')?;
    let (run_bytes, sequence) = (run.len(), sequence.parse().ok()?);
    Some((identity, run_bytes, sequence))
}

/// See the module's header. A record whose id is not one is not remembered, and thus always sent: twice is better than never.
#[derive(Debug, Default)]
pub(crate) struct Leftovers {
    /// Whether a record is settled, by run and sequence.
    runs: HashMap<String, HashMap<u64, bool>>,
    has_topic: [bool; Topic::ALL.len()],
    oldest_received_at_unix_nanos: Option<u64>,
    records: usize,
    settled: usize,
}

impl Leftovers {
    /// Remembers a record of the spool.
    pub(crate) fn add(&mut self, record: &Record) {
        let Some((identity, run_bytes, sequence)) = identity(&record.payload) else { return };
        let received_at = identity.received_at_unix_nanos;
        self.oldest_received_at_unix_nanos = Some(self.oldest_received_at_unix_nanos.map_or(received_at, |oldest| oldest.min(received_at)));
        self.has_topic[record.topic as usize] = true;
        // What Kafka refused for good stands there under the same id.
        self.has_topic[Topic::Rejects as usize] = true;
        let mut run = identity.event_id;
        run.truncate(run_bytes);
        if self.runs.entry(run).or_default().insert(sequence, false).is_none() {
            self.records += 1;
        }
    }

    /// From now on this event need not be sent: Kafka has it, or it has been handed over. No matter where no record of this id was left.
    pub(crate) fn settle(&mut self, payload: &[u8]) {
        let Some((identity, run_bytes, sequence)) = identity(payload) else { return };
        if let Some(is_settled) = self.runs.get_mut(&identity.event_id[..run_bytes]).and_then(|run| run.get_mut(&sequence)) {
            self.settled += usize::from(!*is_settled);
            *is_settled = true;
        }
    }

    /// Whether this event need not be sent.
    pub(crate) fn is_settled(&self, payload: &[u8]) -> bool {
        let Some((identity, run_bytes, sequence)) = identity(payload) else { return false };
        self.runs.get(&identity.event_id[..run_bytes]).and_then(|run| run.get(&sequence)).copied().unwrap_or(false)
    }

    /// Topics in which records of these ids can stand.
    fn topics(&self) -> Vec<Topic> {
        Topic::ALL.into_iter().filter(|topic| self.has_topic[*topic as usize]).collect()
    }

    /// When the first of them was received, Unix milliseconds: Kafka has none of them from before.
    fn oldest_received_at_unix_millis(&self) -> i64 {
        i64::try_from(self.oldest_received_at_unix_nanos.unwrap_or(0) / 1_000_000).unwrap_or(0)
    }

    /// Different ids.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// Different ids that need not be sent.
    pub(crate) fn settled(&self) -> usize {
        self.settled
    }

    fn is_all_settled(&self) -> bool {
        self.settled == self.records
    }
}

#[cfg(test)]
mod tests;
