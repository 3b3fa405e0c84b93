//! What happens to a record after it was handed to librdkafka: delivery reports, and the way back.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::Message;
use rdkafka::producer::{DeliveryResult, ProducerContext};
use tocsin_kafka::{Connection, Failures};
use tocsin_telemetry::{Health, Loss};

use crate::delivery::{Delivery, Reports, Run};
use crate::records::RecordRef;
use crate::spool::{AppendError, Spool};
use crate::waiting::{Pushed, Waiting};
use crate::{Record, Records, Topic, refusal};

/// How long the spool's drainer waits after Kafka gave a record back.
const BACK_OFF: Duration = Duration::from_secs(1);

/// Shared by those who hand records over and by the thread that hears of their fate.
pub(crate) struct Deliveries {
    pub(crate) spool: Option<Spool>,
    pub(crate) health: Arc<Health>,
    pub(crate) waiting: Waiting,
    queue_bytes: u64,
    in_flight_bytes: AtomicU64,
    lost_records: AtomicU64,
    state: Mutex<State>,
    settled: Condvar,
}

#[derive(Default)]
struct State {
    back_off_until: Option<Instant>,
    fatal_error: Option<String>,
}

impl Deliveries {
    pub(crate) fn new(queue_bytes: u64, linger: Duration, spool: Option<Spool>, health: Arc<Health>) -> Self {
        Self {
            spool,
            health,
            waiting: Waiting::new(linger),
            queue_bytes,
            in_flight_bytes: AtomicU64::new(0),
            lost_records: AtomicU64::new(0),
            state: Mutex::default(),
            settled: Condvar::new(),
        }
    }

    /// Takes room in the producer's queue; false when there is none. A record larger than the queue goes alone.
    fn reserve(&self, bytes: u64) -> bool {
        let reserve = |in_flight| (in_flight == 0 || in_flight + bytes <= self.queue_bytes).then_some(in_flight + bytes);
        self.in_flight_bytes.fetch_update(Ordering::AcqRel, Ordering::Acquire, reserve).is_ok()
    }

    /// Gives room back.
    fn release(&self, bytes: u64) {
        self.in_flight_bytes.fetch_sub(bytes, Ordering::AcqRel);
        if self.in_flight_bytes.load(Ordering::Acquire) <= self.queue_bytes / 2 {
            let _state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            self.settled.notify_all();
        }
    }

    /// Waits until room was given back or `timeout` is over.
    pub(crate) fn wait(&self, timeout: Duration) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        drop(self.settled.wait_timeout(state, timeout));
    }

    pub(crate) fn in_flight_bytes(&self) -> u64 {
        self.in_flight_bytes.load(Ordering::Acquire)
    }

    /// Whether librdkafka has records of which it has not told what became of them.
    pub(crate) fn awaits_reports(&self) -> bool {
        self.in_flight_bytes() > self.waiting.reserved_bytes()
    }

    /// Whether nothing is on its way and nothing waits.
    pub(crate) fn is_settled(&self) -> bool {
        self.in_flight_bytes() == 0 && !self.spool.as_ref().is_some_and(Spool::has_unsent)
    }

    pub(crate) fn lost_records(&self) -> u64 {
        self.lost_records.load(Ordering::Relaxed)
    }

    pub(crate) fn fatal_error(&self) -> Option<String> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).fatal_error.clone()
    }

    /// How long the drainer should let Kafka be.
    pub(crate) fn back_off(&self) -> Option<Duration> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.back_off_until?.checked_duration_since(Instant::now())
    }

    pub(crate) fn start_back_off(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).back_off_until = Some(Instant::now() + BACK_OFF);
    }

    /// Puts a record into the spool; without room it is counted as dropped.
    pub(crate) fn spool_or_drop(&self, record: Record, was_spooled: bool) {
        let (loss, detail) = match self.spool.as_ref().map(|spool| spool.append(&record)) {
            Some(Ok(())) => {
                if let Some(counters) = record.counters.filter(|_| !was_spooled) {
                    counters.spooled();
                }
                return;
            }
            Some(Err(error @ AppendError::Full { .. })) => (Loss::SpoolFull, error.to_string()),
            Some(Err(error @ AppendError::Io(_))) => (Loss::SpoolFailed, error.to_string()),
            None => (Loss::SpoolFull, "kafka.queue_size is used up and spool.max_size is 0; bring Kafka back, or allow a spool".to_owned()),
        };
        self.lost_records.fetch_add(1, Ordering::Relaxed);
        if let Some(counters) = record.counters {
            counters.dropped(loss, &detail);
        }
    }

    /// Lets those records that are for the delivery's topic wait for their turn: all of them, or none where the queue has no room.
    pub(crate) fn admit(&self, records: &Records, delivery: &Arc<Delivery>) -> Option<Pushed> {
        let (count, bytes) = records.size_of(delivery.topic);
        let reserved_bytes = delivery.bytes(count, bytes);
        self.reserve(reserved_bytes).then(|| self.waiting.push(records, delivery, reserved_bytes))
    }

    /// The same for new records. While anything waits in the spool none has room, so that records stay in order.
    pub(crate) fn admit_new(&self, records: &Records, delivery: &Arc<Delivery>) -> Option<Pushed> {
        if self.spool.as_ref().is_some_and(Spool::has_unsent) {
            return None;
        }
        let pushed = self.admit(records, delivery)?;
        if let Some(counters) = &delivery.counters {
            counters.published(records.size_of(delivery.topic).0 as u64);
        }
        Some(pushed)
    }

    /// Lets a record wait for its turn, or puts it into the spool.
    pub(crate) fn publish(&self, record: Record) -> Option<Pushed> {
        let delivery = Arc::new(Delivery { topic: record.topic, counters: record.counters.clone(), segment: None });
        let pushed = self.admit_new(&Records::one(record.as_ref()), &delivery);
        if pushed.is_none() {
            self.spool_or_drop(record, false);
        }
        pushed
    }

    /// Puts those that wait into the spool, in order. Nobody may get a turn any more.
    pub(crate) fn spool_waiting(&self) {
        for batch in self.waiting.take_rest() {
            for (delivery, record) in batch.iter() {
                let record = Record { is_published: true, ..record.to_record(delivery.counters.as_ref()) };
                self.spool_or_drop(record, delivery.segment.is_some());
            }
            self.release(batch.reserved_bytes());
        }
    }

    /// Counts a record that Kafka refuses for good. Returns the reject that stands in its place.
    fn refuse(&self, record: &Record, error: &str) -> Option<Record> {
        if let Some(counters) = &record.counters {
            counters.dropped(Loss::RefusedByBroker, error);
        }
        refusal::reject_for(record, error)
    }

    /// A record that was published and is with nobody any more.
    fn came_back(&self, record: Record, was_spooled: bool, code: Option<RDKafkaErrorCode>, problem: String) {
        if code.is_some_and(is_permanent) {
            if let Some(reject) = self.refuse(&record, &problem) {
                self.publish(reject);
            }
            return;
        }
        self.health.topic_problem(record.topic.name(), problem);
        self.start_back_off();
        self.spool_or_drop(record, was_spooled);
    }
}

