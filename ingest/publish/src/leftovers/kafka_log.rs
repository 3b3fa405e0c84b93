//! Reads Kafka's log through a librdkafka consumer that is a member of no group and commits nothing.

use std::sync::Arc;
use std::time::Duration;

use rdkafka::client::ClientContext;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, KafkaResult};
use rdkafka::message::Message;
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tocsin_telemetry::Health;

use super::extents::Extents;
use super::search::LogReader;
use crate::delivery::log_client;
use crate::{KafkaConfig, Topic};

/// How long a broker may take to answer a question; a stop of the agent waits as long at most.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// How long to wait for the next record before looking whether to go on.
const POLL_TIMEOUT: Duration = Duration::from_millis(100);

struct Context(Arc<Health>);

impl ClientContext for Context {
    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        log_client(level, facility, message);
    }

    fn error(&self, _error: KafkaError, reason: &str) {
        self.0.kafka_problem(reason.to_owned());
    }
}

impl ConsumerContext for Context {}

/// See the module's header.
pub(crate) struct KafkaLog {
    consumer: BaseConsumer<Context>,
    bootstrap_servers: String,
    topic: Option<Topic>,
    unread: Extents,
}

impl KafkaLog {
    /// Connects to nothing yet.
    pub(crate) fn new(kafka: &KafkaConfig, health: Arc<Health>) -> KafkaResult<Self> {
        let mut config = ClientConfig::new();
        // The producer's options: how to connect stands there. What concerns only a producer is ignored.
        for (name, value) in &kafka.options {
            config.set(name, value);
        }
        let consumer = config
            .set("bootstrap.servers", &kafka.bootstrap_servers)
            .set("client.id", "tocsin-agent-leftovers")
            // librdkafka reads for nobody without a name; partitions are assigned by hand, so no group is joined.
            .set("group.id", "tocsin-agent-leftovers")
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("enable.partition.eof", "true")
            // What retention deletes during the search is skipped.
            .set("auto.offset.reset", "earliest")
            // Everything that is stored, and a high watermark that means so.
            .set("isolation.level", "read_uncommitted")
            // Memory for what was fetched and not yet looked at; the default pause of 1 s when it is full would be most of the search.
            .set("queued.max.messages.kbytes", "16384")
            .set("fetch.queue.backoff.ms", "10")
            // The end of one topic must not hold up the next.
            .set("fetch.wait.max.ms", "50")
            .create_with_context(Context(health))?;
        Ok(Self { consumer, bootstrap_servers: kafka.bootstrap_servers.clone(), topic: None, unread: Extents::default() })
    }

    /// The topic's partitions. A topic that is not there is a problem too: a broker that has just started may not know it yet.
    fn partitions(&self, topic: &str) -> Result<Vec<i32>, String> {
        let metadata = self.consumer.fetch_metadata(Some(topic), REQUEST_TIMEOUT).map_err(|error| self.unanswered(&error))?;
        let known = metadata.topics().iter().find(|known| known.name() == topic);
        let partitions: Vec<i32> = known.iter().flat_map(|known| known.partitions()).map(|partition| partition.id()).collect();
        if partitions.is_empty() {
            return Err(format!("topic {topic} is not in Kafka at {}; make it with `tocsin schema apply`", self.bootstrap_servers));
        }
        Ok(partitions)
    }

    /// The offsets of a topic's records that are stored now and stamped at or after a time.
    fn extents(&self, topic: &str, partitions: &[i32], since_unix_millis: i64) -> KafkaResult<Extents> {
        // The high watermarks first: where no record is late enough afterwards, none was before.
        let mut watermarks = Vec::new();
        let mut times = TopicPartitionList::new();
        for &partition in partitions {
            watermarks.push(self.consumer.fetch_watermarks(topic, partition, REQUEST_TIMEOUT)?);
            times.add_partition_offset(topic, partition, Offset::Offset(since_unix_millis))?;
        }
        let starts = self.consumer.offsets_for_times(times, REQUEST_TIMEOUT)?;
        let mut extents = Extents::default();
        for (&partition, (low, high)) in partitions.iter().zip(watermarks) {
            let start = match starts.find_partition(topic, partition) {
                Some(found) => found.error().map(|()| found.offset())?,
                None => Offset::Beginning,
            };
            match start {
                Offset::Offset(start) => extents.add(partition, start..high),
                // librdkafka's answer when no record is late enough.
                Offset::End => {}
                _ => extents.add(partition, low..high),
            }
        }
        Ok(extents)
    }

    fn unanswered(&self, error: &KafkaError) -> String {
        format!("Kafka at {}: {error}", self.bootstrap_servers)
    }
}

impl LogReader for KafkaLog {
    fn connect(&mut self) -> Result<(), String> {
        self.consumer.fetch_metadata(Some(Topic::Rejects.name()), REQUEST_TIMEOUT).map(drop).map_err(|error| self.unanswered(&error))
    }

    fn seek(&mut self, topic: Topic, since_unix_millis: i64) -> Result<(), String> {
        let name = topic.name();
        let partitions = self.partitions(name)?;
        let unread = self.extents(name, &partitions, since_unix_millis).map_err(|error| self.unanswered(&error))?;
        let mut assignment = TopicPartitionList::new();
        for (partition, start) in unread.starts() {
            assignment.add_partition_offset(name, partition, Offset::Offset(start)).map_err(|error| self.unanswered(&error))?;
        }
        self.consumer.assign(&assignment).map_err(|error| self.unanswered(&error))?;
        (self.topic, self.unread) = (Some(topic), unread);
        Ok(())
    }

    fn read(&mut self, visit: &mut dyn FnMut(&[u8])) -> Result<u64, String> {
        if self.unread.left() > 0 {
            match self.consumer.poll(POLL_TIMEOUT) {
                None => {}
                Some(Ok(message)) if self.topic.is_some_and(|topic| topic.name() == message.topic()) => {
                    visit(message.payload().unwrap_or_default());
                    self.unread.read(message.partition(), message.offset());
                }
                Some(Ok(_)) => {}
                Some(Err(KafkaError::PartitionEOF(partition))) => self.unread.end(partition),
                Some(Err(error)) => return Err(self.unanswered(&error)),
            }
        }
        Ok(self.unread.left())
    }
}
