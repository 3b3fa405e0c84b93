//! Against a real broker: TOCSIN_TEST_KAFKA says where. Each test has topics of its own.

use std::collections::BTreeMap;

use rdkafka::admin::{AdminClient, AdminOptions};
use rdkafka::client::DefaultClientContext;
use tocsin_kafka::TopicWriter;

use super::*;
use crate::schema::server_tests::server;

/// Makes a compacted topic of three partitions with one setting of an operator's.
fn make(kafka: &Kafka, name: &str) {
    let settings = BTreeMap::from([("cleanup.policy", "compact"), ("segment.bytes", "1048576")]);
    let settings = settings.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    kafka.create_with(name, 3, &settings, 1).unwrap();
    kafka.await_leaders(&[(name, 3)], LEADERS_TIMEOUT).unwrap();
}

/// Removes a topic, and returns when the broker no longer knows it.
fn lose(connection: &Connection, kafka: &Kafka, topic: &str) {
    let admin: AdminClient<DefaultClientContext> = connection.client("test").create().unwrap();
    let removed = pollster::block_on(admin.delete_topics(&[topic], &AdminOptions::new())).unwrap();
    assert!(removed.iter().all(Result::is_ok), "{removed:?}");
    let deadline = Instant::now() + LEADERS_TIMEOUT;
    while !kafka.existing(&[topic.to_owned()]).unwrap().is_empty() {
        assert!(Instant::now() < deadline, "{topic} is still there");
    }
}

fn name(test: &str) -> String {
    format!("test-{test}-{}-v1", std::process::id())
}

#[test]
fn topics_that_are_lost_come_back_with_their_settings_and_the_newest_record_of_each_key() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let connection = Connection::new(&address);
    let kafka = Kafka::new(connection.clone()).unwrap();
    let topic = name("saved");
    make(&kafka, &topic);
    let writer = TopicWriter::new(&connection, "test").unwrap();
    for (key, value) in [("a", Some("1")), ("b", Some("1")), ("gone", Some("1")), ("a", Some("2")), ("gone", None)] {
        writer.send(&topic, key.as_bytes(), value.map(str::as_bytes)).unwrap();
    }
    writer.finish().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("topics.jsonl");
    save(&connection, &[topic.clone(), name("unknown")], &path).unwrap();

    let failure = restore(&connection, None, &path).unwrap_err().to_string();
    assert!(failure.contains("has records, and nothing was changed"), "{failure}");

    lose(&connection, &kafka, &topic);
    restore(&connection, None, &path).unwrap();
    let restored = broker::newest(&connection, &topic, &mut Progress::new(&topic)).unwrap();
    let mut words: Vec<(&[u8], &[u8])> = restored.iter().map(|record| (&record.key[..], &record.value[..])).collect();
    words.sort_unstable();
    assert_eq!(words, [(&b"a"[..], &b"2"[..]), (b"b", b"1")]);
    assert_eq!(broker::stored(&connection, &topic).unwrap(), 2, "no older record comes back");
    let settings = kafka.overrides(&topic).unwrap();
    assert_eq!((settings["cleanup.policy"].as_str(), settings["segment.bytes"].as_str()), ("compact", "1048576"));
}
