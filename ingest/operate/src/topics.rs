//! `tocsin topics`: what Kafka alone knows, saved into a file and brought back to brokers that have lost it.
//!
//! What a compacted topic keeps for ever stands nowhere else in full: rules in force, registered devices, open alerts and leases. Saved are its newest
//! records, one of a key, and of every other topic how it was made. Records that are kept for hours are not saved: ClickHouse has what was in them.

mod broker;
mod file;

#[cfg(test)]
mod server_tests;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use tocsin_kafka::{Connection, TopicWriter};

use crate::Failure;
use crate::kafka::KafkaArgs;
use crate::schema::files::SchemaFiles;
use crate::schema::kafka::Kafka;
use crate::schema::topics::{self as schema_topics, Cleanup};
use file::{Contents, SavedTopic, Writer};

const CLIENT_ID: &str = "tocsin-topics";
const LEADERS_TIMEOUT: Duration = Duration::from_secs(30);
const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

const AFTER_HELP: &str = "\
Every night, beside ClickHouse's backup, and best not onto a disk of a broker:
  tocsin topics save /var/backups/tocsin/topics-$(date -u +%F).jsonl

After the loss of all brokers, into new ones, before anything writes to them:
  tocsin topics restore /var/backups/tocsin/topics-2026-11-25.jsonl
  tocsin schema apply
Then the jobs go on from their newest checkpoint with --kafka-generation one higher than before: offsets of the old brokers mean nothing to the new
ones. deploy/backup.md has every step.

The account: tocsin_schema. Times of records are new where a topic goes by the broker's clock. Exit codes: 0 done, 1 could not be done, 64 the file is no backup that is whole.";

/// `tocsin topics ...`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct TopicsArgs {
    #[command(subcommand)]
    command: TopicsCommand,
}

#[derive(Subcommand, Debug)]
enum TopicsCommand {
    /// Save how every topic is made, and the newest record of each key of those that are compacted. Everything goes on meanwhile.
    Save(SaveArgs),
    /// Say what a file has, and whether it is whole; asks no broker.
    Check(FileArgs),
    /// Make the topics of a file, and write their records. Refused where one of them has a record.
    Restore(RestoreArgs),
}

#[derive(Args, Debug)]
struct FileArgs {
    /// The file; `save` replaces none.
    #[arg(value_name = "FILE.jsonl")]
    file: PathBuf,
}

#[derive(Args, Debug)]
struct SaveArgs {
    #[command(flatten)]
    file: FileArgs,

    #[command(flatten)]
    kafka: KafkaArgs,
}

#[derive(Args, Debug)]
struct RestoreArgs {
    #[command(flatten)]
    file: FileArgs,

    #[command(flatten)]
    kafka: KafkaArgs,

    /// Copies of each partition [default: 1 with one broker, else up to 3].
    #[arg(long, env = "TOCSIN_REPLICATION", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    replication: Option<u32>,
}

/// Does what was asked and prints it.
pub fn run(args: &TopicsArgs) -> Result<(), Failure> {
    match &args.command {
        TopicsCommand::Save(args) => {
            let names: Vec<String> = schema_topics::parse(&SchemaFiles::load(None)?.topics)?.into_iter().map(|topic| topic.name).collect();
            save(&args.kafka.connection()?, &names, &args.file.file)
        }
        TopicsCommand::Check(args) => {
            let topics = file::read(&args.file, |_, _| Ok(()))?;
            topics.iter().for_each(|topic| println!("{topic}"));
            println!("{} is whole: {}", args.file.display(), total(&topics));
            Ok(())
        }
        TopicsCommand::Restore(args) => restore(&args.kafka.connection()?, args.replication, &args.file.file),
    }
}

/// What one line says of many topics.
fn total(topics: &[SavedTopic]) -> String {
    format!("{} topics, {} records", topics.len(), topics.iter().map(|topic| topic.records).sum::<u64>())
}

