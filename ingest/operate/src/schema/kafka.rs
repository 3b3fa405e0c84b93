//! Topics at a real broker: asks, creates, alters.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use rdkafka::admin::{AdminClient, AdminOptions, AlterConfig, ConfigSource, NewPartitions, NewTopic, ResourceSpecifier, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use tocsin_kafka::{Connection, Error, TopicReader};

use super::topics::{ExistingTopic, SettingChange, Topic};
use crate::Failure;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A Kafka cluster, as an administrator sees it.
pub struct Kafka {
    admin: AdminClient<DefaultClientContext>,
    connection: Connection,
}

impl Kafka {
    /// Prepares a client; does not connect yet.
    pub fn new(connection: Connection) -> Result<Self, Failure> {
        let admin: AdminClient<DefaultClientContext> = connection
            .client("tocsin-schema")
            // A broker that is still starting is asked again soon: --wait decides how long.
            .set("reconnect.backoff.max.ms", "500")
            .create()
            .map_err(|error| connection.refused(&error))?;
        connection.show_token(admin.inner())?;
        Ok(Self { admin, connection })
    }

    /// The addresses as configured, for messages.
    pub fn bootstrap_servers(&self) -> &str {
        &self.connection.bootstrap_servers
    }

    /// Does a broker answer within `timeout`? The error is a reason in a few words.
    pub fn ping(&self, timeout: Duration) -> Result<(), String> {
        match self.admin.inner().fetch_metadata(None, timeout) {
            Ok(metadata) if !metadata.brokers().is_empty() => Ok(()),
            Ok(_) => Err("the cluster has no broker yet".to_owned()),
            Err(error) => Err(match error.rdkafka_error_code() {
                Some(RDKafkaErrorCode::BrokerTransportFailure | RDKafkaErrorCode::AllBrokersDown) => {
                    "no broker accepts a connection".to_owned()
                }
                Some(RDKafkaErrorCode::OperationTimedOut) => format!("no answer within {} s", timeout.as_secs_f32()),
                _ => error.to_string(),
            }),
        }
    }

    fn failed(&self, error: &KafkaError) -> Failure {
        self.silent(&error.to_string())
    }

    /// The failure of a cluster that does not answer: what keeps connections from coming about, where that is known. A client of administration
    /// does not hear of it, so another one asks.
    pub fn silent(&self, reason: &str) -> Failure {
        let asked = TopicReader::new(&self.connection, "tocsin-schema", &[], |_| ()).and_then(|reader| reader.ping("rules-v1"));
        if let Err(known @ Error::Trouble { .. }) = asked {
            return known.into();
        }
        Failure::new(
            format!("Kafka at {} does not answer: {reason}", self.connection.bootstrap_servers),
            "start it (`make up`), point --kafka at a broker, or give it time with --wait SECONDS",
        )
    }

    /// How many copies of a partition to keep unless told: three where there are three brokers, else one each.
    pub fn default_replication(&self) -> Result<u32, Failure> {
        Ok(self.brokers()?.clamp(1, 3) as u32)
    }

    /// How many brokers there are.
    pub fn brokers(&self) -> Result<usize, Failure> {
        let metadata = self.admin.inner().fetch_metadata(None, REQUEST_TIMEOUT).map_err(|error| self.failed(&error))?;
        Ok(metadata.brokers().len())
    }

    /// What the cluster knows of these topics; a topic that it does not know is absent.
    pub fn existing(&self, names: &[String]) -> Result<BTreeMap<String, ExistingTopic>, Failure> {
        // All topics are asked for, because naming one that is missing would create it where the broker allows that.
        let metadata = self.admin.inner().fetch_metadata(None, REQUEST_TIMEOUT).map_err(|error| self.failed(&error))?;
        let mut existing: BTreeMap<String, ExistingTopic> = metadata
            .topics()
            .iter()
            .filter(|known| names.iter().any(|name| name == known.name()))
            .map(|known| {
                (known.name().to_owned(), ExistingTopic { partitions: known.partitions().len() as u32, settings: BTreeMap::new() })
            })
            .collect();
        for (name, topic) in &mut existing {
            topic.settings = self.settings(name, |_| true)?;
        }
        Ok(existing)
    }

    /// Creates a topic. False if somebody else created it in the meantime.
    pub fn create(&self, topic: &Topic, replication: u32) -> Result<bool, Failure> {
        self.create_with(&topic.name, topic.partitions, &topic.settings(), replication)
    }

    /// The same with the settings of no file.
    pub fn create_with(
        &self,
        topic: &str,
        partitions: u32,
        settings: &BTreeMap<String, String>,
        replication: u32,
    ) -> Result<bool, Failure> {
        let new = NewTopic::new(topic, partitions as i32, TopicReplication::Fixed(replication as i32));
        let new = settings.iter().fold(new, |new, (name, value)| new.set(name, value));
        let results = pollster::block_on(self.admin.create_topics([&new], &options())).map_err(|error| self.failed(&error))?;
        match results.into_iter().next() {
            Some(Ok(_)) => Ok(true),
            Some(Err((_, RDKafkaErrorCode::TopicAlreadyExists))) => Ok(false),
            Some(Err((_, code))) => Err(self.refused(&format!("to create topic {topic}"), code)),
            None => Err(self.silent("the answer to creating a topic was empty")),
        }
    }

