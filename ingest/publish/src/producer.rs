//! librdkafka's producer, and the thread that hands records to it and hears of their fate.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, Producer as _, PurgeConfig};

use crate::Topic;
use crate::deliveries::Context;
use crate::delivery::{Reports, Run};
use crate::records::RecordRef;
use crate::topic::TopicHandle;
use crate::waiting::{Pushed, Turn};

/// How long reports may gather while records are on their way. Nobody waits for an acknowledgement sooner: `kafka.linger` alone is longer.
const GATHER: Duration = Duration::from_millis(10);
/// How long an idle thread leaves librdkafka alone, which tells of trouble the same way.
const IDLE: Duration = Duration::from_millis(500);

/// In place of rdkafka's `ThreadedProducer`, whose thread asks the clock without a pause through the last millisecond of every wait, and does not tell
/// whether there were reports.
pub(crate) struct Producer {
    desk: Arc<Desk>,
    is_stopping: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// The producer cannot start.
pub(crate) enum StartError {
    Client(KafkaError),
    Thread(std::io::Error),
}

impl Producer {
    pub(crate) fn start(config: &ClientConfig, context: Context) -> Result<Self, StartError> {
        let client = Arc::new(BaseProducer::from_config_and_context(config, context).map_err(StartError::Client)?);
        let desk = Arc::new(Desk { client, topics: Default::default(), serving: Mutex::default() });
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (at_desk, stopping) = (Arc::clone(&desk), Arc::clone(&is_stopping));
        let thread = thread::Builder::new().name("deliver".to_owned()).spawn(move || at_desk.run(&stopping)).map_err(StartError::Thread)?;
        Ok(Self { desk, is_stopping, thread: Some(thread) })
    }

    pub(crate) fn client(&self) -> &BaseProducer<Context> {
        &self.desk.client
    }

    /// Sees to it that pushed records get their turn.
    pub(crate) fn after(&self, pushed: Pushed) {
        match (pushed, &self.thread) {
            (Pushed::First, Some(thread)) => thread.thread().unpark(),
            // By who has brought them, so that nobody brings more than librdkafka takes.
            (Pushed::Full, _) => _ = self.desk.serve(),
            _ => {}
        }
    }

    /// Asks librdkafka for all that it has. Those who wait go on waiting.
    pub(crate) fn purge(&self) {
        self.client().context().deliveries.waiting.close();
        // Those who are being served go first.
        drop(self.desk.serving.lock());
        self.client().purge(PurgeConfig::default().queue().inflight());
    }
}

impl Drop for Producer {
    fn drop(&mut self) {
        self.is_stopping.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!("the thread that hears of acknowledgements had failed; this is a defect, please report it");
            }
        }
    }
}

/// Where records are handed to librdkafka.
struct Desk {
    client: Arc<BaseProducer<Context>>,
    /// In the order of [`Topic::ALL`], opened when they are first written to: to open one asks the brokers for it.
    topics: [OnceLock<TopicHandle>; Topic::ALL.len()],
    /// Held while some are served, so that records stay in order.
    serving: Mutex<()>,
}

impl Desk {
    fn run(&self, is_stopping: &AtomicBool) {
        let context = self.client.client().context();
        while !is_stopping.load(Ordering::Acquire) {
            // Without a wait it takes one event, which is the reports of one batch.
            self.client.poll(Duration::ZERO);
            let has_reports = context.take_reports();
            let due_in = self.serve();
            if !has_reports {
                let pause = if context.deliveries.awaits_reports() { GATHER } else { IDLE };
                thread::park_timeout(due_in.map_or(pause, |due_in| due_in.min(pause)));
            }
        }
    }

    /// Hands those over who wait, if it is their turn. Returns how long it is until then, where somebody waits.
    fn serve(&self) -> Option<Duration> {
        let deliveries = &self.client.client().context().deliveries;
        let _serving = self.serving.lock().unwrap_or_else(PoisonError::into_inner);
        match deliveries.waiting.take_turn(deliveries.in_flight_bytes()) {
            Turn::Nobody => None,
            Turn::NotYet(due_in) => Some(due_in),
            Turn::Now(batch) => {
                batch.into_runs(Arc::clone(deliveries) as Arc<dyn Reports>).for_each(|run| self.hand_over(&run));
                Some(Duration::ZERO)
            }
        }
    }

    /// Records of one topic, in order. One that is not taken comes back.
    fn hand_over(&self, run: &Arc<Run>) {
        let context = self.client.client().context();
        let returned = |record: RecordRef<'_>, code| context.returned(record, run, &KafkaError::MessageProduction(code));
        match self.topic(run.delivery.topic) {
            Ok(topic) => topic.produce(run, returned),
            Err(code) => run.records().for_each(|record| returned(record, code)),
        }
    }

    fn topic(&self, topic: Topic) -> Result<&TopicHandle, RDKafkaErrorCode> {
        let place = &self.topics[topic as usize];
        match place.get() {
            Some(handle) => Ok(handle),
            None => {
                let handle = TopicHandle::open(&self.client, topic)?;
                Ok(place.get_or_init(|| handle))
            }
        }
    }
}
