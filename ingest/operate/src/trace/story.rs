//! What was found of an event, and what that means. Pure.

use serde::Serialize;

use super::event_id::EventId;
use crate::table::{self, printable};

/// All that is known of one event. Times are RFC 3339 or as ClickHouse prints them, UTC.
#[derive(Debug, Default, Serialize)]
pub(super) struct Story {
    pub(super) event_id: String,
    /// When the agent's run began.
    pub(super) run_began: String,
    /// The newest report of the run that is older than the event, and the oldest that is younger: it was received between them.
    pub(super) reported_before: Option<String>,
    pub(super) reported_after: Option<String>,
    pub(super) stored: Option<Row>,
    /// Whether ClickHouse answered; if not, it may be there.
    pub(super) clickhouse_was_searched: bool,
    pub(super) kafka: Option<Place>,
    /// Whether Kafka was read to its end; if not, it may be there.
    pub(super) kafka_was_searched: bool,
    pub(super) groups: Vec<Group>,
    pub(super) alerts: Vec<Transition>,
    pub(super) pages: Vec<Page>,
    /// What could not be asked, and why.
    pub(super) unknown: Vec<String>,
}

/// A row of ClickHouse.
#[derive(Debug, Clone, Serialize, serde::Deserialize)]
pub(crate) struct Row {
    #[serde(default)]
    pub(crate) table: String,
    pub(crate) received_at: String,
    pub(crate) received_at_unix_millis: i64,
    pub(crate) event_time: String,
    pub(crate) listener: String,
    pub(crate) device: String,
    /// Of a duplicate: the event that is stored in its place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) kept_event_id: String,
    /// The first bytes as received.
    #[serde(default)]
    pub(crate) raw: String,
}

/// A record of Kafka.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Place {
    pub(super) topic: String,
    pub(super) partition: i32,
    pub(super) offset: i64,
    /// By the broker.
    pub(super) taken_at: String,
}

/// How far a job has read the partition of the event.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    pub(super) name: String,
    pub(super) next_offset: i64,
    pub(super) has_passed: bool,
}

/// What the alerts job made of it.
#[derive(Debug, Serialize, serde::Deserialize)]
pub(super) struct Transition {
    pub(super) fingerprint: String,
    pub(super) told_at: String,
    pub(super) transition: String,
    pub(super) state: String,
    pub(super) severity: String,
    pub(super) summary: String,
}

/// The first notification about such an alert afterwards.
#[derive(Debug, Serialize, serde::Deserialize)]
pub(super) struct Page {
    pub(super) sent_at: String,
    pub(super) receiver: String,
    pub(super) fingerprint: String,
}

/// The consumer group whose commits are at the checkpoints that make rows visible.
pub(super) const ARCHIVE: &str = "tocsin-archive";

impl Story {
    /// Whether it is anywhere.
    pub(super) fn is_found(&self) -> bool {
        self.stored.is_some() || self.kafka.is_some()
    }

    /// One sentence: where it is, or what can have become of it.
    pub(super) fn verdict(&self, id: &EventId) -> String {
        match (&self.stored, &self.kafka) {
            (Some(row), _) if row.table == "rejects" => "it was refused: tocsin.rejects has it, with its bytes and the reason".to_owned(),
            (Some(row), _) if !row.kept_event_id.is_empty() => {
                format!("another agent had told it before: {} is stored in its place, see `tocsin trace {0}`", row.kept_event_id)
            }
            (Some(row), _) => format!("it is stored, in tocsin.{}", row.table),
            (None, Some(_)) => match self.groups.iter().find(|group| group.name == ARCHIVE) {
                Some(archive) if archive.has_passed && !self.clickhouse_was_searched => {
                    "the archive job has passed it; ClickHouse could not be asked whether it is stored".to_owned()
                }
                Some(archive) if archive.has_passed => {
                    "the archive job has passed it and it is in no table: it has three seconds for that; after them look at `tocsin quarantine list`, or its retention is over"
                        .to_owned()
                }
                Some(_) => "it waits in Kafka for the archive job".to_owned(),
                None => "it is in Kafka; how far the archive job is is not known".to_owned(),
            },
            (None, None) => self.absence(id),
        }
    }

    fn absence(&self, id: &EventId) -> String {
        if !self.clickhouse_was_searched {
            return "it was not found, and ClickHouse could not be asked".to_owned();
        }
        let searched = if self.kafka_was_searched { "" } else { "; Kafka was not searched to its end: try a longer --within" };
        match (&self.reported_before, &self.reported_after) {
            (None, None) => format!(
                "no report of agent {} in the run that began {} is known: the id is wrong, the run is older than what is kept (agent_stats), \
                 or nothing of it has arrived yet{searched}",
                id.agent_id, self.run_began
            ),
            (_, None) => format!(
                "nothing that the agent made at that time or later has arrived: it waits in the agent's memory or spool, or died with it{searched}"
            ),
            (_, Some(after)) => format!(
                "it is nowhere, and what the agent made afterwards ({after}) is here: its retention is over, the agent gave it up \
                 (`tocsin balance`: dropped), or it is lost{searched}"
            ),
        }
    }

