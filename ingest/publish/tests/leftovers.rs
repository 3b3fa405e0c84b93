//! What an earlier run left in the spool, against a real broker: librdkafka's mock cluster cannot find offsets by time.
//!
//! TOCSIN_TEST_KAFKA says where. A laptop without a broker skips these tests and says so; CI fails instead.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fs, ops::Range};

use bytesize::ByteSize;
use prost::Message as _;
use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message as _;
use rdkafka::types::RDKafkaErrorCode;
use rdkafka::{Offset, TopicPartitionList};
use tocsin_publish::{KafkaConfig, KafkaPublisher, Publisher, Record, SpoolConfig, Topic};
use tocsin_telemetry::{Counters, Health};
use tocsin_wire::Body;
use tocsin_wire::events::{AlertUpdate, Event};

const PATIENCE: Duration = Duration::from_secs(30);
/// Partitions of a topic that nobody has made before.
const PARTITIONS: i32 = 4;
/// No broker answers here: port 9 is "discard", and nothing listens on it.
const NOBODY: &str = "127.0.0.1:9";

/// The broker's address, with the topics in place; none, with a word about it, where the test shall be skipped.
fn broker() -> Option<String> {
    let address = std::env::var("TOCSIN_TEST_KAFKA").ok().filter(|address| !address.is_empty());
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(address.is_some() || !is_ci, "TOCSIN_TEST_KAFKA must be set in CI: `make test` sets it from the embedded stack");
    let Some(address) = address else {
        // Not by eprintln!, which cargo keeps to itself when a test passes.
        let _ = writeln!(std::io::stderr(), "skipped: TOCSIN_TEST_KAFKA is not set; `make test` starts the server and sets it");
        return None;
    };
    let admin: AdminClient<DefaultClientContext> = ClientConfig::new().set("bootstrap.servers", &address).create().unwrap();
    let topics = [Topic::Alert, Topic::Rejects].map(|topic| NewTopic::new(topic.name(), PARTITIONS, TopicReplication::Fixed(1)));
    let options = AdminOptions::new().request_timeout(Some(PATIENCE)).operation_timeout(Some(PATIENCE));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    for result in runtime.block_on(admin.create_topics(&topics, &options)).unwrap() {
        assert!(matches!(result, Ok(_) | Err((_, RDKafkaErrorCode::TopicAlreadyExists))), "{result:?}");
    }
    Some(address)
}

/// One run of one agent that nobody else is.
struct Run {
    agent_id: String,
    listener: Arc<Counters>,
}

impl Run {
    fn new(test: &str) -> Self {
        Self { agent_id: format!("{test}-{}-{}", std::process::id(), now_unix_nanos()), listener: Arc::new(Counters::new("alert-udp")) }
    }

    fn id(&self, sequence: u64) -> String {
        format!("{}-1-{sequence}", self.agent_id)
    }

    fn ids(&self, sequences: Range<u64>) -> Vec<String> {
        sequences.map(|sequence| self.id(sequence)).collect()
    }

    /// Alert updates of one device, so that they stand in one partition in the order in which they were sent.
    fn publish(&self, publisher: &KafkaPublisher, sequences: Range<u64>) {
        for sequence in sequences {
            let event = Event {
                event_id: self.id(sequence),
                device: self.agent_id.clone(),
                received_at_unix_nanos: now_unix_nanos(),
                body: Some(Body::AlertUpdate(AlertUpdate::default())),
                ..Event::default()
            };
            publisher.publish(Record::new(&event, Some(Arc::clone(&self.listener))));
        }
    }

    fn start(&self, bootstrap_servers: &str, spool: &Path) -> KafkaPublisher {
        let kafka = KafkaConfig { bootstrap_servers: bootstrap_servers.to_owned(), queue_size: ByteSize::kib(4), ..KafkaConfig::default() };
        let spool = SpoolConfig { dir: spool.to_owned(), max_size: ByteSize::mib(16), ..SpoolConfig::default() };
        let health = Arc::new(Health::new(Duration::from_secs(1)));
        KafkaPublisher::start(&kafka, &spool, health).unwrap()
    }

    /// Leaves records in the spool, as a run does that never saw a broker.
    fn leave(&self, spool: &Path, sequences: Range<u64>) {
        let publisher = self.start(NOBODY, spool);
        self.publish(&publisher, sequences);
        assert_eq!(publisher.close().lost_records, 0);
    }

    /// Sends records past the spool, as the killed process did.
    fn send(&self, bootstrap_servers: &str, sequences: Range<u64>) {
        let spool = tempfile::tempdir().unwrap();
        let publisher = self.start(bootstrap_servers, spool.path());
        self.publish(&publisher, sequences);
        assert!(publisher.flush(PATIENCE));
    }