/// Saves these topics; one that the brokers do not know is left out, with a word.
fn save(connection: &Connection, names: &[String], path: &Path) -> Result<(), Failure> {
    let kafka = Kafka::new(connection.clone())?;
    let existing = kafka.existing(names)?;
    if existing.is_empty() {
        return Err(Failure::new(
            format!("Kafka at {} has none of Tocsin's topics", connection.bootstrap_servers),
            "point --kafka at the brokers that the agents write to",
        ));
    }
    let mut writer = Writer::create(path)?;
    let mut saved = Vec::new();
    for name in names {
        let Some(topic) = existing.get(name) else {
            eprintln!("{name}: the brokers do not know it, so it is not saved");
            continue;
        };
        // An operator may have both policies, "compact,delete".
        let is_compacted = topic.settings.get("cleanup.policy").is_some_and(|policy| policy.contains(Cleanup::Compact.as_str()));
        let records = if is_compacted { broker::newest(connection, name, &mut Progress::new(name))? } else { Vec::new() };
        let topic = SavedTopic {
            topic: name.clone(),
            partitions: topic.partitions,
            settings: kafka.overrides(name)?,
            records: records.len() as u64,
            sha256: Contents::of(&records),
        };
        writer.write(&topic, &records)?;
        println!("{topic}");
        saved.push(topic);
    }
    writer.finish()?;
    // What was written is what can be read: a full disk, or one that lies, is known tonight.
    if file::read(path, |_, _| Ok(()))? != saved {
        return Err(Failure::new(format!("{} does not hold what was written to it", path.display()), "save onto another disk"));
    }
    println!("{} is saved and was read back: {}", path.display(), total(&saved));
    Ok(())
}

fn restore(connection: &Connection, replication: Option<u32>, path: &Path) -> Result<(), Failure> {
    let topics = file::read(path, |_, _| Ok(()))?;
    let kafka = Kafka::new(connection.clone())?;
    let names: Vec<String> = topics.iter().map(|topic| topic.topic.clone()).collect();
    let existing = kafka.existing(&names)?;
    for topic in topics.iter().filter(|topic| topic.records > 0) {
        if let Some(there) = existing.get(&topic.topic) {
            refuse_unless_empty(connection, topic, there.partitions)?;
        }
    }
    let replication = replication.map_or_else(|| kafka.default_replication(), Ok)?;
    for topic in topics.iter().filter(|topic| !existing.contains_key(&topic.topic)) {
        kafka.create_with(&topic.topic, topic.partitions, &topic.settings, replication)?;
        println!("created topic {} ({} partitions, replication {replication})", topic.topic, topic.partitions);
    }
    let partitions_now = |topic: &SavedTopic| existing.get(&topic.topic).map_or(topic.partitions, |there| there.partitions);
    let partitions: Vec<(&str, u32)> = topics.iter().map(|topic| (topic.topic.as_str(), partitions_now(topic))).collect();
    kafka.await_leaders(&partitions, LEADERS_TIMEOUT)?;

    let writer = TopicWriter::new(connection, CLIENT_ID)?;
    let mut progress = Progress::new(&path.display().to_string());
    let mut left: u64 = topics.iter().map(|topic| topic.records).sum();
    file::read(path, |topic, record| {
        left -= 1;
        progress.tell(left);
        Ok(writer.write(record.to(&topic.topic))?)
    })?;
    writer.finish()?;
    for topic in topics.iter().filter(|topic| topic.records > 0) {
        let there = broker::newest(connection, &topic.topic, &mut Progress::new(&topic.topic))?;
        if Contents::of(&there) != topic.sha256 {
            return Err(Failure::new(
                format!(
                    "topic {} has {} keys after it, and others than the {} of {}",
                    topic.topic,
                    there.len(),
                    topic.records,
                    path.display()
                ),
                "somebody writes to it: stop who does, remove the topic, and restore again",
            ));
        }
        println!("{topic}");
    }
    println!(
        "restored and read back: {}; now run `tocsin schema apply`, and start the jobs with --kafka-generation one higher",
        total(&topics)
    );
    Ok(())
}

/// Records that are there already would stand beside older ones, or behind them.
fn refuse_unless_empty(connection: &Connection, topic: &SavedTopic, partitions: u32) -> Result<(), Failure> {
    let about = format!("topic {} of Kafka at {}", topic.topic, connection.bootstrap_servers);
    if broker::stored(connection, &topic.topic)? > 0 {
        return Err(Failure::new(
            format!("{about} has records, and nothing was changed"),
            "only new brokers are restored: stop who writes there, and remove the topic where the file is what it should hold",
        ));
    }
    if partitions != topic.partitions {
        return Err(Failure::new(
            format!("{about} has {partitions} partitions and was saved with {}; nothing was changed", topic.partitions),
            "remove the topic, which is empty: it is made again as it was",
        ));
    }
    Ok(())
}

/// Says every two seconds how much is left.
struct Progress {
    what: String,
    told: Instant,
}

impl Progress {
    fn new(what: &str) -> Self {
        Self { what: what.to_owned(), told: Instant::now() }
    }

    fn tell(&mut self, left: u64) {
        if self.told.elapsed() >= PROGRESS_INTERVAL {
            eprintln!("{}: {left} records left", self.what);
            self.told = Instant::now();
        }
    }
}