    /// Adds partitions until there are so many.
    pub fn grow(&self, topic: &Topic, partitions: u32) -> Result<(), Failure> {
        let new = NewPartitions::new(&topic.name, partitions as usize);
        let results = pollster::block_on(self.admin.create_partitions([&new], &options())).map_err(|error| self.failed(&error))?;
        match results.into_iter().next() {
            Some(Ok(_)) => Ok(()),
            Some(Err((_, code))) => Err(self.refused(&format!("more partitions for topic {}", topic.name), code)),
            None => Err(self.silent("the answer to adding partitions was empty")),
        }
    }

    /// Sets what differs, and waits until the broker says so too. Kafka replaces a topic's whole list of overrides, so those that the
    /// file says nothing about are sent along.
    pub fn alter(&self, topic: &Topic, changes: &[SettingChange]) -> Result<(), Failure> {
        let mut settings = self.overrides(&topic.name)?;
        settings.extend(changes.iter().map(|change| (change.name.clone(), change.to.clone())));
        let alter =
            settings.iter().fold(AlterConfig::new(ResourceSpecifier::Topic(&topic.name)), |alter, (name, value)| alter.set(name, value));
        let results = pollster::block_on(self.admin.alter_configs([&alter], &options())).map_err(|error| self.failed(&error))?;
        match results.into_iter().next() {
            Some(Ok(_)) => self.await_settings(topic, changes),
            Some(Err((_, code))) => Err(self.refused(&format!("to alter topic {}", topic.name), code)),
            None => Err(self.silent("the answer to altering a topic was empty")),
        }
    }

    /// Waits until every partition of these topics, so many each, has a leader, so that whoever starts next can write to them at once.
    pub fn await_leaders(&self, topics: &[(&str, u32)], timeout: Duration) -> Result<(), Failure> {
        let deadline = Instant::now() + timeout;
        loop {
            let metadata = self.admin.inner().fetch_metadata(None, REQUEST_TIMEOUT).map_err(|error| self.failed(&error))?;
            let is_led = |(name, partitions): &(&str, u32)| {
                metadata.topics().iter().any(|known| {
                    known.name() == *name
                        && known.partitions().len() >= *partitions as usize
                        && known.partitions().iter().all(|partition| partition.leader() >= 0)
                })
            };
            let Some((waiting, _)) = topics.iter().find(|topic| !is_led(topic)) else { return Ok(()) };
            if Instant::now() >= deadline {
                return Err(Failure::new(
                    format!("topic {waiting} has partitions without a leader after {} s", timeout.as_secs()),
                    "check that enough brokers are up; their logs say why they do not lead",
                ));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The controller accepts a change before the brokers apply it.
    fn await_settings(&self, topic: &Topic, changes: &[SettingChange]) -> Result<(), Failure> {
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        loop {
            let settings = self.settings(&topic.name, |_| true)?;
            let Some(waiting) = changes.iter().find(|change| settings.get(&change.name) != Some(&change.to)) else { return Ok(()) };
            if Instant::now() >= deadline {
                return Err(Failure::new(
                    format!("topic {} has not taken {} after {} s", topic.name, waiting.name, REQUEST_TIMEOUT.as_secs()),
                    "check that the brokers keep up with the controller; their logs say why they do not",
                ));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }

    /// The settings that a topic has of its own.
    pub fn overrides(&self, topic: &str) -> Result<BTreeMap<String, String>, Failure> {
        self.settings(topic, |source| *source == ConfigSource::DynamicTopic)
    }

    fn settings(&self, topic: &str, wanted: impl Fn(&ConfigSource) -> bool) -> Result<BTreeMap<String, String>, Failure> {
        let specifier = ResourceSpecifier::Topic(topic);
        let results = pollster::block_on(self.admin.describe_configs([&specifier], &options())).map_err(|error| self.failed(&error))?;
        match results.into_iter().next() {
            Some(Ok(resource)) => Ok(resource
                .entries
                .into_iter()
                .filter(|entry| wanted(&entry.source))
                .filter_map(|entry| Some((entry.name, entry.value?)))
                .collect()),
            Some(Err(code)) => Err(self.refused(&format!("to describe topic {topic}"), code)),
            None => Err(self.silent("the answer to describing a topic was empty")),
        }
    }

    fn refused(&self, what: &str, code: RDKafkaErrorCode) -> Failure {
        let remedy = match code {
            RDKafkaErrorCode::InvalidReplicationFactor => "give --replication at most the number of brokers",
            RDKafkaErrorCode::TopicAuthorizationFailed | RDKafkaErrorCode::ClusterAuthorizationFailed => {
                "use an account that may create and alter topics: deploy/README.md has the table of who may do what"
            }
            _ => "the broker's log has the details",
        };
        Failure::new(format!("Kafka at {} refused {what}: {code}", self.connection.bootstrap_servers), remedy)
    }
}

fn options() -> AdminOptions {
    AdminOptions::new().request_timeout(Some(REQUEST_TIMEOUT)).operation_timeout(Some(REQUEST_TIMEOUT))
}
