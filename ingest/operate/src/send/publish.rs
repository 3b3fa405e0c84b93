//! Events of a file on their way to their Kafka topics: what an agent polls or probes, which no datagram could bring.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
use std::time::{SystemTime, UNIX_EPOCH};

use tocsin_kafka::{Connection, TopicWriter};
use tocsin_publish::Record;
use tocsin_wire::events::Event;
use tocsin_wire::source_ip_bytes;

use crate::Failure;

/// Listener of events that name none.
const LISTENER: &str = "send";

/// A producer, and a run for each agent that the events name.
pub struct Topics {
    bootstrap_servers: String,
    writer: TopicWriter,
    numbers: Numbers,
    sent: BTreeMap<&'static str, u64>,
}

impl Topics {
    /// Connects to nothing yet.
    pub fn open(connection: &Connection) -> Result<Self, Failure> {
        let writer = TopicWriter::new(connection, "tocsin-send")?;
        let numbers = Numbers { boot_id: now_unix_nanos(), last: HashMap::new() };
        Ok(Self { bootstrap_servers: connection.bootstrap_servers.clone(), writer, numbers, sent: BTreeMap::new() })
    }

    /// Sends one event, stamped with the present time where it has none.
    pub fn publish(&mut self, template: &Event) -> Result<(), Failure> {
        let record = Record::new(&self.numbers.stamp(template.clone(), now_unix_nanos()), None);
        self.writer.send(record.topic.name(), &record.key, Some(&record.payload))?;
        *self.sent.entry(record.topic.name()).or_default() += 1;
        Ok(())
    }

    /// Waits until Kafka has acknowledged everything.
    pub fn finish(&mut self) -> Result<(), Failure> {
        Ok(self.writer.finish()?)
    }

    /// Prints what went to each topic.
    pub fn summarize(&self) {
        for (topic, events) in &self.sent {
            println!("sent {events} events to topic {topic} of {}", self.bootstrap_servers);
        }
    }
}

/// Numbers the events of each agent as one run of it.
struct Numbers {
    boot_id: u64,
    last: HashMap<String, u64>,
}

impl Numbers {
    /// Fills in what the file leaves out; what it says stays.
    fn stamp(&mut self, mut event: Event, now_unix_nanos: u64) -> Event {
        if event.boot_id == 0 {
            event.boot_id = self.boot_id;
        }
        if event.sequence == 0 {
            let last = self.last.entry(event.agent_id.clone()).or_default();
            *last += 1;
            event.sequence = *last;
        }
        if event.event_id.is_empty() {
            event.event_id = format!("{}-{:x}-{}", event.agent_id, event.boot_id, event.sequence);
        }
        if event.received_at_unix_nanos == 0 {
            event.received_at_unix_nanos = now_unix_nanos;
        }
        if event.event_time_unix_nanos == 0 {
            event.event_time_unix_nanos = event.received_at_unix_nanos;
        }
        if event.listener.is_empty() {
            event.listener = LISTENER.to_owned();
        }
        if event.source_ip.is_empty() {
            event.source_ip = source_ip_bytes(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        }
        event
    }
}

fn now_unix_nanos() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent_id: &str) -> Event {
        Event { agent_id: agent_id.to_owned(), device: "gw1".to_owned(), ..Event::default() }
    }

    #[test]
    fn events_of_an_agent_are_one_run_numbered_from_one() {
        let mut numbers = Numbers { boot_id: 0x2a, last: HashMap::new() };
        let ids = ["a", "b", "a"].map(|agent| numbers.stamp(of(agent), 7).event_id);
        assert_eq!(ids, ["a-2a-1", "b-2a-1", "a-2a-2"]);
    }

    #[test]
    fn what_the_file_says_stays_and_the_rest_is_the_time_of_sending() {
        let mut numbers = Numbers { boot_id: 1, last: HashMap::new() };
        let event = numbers.stamp(Event { event_time_unix_nanos: 3, listener: "icmp".to_owned(), ..of("a") }, 7);
        assert_eq!((event.received_at_unix_nanos, event.event_time_unix_nanos, event.listener.as_str()), (7, 3, "icmp"));
        assert_eq!(event.source_ip.len(), 16);
    }
}
