//! Publishes to Kafka through librdkafka, with the spool in front of it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rdkafka::ClientConfig;
use rdkafka::producer::Producer as _;
use tocsin_kafka::Connection;
use tocsin_telemetry::{Counters, Health};

use crate::deliveries::{Context, Deliveries};
use crate::delivery::Delivery;
use crate::leftovers::{KafkaLog, Leftovers, Search};
use crate::producer::{self, Producer};
use crate::spool::{self, Sizes, Spool};
use crate::{KafkaConfig, Publisher, Record, Records, Remainder, SpoolConfig, Topic};

/// How long a thread waits before it looks again; conditions wake it sooner.
const WAIT: Duration = Duration::from_millis(100);
/// How long librdkafka may wait for the rest of what is handed over, an eighth of the topic's own wait.
const MIN_HAND_OVER: Duration = Duration::from_millis(1);
/// It comes on top of the topic's own wait.
const MAX_HAND_OVER: Duration = Duration::from_millis(5);
/// How long records may take to come back from librdkafka when its queue is emptied at the end.
const MAX_PURGE: Duration = Duration::from_secs(5);

/// The publisher cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// librdkafka refuses its configuration.
    #[error("Kafka client: {0}; check kafka.config_file and kafka.options")]
    Client(#[from] tocsin_kafka::Error),
    /// The spool's folder cannot be used.
    #[error(transparent)]
    Spool(#[from] spool::OpenError),
    /// No thread could be started.
    #[error("cannot start a thread: {0}; look at the limits of processes and memory")]
    Thread(std::io::Error),
}

/// See the crate's header for what is promised.
pub struct KafkaPublisher {
    config: KafkaConfig,
    sender: Arc<Sender>,
    is_closing: Arc<AtomicBool>,
    /// The spool's: one empties it, one forces it to the disk.
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Sender {
    producer: Producer,
    deliveries: Arc<Deliveries>,
}

impl KafkaPublisher {
    /// Starts without waiting for a broker: what is published before one answers waits in the queue and in the spool.
    pub fn start(kafka: &KafkaConfig, spool: &SpoolConfig, health: Arc<Health>) -> Result<Self, StartError> {
        let sizes = Sizes::new(spool.max_size.as_u64(), kafka.queue_size.as_u64());
        let sync_interval = spool.sync_interval;
        let spool = if sizes.max_bytes > 0 { Some(Spool::open(&spool.dir, sizes)?) } else { None };
        let has_leftovers = spool.as_ref().is_some_and(Spool::has_unsent);
        let log = if has_leftovers { Some(KafkaLog::new(kafka, Arc::clone(&health))?) } else { None };
        let deliveries = Arc::new(Deliveries::new(kafka.queue_size.as_u64(), kafka.linger, spool, health));
        let connection = kafka.connection()?;
        let context = Context::new(Arc::clone(&deliveries), connection.clone());
        let producer = Producer::start(&client_config(kafka, &connection), context).map_err(|error| match error {
            producer::StartError::Client(error) => StartError::Client(connection.refused(&error)),
            producer::StartError::Thread(error) => StartError::Thread(error),
        })?;
        let sender = Arc::new(Sender { producer, deliveries });
        let is_closing = Arc::new(AtomicBool::new(false));
        let drainer = {
            let (sender, is_closing) = (Arc::clone(&sender), Arc::clone(&is_closing));
            let drain = move || sender.drain(log, &is_closing);
            thread::Builder::new().name("spool".to_owned()).spawn(drain).map_err(StartError::Thread)?
        };
        let syncer = {
            let (sender, is_closing) = (Arc::clone(&sender), Arc::clone(&is_closing));
            let sync = move || sender.sync(sync_interval, &is_closing);
            thread::Builder::new().name("spool-sync".to_owned()).spawn(sync).map_err(StartError::Thread)?
        };
        Ok(Self { config: kafka.clone(), sender, is_closing, threads: Mutex::new(vec![drainer, syncer]) })
    }

    /// Takes those records that are for a topic, and lets all of them wait together where there is room.
    pub(crate) fn publish_topic(&self, topic: Topic, records: &Records, counters: Option<&Arc<Counters>>) {
        if records.of(topic).next().is_none() {
            return;
        }
        let delivery = Arc::new(Delivery { topic, counters: counters.cloned(), segment: None });
        match self.sender.deliveries.admit_new(records, &delivery) {
            Some(pushed) => self.sender.producer.after(pushed),
            // One by one, as far as there is room; the others go to the spool.
            None => records.of(topic).for_each(|record| self.publish(record.to_record(counters))),
        }
    }
}

fn client_config(kafka: &KafkaConfig, connection: &Connection) -> ClientConfig {
    let mut config = connection.client("tocsin-agent");
    config
        .set("compression.codec", kafka.codec())
        // While many are handed over the first must not go alone: the rest would wait for its acknowledgement.
        .set("linger.ms", (kafka.linger / 8).clamp(MIN_HAND_OVER, MAX_HAND_OVER).min(kafka.linger).as_millis().to_string())
        .set("enable.idempotence", "true")
        .set("acks", "all")
        // Nothing is given up in silence: records wait until Kafka is back, at the end they go to the spool.
        .set("message.timeout.ms", "0")
        // The bound is ours, in bytes (kafka.queue_size); librdkafka's own must never be the first to be reached.
        .set("queue.buffering.max.messages", "0")
        .set("queue.buffering.max.kbytes", "2147483647");
    config
}

impl Publisher for KafkaPublisher {
    fn publish(&self, record: Record) {
        if let Some(pushed) = self.sender.deliveries.publish(record) {
            self.sender.producer.after(pushed);
        }
    }

    fn publish_all(&self, records: &Records, counters: Option<&Arc<Counters>>) {
        for topic in Topic::ALL {
            self.publish_topic(topic, records, counters);
        }
    }

    fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        loop {
            if self.sender.deliveries.is_settled() {
                return true;
            }
            let Some(left) = deadline.checked_duration_since(Instant::now()) else { return false };
            self.sender.deliveries.wait(left.min(WAIT));
        }
    }

    fn close(&self) -> Remainder {
        self.is_closing.store(true, Ordering::Release);
        if let Some(spool) = &self.sender.deliveries.spool {
            spool.wake();
        }
        for thread in self.threads.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            thread.thread().unpark();
            if thread.join().is_err() {
                tracing::error!("a thread of the spool had failed; this is a defect, please report it");
            }
        }
        // Every record that librdkafka still holds comes back through its delivery report, and goes to the spool; behind them those that wait.
        let deliveries = &self.sender.deliveries;
        if let Some(spool) = &deliveries.spool {
            spool.begin_return();
        }
        self.sender.producer.purge();
        let deadline = Instant::now() + MAX_PURGE;
        while deliveries.awaits_reports() && Instant::now() < deadline {
            deliveries.wait(WAIT);
        }
        deliveries.spool_waiting();
        let spooled_bytes = deliveries.spool.as_ref().map_or(0, Spool::close);
        Remainder { spooled_bytes, lost_records: deliveries.lost_records() }
    }

    fn renew_login(&self) -> Result<(), tocsin_kafka::Error> {
        let client = self.sender.producer.client().client();
        let (known, now) = (&client.context().connection, self.config.connection()?);
        if known.options.contains_key("sasl.password") { now.renew_password(client) } else { Ok(()) }
    }

    fn fatal_error(&self) -> Option<String> {
        self.sender.deliveries.fatal_error()
    }
}

