//! Records of a command on their way to their topics: the command waits until Kafka has acknowledged them.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::{KafkaError, RDKafkaErrorCode};
use rdkafka::message::{DeliveryResult, Message};
use rdkafka::producer::{BaseRecord, Producer, ProducerContext, ThreadedProducer};

use crate::{Connection, Error, Failures, MAX_SILENCE};

/// How long to wait for room in a full queue before asking again.
const FULL_QUEUE_PAUSE: Duration = Duration::from_millis(20);

/// A producer that is as careful as the agent's.
pub struct TopicWriter {
    connection: Connection,
    producer: ThreadedProducer<Refusals>,
}

/// What Kafka refused, by topic; only the first refusal is told.
struct Refusals {
    connection: Connection,
    first: Mutex<Option<(String, KafkaError)>>,
    failures: Failures,
}

impl ClientContext for Refusals {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _settings: Option<&str>) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        self.connection.token()
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.failures.log(level, facility, message);
    }
}

impl ProducerContext for Refusals {
    type DeliveryOpaque = ();

    fn delivery(&self, result: &DeliveryResult<'_>, (): ()) {
        if let Err((error, message)) = result {
            let refusal = || (message.topic().to_owned(), error.clone());
            self.first.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(refusal);
        }
    }
}

impl TopicWriter {
    /// Connects to nothing yet.
    pub fn new(connection: &Connection, client_id: &str) -> Result<Self, Error> {
        let context = Refusals { connection: connection.clone(), first: Mutex::default(), failures: Failures::default() };
        let producer = connection
            .client(client_id)
            .set("enable.idempotence", "true")
            // Nobody waits for a record alone: whoever writes ends with `finish`, which sends at once what is left.
            .set("linger.ms", "100")
            .set("delivery.timeout.ms", MAX_SILENCE.as_millis().to_string())
            .create_with_context(context)
            .map_err(|error| connection.refused(&error))?;
        Ok(Self { connection: connection.clone(), producer })
    }

    /// Sends a record, or a tombstone where there is no payload. Waits while the client's queue is full.
    pub fn send(&self, topic: &str, key: &[u8], payload: Option<&[u8]>) -> Result<(), Error> {
        let mut record = BaseRecord::<[u8], [u8]>::to(topic).key(key);
        record.payload = payload;
        self.write(record)
    }

    /// Sends a record as it is: with a partition, a time or headers of its own.
    pub fn write(&self, record: BaseRecord<'_, [u8], [u8]>) -> Result<(), Error> {
        let topic = record.topic;
        let mut waiting = record;
        loop {
            match self.producer.send(waiting) {
                Ok(()) => return Ok(()),
                Err((KafkaError::MessageProduction(RDKafkaErrorCode::QueueFull), refused)) => {
                    self.check()?;
                    std::thread::sleep(FULL_QUEUE_PAUSE);
                    waiting = refused;
                }
                Err((error, _)) => return Err(self.about(topic, &error)),
            }
        }
    }

    /// Waits until Kafka has acknowledged everything.
    pub fn finish(&self) -> Result<(), Error> {
        let flushed = self.producer.flush(MAX_SILENCE);
        self.check()?;
        flushed.map_err(|error| self.connection.failed("writing", &error, &self.producer.context().failures))
    }

    fn check(&self) -> Result<(), Error> {
        match &*self.producer.context().first.lock().unwrap_or_else(PoisonError::into_inner) {
            Some((topic, error)) => Err(self.about(topic, error)),
            None => Ok(()),
        }
    }

    fn about(&self, topic: &str, error: &KafkaError) -> Error {
        self.connection.failed(&format!("topic {topic}"), error, &self.producer.context().failures)
    }
}
