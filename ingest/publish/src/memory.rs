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
        let counters = record.counters.clone();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(record);
        // Afterwards: who sees that a record is acknowledged must find it.
        if let Some(counters) = counters {
            counters.published(1);
            counters.acked(1);
        }
    }

    fn flush(&self, _timeout: Duration) -> bool {
        true
    }

    fn close(&self) -> Remainder {
        Remainder::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use tocsin_telemetry::Counters;
    use tocsin_wire::events::Event;

    use super::*;

    #[test]
    fn a_record_that_is_acknowledged_can_be_read() {
        for _ in 0..2_000 {
            let publisher = MemoryPublisher::default();
            let counters = Arc::new(Counters::new("l"));
            let record = Record::new(&Event::default(), Some(Arc::clone(&counters)));
            thread::scope(|scope| {
                scope.spawn(|| publisher.publish(record));
                while counters.snapshot().acked == 0 {
                    thread::yield_now();
                }
                assert_eq!(publisher.records().len(), 1);
            });
        }
    }
}
