//! Reads `registrations-v1` from its beginning and goes on with what comes. A member of no group; commits nothing: the topic is compacted, so
//! whoever starts reads the present state of every device first.

use std::collections::HashMap;
use std::time::Duration;

use prost::Message as _;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message;
use rdkafka::{ClientConfig, Offset, TopicPartitionList};
use tocsin_wire::registrations::Registration;

use crate::Failure;

const TOPIC: &str = "registrations-v1";
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// One record: its key, and the registration; `None` is a tombstone.
pub type Record = (Vec<u8>, Option<Registration>);

/// A reader of the topic.
pub struct Registrations {
    consumer: BaseConsumer,
    /// Partitions that have not been read up to where they ended when this was opened, with that end.
    unread: HashMap<i32, i64>,
}

impl Registrations {
    /// Assigns every partition from its beginning.
    pub fn open(brokers: &str) -> Result<Self, Failure> {
        let unreachable = |error: &dyn std::fmt::Display| {
            Failure::new(
                format!("cannot read {TOPIC} from Kafka at {brokers}: {error}"),
                "start Kafka (`make up`), run `tocsin schema apply`, or point --kafka at a broker",
            )
        };
        let consumer: BaseConsumer = ClientConfig::new()
            .set("bootstrap.servers", brokers)
            .set("client.id", "tocsin-enforce")
            // librdkafka reads for nobody without a name; partitions are assigned by hand, so no group is joined.
            .set("group.id", "tocsin-enforce")
            .set("enable.auto.commit", "false")
            .set("auto.offset.reset", "earliest")
            // A change is worth nothing later.
            .set("fetch.wait.max.ms", "5")
            .set_log_level(RDKafkaLogLevel::Error)
            .create()
            .map_err(|error| unreachable(&error))?;
        let metadata = consumer.fetch_metadata(Some(TOPIC), REQUEST_TIMEOUT).map_err(|error| unreachable(&error))?;
        let partitions: Vec<i32> = metadata
            .topics()
            .iter()
            .filter(|topic| topic.name() == TOPIC)
            .flat_map(|topic| topic.partitions())
            .map(|partition| partition.id())
            .collect();
        if partitions.is_empty() {
            return Err(unreachable(&"there is no such topic"));
        }
        let mut assignment = TopicPartitionList::new();
        let mut unread = HashMap::new();
        for partition in partitions {
            let (low, high) = consumer.fetch_watermarks(TOPIC, partition, REQUEST_TIMEOUT).map_err(|error| unreachable(&error))?;
            if low < high {
                unread.insert(partition, high);
            }
            assignment.add_partition_offset(TOPIC, partition, Offset::Beginning).map_err(|error| unreachable(&error))?;
        }
        consumer.assign(&assignment).map_err(|error| unreachable(&error))?;
        Ok(Self { consumer, unread })
    }

    /// Has everything been read that was there at the start?
    pub fn is_caught_up(&self) -> bool {
        self.unread.is_empty()
    }

    /// The next record, or `None` where none came in time. A record that does not decode is an error that names its place.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Record>, Failure> {
        let Some(message) = self.consumer.poll(timeout) else {
            self.forget_what_compaction_left_empty()?;
            return Ok(None);
        };
        let message = message.map_err(|error| {
            Failure::new(format!("Kafka stopped answering: {error}"), "start it again; this goes on where it is started anew")
        })?;
        if self.unread.get(&message.partition()).is_some_and(|end| message.offset() + 1 >= *end) {
            self.unread.remove(&message.partition());
        }
        let registration = message.payload().map(Registration::decode).transpose().map_err(|error| {
            Failure::new(
                format!("record {TOPIC}-{}-{} is no registration: {error}", message.partition(), message.offset()),
                "find out who else writes to the topic, or use the tocsin binary of the version that wrote it",
            )
        })?;
        Ok(Some((message.key().unwrap_or_default().to_vec(), registration)))
    }

    /// The last offsets of a compacted partition may be gone, or be transaction markers: the position tells.
    fn forget_what_compaction_left_empty(&mut self) -> Result<(), Failure> {
        if self.unread.is_empty() {
            return Ok(());
        }
        let positions = self
            .consumer
            .position()
            .map_err(|error| Failure::new(format!("librdkafka does not tell its position: {error}"), "start again"))?;
        self.unread.retain(|partition, end| {
            let position = positions.find_partition(TOPIC, *partition).map(|found| found.offset());
            !matches!(position, Some(Offset::Offset(offset)) if offset >= *end)
        });
        Ok(())
    }
}
