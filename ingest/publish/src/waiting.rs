//! Records that wait for their turn: until those before them are acknowledged.
//!
//! To librdkafka they would only be in the way. An idempotent producer sends a partition's next batch when the last one is acknowledged (it counts
//! messages in flight where it means requests), and while one is due it asks without a pause whether it may: where acknowledgements take longer than
//! the linger, a core for each topic (`rd_kafka_toppar_producer_serve`, 2.12.1 to 2.15.0).
//!
//! Topics go at the same moments: a job reads several, and each batch that comes by itself ends a fetch of its own.

use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Records;
use crate::delivery::Delivery;
use crate::records::RecordRef;

/// Waiting records go all the same after so long: one broker of several that does not answer must not hold the others up.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// No more wait here, where they cost memory twice: at such a rate librdkafka's thread has enough to do.
const MAX_BYTES: usize = 2_000_000;

/// Records in order, and with whom each run of them travels.
#[derive(Default)]
pub(crate) struct Batch {
    records: Records,
    runs: Vec<(Arc<Delivery>, usize)>,
    /// Of the producer's queue.
    reserved_bytes: u64,
}

impl Batch {
    /// The runs in order.
    pub(crate) fn runs(&self) -> impl Iterator<Item = (&Arc<Delivery>, Vec<RecordRef<'_>>)> {
        let mut records = self.records.iter();
        self.runs.iter().map(move |(delivery, count)| (delivery, records.by_ref().take(*count).collect()))
    }

    /// Of the producer's queue.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes
    }

    fn push<'a>(&mut self, records: impl Iterator<Item = RecordRef<'a>>, delivery: &Arc<Delivery>, reserved_bytes: u64) {
        let mut count = 0;
        for record in records {
            self.records.push_encoded(record);
            count += 1;
        }
        self.runs.push((Arc::clone(delivery), count));
        self.reserved_bytes += reserved_bytes;
    }

    /// Forgets them, and keeps some room.
    pub(crate) fn clear(&mut self) {
        if self.records.bytes() > 2 * MAX_BYTES {
            *self = Self::default();
        }
        self.records.clear();
        self.runs.clear();
        self.reserved_bytes = 0;
    }
}

/// See the module's header.
pub(crate) struct Waiting {
    linger: Duration,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    batch: Batch,
    /// Of the first record of the batch.
    since: Option<Instant>,
    is_closed: bool,
}

/// Where pushed records stand.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// Nobody was waiting: whoever hands over must hear of it.
    First,
    BehindOthers,
    /// It is their turn now.
    Full,
}

/// Whose turn it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Nobody waits.
    Nobody,
    /// Somebody waits, and should be asked for again after so long, or when something was acknowledged.
    NotYet(Duration),
    /// Those that were waiting.
    Now,
}

impl Waiting {
    /// Nobody yet. Records go each `linger`.
    pub(crate) fn new(linger: Duration) -> Self {
        Self { linger, state: Mutex::default() }
    }