impl Reports for Deliveries {
    fn acked(&self, topic: Topic) {
        self.health.acked(topic.name());
    }

    fn is_over(&self, records: Records, reserved_bytes: u64) {
        self.waiting.reuse(records);
        self.release(reserved_bytes);
    }
}

/// Whether sending the same bytes again cannot help.
fn is_permanent(code: RDKafkaErrorCode) -> bool {
    use RDKafkaErrorCode::{InvalidMessage, InvalidMessageSize, InvalidRecord, MessageSizeTooLarge};
    matches!(code, InvalidMessage | InvalidMessageSize | InvalidRecord | MessageSizeTooLarge)
}

/// librdkafka's callbacks.
pub(crate) struct Context {
    pub(crate) deliveries: Arc<Deliveries>,
    pub(crate) connection: Connection,
    failures: Failures,
    has_reports: AtomicBool,
}

impl Context {
    pub(crate) fn new(deliveries: Arc<Deliveries>, connection: Connection) -> Self {
        Self { deliveries, connection, failures: Failures::default(), has_reports: AtomicBool::new(false) }
    }

    /// Whether anything was reported since the last call.
    pub(crate) fn take_reports(&self) -> bool {
        self.has_reports.swap(false, Ordering::Relaxed)
    }

    /// A record comes back, from librdkafka's door or from Kafka.
    pub(crate) fn returned(&self, record: RecordRef<'_>, run: &Run, error: &KafkaError) {
        run.returned();
        let delivery = &run.delivery;
        let refusal = self.connection.refusal(&format!("topic {}", record.topic.name()), error);
        let problem = refusal.map_or_else(|| error.to_string(), |refusal| refusal.to_string());
        let record = Record { is_published: true, ..record.to_record(delivery.counters.as_ref()) };
        self.deliveries.came_back(record, delivery.segment.is_some(), error.rdkafka_error_code(), problem);
    }
}

impl ClientContext for Context {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _settings: Option<&str>) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        self.connection.token()
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.failures.log(level, facility, message);
    }

    fn error(&self, error: KafkaError, reason: &str) {
        // "1/1 brokers are down" comes after the failure that says why.
        let trouble =
            self.connection.trouble(reason).or_else(|| self.failures.trouble(&self.connection)).map(|trouble| trouble.to_string());
        if let Some(trouble) = &trouble {
            tracing::error!(kafka = self.connection.bootstrap_servers, problem = trouble, "Kafka takes no records");
        }
        self.deliveries.health.kafka_problem(trouble.unwrap_or_else(|| reason.to_owned()));
        if error.rdkafka_error_code() == Some(RDKafkaErrorCode::Fatal) {
            tracing::error!(%error, reason, "the Kafka producer cannot go on; the agent stops to be started anew");
            self.deliveries.state.lock().unwrap_or_else(PoisonError::into_inner).fatal_error = Some(reason.to_owned());
        }
    }
}

impl ProducerContext for Context {
    type DeliveryOpaque = Arc<Run>;

    /// What is acknowledged is counted when the last of its run is.
    fn delivery(&self, result: &DeliveryResult<'_>, run: Arc<Run>) {
        self.has_reports.store(true, Ordering::Relaxed);
        if let Err((error, message)) = result {
            let (key, payload) = (message.key().unwrap_or_default(), message.payload().unwrap_or_default());
            self.returned(RecordRef { topic: run.delivery.topic, key, payload }, &run, error);
        }
    }
}
