//! The publisher against librdkafka's own mock cluster: real protocol, no broker to install.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use prost::Message as _;
use rdkafka::ClientConfig;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::message::Message as _;
use rdkafka::mocking::MockCluster;
use rdkafka::producer::DefaultProducerContext;
use rdkafka::types::RDKafkaRespErr;
use rdkafka::{Offset, TopicPartitionList};
use tocsin_publish::{Compression, KafkaConfig, KafkaPublisher, Publisher, Record, SpoolConfig, Topic, TopicPublishers};
use tocsin_telemetry::{Counters, Health};
use tocsin_wire::Body;
use tocsin_wire::events::{AgentStats, AlertUpdate, Dhcp, Event};
use tocsin_wire::rejects::Reason;

const PATIENCE: Duration = Duration::from_secs(30);
/// No broker answers here: port 9 is "discard", and nothing listens on it.
const NOBODY: &str = "127.0.0.1:9";

fn cluster() -> MockCluster<'static, DefaultProducerContext> {
    let cluster = MockCluster::new(1).unwrap();
    for topic in Topic::ALL {
        cluster.create_topic(topic.name(), 1, 1).unwrap();
    }
    cluster
}

fn start(bootstrap_servers: &str, queue: ByteSize, spool: &Path, max_spool: ByteSize) -> (KafkaPublisher, Arc<Counters>, Arc<Health>) {
    let listener = Arc::new(Counters::new("alert-udp"));
    let health = Arc::new(Health::new(Duration::from_secs(1)));
    health.sockets_open();
    let kafka = KafkaConfig { bootstrap_servers: bootstrap_servers.to_owned(), queue_size: queue, ..KafkaConfig::default() };
    let spool = SpoolConfig { dir: spool.to_owned(), max_size: max_spool, ..SpoolConfig::default() };
    let publisher = KafkaPublisher::start(&kafka, &spool, Arc::clone(&health)).unwrap();
    (publisher, listener, health)
}

fn alert(number: usize) -> Event {
    Event {
        event_id: format!("a-1-{number}"),
        device: "n1".to_owned(),
        body: Some(Body::AlertUpdate(AlertUpdate::default())),
        ..Event::default()
    }
}

fn publish_alerts(publisher: &KafkaPublisher, listener: &Arc<Counters>, count: usize) {
    for number in 0..count {
        publisher.publish(Record::new(&alert(number), Some(Arc::clone(listener))));
    }
}

/// The events of a topic in the order of the log, as soon as there are `count`.
fn consume(bootstrap_servers: &str, topic: Topic, count: usize) -> Vec<Event> {
    let consumer: BaseConsumer = ClientConfig::new().set("bootstrap.servers", bootstrap_servers).set("group.id", "test").create().unwrap();
    let mut partitions = TopicPartitionList::new();
    partitions.add_partition_offset(topic.name(), 0, Offset::Beginning).unwrap();
    consumer.assign(&partitions).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let mut events = Vec::new();
    while events.len() < count && Instant::now() < deadline {
        if let Some(message) = consumer.poll(Duration::from_millis(100)) {
            events.push(Event::decode(message.unwrap().payload().unwrap()).unwrap());
        }
    }
    events
}

/// The same for all topics, each with its share.
fn start_topics(bootstrap_servers: &str, spool: &Path) -> (TopicPublishers, Arc<Counters>, Arc<Health>) {
    let listener = Arc::new(Counters::new("alert-udp"));
    let health = Arc::new(Health::new(Duration::from_secs(60)));
    health.sockets_open();
    // A topic that a broker does not know is else waited for half a minute before it is missing.
    let options = [("topic.metadata.propagation.max.ms".to_owned(), "500".to_owned())].into();
    let kafka =
        KafkaConfig { bootstrap_servers: bootstrap_servers.to_owned(), queue_size: ByteSize::kib(64), options, ..KafkaConfig::default() };
    let spool = SpoolConfig { dir: spool.to_owned(), max_size: ByteSize::kib(512), ..SpoolConfig::default() };
    let publishers = TopicPublishers::start(&kafka, &spool, &health).unwrap();
    (publishers, listener, health)
}

/// 1,000 records for the topic of DHCP, more than its share holds, and 300 alerts beside them, all of which arrive.
fn publish_beside_trouble(cluster: &MockCluster<'_, DefaultProducerContext>, publishers: &TopicPublishers, listener: &Arc<Counters>) {
    let dhcp = |number| Event { body: Some(Body::Dhcp(Dhcp::default())), ..alert(number) };
    for number in 0..1_000 {
        publishers.publish(Record::new(&dhcp(number), Some(Arc::clone(listener))));
        if number < 300 {
            publishers.publish(Record::new(&alert(number), Some(Arc::clone(listener))));
        }
    }
    assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 300)), expected_ids(300));
}

