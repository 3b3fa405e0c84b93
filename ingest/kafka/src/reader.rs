//! Reads a topic through a consumer that is a member of no group and commits nothing: its partitions are assigned by hand.

use std::time::{Duration, Instant};

use rdkafka::client::{ClientContext, OAuthToken};
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::consumer::{BaseConsumer, Consumer, ConsumerContext};
use rdkafka::error::{KafkaError, KafkaResult, RDKafkaErrorCode};
use rdkafka::message::{BorrowedMessage, Message};
use rdkafka::metadata::MetadataTopic;
use rdkafka::{Offset, TopicPartitionList};

use crate::extents::Extents;
use crate::{Connection, Error, Failures, MAX_SILENCE};

/// How long a broker may take to answer a question; a stop of the agent waits as long at most.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);

/// How long librdkafka may take to tell what it has told nobody yet.
const NEWS_TIMEOUT: Duration = Duration::from_millis(100);

/// Where reading begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// At the oldest record that is stored.
    Beginning,
    /// At the first record stamped at or after this time, Unix milliseconds.
    Time(i64),
}

/// Hears of troubles that pass: the client connects again by itself.
type OnProblem = Box<dyn Fn(&str) + Send + Sync>;

struct Context {
    on_problem: OnProblem,
    failures: Failures,
    connection: Connection,
}

impl ClientContext for Context {
    const ENABLE_REFRESH_OAUTH_TOKEN: bool = true;

    fn generate_oauth_token(&self, _settings: Option<&str>) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        self.connection.token()
    }

    fn log(&self, level: RDKafkaLogLevel, facility: &str, message: &str) {
        self.failures.log(level, facility, message);
    }

    fn error(&self, _error: KafkaError, reason: &str) {
        match self.connection.trouble(reason).or_else(|| self.failures.trouble(&self.connection)) {
            Some(trouble) => (self.on_problem)(&trouble.to_string()),
            None => (self.on_problem)(reason),
        }
    }
}

impl ConsumerContext for Context {}

/// A reader of one topic at a time.
pub struct TopicReader {
    connection: Connection,
    consumer: BaseConsumer<Context>,
    topic: String,
    /// What was stored when the reader was pointed at its topic, and has not been read.
    unread: Extents,
    last_progress: Instant,
}

impl TopicReader {
    /// Connects to nothing yet. `settings` are what this reader wants of librdkafka beyond the usual.
    pub fn new(
        connection: &Connection,
        client_id: &str,
        settings: &[(&str, &str)],
        on_problem: impl Fn(&str) + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let mut config = connection.client(client_id);
        config
            // librdkafka reads for nobody without a name; no group is joined.
            .set("group.id", client_id)
            .set("enable.auto.commit", "false")
            .set("enable.auto.offset.store", "false")
            .set("enable.partition.eof", "true")
            // What retention deletes meanwhile is skipped.
            .set("auto.offset.reset", "earliest");
        for (name, value) in settings {
            config.set(*name, *value);
        }
        let context = Context { on_problem: Box::new(on_problem), failures: Failures::default(), connection: connection.clone() };
        let consumer: BaseConsumer<Context> = config.create_with_context(context).map_err(|error| connection.refused(&error))?;
        // A token that has expired may be another one by the time that somebody asks: the client reads it again.
        if let Err(error) = connection.show_token(consumer.client()) {
            (consumer.context().on_problem)(&error.to_string());
        }
        let connection = connection.clone();
        Ok(Self { connection, consumer, topic: String::new(), unread: Extents::default(), last_progress: Instant::now() })
    }

    /// Asks whether Kafka answers, by the metadata of a topic.
    pub fn ping(&self, topic: &str) -> Result<(), Error> {
        self.consumer.fetch_metadata(Some(topic), REQUEST_TIMEOUT).map(drop).map_err(|error| self.unanswered(topic, &error))
    }

    /// The offset at which the group of this reader's `client_id` goes on reading a partition; none where it has committed nothing there.
    pub fn committed(&self, topic: &str, partition: i32) -> Result<Option<i64>, Error> {
        let mut wanted = TopicPartitionList::new();
        wanted.add_partition(topic, partition);
        let committed = self.consumer.committed_offsets(wanted, REQUEST_TIMEOUT).map_err(|error| self.unanswered(topic, &error))?;
        let Some(found) = committed.find_partition(topic, partition) else { return Ok(None) };
        found.error().map_err(|error| self.about(topic, &error))?;
        match found.offset() {
            Offset::Offset(next) => Ok(Some(next)),
            _ => Ok(None),
        }
    }

    /// Points the reader at a topic. What is stored there now is unread; what comes later is read as well.
    pub fn seek(&mut self, topic: &str, start: Start) -> Result<(), Error> {
        let partitions = self.partitions(topic)?;
        let deadline = Instant::now() + REQUEST_TIMEOUT;
        let (unread, assignment) = loop {
            match self.assignment(topic, &partitions, start) {
                Ok(found) => break found,
                Err(error) if is_without_leader(&error) && Instant::now() < deadline => self.hear_news(),
                Err(error) => return Err(self.unanswered(topic, &error)),
            }
        };
        self.consumer.assign(&assignment).map_err(|error| self.about(topic, &error))?;
        (self.topic, self.unread, self.last_progress) = (topic.to_owned(), unread, Instant::now());
        Ok(())
    }

    /// Offsets that were stored when the reader was pointed at its topic and have not been read; 0 when it has caught up.
    pub fn left(&self) -> u64 {
        self.unread.left()
    }

