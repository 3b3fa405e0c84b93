//! Kafka's log, as the search for leftovers reads it.

use std::sync::Arc;
use std::time::Duration;

use rdkafka::message::Message;
use tocsin_kafka::{Error, Start, TopicReader};
use tocsin_telemetry::Health;

use super::search::LogReader;
use crate::{KafkaConfig, Topic};

/// How long to wait for the next record before looking whether to go on.
const POLL_TIMEOUT: Duration = Duration::from_millis(100);
const SETTINGS: [(&str, &str); 4] = [
    // Everything that is stored, and a high watermark that means so.
    ("isolation.level", "read_uncommitted"),
    // Memory for what was fetched and not yet looked at; the default pause of 1 s when it is full would be most of the search.
    ("queued.max.messages.kbytes", "16384"),
    ("fetch.queue.backoff.ms", "10"),
    // The end of one topic must not hold up the next.
    ("fetch.wait.max.ms", "50"),
];

/// See the module's header.
pub(crate) struct KafkaLog(TopicReader);

impl KafkaLog {
    /// Connects to nothing yet.
    pub(crate) fn new(kafka: &KafkaConfig, health: Arc<Health>) -> Result<Self, Error> {
        let on_problem = move |problem: &str| health.kafka_problem(problem.to_owned());
        TopicReader::new(&kafka.connection()?, "tocsin-agent-leftovers", &SETTINGS, on_problem).map(Self)
    }
}

impl LogReader for KafkaLog {
    fn connect(&mut self) -> Result<(), String> {
        self.0.ping(Topic::Rejects.name()).map_err(|error| error.to_string())
    }

    fn seek(&mut self, topic: Topic, since_unix_millis: i64) -> Result<(), String> {
        self.0.seek(topic.name(), Start::Time(since_unix_millis)).map_err(|error| error.to_string())
    }

    fn read(&mut self, visit: &mut dyn FnMut(&[u8])) -> Result<u64, String> {
        if self.0.left() > 0
            && let Some(message) = self.0.next(POLL_TIMEOUT).map_err(|error| error.to_string())?
        {
            visit(message.payload().unwrap_or_default());
        }
        Ok(self.0.left())
    }
}
