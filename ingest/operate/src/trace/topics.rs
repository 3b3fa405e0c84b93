//! Where Kafka has an event.

use std::time::{Duration, Instant};

use jiff::Timestamp;
use prost::Message;
use rdkafka::message::Message as _;
use tocsin_kafka::{Connection, Start, TopicReader};
use tocsin_wire::events::Event;

use super::story::Place;
use crate::Failure;

const CLIENT_ID: &str = "tocsin-trace";
const POLL_TIMEOUT: Duration = Duration::from_millis(100);

/// Topics that agents write, with the tables that the archive makes of them.
const TOPICS: [(&str, &[&str]); 8] = [
    ("events-alert-v1", &["alert_updates"]),
    ("events-dhcp-v1", &["dhcp"]),
    ("events-snmp-v1", &["snmp_traps"]),
    ("events-counters-v1", &["interface_counters", "gauges"]),
    ("events-probe-v1", &["link_probes", "dns_answers"]),
    ("rejects-v1", &[]),
    ("agent-stats-v1", &["agent_stats"]),
    ("events-syslog-v1", &["syslog", "sequence_gaps"]),
];

/// The topics to look in: that of the table, or all, for a reject is of any.
pub(super) fn of_table(table: Option<&str>) -> Vec<&'static str> {
    let known: Vec<_> =
        TOPICS.iter().filter(|(_, tables)| table.is_some_and(|table| tables.contains(&table))).map(|(topic, _)| *topic).collect();
    if known.is_empty() { TOPICS.iter().map(|(topic, _)| *topic).collect() } else { known }
}

/// What a search came to.
pub(super) enum Found {
    /// There.
    At(Place),
    /// Read to the end, and not there.
    Nowhere,
    /// The time was over before.
    NotYet,
}

/// Reads what a topic took since a time until the event comes.
pub(super) fn find(connection: &Connection, topic: &str, since_unix_millis: i64, event_id: &str, until: Instant) -> Result<Found, Failure> {
    let mut reader = TopicReader::new(connection, CLIENT_ID, &[], |_| ())?;
    reader.seek(topic, Start::Time(since_unix_millis))?;
    while reader.left() > 0 {
        if Instant::now() >= until {
            return Ok(Found::NotYet);
        }
        let Some(record) = reader.next(POLL_TIMEOUT)? else { continue };
        // What is no event is not this one; the archive makes a reject of it.
        let is_it = record.payload().and_then(|payload| Event::decode(payload).ok()).is_some_and(|event| event.event_id == event_id);
        if is_it {
            let taken_at = record.timestamp().to_millis().and_then(|millis| Timestamp::from_millisecond(millis).ok());
            return Ok(Found::At(Place {
                topic: topic.to_owned(),
                partition: record.partition(),
                offset: record.offset(),
                taken_at: taken_at.map(|time| time.to_string()).unwrap_or_default(),
            }));
        }
    }
    Ok(Found::Nowhere)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_says_which_topic_and_a_reject_may_be_of_any() {
        assert_eq!(of_table(Some("gauges")), ["events-counters-v1"]);
        assert_eq!(of_table(Some("rejects")).len(), TOPICS.len());
        assert_eq!(of_table(None).len(), TOPICS.len());
    }
}