#[test]
fn a_topic_that_is_forbidden_or_missing_stops_no_other_and_is_named() {
    for error in [RDKafkaRespErr::RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED, RDKafkaRespErr::RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART] {
        let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
        cluster.topic_error(Topic::Dhcp.name(), error).unwrap();
        let (publishers, listener, health) = start_topics(&cluster.bootstrap_servers(), dir.path());
        publish_beside_trouble(&cluster, &publishers, &listener);
        let deadline = Instant::now() + PATIENCE;
        while listener.snapshot().acked < 300 || health.check().is_ok() {
            assert!(Instant::now() < deadline, "{error:?} {:?} {:?}", listener.snapshot(), health.check());
            std::thread::yield_now();
        }
        let problems = health.check().unwrap_err();
        assert!(problems.len() == 1 && problems[0].contains("topic events-dhcp-v1"), "{error:?} {problems:?}");
        let stats = listener.snapshot();
        assert!(stats.dropped > 0, "its share is full, and that is counted: {error:?} {stats:?}");

        cluster.topic_error(Topic::Dhcp.name(), RDKafkaRespErr::RD_KAFKA_RESP_ERR_NO_ERROR).unwrap();
        assert!(publishers.flush(PATIENCE), "{error:?} {:?}", listener.snapshot());
        let stats = listener.snapshot();
        assert_eq!(stats.acked + stats.dropped, 1_300);
        assert_eq!(health.check(), Ok(()));
    }
}

#[test]
fn a_topic_whose_broker_is_slow_stops_no_other() {
    let (cluster, dir) = (MockCluster::new(2).unwrap(), tempfile::tempdir().unwrap());
    for topic in Topic::ALL {
        cluster.create_topic(topic.name(), 1, 1).unwrap();
        cluster.partition_leader(topic.name(), 0, Some(if topic == Topic::Dhcp { 2 } else { 1 })).unwrap();
    }
    cluster.broker_round_trip_time(2, Duration::from_secs(3)).unwrap();
    let (publishers, listener, _) = start_topics(&cluster.bootstrap_servers(), dir.path());
    publish_beside_trouble(&cluster, &publishers, &listener);
    let deadline = Instant::now() + PATIENCE;
    while listener.snapshot().acked < 300 {
        assert!(Instant::now() < deadline, "{:?}", listener.snapshot());
        std::thread::yield_now();
    }
    let stats = listener.snapshot();
    assert!(stats.dropped > 0 && stats.acked + stats.dropped < 1_300, "the slow one has filled its share and waits: {stats:?}");

    cluster.broker_round_trip_time(2, Duration::ZERO).unwrap();
    assert!(publishers.flush(PATIENCE));
    let stats = listener.snapshot();
    assert_eq!(stats.acked + stats.dropped, 1_300);
}

fn ids(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.event_id.as_str()).collect()
}

fn expected_ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("a-1-{number}")).collect()
}

#[test]
fn each_codec_is_compiled_in_and_its_records_can_be_read() {
    for compression in [Compression::None, Compression::Lz4, Compression::Zstd, Compression::Snappy] {
        let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
        let listener = Arc::new(Counters::new("alert-udp"));
        let kafka = KafkaConfig { bootstrap_servers: cluster.bootstrap_servers(), compression, ..KafkaConfig::default() };
        let spool = SpoolConfig { dir: dir.path().to_owned(), ..SpoolConfig::default() };
        let publisher = KafkaPublisher::start(&kafka, &spool, Arc::new(Health::new(Duration::from_secs(1)))).unwrap();
        publish_alerts(&publisher, &listener, 100);
        assert!(publisher.flush(PATIENCE), "{compression:?}");
        assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 100)), expected_ids(100), "{compression:?}");
    }
}

#[test]
fn what_is_published_is_acknowledged_counted_and_in_order() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, health) = start(&cluster.bootstrap_servers(), ByteSize::mib(1), dir.path(), ByteSize::mib(1));
    publish_alerts(&publisher, &listener, 500);
    assert!(publisher.flush(PATIENCE));
    let stats = listener.snapshot();
    assert_eq!((stats.published, stats.acked, stats.dropped), (500, 500, 0));
    assert_eq!(health.check(), Ok(()));
    assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 500)), expected_ids(500));
}

