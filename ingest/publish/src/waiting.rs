//! Records that wait for their turn: until those before them are acknowledged.
//!
//! To librdkafka they would only be in the way. An idempotent producer sends a partition's next batch when the last one is acknowledged (it counts
//! messages in flight where it means requests), and while one is due it asks without a pause whether it may: where acknowledgements take longer than
//! the linger, a core for each topic (`rd_kafka_toppar_producer_serve`, 2.12.1 to 2.15.0). So no more go at once than fit into one of its batches.
//!
//! Topics go at the same moments: a job reads several, and each batch that comes by itself ends a fetch of its own.

use std::collections::VecDeque;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::Records;
use crate::delivery::{Delivery, InFlight, Reports, Run};
use crate::records::RecordRef;

/// Waiting records go all the same after so long: one broker of several that does not answer must not hold the others up.
const MAX_WAIT: Duration = Duration::from_secs(1);
/// As many go at once, and need no company: with what librdkafka writes beside them they are less than its `message.max.bytes`.
const BATCH_BYTES: usize = 800_000;
/// Where as many wait, acknowledgements are slow: they go all the same, as requests to several partitions do side by side.
const MAX_BYTES: usize = 5 * BATCH_BYTES;
/// How soon to look again whether a full batch may go.
const FULL_WAIT: Duration = Duration::from_millis(2);
/// Some are filled while others are on their way.
const MAX_ROOMS: usize = 3;

/// Records in order, and with whom each run of them travels.
#[derive(Default)]
pub(crate) struct Batch {
    records: Records,
    runs: Vec<(Arc<Delivery>, usize)>,
    /// Of the producer's queue.
    reserved_bytes: u64,
}

impl Batch {
    /// The runs in order, to be handed over.
    pub(crate) fn into_runs(self, reports: Arc<dyn Reports>) -> impl Iterator<Item = Arc<Run>> {
        let in_flight = InFlight::new(self.records, self.reserved_bytes, reports);
        let mut start = 0;
        self.runs.into_iter().map(move |(delivery, count)| {
            let numbers = start..start + count;
            start = numbers.end;
            Run::new(delivery, &in_flight, numbers)
        })
    }

    /// Each record, and with whom it travels.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Delivery, RecordRef<'_>)> {
        let deliveries = self.runs.iter().flat_map(|(delivery, count)| std::iter::repeat_n(&**delivery, *count));
        deliveries.zip(self.records.iter())
    }

    /// Of the producer's queue.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.reserved_bytes
    }

    fn is_full(&self) -> bool {
        self.records.bytes() >= BATCH_BYTES
    }

    fn push(&mut self, records: &Records, delivery: &Arc<Delivery>, reserved_bytes: u64) {
        let before = self.records.len();
        self.records.append(records, delivery.topic);
        self.runs.push((Arc::clone(delivery), self.records.len() - before));
        self.reserved_bytes += reserved_bytes;
    }
}

/// See the module's header.
pub(crate) struct Waiting {
    linger: Duration,
    state: Mutex<State>,
    /// Room of batches that are over, for those to come.
    rooms: Mutex<Vec<Records>>,
}

#[derive(Default)]
struct State {
    /// In order. All but the last are full.
    batches: VecDeque<Batch>,
    /// When it began to be the first batch.
    since: Option<Instant>,
    is_closed: bool,
}

impl State {
    /// The batch that is not full, where records that come now belong.
    fn open_batch(&mut self, room: impl FnOnce() -> Records) -> &mut Batch {
        if self.batches.back().is_none_or(Batch::is_full) {
            self.batches.push_back(Batch { records: room(), ..Batch::default() });
        }
        let last = self.batches.len() - 1;
        &mut self.batches[last]
    }

    fn bytes(&self) -> usize {
        self.batches.iter().map(|batch| batch.records.bytes()).sum()
    }

    fn reserved_bytes(&self) -> u64 {
        self.batches.iter().map(|batch| batch.reserved_bytes).sum()
    }
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
pub(crate) enum Turn {
    /// Nobody waits.
    Nobody,
    /// Somebody waits, and should be asked for again after so long, or when something was acknowledged.
    NotYet(Duration),
    /// Those that were waiting.
    Now(Batch),
}

impl Waiting {
    /// Nobody yet. Records go each `linger`.
    pub(crate) fn new(linger: Duration) -> Self {
        Self { linger, state: Mutex::default(), rooms: Mutex::default() }
    }

    /// Takes records for which so many bytes of the producer's queue are reserved.
    pub(crate) fn push(&self, records: &Records, delivery: &Arc<Delivery>, reserved_bytes: u64) -> Pushed {
        let mut state = self.state();
        let batch = state.open_batch(|| self.rooms().pop().unwrap_or_default());
        batch.push(records, delivery, reserved_bytes);
        let is_full = batch.is_full();
        let is_first = state.since.is_none();
        state.since.get_or_insert_with(Instant::now);
        match is_full {
            true => Pushed::Full,
            false if is_first => Pushed::First,
            false => Pushed::BehindOthers,
        }
    }

    /// Those that wait, if it is their turn.
    pub(crate) fn take_turn(&self, in_flight_bytes: u64) -> Turn {
        let mut state = self.state();
        let Some(since) = state.since.filter(|_| !state.is_closed) else { return Turn::Nobody };
        let has_unacknowledged = in_flight_bytes > state.reserved_bytes();
        let is_full = state.batches.front().is_some_and(Batch::is_full);
        let until = match has_unacknowledged {
            _ if state.bytes() >= MAX_BYTES => Duration::ZERO,
            true => MAX_WAIT,
            false if is_full => Duration::ZERO,
            false => until_next(self.linger, since),
        };
        match until.checked_sub(since.elapsed()) {
            Some(left) if !left.is_zero() => Turn::NotYet(if is_full { left.min(FULL_WAIT) } else { left }),
            _ => {
                let batch = state.batches.pop_front();
                state.since = state.batches.front().map(|_| Instant::now());
                batch.map_or(Turn::Nobody, Turn::Now)
            }
        }
    }

