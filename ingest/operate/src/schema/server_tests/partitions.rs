//! A topic that grows beside a real broker: what is refused, what stays, and where the records of a key are.

use std::collections::BTreeSet;
use std::time::Instant;

use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::producer::{BaseProducer, BaseRecord, Producer};
use rdkafka::{Message, Offset, TopicPartitionList};

use super::*;

/// Long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
const KEYS: u32 = 100;

/// One record of each key, after the producer has learned how many partitions there are.
fn write_round(connection: &Connection, topic: &str, round: &str) {
    let producer: BaseProducer = connection.client("tocsin-test").create().unwrap();
    for key in 0..KEYS {
        producer.send(BaseRecord::to(topic).key(&format!("device-{key}")).payload(round)).map_err(|(error, _)| error).unwrap();
    }
    producer.flush(PATIENCE).unwrap();
}

/// Partition, key and payload of so many records.
fn read(connection: &Connection, topic: &str, partitions: i32, records: usize) -> Vec<(i32, String, String)> {
    let consumer: BaseConsumer = connection.client("tocsin-test").set("group.id", topic).create().unwrap();
    let mut from_the_beginning = TopicPartitionList::new();
    for partition in 0..partitions {
        from_the_beginning.add_partition_offset(topic, partition, Offset::Beginning).unwrap();
    }
    consumer.assign(&from_the_beginning).unwrap();
    let text = |bytes: Option<&[u8]>| String::from_utf8(bytes.unwrap().to_vec()).unwrap();
    let deadline = Instant::now() + PATIENCE;
    let mut read = Vec::new();
    while read.len() < records {
        assert!(Instant::now() < deadline, "{} of {records} records within {PATIENCE:?}", read.len());
        if let Some(record) = consumer.poll(Duration::from_millis(100)) {
            let record = record.unwrap();
            read.push((record.partition(), text(record.key()), text(record.payload())));
        }
    }
    read
}

#[test]
fn a_topic_grows_when_it_is_asked_to_and_what_it_held_stays_where_it_was() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let connection = Connection::new(&address);
    let kafka = Kafka::new(connection.clone()).unwrap();
    let mut topics = [own_topic("partitions")];
    topics[0].partitions = 4;
    apply_topics(&kafka, &topics, &[], Some(1)).unwrap();
    write_round(&connection, &topics[0].name, "before");

    topics[0].partitions = 12;
    let failure = apply_topics(&kafka, &topics, &[], Some(1)).unwrap_err().to_string();
    assert!(failure.contains(&topics[0].name) && failure.contains("has 4 partitions"), "{failure}");
    assert_eq!(
        kafka.existing(std::slice::from_ref(&topics[0].name)).unwrap()[&topics[0].name].partitions,
        4,
        "nothing is changed by what is refused"
    );

    let asked = [Partitions { topic: Some(topics[0].name.clone()), number: 12 }];
    assert!(apply_topics(&kafka, &topics, &asked, Some(1)).unwrap().contains("0 created now, 1 altered now"));
    assert!(apply_topics(&kafka, &topics, &asked, Some(1)).unwrap().contains("0 created now, 0 altered now"));
    write_round(&connection, &topics[0].name, "after");

    let records = read(&connection, &topics[0].name, 12, 2 * KEYS as usize);
    let of = |round: &str| -> BTreeMap<&str, i32> {
        records.iter().filter(|record| record.2 == round).map(|(partition, key, _)| (key.as_str(), *partition)).collect()
    };
    let (before, after) = (of("before"), of("after"));
    assert_eq!((before.len(), after.len()), (KEYS as usize, KEYS as usize), "each record once");
    assert!(before.values().all(|partition| *partition < 4), "what is there is not moved: {before:?}");
    let used: BTreeSet<i32> = after.values().copied().collect();
    assert!(used.iter().any(|partition| *partition >= 4), "new partitions are written: {used:?}");
    let moved = before.iter().filter(|(key, partition)| after[*key] != **partition).count();
    assert!(moved > 0, "keys whose order is that of two partitions");

    // A version whose file knows nothing of it leaves it as it is; fewer are refused.
    topics[0].partitions = 4;
    assert!(apply_topics(&kafka, &topics, &[], Some(1)).unwrap().contains("0 created now, 0 altered now"));
    let fewer = [Partitions { topic: Some(topics[0].name.clone()), number: 4 }];
    assert!(apply_topics(&kafka, &topics, &fewer, Some(1)).unwrap_err().to_string().contains("takes none away"));
}
