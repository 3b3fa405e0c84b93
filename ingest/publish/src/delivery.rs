//! What travels with records through librdkafka.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tocsin_telemetry::Counters;

use crate::records::{RecordRef, Records};
use crate::spool::SegmentFile;
use crate::{Topic, spool};

/// One with all that were published together.
pub(crate) struct Delivery {
    pub(crate) topic: Topic,
    pub(crate) counters: Option<Arc<Counters>>,
    /// Keeps the spool's file of these records until they are acknowledged.
    pub(crate) segment: Option<Arc<SegmentFile>>,
}

impl Delivery {
    /// What so many records with so many bytes of keys and payloads cost in the producer's queue: as much as in the spool, to which they may come back.
    pub(crate) fn bytes(&self, records: usize, bytes: usize) -> u64 {
        (records * spool::overhead_bytes(self.counters.as_deref()) + bytes) as u64
    }
}

/// Who hears what became of batches.
pub(crate) trait Reports: Send + Sync {
    /// Kafka has acknowledged something.
    fn acked(&self, topic: Topic);

    /// Nobody needs the batch any more: it gives back its memory and its room in the producer's queue.
    fn is_over(&self, records: Records, reserved_bytes: u64);
}

/// A batch that librdkafka has. It reads payloads where they stand, so nobody changes them until the last record was reported; then all of its room in
/// the producer's queue is given back at once.
pub(crate) struct InFlight {
    records: Records,
    reserved_bytes: u64,
    reports: Arc<dyn Reports>,
}

impl InFlight {
    pub(crate) fn new(records: Records, reserved_bytes: u64, reports: Arc<dyn Reports>) -> Arc<Self> {
        Arc::new(Self { records, reserved_bytes, reports })
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.reports.is_over(std::mem::take(&mut self.records), self.reserved_bytes);
    }
}

/// Records of a batch that have a [`Delivery`] in common. Each holds it until it was reported; with the last one those that were acknowledged are counted.
pub(crate) struct Run {
    pub(crate) delivery: Arc<Delivery>,
    numbers: Range<usize>,
    returned: AtomicUsize,
    /// Dropped last: who waits for nothing to be in flight must find every record counted or in the spool.
    in_flight: Arc<InFlight>,
}

impl Run {
    pub(crate) fn new(delivery: Arc<Delivery>, in_flight: &Arc<InFlight>, numbers: Range<usize>) -> Arc<Self> {
        Arc::new(Self { delivery, numbers, returned: AtomicUsize::new(0), in_flight: Arc::clone(in_flight) })
    }

    /// Their bytes stay where they are as long as the run lives.
    pub(crate) fn records(&self) -> impl Iterator<Item = RecordRef<'_>> {
        self.in_flight.records.range(self.numbers.clone())
    }

    /// One of them was not acknowledged.
    pub(crate) fn returned(&self) {
        self.returned.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let acked = self.numbers.len() - *self.returned.get_mut();
        if acked == 0 {
            return;
        }
        self.in_flight.reports.acked(self.delivery.topic);
        if let Some(counters) = &self.delivery.counters {
            counters.acked(acked as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[derive(Default)]
    struct Heard(Mutex<Vec<String>>);

    impl Reports for Heard {
        fn acked(&self, topic: Topic) {
            self.0.lock().unwrap().push(topic.name().to_owned());
        }

        fn is_over(&self, records: Records, reserved_bytes: u64) {
            self.0.lock().unwrap().push(format!("{} records, {reserved_bytes} bytes", records.len()));
        }
    }

    #[test]
    fn a_batch_is_counted_by_listener_and_gives_its_room_back_with_its_last_record() {
        let heard = Arc::new(Heard::default());
        let listeners = ["a", "b"].map(|name| Arc::new(Counters::new(name)));
        let mut records = Records::default();
        for payload in [b"1", b"2", b"3"] {
            records.push_encoded(RecordRef { topic: Topic::Syslog, key: b"k", payload });
        }
        let in_flight = InFlight::new(records, 90, Arc::clone(&heard) as Arc<dyn Reports>);
        let run = |listener: &Arc<Counters>, numbers| {
            let delivery = Delivery { topic: Topic::Syslog, counters: Some(Arc::clone(listener)), segment: None };
            Run::new(Arc::new(delivery), &in_flight, numbers)
        };
        let (first, second) = (run(&listeners[0], 0..2), run(&listeners[1], 2..3));
        let acked = || listeners.each_ref().map(|listener| listener.snapshot().acked);
        drop(in_flight);
        assert_eq!(first.records().map(|record| record.payload.to_vec()).collect::<Vec<_>>(), [b"1", b"2"]);
        let last_of_first = Arc::clone(&first);
        first.returned();
        drop(first);
        assert_eq!(acked(), [0, 0]);
        drop(last_of_first);
        assert_eq!((acked(), heard.0.lock().unwrap().join(", ")), ([1, 0], "events-syslog-v1".to_owned()));
        second.returned();
        drop(second);
        assert_eq!((acked(), heard.0.lock().unwrap().join(", ")), ([1, 0], "events-syslog-v1, 3 records, 90 bytes".to_owned()));
    }
}
