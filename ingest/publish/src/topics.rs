//! A publisher a topic, so that a topic that is missing, forbidden or slow fills its own share of queue and spool and stops nobody.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use tocsin_telemetry::{Counters, Health};

use crate::{KafkaConfig, KafkaPublisher, Publisher, Record, Records, Remainder, SpoolConfig, StartError, Topic};

/// Sixteenths of `kafka.queue_size` and `spool.max_size`: what most traffic is gets most, and alerts get more than they ever need.
fn sixteenths(topic: Topic) -> u64 {
    match topic {
        Topic::Syslog => 8,
        Topic::Alert => 2,
        Topic::AgentStats | Topic::Rejects | Topic::Dhcp | Topic::Snmp | Topic::Counters | Topic::Probe => 1,
    }
}

/// How far the moments lie apart at which records of a topic go. Each alert update may page. Of few lines and traps comes a page, and
/// of a lease others hear in time all the same. Samples are judged over many seconds. Each request less is cheaper for agent, broker and jobs: what a
/// request costs is not its records.
fn linger(topic: Topic, linger: Duration) -> Duration {
    match topic {
        Topic::Alert => linger,
        Topic::Syslog | Topic::Snmp | Topic::Dhcp => linger * 2,
        Topic::AgentStats | Topic::Rejects | Topic::Counters | Topic::Probe => linger * 10,
    }
}

/// See the module's header. Each topic has a folder of its own in the spool's.
pub struct TopicPublishers {
    /// In the order of [`Topic::ALL`].
    publishers: Vec<KafkaPublisher>,
}

impl TopicPublishers {
    /// Starts without waiting for a broker, as [`KafkaPublisher::start`] does.
    pub fn start(kafka: &KafkaConfig, spool: &SpoolConfig, health: &Arc<Health>) -> Result<Self, StartError> {
        let share = |size: ByteSize, topic| ByteSize::b(size.as_u64() / 16 * sixteenths(topic));
        let start = |topic: Topic| {
            let (queue_size, linger) = (share(kafka.queue_size, topic), linger(topic, kafka.linger));
            let kafka = KafkaConfig { queue_size, linger, ..kafka.clone() };
            let spool = SpoolConfig { dir: spool.dir.join(topic.name()), max_size: share(spool.max_size, topic), ..spool.clone() };
            KafkaPublisher::start(&kafka, &spool, Arc::clone(health))
        };
        let publishers = Topic::ALL.into_iter().map(start).collect::<Result<_, _>>()?;
        Ok(Self { publishers })
    }
}

impl Publisher for TopicPublishers {
    fn publish(&self, record: Record) {
        self.publishers[record.topic as usize].publish(record);
    }

    fn publish_all(&self, records: &Records, counters: Option<&Arc<Counters>>) {
        for (topic, publisher) in Topic::ALL.into_iter().zip(&self.publishers) {
            publisher.publish_topic(topic, records, counters);
        }
    }

    fn flush(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        // The first that does not settle takes all the time that there is.
        self.publishers.iter().all(|publisher| publisher.flush(deadline.saturating_duration_since(Instant::now())))
    }

    fn close(&self) -> Remainder {
        let remainders = in_parallel(&self.publishers, Publisher::close);
        remainders.into_iter().fold(Remainder::default(), |sum, one| Remainder {
            spooled_bytes: sum.spooled_bytes + one.spooled_bytes,
            lost_records: sum.lost_records + one.lost_records,
        })
    }

    fn renew_login(&self) -> Result<(), tocsin_kafka::Error> {
        self.publishers.iter().try_for_each(Publisher::renew_login)
    }

    fn fatal_error(&self) -> Option<String> {
        self.publishers.iter().find_map(Publisher::fatal_error)
    }
}

impl Drop for TopicPublishers {
    /// Each client takes a moment to end its threads.
    fn drop(&mut self) {
        in_parallel(self.publishers.drain(..), drop);
    }
}

fn in_parallel<T: Send, R: Send>(items: impl IntoIterator<Item = T>, work: impl Fn(T) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alert_updates_wait_least_and_every_topic_goes_with_them() {
        let wait = |topic| linger(topic, KafkaConfig::default().linger).as_millis();
        let [alert, dhcp, syslog, stats] = [Topic::Alert, Topic::Dhcp, Topic::Syslog, Topic::AgentStats].map(wait);
        assert_eq!([alert, dhcp, syslog, stats], [40, 80, 80, 400]);
        assert!(Topic::ALL.into_iter().all(|topic| wait(topic) % alert == 0));
    }
}