    /// Hop by hop, for people.
    pub(super) fn table(&self) -> String {
        let mut hops = vec![("run began", self.run_began.clone(), String::new())];
        match (&self.stored, &self.reported_before, &self.reported_after) {
            (Some(row), ..) => hops.push(("received", row.received_at.clone(), format!("{} of {}", row.listener, row.device))),
            (None, before, after) => {
                let known = |time: &Option<String>| time.clone().unwrap_or_else(|| "not known".to_owned());
                hops.push(("received", String::new(), format!("after {}, before {}", known(before), known(after))));
            }
        }
        if let Some(place) = &self.kafka {
            hops.push((
                "in Kafka",
                place.taken_at.clone(),
                format!("{} partition {} offset {}", place.topic, place.partition, place.offset),
            ));
        }
        for group in &self.groups {
            let has = if group.has_passed { "has read it" } else { "has not read it" };
            hops.push(("consumed", String::new(), format!("{} {has}: it goes on at {}", group.name, group.next_offset)));
        }
        if let Some(row) = &self.stored {
            hops.push(("stored", String::new(), format!("tocsin.{}", row.table)));
        }
        for alert in &self.alerts {
            let Transition { fingerprint, transition, state, severity, summary, .. } = alert;
            hops.push(("alert", alert.told_at.clone(), format!("{fingerprint} {transition}, {state}, {severity}: {summary}")));
        }
        for page in &self.pages {
            hops.push(("page", page.sent_at.clone(), format!("{} about {}", page.receiver, page.fingerprint)));
        }
        let column = |pick: fn(&(&str, String, String)) -> String| hops.iter().map(pick).map(|cell| printable(&cell)).collect();
        let columns =
            [("hop", column(|hop| hop.0.to_owned())), ("time (UTC)", column(|hop| hop.1.clone())), ("where", column(|hop| hop.2.clone()))];
        let mut text = table::aligned(&columns, 3);
        for problem in &self.unknown {
            text.push_str(&format!("not known: {problem}\n"));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id() -> EventId {
        "agent-1-2a-7".parse().unwrap()
    }

    fn row(table: &str) -> Row {
        Row {
            table: table.to_owned(),
            received_at: "2026-11-23 06:00:00.000000001".to_owned(),
            received_at_unix_millis: 1,
            event_time: "2026-11-23 06:00:00.000000000".to_owned(),
            listener: "syslog-udp".to_owned(),
            device: "sw1\x1b[2J".to_owned(),
            kept_event_id: String::new(),
            raw: String::new(),
        }
    }

    fn on_kafka(next_offset: Option<i64>) -> Story {
        let place =
            Place { topic: "events-syslog-v1".to_owned(), partition: 2, offset: 40, taken_at: "2026-11-23T06:00:00.002Z".to_owned() };
        let groups = next_offset.map(|next_offset| Group { name: ARCHIVE.to_owned(), next_offset, has_passed: next_offset > 40 });
        let groups = groups.into_iter().collect();
        Story { kafka: Some(place), groups, kafka_was_searched: true, clickhouse_was_searched: true, ..Story::default() }
    }

    #[test]
    fn what_is_stored_says_where_and_what_was_refused_says_so() {
        let stored = |table: &str| Story { stored: Some(row(table)), ..Story::default() }.verdict(&id());
        assert_eq!(stored("syslog"), "it is stored, in tocsin.syslog");
        assert!(stored("rejects").starts_with("it was refused: "));
    }

    #[test]
    fn a_duplicate_says_what_is_stored_in_its_place() {
        let duplicate = Row { kept_event_id: "agent-2-2b-9".to_owned(), ..row("duplicates") };
        let story = Story { stored: Some(duplicate), ..Story::default() };
        assert_eq!(
            story.verdict(&id()),
            "another agent had told it before: agent-2-2b-9 is stored in its place, see `tocsin trace agent-2-2b-9`"
        );
    }

    #[test]
    fn what_is_in_kafka_waits_or_was_passed_by_the_archive_job() {
        assert_eq!(on_kafka(Some(40)).verdict(&id()), "it waits in Kafka for the archive job");
        assert!(on_kafka(Some(41)).verdict(&id()).contains("tocsin quarantine list"));
        assert!(on_kafka(None).verdict(&id()).contains("is not known"));
    }

    #[test]
    fn what_is_nowhere_is_judged_by_what_the_agent_reported_around_it() {
        let absent = |before: Option<&str>, after: Option<&str>| {
            let story = Story {
                reported_before: before.map(str::to_owned),
                reported_after: after.map(str::to_owned),
                kafka_was_searched: true,
                clickhouse_was_searched: true,
                ..Story::default()
            };
            assert!(!story.is_found());
            story.verdict(&id())
        };
        assert!(absent(None, None).contains("the id is wrong"));
        assert!(absent(Some("then"), None).contains("memory or spool"));
        assert!(absent(Some("then"), Some("later")).contains("its retention is over"));
        assert!(!absent(None, None).contains("--within"));
        let not_to_its_end = Story { clickhouse_was_searched: true, ..Story::default() };
        assert!(not_to_its_end.verdict(&id()).ends_with("try a longer --within"));
    }

    #[test]
    fn a_clickhouse_that_did_not_answer_is_no_proof_of_absence() {
        let passed = Story { clickhouse_was_searched: false, ..on_kafka(Some(41)) };
        assert!(passed.verdict(&id()).contains("could not be asked"));
        assert!(Story::default().verdict(&id()).contains("could not be asked"));
    }

    #[test]
    fn people_see_a_line_a_hop_and_nothing_that_moves_their_cursor() {
        let story = Story {
            run_began: "2026-11-23T05:00:00Z".to_owned(),
            stored: Some(row("syslog")),
            unknown: vec!["group tocsin-archive: not allowed".to_owned()],
            ..on_kafka(Some(41))
        };
        assert_eq!(
            story.table(),
            "\
hop        time (UTC)                     where
run began  2026-11-23T05:00:00Z
received   2026-11-23 06:00:00.000000001  syslog-udp of sw1.[2J
in Kafka   2026-11-23T06:00:00.002Z       events-syslog-v1 partition 2 offset 40
consumed                                  tocsin-archive has read it: it goes on at 41
stored                                    tocsin.syslog
not known: group tocsin-archive: not allowed
"
        );
    }
}