    /// Takes records for which so many bytes of the producer's queue are reserved.
    pub(crate) fn push<'a>(&self, records: impl Iterator<Item = RecordRef<'a>>, delivery: &Arc<Delivery>, reserved_bytes: u64) -> Pushed {
        let mut state = self.state();
        state.batch.push(records, delivery, reserved_bytes);
        let is_first = state.since.is_none();
        state.since.get_or_insert_with(Instant::now);
        match state.batch.records.bytes() >= MAX_BYTES {
            true => Pushed::Full,
            false if is_first => Pushed::First,
            false => Pushed::BehindOthers,
        }
    }

    /// Those that wait, in place of `batch`, which is empty, if it is their turn.
    pub(crate) fn take_turn(&self, in_flight_bytes: u64, batch: &mut Batch) -> Turn {
        let mut state = self.state();
        let Some(since) = state.since.filter(|_| !state.is_closed) else { return Turn::Nobody };
        let until = match in_flight_bytes > state.batch.reserved_bytes {
            _ if state.batch.records.bytes() >= MAX_BYTES => Duration::ZERO,
            true => MAX_WAIT,
            false => until_next(self.linger, since),
        };
        match until.checked_sub(since.elapsed()) {
            Some(left) if !left.is_zero() => Turn::NotYet(left),
            _ => {
                state.since = None;
                std::mem::swap(&mut state.batch, batch);
                Turn::Now
            }
        }
    }

    /// Bytes of the producer's queue that those who wait have reserved.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.state().batch.reserved_bytes
    }

    /// From now on nobody gets a turn.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
    }

    /// Those that never got their turn.
    pub(crate) fn take_rest(&self) -> Batch {
        std::mem::take(&mut self.state().batch)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The first moment, which all topics of the process have in common.
static FIRST: LazyLock<Instant> = LazyLock::new(Instant::now);

/// How long it is until the next of those moments that lie `every` apart.
fn until_next(every: Duration, now: Instant) -> Duration {
    let since_first = now.saturating_duration_since(*FIRST).as_nanos();
    let since_last = since_first.checked_rem(every.as_nanos()).map_or(0, |nanos| u64::try_from(nanos).unwrap_or(u64::MAX));
    every.saturating_sub(Duration::from_nanos(since_last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topic;

    fn push(waiting: &Waiting, payloads: &[&[u8]]) -> Pushed {
        let delivery = Arc::new(Delivery { topic: Topic::Alert, counters: None, segment: None });
        let reserved_bytes = payloads.iter().map(|payload| delivery.bytes(b"k", payload)).sum();
        waiting.push(payloads.iter().map(|payload| RecordRef { topic: Topic::Alert, key: b"k", payload }), &delivery, reserved_bytes)
    }

    fn payloads(batch: &Batch) -> Vec<Vec<u8>> {
        batch.runs().flat_map(|(_, records)| records.into_iter().map(|record| record.payload.to_vec()).collect::<Vec<_>>()).collect()
    }

    #[test]
    fn records_wait_for_company_and_then_go_in_order() {
        let (waiting, mut batch) = (Waiting::new(Duration::from_secs(3_600)), Batch::default());
        assert_eq!(waiting.take_turn(0, &mut batch), Turn::Nobody);
        assert_eq!(push(&waiting, &[b"a", b"b"]), Pushed::First);
        assert_eq!(push(&waiting, &[b"c"]), Pushed::BehindOthers);
        assert!(matches!(waiting.take_turn(waiting.reserved_bytes(), &mut batch), Turn::NotYet(_)));

        let at_once = Waiting::new(Duration::ZERO);
        push(&at_once, &[b"a", b"b"]);
        push(&at_once, &[b"c"]);
        assert_eq!(at_once.take_turn(at_once.reserved_bytes(), &mut batch), Turn::Now);
        assert_eq!(payloads(&batch), [b"a", b"b", b"c"]);
        assert_eq!(at_once.reserved_bytes(), 0);
    }

    #[test]
    fn who_waits_lets_those_before_be_acknowledged_and_is_not_kept_for_ever() {
        let (waiting, mut batch) = (Waiting::new(Duration::ZERO), Batch::default());
        push(&waiting, &[b"a"]);
        let behind = waiting.reserved_bytes() + 1;
        assert!(matches!(waiting.take_turn(behind, &mut batch), Turn::NotYet(left) if left <= MAX_WAIT));
        waiting.state().since = Instant::now().checked_sub(MAX_WAIT);
        assert_eq!(waiting.take_turn(behind, &mut batch), Turn::Now);
    }

    #[test]
    fn topics_go_at_the_same_moments_the_slower_with_the_faster() {
        let every = Duration::from_millis(5);
        let now = *FIRST + Duration::from_millis(7);
        assert_eq!(until_next(every, now), Duration::from_millis(3));
        assert_eq!(until_next(every * 4, now), Duration::from_millis(13));
        assert_eq!(until_next(every, *FIRST + every), every);
        assert_eq!(until_next(Duration::ZERO, now), Duration::ZERO);
    }

    #[test]
    fn many_wait_for_nobody() {
        let (waiting, mut batch) = (Waiting::new(Duration::from_secs(3_600)), Batch::default());
        push(&waiting, &[b"a"]);
        assert_eq!(push(&waiting, &[&vec![0; MAX_BYTES]]), Pushed::Full);
        assert_eq!(waiting.take_turn(waiting.reserved_bytes() + 1, &mut batch), Turn::Now);
        assert_eq!(batch.runs().count(), 2);
    }

    #[test]
    fn after_the_end_nobody_gets_a_turn_and_the_rest_is_still_there() {
        let (waiting, mut batch) = (Waiting::new(Duration::ZERO), Batch::default());
        push(&waiting, &[b"a"]);
        waiting.close();
        assert_eq!(waiting.take_turn(waiting.reserved_bytes(), &mut batch), Turn::Nobody);
        assert_eq!(payloads(&waiting.take_rest()), [b"a"]);
    }
}
