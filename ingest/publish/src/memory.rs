//! A publisher that keeps everything in memory and acknowledges at once: for tests, and for trying out a config without Kafka.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::{Publisher, Record, Remainder};

/// Keeps what was published.
#[derive(Debug, Default)]
pub struct MemoryPublisher(Mutex<Vec<Record>>);

impl MemoryPublisher {
    /// Everything published so far, in order.
    pub fn records(&self) -> Vec<Record> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Publisher for MemoryPublisher {
    fn publish(&self, record: Record) {
        if let Some(counters) = &record.counters {
            counters.published();
            counters.acked();
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record);
    }

    fn flush(&self, _timeout: Duration) -> bool {
        true
    }

    fn close(&self) -> Remainder {
        Remainder::default()
    }
}