    /// The next record, if one comes in time. An error while a broker is away is none before [`MAX_SILENCE`]; the call can be made again.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<BorrowedMessage<'_>>, Error> {
        let error = match self.consumer.poll(timeout) {
            // A record of the topic before that was fetched already.
            Some(Ok(message)) if message.topic() != self.topic => return Ok(None),
            Some(Ok(message)) => {
                self.unread.read(message.partition(), message.offset());
                self.last_progress = Instant::now();
                return Ok(Some(message));
            }
            Some(Err(KafkaError::PartitionEOF(partition))) => {
                self.unread.end(partition);
                self.last_progress = Instant::now();
                return Ok(None);
            }
            Some(Err(error)) if is_final(&error) => return Err(self.about(&self.topic, &error)),
            Some(Err(error)) => {
                (self.consumer.context().on_problem)(&error.to_string());
                error
            }
            None => KafkaError::MessageConsumption(RDKafkaErrorCode::OperationTimedOut),
        };
        if self.unread.left() > 0 && self.last_progress.elapsed() > MAX_SILENCE {
            self.last_progress = Instant::now();
            return Err(self.about(&self.topic, &error));
        }
        Ok(None)
    }

    /// The topic's partitions. A topic that is not there is an error too: a broker that has just started may not know it yet.
    fn partitions(&self, topic: &str) -> Result<Vec<i32>, Error> {
        let metadata = self.consumer.fetch_metadata(Some(topic), REQUEST_TIMEOUT).map_err(|error| self.unanswered(topic, &error))?;
        let known = metadata.topics().iter().find(|known| known.name() == topic);
        if let Some(error) = known.and_then(MetadataTopic::error) {
            let error = KafkaError::MetadataFetch(error.into());
            if self.connection.refusal("", &error).is_some() {
                return Err(self.about(topic, &error));
            }
        }
        let partitions: Vec<i32> = known.iter().flat_map(|known| known.partitions()).map(|partition| partition.id()).collect();
        if partitions.is_empty() {
            Err(self.connection.unanswered(format!("topic {topic}: there is no such topic; make it with `tocsin schema apply`")))
        } else {
            Ok(partitions)
        }
    }

    /// What is to be read now, and where each partition begins.
    fn assignment(&self, topic: &str, partitions: &[i32], start: Start) -> KafkaResult<(Extents, TopicPartitionList)> {
        // The high watermarks first: where no record is late enough afterwards, none was before.
        let mut watermarks = Vec::new();
        for partition in partitions {
            watermarks.push(self.consumer.fetch_watermarks(topic, *partition, REQUEST_TIMEOUT)?);
        }
        let starts = match start {
            Start::Beginning => None,
            Start::Time(since_unix_millis) => {
                let mut times = TopicPartitionList::new();
                for partition in partitions {
                    times.add_partition_offset(topic, *partition, Offset::Offset(since_unix_millis))?;
                }
                Some(self.consumer.offsets_for_times(times, REQUEST_TIMEOUT)?)
            }
        };
        let mut unread = Extents::default();
        let mut assignment = TopicPartitionList::new();
        for (&partition, (low, high)) in partitions.iter().zip(watermarks) {
            let found = starts.as_ref().and_then(|starts| starts.find_partition(topic, partition));
            let first = match found.map(|found| found.error().map(|()| found.offset())).transpose()? {
                Some(Offset::Offset(first)) => first,
                // librdkafka's answer when no record is late enough.
                Some(Offset::End) => high,
                _ => low,
            };
            unread.add(partition, first..high);
            assignment.add_partition_offset(topic, partition, Offset::Offset(first))?;
        }
        Ok((unread, assignment))
    }

    /// The error of a question.
    fn unanswered(&self, topic: &str, error: &KafkaError) -> Error {
        self.hear_news();
        self.about(topic, error)
    }

    /// librdkafka tells why a connection failed when it is polled, and nobody polls it while it is asked. What it has read was of the topic before.
    fn hear_news(&self) {
        drop(self.consumer.poll(NEWS_TIMEOUT));
    }

    fn about(&self, topic: &str, error: &KafkaError) -> Error {
        self.connection.failed(&format!("topic {topic}"), error, &self.consumer.context().failures)
    }
}

/// A broker knows who leads a partition before that one does, when a topic is new and when its leader has changed.
fn is_without_leader(error: &KafkaError) -> bool {
    use RDKafkaErrorCode::{
        FencedLeaderEpoch, LeaderNotAvailable, NotLeaderForPartition, OffsetNotAvailable, UnknownLeaderEpoch, UnknownTopicOrPartition,
    };
    let codes =
        [FencedLeaderEpoch, LeaderNotAvailable, NotLeaderForPartition, OffsetNotAvailable, UnknownLeaderEpoch, UnknownTopicOrPartition];
    error.rdkafka_error_code().is_some_and(|code| codes.contains(&code))
}

/// What connecting again does not mend.
fn is_final(error: &KafkaError) -> bool {
    use RDKafkaErrorCode::{
        GroupAuthorizationFailed, SaslAuthenticationFailed, TopicAuthorizationFailed, UnknownPartition, UnknownTopic,
        UnknownTopicOrPartition,
    };
    let codes = [
        GroupAuthorizationFailed,
        SaslAuthenticationFailed,
        TopicAuthorizationFailed,
        UnknownPartition,
        UnknownTopic,
        UnknownTopicOrPartition,
    ];
    matches!(error, KafkaError::MessageConsumptionFatal(_)) || error.rdkafka_error_code().is_some_and(|code| codes.contains(&code))
}
