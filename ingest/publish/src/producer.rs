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
use crate::delivery::Delivery;
use crate::records::RecordRef;
use crate::topic::TopicHandle;
use crate::waiting::{Batch, Pushed, Turn};

/// How long reports may gather while records are on their way. Nobody waits for an acknowledgement sooner: `kafka.linger` alone is longer.
const GATHER: Duration = Duration::from_millis(5);
/// How long an idle thread leaves librdkafka alone, which tells of trouble the same way.
const IDLE: Duration = Duration::from_millis(50);

/// In place of rdkafka's `ThreadedProducer`, whose thread asks the clock without a pause through the last millisecond of every wait, and does not tell
/// where a batch of reports ends. This one lets [`Context`] count a batch at once.
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
        let desk = Arc::new(Desk { client, topics: Default::default(), batch: Mutex::default() });
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
            (Pushed::Full, _) => drop(self.desk.serve()),
            _ => {}
        }
    }

    /// Asks librdkafka for all that it has. Those who wait go on waiting.
    pub(crate) fn purge(&self) {
        self.client().context().deliveries.waiting.close();
        // Those who are being served go first.
        drop(self.desk.batch.lock());
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
    /// Those who are served. Held meanwhile, so that records stay in order.
    batch: Mutex<Batch>,
}

impl Desk {
    fn run(&self, is_stopping: &AtomicBool) {
        let context = self.client.client().context();
        while !is_stopping.load(Ordering::Acquire) {
            // Without a wait it takes one event, which is the reports of one batch.
            self.client.poll(Duration::ZERO);
            let has_settled = context.settle();
            let turn = self.serve();
            let pause = if context.deliveries.awaits_reports() { GATHER } else { IDLE };
            match turn {
                Turn::NotYet(left) if !has_settled => thread::park_timeout(left.min(pause)),
                Turn::Nobody if !has_settled => thread::park_timeout(pause),
                _ => {}
            }
        }
    }

    /// Hands those over who wait, if it is their turn.
    fn serve(&self) -> Turn {
        let deliveries = &self.client.client().context().deliveries;
        let mut batch = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        let turn = deliveries.waiting.take_turn(deliveries.in_flight_bytes(), &mut batch);
        if turn == Turn::Now {
            batch.runs().for_each(|(delivery, records)| self.hand_over(delivery, &records));
            batch.clear();
        }
        turn
    }

    /// Records of one topic, in order. One that is not taken comes back.
    fn hand_over(&self, delivery: &Arc<Delivery>, records: &[RecordRef<'_>]) {
        let context = self.client.client().context();
        let returned = |number: usize, code| context.returned(records[number], delivery, &KafkaError::MessageProduction(code));
        match self.topic(delivery.topic) {
            Ok(topic) => topic.produce(records, delivery, returned),
            Err(code) => (0..records.len()).for_each(|number| returned(number, code)),
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