#[test]
fn the_agent_s_own_counters_are_published_and_not_counted() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, _) = start(&cluster.bootstrap_servers(), ByteSize::mib(1), dir.path(), ByteSize::mib(1));
    publisher.publish(Record::new(&Event { body: Some(Body::AgentStats(AgentStats::default())), ..alert(0) }, None));
    assert!(publisher.flush(PATIENCE));
    assert_eq!(listener.snapshot().published, 0);
    assert_eq!(consume(&cluster.bootstrap_servers(), Topic::AgentStats, 1).len(), 1);
}

#[test]
fn what_does_not_fit_into_the_queue_takes_the_way_over_the_spool_in_order() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, _) = start(&cluster.bootstrap_servers(), ByteSize::b(300), dir.path(), ByteSize::mib(1));
    publish_alerts(&publisher, &listener, 500);
    assert!(publisher.flush(PATIENCE));
    let stats = listener.snapshot();
    assert!(stats.spooled > 0);
    assert_eq!((stats.published, stats.acked, stats.dropped), (500, 500, 0));
    assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 500)), expected_ids(500));
    assert_eq!(publisher.close().spooled_bytes, 0);
}

#[test]
fn what_kafka_did_not_take_before_the_stop_is_sent_after_the_next_start() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, health) = start(NOBODY, ByteSize::kib(1), dir.path(), ByteSize::mib(1));
    publish_alerts(&publisher, &listener, 100);
    assert!(!publisher.flush(Duration::from_millis(10)), "nobody can have acknowledged");
    assert!(health.check().is_err());
    let remainder = publisher.close();
    assert!(remainder.spooled_bytes > 0);
    assert_eq!((remainder.lost_records, listener.snapshot().dropped), (0, 0));
    drop(publisher);

    let (publisher, listener, _) = start(&cluster.bootstrap_servers(), ByteSize::mib(1), dir.path(), ByteSize::mib(1));
    assert!(publisher.flush(PATIENCE));
    assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 100)), expected_ids(100));
    assert_eq!(listener.snapshot().acked, 0, "the counters of the run before are closed");
    assert_eq!(publisher.close().spooled_bytes, 0);
}

#[test]
fn a_broker_that_goes_away_and_comes_back_loses_nothing() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, _) = start(&cluster.bootstrap_servers(), ByteSize::kib(4), dir.path(), ByteSize::mib(1));
    publish_alerts(&publisher, &listener, 10);
    assert!(publisher.flush(PATIENCE));
    cluster.broker_down(1).unwrap();
    for number in 10..500 {
        publisher.publish(Record::new(&alert(number), Some(Arc::clone(&listener))));
    }
    cluster.broker_up(1).unwrap();
    assert!(publisher.flush(PATIENCE));
    let stats = listener.snapshot();
    assert_eq!((stats.published, stats.acked, stats.dropped), (500, 500, 0));
    assert_eq!(ids(&consume(&cluster.bootstrap_servers(), Topic::Alert, 500)), expected_ids(500));
}

#[test]
fn without_room_records_are_counted_as_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let (publisher, listener, _) = start(NOBODY, ByteSize::kib(1), dir.path(), ByteSize::b(0));
    publish_alerts(&publisher, &listener, 100);
    let stats = listener.snapshot();
    assert!(stats.published > 0 && stats.dropped > 0);
    assert_eq!(stats.published + stats.dropped, 100);
    // Without a spool, what was in the queue is lost too, and counted too.
    let remainder = publisher.close();
    assert_eq!((remainder.lost_records, listener.snapshot().dropped), (100, 100));
}

#[test]
fn a_record_that_is_too_large_becomes_a_reject() {
    let (cluster, dir) = (cluster(), tempfile::tempdir().unwrap());
    let (publisher, listener, _) = start(&cluster.bootstrap_servers(), ByteSize::mib(8), dir.path(), ByteSize::mib(1));
    publisher.publish(Record::new(&Event { raw: vec![b'x'; 2_000_000].into(), ..alert(7) }, Some(Arc::clone(&listener))));
    assert!(publisher.flush(PATIENCE));
    let events = consume(&cluster.bootstrap_servers(), Topic::Rejects, 1);
    assert_eq!(ids(&events), ["a-1-7"]);
    let Some(Body::Reject(reject)) = &events[0].body else { panic!("no reject") };
    assert_eq!((reject.reason(), reject.original_bytes), (Reason::RefusedByBroker, 2_000_000));
    let stats = listener.snapshot();
    assert_eq!((stats.published, stats.acked, stats.dropped), (1, 0, 1));
}

#[test]
fn an_option_that_would_break_a_promise_is_refused() {
    let mut kafka = KafkaConfig::default();
    kafka.options.insert("acks".to_owned(), "1".to_owned());
    assert!(kafka.check().unwrap_err().contains("acks"));
}
