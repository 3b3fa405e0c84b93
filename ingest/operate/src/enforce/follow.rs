//! Reads `registrations-v1` from its beginning and goes on with what comes: the topic is compacted, so whoever starts reads the present state
//! of every device first.

use std::time::Duration;

use prost::Message as _;
use rdkafka::message::Message;
use tocsin_kafka::{Connection, Start, TopicReader};
use tocsin_wire::registrations::Registration;

use crate::Failure;

const TOPIC: &str = "registrations-v1";
/// A change is worth nothing later.
const SETTINGS: [(&str, &str); 1] = [("fetch.wait.max.ms", "5")];

/// One record: its key, and the registration; `None` is a tombstone.
pub type Record = (Vec<u8>, Option<Registration>);

/// A reader of the topic.
pub struct Registrations(TopicReader);

impl Registrations {
    /// Reads every partition from its beginning.
    pub fn open(connection: &Connection) -> Result<Self, Failure> {
        let mut reader = TopicReader::new(connection, "tocsin-enforce", &SETTINGS, |problem| eprintln!("Kafka: {problem}"))?;
        reader.seek(TOPIC, Start::Beginning)?;
        Ok(Self(reader))
    }

    /// Has everything been read that was there at the start?
    pub fn is_caught_up(&self) -> bool {
        self.0.left() == 0
    }

    /// The next record, or `None` where none came in time. A record that does not decode is an error that names its place.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Record>, Failure> {
        let Some(message) = self.0.next(timeout)? else { return Ok(None) };
        let registration = message.payload().map(Registration::decode).transpose().map_err(|error| {
            Failure::new(
                format!("record {TOPIC}-{}-{} is no registration: {error}", message.partition(), message.offset()),
                "find out who else writes to the topic, or use the tocsin binary of the version that wrote it",
            )
        })?;
        Ok(Some((message.key().unwrap_or_default().to_vec(), registration)))
    }
}
