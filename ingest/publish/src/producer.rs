//! librdkafka's producer, and the thread that hears of the fate of its records.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::config::FromClientConfigAndContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::producer::{BaseProducer, Producer as _};

use crate::Topic;
use crate::delivery::Context;
use crate::topic::TopicHandle;

/// How long reports may gather while records are on their way. Nobody waits for an acknowledgement sooner: `kafka.linger` alone is longer.
const GATHER: Duration = Duration::from_millis(5);
/// How long an idle thread leaves librdkafka alone, which tells of trouble the same way.
const IDLE: Duration = Duration::from_millis(50);

/// In place of rdkafka's `ThreadedProducer`, whose thread asks the clock without a pause through the last millisecond of every wait, and does not tell
/// where a batch of reports ends. This one lets [`Context`] count a batch at once.
pub(crate) struct Producer {
    pub(crate) client: Arc<BaseProducer<Context>>,
    /// In the order of [`Topic::ALL`], opened when they are first written to: to open one asks the brokers for it.
    topics: [OnceLock<TopicHandle>; Topic::ALL.len()],
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
        let is_stopping = Arc::new(AtomicBool::new(false));
        let (polled, stopping) = (Arc::clone(&client), Arc::clone(&is_stopping));
        let thread = thread::Builder::new().name("acks".to_owned()).spawn(move || poll(&polled, &stopping)).map_err(StartError::Thread)?;
        Ok(Self { client, topics: Default::default(), is_stopping, thread: Some(thread) })
    }

    /// The handle of a topic.
    pub(crate) fn topic(&self, topic: Topic) -> Result<&TopicHandle, RDKafkaErrorCode> {
        let place = &self.topics[topic as usize];
        match place.get() {
            Some(handle) => Ok(handle),
            None => {
                let handle = TopicHandle::open(&self.client, topic)?;
                // Of two threads that come at once one closes its own again.
                Ok(place.get_or_init(|| handle))
            }
        }
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

fn poll(client: &BaseProducer<Context>, is_stopping: &AtomicBool) {
    let context = client.client().context();
    while !is_stopping.load(Ordering::Acquire) {
        // Without a wait it takes one event, which is the reports of one batch.
        client.poll(Duration::ZERO);
        if !context.settle() {
            thread::park_timeout(if context.deliveries.in_flight_bytes() > 0 { GATHER } else { IDLE });
        }
    }
}
