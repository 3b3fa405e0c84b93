//! Records -> Kafka.
//!
//! What is promised: [`Publisher::publish`] never waits for Kafka. A record is acknowledged by all replicas, or waits in memory or on disk,
//! or is counted as dropped with its reason. Records of one key stay in order while they are published by one thread. What an earlier run
//! left in the spool is looked up in Kafka first, and sent only where it is not there.

mod config;
mod deliveries;
mod delivery;
mod kafka;
mod leftovers;
mod memory;
mod producer;
mod record;
mod records;
mod refusal;
mod spool;
mod topic;
mod topics;
mod waiting;

use std::sync::Arc;
use std::time::Duration;

use tocsin_telemetry::Counters;

pub use config::{Compression, KafkaConfig, SpoolConfig};
pub use kafka::{KafkaPublisher, StartError};
pub use memory::MemoryPublisher;
pub use record::{Record, Topic};
pub use records::Records;
pub use topics::TopicPublishers;

/// Where records go.
pub trait Publisher: Send + Sync {
    /// Takes one record. Never waits for Kafka.
    fn publish(&self, record: Record);

    /// Takes records that move the counters of one listener, those of a topic in order. Never waits for Kafka.
    fn publish_all(&self, records: &Records, counters: Option<&Arc<Counters>>) {
        records.to_records(counters).for_each(|record| self.publish(record));
    }

    /// Waits until everything that was published is acknowledged, at most `timeout`; false when something is not.
    fn flush(&self, timeout: Duration) -> bool;

    /// Puts what is not acknowledged where the next start finds it. Nothing may be published afterwards.
    fn close(&self) -> Remainder;

    /// Reads the login at Kafka again: a password that has changed in its file is used from the next connection on.
    ///
    /// # Errors
    ///
    /// Where it cannot be read; everything goes on with the one before.
    fn renew_login(&self) -> Result<(), tocsin_kafka::Error> {
        Ok(())
    }

    /// Why nothing can be published any more until the process starts anew; `None` while all is well.
    fn fatal_error(&self) -> Option<String> {
        None
    }
}

/// What a closed publisher left behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Remainder {
    /// Bytes that wait in the spool for the next start.
    pub spooled_bytes: u64,
    /// Records that could not be kept; each is counted as dropped.
    pub lost_records: u64,
}
