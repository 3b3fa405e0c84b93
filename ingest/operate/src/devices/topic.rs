//! `devices-v1` at a real broker: read as a whole, written record by record.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use prost::Message;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::KafkaError;
use rdkafka::message::Message as _;
use rdkafka::producer::{BaseRecord, DeliveryResult, Producer, ProducerContext, ThreadedProducer};
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{ClientConfig, ClientContext, Offset, TopicPartitionList};
use tocsin_wire::registrations::Device;

use crate::Failure;

pub(crate) const TOPIC: &str = "devices-v1";
/// How long a broker may be silent.
const MAX_SILENCE: Duration = Duration::from_secs(30);
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(5);

/// The topic of registered devices.
pub(crate) struct DevicesTopic {
    bootstrap_servers: String,
    name: String,
    config: ClientConfig,
}

/// What Kafka refused; only the first refusal is told.
#[derive(Default)]
struct Refusals(std::sync::Mutex<Option<String>>);

impl ClientContext for Refusals {}

impl ProducerContext for Refusals {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if let Err((error, _)) = result {
            self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert_with(|| error.to_string());
        }
    }
}

impl DevicesTopic {
    /// Prepares a client of a topic, [`TOPIC`] but in tests; does not connect yet.
    pub(crate) fn new(bootstrap_servers: &str, name: &str) -> Self {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", bootstrap_servers).set("client.id", "tocsin-devices");
        Self { bootstrap_servers: bootstrap_servers.to_owned(), name: name.to_owned(), config }
    }

    /// Every registered device by its address.
    pub(crate) fn read(&self) -> Result<BTreeMap<String, Device>, Failure> {
        let consumer: BaseConsumer = self
            .config
            .clone()
            .set("group.id", "tocsin-devices")
            .set("enable.auto.commit", "false")
            .set("enable.partition.eof", "true")
            .create()
            .map_err(|error| {
                Failure::usage(format!("--kafka {:?}: {error}", self.bootstrap_servers), "write it as HOST:PORT, separated by commas")
            })?;
        let mut unread = self.assign(&consumer)?;
        let mut devices = BTreeMap::new();
        let mut deadline = Instant::now() + MAX_SILENCE;
        while !unread.is_empty() {
            match consumer.poll(Duration::from_millis(100)) {
                Some(Ok(record)) => {
                    deadline = Instant::now() + MAX_SILENCE;
                    let mac = String::from_utf8_lossy(record.key().unwrap_or_default()).into_owned();
                    match record.payload().map(Device::decode) {
                        Some(Ok(device)) => drop(devices.insert(mac, device)),
                        Some(Err(error)) => return Err(self.failure(&format!("the record of {mac} is no device: {error}"))),
                        None => drop(devices.remove(&mac)),
                    }
                }
                Some(Err(KafkaError::PartitionEOF(partition))) => drop(unread.remove(&partition)),
                Some(Err(error)) if Instant::now() > deadline => return Err(self.failure(&error.to_string())),
                None if Instant::now() > deadline => return Err(self.failure("no answer")),
                // The client connects again by itself.
                Some(Err(_)) | None => {}
            }
        }
        Ok(devices)
    }

    fn assign(&self, consumer: &BaseConsumer) -> Result<BTreeSet<i32>, Failure> {
        let metadata = consumer.fetch_metadata(Some(&self.name), MAX_SILENCE).map_err(|error| self.failure(&error.to_string()))?;
        let partitions: BTreeSet<i32> =
            metadata.topics().iter().flat_map(|topic| topic.partitions()).map(|partition| partition.id()).collect();
        if partitions.is_empty() {
            return Err(self.failure("there is no such topic"));
        }
        let mut list = TopicPartitionList::new();
        for partition in &partitions {
            list.add_partition_offset(&self.name, *partition, Offset::Beginning).map_err(|error| self.failure(&error.to_string()))?;
        }
        consumer.assign(&list).map_err(|error| self.failure(&error.to_string()))?;
        Ok(partitions)
    }

    /// Registers `set` and removes `removed`; returns when Kafka has acknowledged all.
    pub(crate) fn write(&self, set: &[Device], removed: &[String], now_unix_nanos: u64) -> Result<(), Failure> {
        let producer: ThreadedProducer<Refusals> = self
            .config
            .clone()
            .set("enable.idempotence", "true")
            .set("linger.ms", "5")
            .create_with_context(Refusals::default())
            .map_err(|error| self.failure(&error.to_string()))?;
        for device in set {
            let device = Device { imported_at_unix_nanos: now_unix_nanos, ..device.clone() };
            self.send(&producer, BaseRecord::to(&self.name).key(&device.mac).payload(&device.encode_to_vec()))?;
        }
        for mac in removed {
            self.send(&producer, BaseRecord::<str, [u8]>::to(&self.name).key(mac))?;
        }
        producer.flush(MAX_SILENCE).map_err(|error| self.failure(&error.to_string()))?;
        match &*producer.context().0.lock().unwrap_or_else(std::sync::PoisonError::into_inner) {
            Some(error) => Err(self.failure(error)),
            None => Ok(()),
        }
    }

    fn send<P: rdkafka::message::ToBytes + ?Sized>(
        &self,
        producer: &ThreadedProducer<Refusals>,
        record: BaseRecord<'_, impl rdkafka::message::ToBytes + ?Sized, P>,
    ) -> Result<(), Failure> {
        let mut waiting = record;
        loop {
            match producer.send(waiting) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), refused)) => {
                    std::thread::sleep(FULL_QUEUE_PAUSE);
                    waiting = refused;
                }
                Err((error, _)) => return Err(self.failure(&error.to_string())),
            }
        }
    }

    fn failure(&self, reason: &str) -> Failure {
        Failure::new(
            format!("topic {} of Kafka at {}: {reason}", self.name, self.bootstrap_servers),
            "start Kafka (`make up`) and make the topics (`tocsin schema apply`), or correct --kafka; then import again, which is harmless",
        )
    }
}
