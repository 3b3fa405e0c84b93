//! What a broker that answers late costs. Alone in its process, whose threads are counted.

use std::sync::Arc;
use std::time::Duration;

use rdkafka::mocking::MockCluster;
use tocsin_publish::{KafkaConfig, KafkaPublisher, Publisher, Record, SpoolConfig, Topic};
use tocsin_telemetry::{Counters, Health};
use tocsin_wire::Body;
use tocsin_wire::events::{AlertUpdate, Event};

const PATIENCE: Duration = Duration::from_secs(30);

/// CPU that librdkafka's threads for brokers have taken in this process so far: fields 14 and 15 of proc(5)'s `stat`, in hundredths of a second.
fn cpu_of_broker_threads() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().filter_map(Result::ok);
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.path().join("stat")).ok());
    let ticks = stats.filter(|stat| stat.contains("(rdk:broker")).map(|stat| {
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
    });
    Duration::from_millis(ticks.sum::<u64>() * 10)
}

#[test]
fn acknowledgements_that_take_long_are_waited_for_without_asking_again_and_again() {
    let (cluster, dir) = (MockCluster::new(1).unwrap(), tempfile::tempdir().unwrap());
    cluster.create_topic(Topic::Alert.name(), 1, 1).unwrap();
    cluster.broker_round_trip_time(1, Duration::from_millis(400)).unwrap();
    let listener = Arc::new(Counters::new("alert-udp"));
    let kafka = KafkaConfig { bootstrap_servers: cluster.bootstrap_servers(), ..KafkaConfig::default() };
    let spool = SpoolConfig { dir: dir.path().to_owned(), ..SpoolConfig::default() };
    let publisher = KafkaPublisher::start(&kafka, &spool, Arc::new(Health::new(Duration::from_secs(1)))).unwrap();
    let alert = Event { device: "n1".to_owned(), body: Some(Body::AlertUpdate(AlertUpdate::default())), ..Event::default() };
    let publish = || publisher.publish(Record::new(&alert, Some(Arc::clone(&listener))));
    publish();
    assert!(publisher.flush(PATIENCE), "the first finds the topic");
    let before = cpu_of_broker_threads();
    for _ in 0..300 {
        publish();
        // The pace of a listener, for three seconds: nobody is waited for.
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(publisher.flush(PATIENCE));
    assert_eq!(listener.snapshot().acked, 301);
    let spent = cpu_of_broker_threads() - before;
    assert!(spent < Duration::from_millis(500), "{spent:?} of 3 seconds");

    // More at once than librdkafka puts into one request: four of these are waited for, one after the other.
    let update = AlertUpdate { summary: "x".repeat(1_000), ..AlertUpdate::default() };
    let alert = Event { device: "n1".to_owned(), body: Some(Body::AlertUpdate(update)), ..Event::default() };
    let before = cpu_of_broker_threads();
    (0..3_000).for_each(|_| publisher.publish(Record::new(&alert, Some(Arc::clone(&listener)))));
    assert!(publisher.flush(PATIENCE));
    assert_eq!(listener.snapshot().acked, 3_301);
    let spent = cpu_of_broker_threads() - before;
    assert!(spent < Duration::from_millis(300), "{spent:?} of 1.6 seconds");
}