impl Sender {
    /// What the spool's thread does: empties it from the front until the publisher is closed. `log` is there when an earlier run left
    /// records, and is read before any of them is sent.
    fn drain(&self, log: Option<KafkaLog>, is_closing: &AtomicBool) {
        let Some(spool) = &self.deliveries.spool else { return };
        let mut leftovers = Leftovers::default();
        if let Some(log) = log {
            spool.leftovers().take_while(|_| !is_closing.load(Ordering::Acquire)).for_each(|record| leftovers.add(&record));
            let pause = |duration| self.pause(duration, is_closing);
            let problem = |problem: &str| self.deliveries.health.kafka_problem(problem.to_owned());
            if Search::new(log, &pause, &problem).run(&mut leftovers).is_err() {
                return;
            }
        }
        while !is_closing.load(Ordering::Acquire) {
            self.drain_one(spool, &mut leftovers, is_closing);
        }
    }

    /// Forces the spool to the disk from time to time, until the publisher is closed. A thread of its own, because a slow disk must not hold
    /// anybody up.
    fn sync(&self, interval: Duration, is_closing: &AtomicBool) {
        let Some(spool) = &self.deliveries.spool else { return };
        while !is_closing.load(Ordering::Acquire) {
            spool.sync();
            thread::park_timeout(interval);
        }
    }

    /// Waits, and returns whether to go on; false at once when the publisher is closed.
    fn pause(&self, duration: Duration, is_closing: &AtomicBool) -> bool {
        let end = Instant::now() + duration;
        while !is_closing.load(Ordering::Acquire) {
            match end.checked_duration_since(Instant::now()) {
                Some(left) if !left.is_zero() => self.deliveries.wait(left.min(WAIT)),
                _ => return true,
            }
        }
        false
    }

    /// Hands the spool's front over, or waits: where there is none until there is one, else a little.
    fn drain_one(&self, spool: &Spool, leftovers: &mut Leftovers, is_closing: &AtomicBool) {
        if !spool.has_unsent() {
            // What an earlier run left is gone: give its memory back.
            *leftovers = Leftovers::default();
            return spool.wait(is_closing);
        }
        if let Some(pause) = self.deliveries.back_off() {
            return self.deliveries.wait(pause.min(WAIT));
        }
        let Some(front) = spool.front() else { return };
        if front.is_leftover && leftovers.is_settled(&front.record.payload) {
            return spool.advance(&front);
        }
        let record = &front.record;
        let delivery = Delivery { topic: record.topic, counters: record.counters.clone(), segment: Some(Arc::clone(&front.segment)) };
        let delivery = Arc::new(delivery);
        let Some(pushed) = self.deliveries.admit(&Records::one(record.as_ref()), &delivery) else {
            return self.deliveries.wait(WAIT);
        };
        if let Some(counters) = record.counters.as_ref().filter(|_| !record.is_published) {
            counters.published(1);
        }
        self.producer.after(pushed);
        if front.is_leftover {
            leftovers.settle(&front.record.payload);
        }
        spool.advance(&front);
    }
}