    /// Takes the room of a batch that is over.
    pub(crate) fn reuse(&self, mut records: Records) {
        let mut rooms = self.rooms();
        if rooms.len() < MAX_ROOMS && records.bytes() <= 2 * BATCH_BYTES {
            records.clear();
            rooms.push(records);
        }
    }

    /// Bytes of the producer's queue that those who wait have reserved.
    pub(crate) fn reserved_bytes(&self) -> u64 {
        self.state().reserved_bytes()
    }

    /// From now on nobody gets a turn.
    pub(crate) fn close(&self) {
        self.state().is_closed = true;
    }

    /// Those that never got their turn.
    pub(crate) fn take_rest(&self) -> impl Iterator<Item = Batch> {
        std::mem::take(&mut self.state().batches).into_iter()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rooms(&self) -> MutexGuard<'_, Vec<Records>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
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
        let mut records = Records::default();
        for payload in payloads {
            records.push_encoded(RecordRef { topic: Topic::Alert, key: b"k", payload });
        }
        let (count, bytes) = records.size_of(Topic::Alert);
        waiting.push(&records, &delivery, delivery.bytes(count, bytes))
    }

    fn payloads(batch: &Batch) -> Vec<Vec<u8>> {
        batch.iter().map(|(_, record)| record.payload.to_vec()).collect()
    }

    fn now(turn: Turn) -> Batch {
        match turn {
            Turn::Now(batch) => batch,
            Turn::Nobody | Turn::NotYet(_) => panic!("it is nobody's turn"),
        }
    }

    #[test]
    fn records_wait_for_company_and_then_go_in_order() {
        let waiting = Waiting::new(Duration::from_secs(3_600));
        assert!(matches!(waiting.take_turn(0), Turn::Nobody));
        assert_eq!(push(&waiting, &[b"a", b"b"]), Pushed::First);
        assert_eq!(push(&waiting, &[b"c"]), Pushed::BehindOthers);
        assert!(matches!(waiting.take_turn(waiting.reserved_bytes()), Turn::NotYet(_)));

        let at_once = Waiting::new(Duration::ZERO);
        push(&at_once, &[b"a", b"b"]);
        push(&at_once, &[b"c"]);
        assert_eq!(payloads(&now(at_once.take_turn(at_once.reserved_bytes()))), [b"a", b"b", b"c"]);
        assert_eq!(at_once.reserved_bytes(), 0);
    }

    #[test]
    fn who_waits_lets_those_before_be_acknowledged_and_is_not_kept_for_ever() {
        let waiting = Waiting::new(Duration::ZERO);
        push(&waiting, &[b"a"]);
        let behind = waiting.reserved_bytes() + 1;
        assert!(matches!(waiting.take_turn(behind), Turn::NotYet(left) if left <= MAX_WAIT));
        waiting.state().since = Instant::now().checked_sub(MAX_WAIT);
        assert_eq!(payloads(&now(waiting.take_turn(behind))), [b"a"]);
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
    fn a_full_batch_waits_for_no_company_but_for_those_before_it() {
        let waiting = Waiting::new(Duration::from_secs(3_600));
        push(&waiting, &[b"a"]);
        assert_eq!(push(&waiting, &[&vec![0; BATCH_BYTES]]), Pushed::Full);
        push(&waiting, &[b"z"]);
        let behind = waiting.reserved_bytes() + 1;
        assert!(matches!(waiting.take_turn(behind), Turn::NotYet(left) if left <= FULL_WAIT));
        assert_eq!(now(waiting.take_turn(waiting.reserved_bytes())).iter().count(), 2);
        assert!(matches!(waiting.take_turn(waiting.reserved_bytes()), Turn::NotYet(left) if left > FULL_WAIT));
        assert_eq!(waiting.take_rest().map(|batch| payloads(&batch)).collect::<Vec<_>>(), [[b"z"]]);
    }

    #[test]
    fn many_wait_for_nobody() {
        let waiting = Waiting::new(Duration::from_secs(3_600));
        (0..5).for_each(|_| assert_eq!(push(&waiting, &[&vec![0; BATCH_BYTES]]), Pushed::Full));
        let behind = waiting.reserved_bytes() + 1;
        assert_eq!(now(waiting.take_turn(behind)).iter().count(), 1);
        assert!(matches!(waiting.take_turn(behind), Turn::NotYet(_)));
    }

    #[test]
    fn the_room_of_a_batch_that_is_over_is_used_again() {
        let waiting = Waiting::new(Duration::ZERO);
        push(&waiting, &[&[7; 1_000]]);
        let batch = now(waiting.take_turn(waiting.reserved_bytes()));
        let place = batch.records.iter().next().map(|record| record.key.as_ptr());
        waiting.reuse(batch.records);
        push(&waiting, &[b"b"]);
        let batch = now(waiting.take_turn(waiting.reserved_bytes()));
        assert_eq!(batch.records.iter().next().map(|record| record.key.as_ptr()), place);
        assert_eq!(payloads(&batch), [b"b"]);
    }

    #[test]
    fn after_the_end_nobody_gets_a_turn_and_the_rest_is_still_there() {
        let waiting = Waiting::new(Duration::ZERO);
        push(&waiting, &[b"a"]);
        waiting.close();
        assert!(matches!(waiting.take_turn(waiting.reserved_bytes()), Turn::Nobody));
        assert_eq!(waiting.take_rest().map(|batch| payloads(&batch)).collect::<Vec<_>>(), [[b"a"]]);
    }
}
