//! `tocsin ack`, `unack` and `note`: what a person says of an alert, to the topic `acknowledgements-v1`, which the alerts job reads.

mod open_alert;
pub(crate) mod word;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use prost::Message;
use tocsin_kafka::{Connection, TopicWriter};
use tocsin_wire::acknowledgements::{Acknowledgement, Action};

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::complete;
use crate::kafka::KafkaArgs;
use word::Word;

const TOPIC: &str = "acknowledgements-v1";
const CLIENT_ID: &str = "tocsin-acknowledgements";

const AFTER_HELP: &str = "\
Which alert: its fingerprint, or enough of its first digits that only one open alert has them; pages, dashboards and `tocsin ask` show it.
An acknowledgement never hides a worse severity or a reopening, and ends with the alert. Pages go on telling that the alert is over.
ClickHouse says which alert is meant, and how bad it looks; with a whole fingerprint the word is said without it too.";

/// Which alert, who says it, and where.
#[derive(Args, Debug)]
struct Said {
    /// The alert: its fingerprint, or its first digits.
    #[arg(value_name = "FINGERPRINT", add = ArgValueCompleter::new(complete::open_alerts))]
    fingerprint: String,

    /// Who says it.
    #[arg(long, value_name = "NAME", env = "USER")]
    by: String,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    #[command(flatten)]
    kafka: KafkaArgs,
}

/// `tocsin ack`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct AckArgs {
    #[command(flatten)]
    said: Said,

    /// One line for others.
    #[arg(long, value_name = "TEXT", default_value = "")]
    note: String,

    /// How long it holds, for example 2h or 30m. [default: as long as the alert]
    #[arg(long = "for", value_name = "DURATION", value_parser = word::seconds)]
    duration: Option<u32>,
}

/// `tocsin unack`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct UnackArgs {
    #[command(flatten)]
    said: Said,
}

/// `tocsin note`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct NoteArgs {
    #[command(flatten)]
    said: Said,

    /// One line for others.
    #[arg(value_name = "TEXT")]
    note: String,
}

/// Says that somebody works on an alert.
pub fn acknowledge(args: &AckArgs) -> Result<(), Failure> {
    let word = Word { action: Action::Acknowledge, note: &args.note, for_seconds: args.duration.unwrap_or(0) };
    say(&args.said, &word, "acknowledged")
}

/// Says that nobody works on it any more.
pub fn unacknowledge(args: &UnackArgs) -> Result<(), Failure> {
    say(&args.said, &Word { action: Action::Unacknowledge, note: "", for_seconds: 0 }, "no longer acknowledged")
}

/// Says something else of it.
pub fn note(args: &NoteArgs) -> Result<(), Failure> {
    say(&args.said, &Word { action: Action::Note, note: &args.note, for_seconds: 0 }, "noted")
}

fn say(said: &Said, word: &Word<'_>, done: &str) -> Result<(), Failure> {
    let given = said.fingerprint.to_ascii_lowercase();
    word::check_fingerprint(&given)?;
    let clickhouse = ClickHouse::new(&said.clickhouse)?;
    let alert = open_alert::find(&clickhouse, &given)?;
    let severity = alert.severity();
    let message = word.message(&alert.fingerprint, &said.by, severity)?;
    publish(&said.kafka.connection()?, &[message])?;
    println!("{done} by {}: {}", said.by, alert.description());
    Ok(())
}

/// Writes what is said; returns when Kafka has acknowledged it.
pub(crate) fn publish(connection: &Connection, words: &[Acknowledgement]) -> Result<(), Failure> {
    let writer = TopicWriter::new(connection, CLIENT_ID)?;
    for word in words {
        writer.send(TOPIC, word.fingerprint.as_bytes(), Some(&word.encode_to_vec()))?;
    }
    Ok(writer.finish()?)
}
