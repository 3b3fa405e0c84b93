//! `tocsin trace`: where an event is, and when it passed each hop on its way.

pub(crate) mod event_id;
pub(crate) mod store;
pub(crate) mod story;
mod topics;

use std::time::{Duration, Instant};

use clap::Args;
use jiff::Timestamp;
use tocsin_kafka::{Connection, TopicReader};

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::kafka::KafkaArgs;
use event_id::EventId;
use story::{ARCHIVE, Group, Story};
use topics::Found;

/// Jobs that read what agents write; each commits under its name.
const GROUPS: [&str; 5] = [ARCHIVE, "tocsin-alerts", "tocsin-registrations", "tocsin-wan", "tocsin-findings"];

/// The broker's clock may be behind the agent's by so much, and a record wait in the agent for as long, without being missed here.
pub(crate) const SLACK_MILLIS: i64 = 60_000;

const AFTER_HELP: &str = "\
An event's id stands in every table and dashboard as event_id. Kafka keeps events for 72 hours; what is older is looked for in ClickHouse alone.
A secured Kafka tells how far jobs are to a user who may read their consumer groups, such as tocsin_jobs.
Exit codes: 0 it was found, 1 it is nowhere or could not be looked for, 64 the command line is not usable.";

/// `tocsin trace`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct TraceArgs {
    /// Id of the event: AGENT-RUN-NUMBER.
    event_id: EventId,

    /// One object of JSON in place of the table.
    #[arg(long)]
    json: bool,

    /// How long to look in Kafka.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    within: u64,

    #[command(flatten)]
    kafka: KafkaArgs,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,
}

/// Prints what is known; fails where the event is nowhere.
pub fn run(args: &TraceArgs) -> Result<(), Failure> {
    let store = ClickHouse::new(&args.clickhouse)?;
    let connection = args.kafka.connection()?;
    let id = &args.event_id;
    let story = follow(&store, &connection, id, Duration::from_secs(args.within));
    let verdict = story.verdict(id);
    if args.json {
        println!("{}", serde_json::json!({ "verdict": verdict, "trace": story }));
    } else {
        print!("{}", story.table());
        println!("{verdict}");
    }
    if story.is_found() {
        return Ok(());
    }
    Err(Failure::new(
        format!("event {id} was not found"),
        "`tocsin balance` says whether anything is missing, `/health` of the agent how it is",
    ))
}

/// Asks every hop. What one of them does not answer is said, and the others are asked all the same: one is down when this is needed.
fn follow(store: &ClickHouse, connection: &Connection, id: &EventId, within: Duration) -> Story {
    let run_began_millis = i64::try_from(id.boot_id / 1_000_000).unwrap_or(i64::MAX);
    let run_began = Timestamp::from_millisecond(run_began_millis).map(|time| time.to_string()).unwrap_or_default();
    let mut story = Story { event_id: id.to_string(), run_began, ..Story::default() };
    let since = look_in_store(&mut story, store, id, run_began_millis).unwrap_or_else(|failure| {
        story.unknown.push(clause(&failure));
        run_began_millis
    });
    if let Err(failure) = look_in_kafka(&mut story, connection, id, since, Instant::now() + within) {
        story.unknown.push(clause(&failure));
    }
    story
}

/// What is wrong, and what to do, in one line.
fn clause(failure: &Failure) -> String {
    failure.to_string().trim_start_matches("error: ").replace("\nhelp: ", "; ")
}

/// The earliest time at which Kafka can have taken it, Unix milliseconds.
fn look_in_store(story: &mut Story, store: &ClickHouse, id: &EventId, run_began: i64) -> Result<i64, Failure> {
    let around = store::around(store, id)?;
    let is_known = |millis: i64, text: String| (millis > 0).then_some(text);
    story.reported_before = is_known(around.before_unix_millis, around.before);
    story.reported_after = is_known(around.after_unix_millis, around.after);
    let since = around.before_unix_millis.max(run_began) - SLACK_MILLIS;
    let until = if around.after_unix_millis > 0 { around.after_unix_millis } else { Timestamp::now().as_millisecond() } + SLACK_MILLIS;
    story.stored = store::row(store, id, since, until)?;
    story.alerts = store::alerts(store, id)?;
    for alert in &story.alerts {
        story.pages.extend(store::page(store, alert)?);
    }
    story.clickhouse_was_searched = true;
    Ok(story.stored.as_ref().map_or(since, |row| row.received_at_unix_millis - SLACK_MILLIS))
}

fn look_in_kafka(story: &mut Story, connection: &Connection, id: &EventId, since: i64, until: Instant) -> Result<(), Failure> {
    let mut is_complete = true;
    for topic in topics::of_table(story.stored.as_ref().map(|row| row.table.as_str())) {
        match topics::find(connection, topic, since, &id.to_string(), until)? {
            Found::At(place) => {
                story.kafka = Some(place);
                break;
            }
            Found::Nowhere => {}
            Found::NotYet => is_complete = false,
        }
    }
    story.kafka_was_searched = is_complete;
    let Some(place) = &story.kafka else { return Ok(()) };
    for name in GROUPS {
        let group = TopicReader::new(connection, name, &[], |_| ())?;
        if let Some(next_offset) = group.committed(&place.topic, place.partition)? {
            story.groups.push(Group { name: name.to_owned(), next_offset, has_passed: next_offset > place.offset });
        }
    }
    Ok(())
}