    /// Starts, and sends what is left and these new records.
    fn go_on(&self, bootstrap_servers: &str, spool: &Path, sequences: Range<u64>) {
        let publisher = self.start(bootstrap_servers, spool);
        self.publish(&publisher, sequences);
        assert!(publisher.flush(PATIENCE));
        assert_eq!(publisher.close().spooled_bytes, 0);
        drop(publisher);
        assert_eq!(segments(spool), 0);
    }

    /// The ids of this agent that the topic holds now, in the order of the log.
    fn stored(&self, bootstrap_servers: &str) -> Vec<String> {
        let topic = Topic::Alert.name();
        let consumer: BaseConsumer =
            ClientConfig::new().set("bootstrap.servers", bootstrap_servers).set("group.id", &self.agent_id).create().unwrap();
        let mut partitions = TopicPartitionList::new();
        // By partition, because other tests write to the topic meanwhile.
        let mut ends = HashMap::new();
        let metadata = consumer.fetch_metadata(Some(topic), PATIENCE).unwrap();
        for partition in metadata.topics()[0].partitions().iter().map(|partition| partition.id()) {
            let (low, high) = consumer.fetch_watermarks(topic, partition, PATIENCE).unwrap();
            if low < high {
                ends.insert(partition, high);
            }
            partitions.add_partition_offset(topic, partition, Offset::Offset(low)).unwrap();
        }
        consumer.assign(&partitions).unwrap();
        let deadline = Instant::now() + PATIENCE;
        let mut ids = Vec::new();
        while !ends.is_empty() {
            assert!(Instant::now() < deadline, "partitions of {topic} that cannot be read to these ends: {ends:?}");
            if let Some(message) = consumer.poll(Duration::from_millis(100)) {
                let message = message.unwrap();
                ids.push(Event::decode(message.payload().unwrap()).unwrap().event_id);
                if ends.get(&message.partition()).is_some_and(|end| message.offset() + 1 >= *end) {
                    ends.remove(&message.partition());
                }
            }
        }
        ids.retain(|id| id.starts_with(&self.agent_id));
        ids
    }
}

fn now_unix_nanos() -> u64 {
    u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap()
}

fn segments(spool: &Path) -> usize {
    let is_segment = |path: &Path| path.extension().is_some_and(|extension| extension == "spool");
    fs::read_dir(spool).unwrap().filter(|item| is_segment(&item.as_ref().unwrap().path())).count()
}

fn copy_files(from: &Path, to: &Path) {
    for item in fs::read_dir(from).unwrap() {
        let item = item.unwrap();
        fs::copy(item.path(), to.join(item.file_name())).unwrap();
    }
}

#[test]
fn what_kafka_has_is_not_sent_again_and_the_rest_is_sent_before_what_is_new() {
    let Some(broker) = broker() else { return };
    let (run, spool) = (Run::new("some"), tempfile::tempdir().unwrap());
    run.leave(spool.path(), 0..500);
    run.send(&broker, 0..200);
    run.go_on(&broker, spool.path(), 500..600);
    assert_eq!(run.stored(&broker), run.ids(0..600));
}

#[test]
fn when_kafka_has_every_record_only_the_files_are_deleted() {
    let Some(broker) = broker() else { return };
    let (run, spool, killed) = (Run::new("all"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    run.leave(spool.path(), 0..300);
    // A kill leaves the files of records that were sent.
    copy_files(spool.path(), killed.path());
    run.go_on(&broker, spool.path(), 300..300);
    run.go_on(&broker, killed.path(), 300..300);
    assert_eq!(run.stored(&broker), run.ids(0..300));
}

#[test]
fn a_record_that_was_spooled_twice_is_sent_once() {
    let Some(broker) = broker() else { return };
    let (run, spool) = (Run::new("twice"), tempfile::tempdir().unwrap());
    run.leave(spool.path(), 0..20);
    run.leave(spool.path(), 10..30);
    run.go_on(&broker, spool.path(), 30..40);
    assert_eq!(run.stored(&broker), run.ids(0..40));
}

#[test]
fn a_stop_while_kafka_is_still_away_leaves_everything_in_order() {
    let Some(broker) = broker() else { return };
    let (run, spool) = (Run::new("away"), tempfile::tempdir().unwrap());
    for begin in [0, 100, 200] {
        run.leave(spool.path(), begin..begin + 100);
    }
    run.send(&broker, 0..50);
    run.go_on(&broker, spool.path(), 300..300);
    assert_eq!(run.stored(&broker), run.ids(0..300));
}
