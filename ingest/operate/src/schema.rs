//! `tocsin schema`: the only thing that changes Kafka's topics or ClickHouse's tables.
//!
//! - `apply` makes both as the files of `schemas/` say. It can be repeated, interrupted and run twice at once.
//! - `status` changes nothing and says what `apply` would do.
//!
//! `--retention` sets how long tables keep their rows, `--cluster` makes the same tables on a cluster of ClickHouse servers.
//!
//! Every file is read and validated before anything is changed. What cannot be done without losing order or data is refused.

mod applied;
mod baseline;
mod cluster;
mod database;
pub(crate) mod files;
pub(crate) mod kafka;
mod ledger;
mod migrations;
mod retention;
mod servers;
pub(crate) mod statement;
pub(crate) mod topics;

#[cfg(test)]
pub(crate) mod server_tests;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use crate::Failure;
use crate::ask::question::{self, Question};
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::kafka::KafkaArgs;
use cluster::Cluster;
use database::DatabaseSchema;
use files::SchemaFiles;
use kafka::Kafka;
use ledger::{DATABASE, Ledger};
use retention::Retention;
use topics::{Partitions, SettingChange, Topic, TopicChange};

/// What it means that a topic has grown; deploy/README.md says more.
const GROWN: &str = "what is written of a key from now on may be read before what waits in its old partition; start the jobs anew from a savepoint, or \
                     they find the new partitions after up to five minutes";

/// `tocsin schema ...`
#[derive(Args, Debug)]
pub struct SchemaArgs {
    #[command(subcommand)]
    command: SchemaCommand,
}

#[derive(Subcommand, Debug)]
enum SchemaCommand {
    /// Create and alter topics and tables until they are as the schema files say. Safe to repeat and to run twice at once.
    Apply(ApplyArgs),
    /// Say what is applied and what `apply` would do, without changing anything. Exit code 1 when something is pending.
    Status(TargetArgs),
}

#[derive(Args, Debug)]
struct ApplyArgs {
    #[command(flatten)]
    target: TargetArgs,

    /// Copies of each partition of a new topic [default: 1 with one broker, else up to 3].
    #[arg(long, env = "TOCSIN_REPLICATION", value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    replication: Option<u32>,

    /// Servers have joined the cluster: make on them what the others have, and bring rows that replace each other to the shard that is theirs now. Stop the archive job before, and give --retention as ever.
    #[arg(long, requires = "cluster")]
    new_servers: bool,
}

#[derive(Args, Debug)]
struct TargetArgs {
    #[command(flatten)]
    kafka: KafkaArgs,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    /// Folder like schemas/ of the repository, with topics/ and clickhouse/ [default: the files this binary was built with].
    #[arg(long, env = "TOCSIN_SCHEMAS", value_name = "DIR")]
    schemas: Option<PathBuf>,

    /// File that says how many days each ClickHouse table keeps its rows, like deploy/config/retention.example.yaml [default: leave it as it is].
    #[arg(long, env = "TOCSIN_RETENTION", value_name = "FILE")]
    retention: Option<PathBuf>,

    /// Make replicated and distributed tables on this cluster of ClickHouse's remote_servers [default: plain tables on one server].
    #[arg(long, env = "TOCSIN_CLICKHOUSE_CLUSTER", value_name = "NAME", value_parser = cluster_name)]
    cluster: Option<String>,

    /// So many partitions of a topic, or by a number alone the least of each that has several and can grow [default: one with one broker, else as the topic's file says]. A topic that is there grows: what is written of a key from then on overtakes what waits in its old partition.
    #[arg(long, env = "TOCSIN_PARTITIONS", value_name = "[TOPIC=]N,..", value_delimiter = ',')]
    partitions: Vec<Partitions>,

    /// Leave the other server alone.
    #[arg(long, value_name = "SERVER")]
    only: Option<Server>,

    /// Seconds to wait until both servers answer.
    #[arg(long, env = "TOCSIN_WAIT", value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    /// Topics.
    Kafka,
    /// Tables and views.
    Clickhouse,
}

/// A name goes into SQL, so it is made of what names are made of.
fn cluster_name(text: &str) -> Result<String, String> {
    let is_name = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'));
    if is_name { Ok(text.to_owned()) } else { Err("a cluster's name has letters, digits, '_', '-' and '.' only".to_owned()) }
}

/// Carries out `tocsin schema ...`, printing one line for each thing done.
pub fn run(args: &SchemaArgs) -> Result<(), Failure> {
    match &args.command {
        SchemaCommand::Apply(args) => apply(args),
        SchemaCommand::Status(args) => status(args),
    }
}

/// What the files ask for, and the servers that shall have it. A server that `--only` leaves out is absent.
struct Target {
    topics: Vec<Topic>,
    partitions: Vec<Partitions>,
    schema: DatabaseSchema,
    questions: Vec<Question>,
    retention: Option<Retention>,
    cluster: Option<Cluster>,
    kafka: Option<Kafka>,
    clickhouse: Option<ClickHouse>,
}

impl Target {
    /// Validates every file, then waits for the servers.
    fn open(args: &TargetArgs) -> Result<Self, Failure> {
        let files = SchemaFiles::load(args.schemas.as_deref())?;
        let mut topics = topics::parse(&files.topics)?;
        topics::ask(&mut topics, &args.partitions)?;
        let schema = DatabaseSchema::parse(&files)?;
        let questions = question::parse(&files.questions)?;
        let retention = args.retention.as_deref().map(Retention::load).transpose()?;
        let cluster = args.cluster.as_deref().map(|name| Cluster::new(name, &schema));
        let wants = |server: Server| args.only.is_none_or(|only| only == server);
        let kafka = wants(Server::Kafka).then(|| Kafka::new(args.kafka.connection()?)).transpose()?;
        let clickhouse = wants(Server::Clickhouse).then(|| ClickHouse::new(&args.clickhouse)).transpose()?;

        let wait = Duration::from_secs(args.wait);
        if let Some(kafka) = &kafka {
            servers::await_answer(&format!("Kafka at {}", kafka.bootstrap_servers()), wait, |timeout| kafka.ping(timeout))
                .map_err(|reason| kafka.silent(&reason))?;
            if kafka.brokers()? == 1 {
                topics::begin_small(&mut topics, &args.partitions);
            }
        }
        if let Some(clickhouse) = &clickhouse {
            servers::await_answer(&format!("ClickHouse at {}", clickhouse.url()), wait, |_| clickhouse.ping())
                .map_err(|reason| clickhouse.unreachable(&reason))?;
        }
        Ok(Self { topics, partitions: args.partitions.clone(), schema, questions, retention, cluster, kafka, clickhouse })
    }

    fn ledger<'a>(&'a self, clickhouse: &'a ClickHouse) -> Ledger<'a> {
        Ledger::new(clickhouse, DATABASE).on(self.cluster.as_ref())
    }

    /// A database that a newer version has made refuses this one, before topics are changed either.
    fn refuse_newer_tables(&self) -> Result<(), Failure> {
        let Some(clickhouse) = &self.clickhouse else { return Ok(()) };
        let rows = self.ledger(clickhouse).read()?;
        baseline::pending(&self.schema.baseline, &rows)?;
        migrations::pending(&self.schema.migrations, &rows)?;
        Ok(())
    }
}

fn apply(args: &ApplyArgs) -> Result<(), Failure> {
    let mut target = Target::open(&args.target)?;
    if let Some(cluster) = &mut target.cluster {
        cluster.has_new_servers = args.new_servers;
    }
    target.refuse_newer_tables()?;
    let mut done = Vec::new();
    if let Some(kafka) = &target.kafka {
        done.push(apply_topics(kafka, &target.topics, &target.partitions, args.replication)?);
    }
    if let Some(clickhouse) = &target.clickhouse {
        let ledger = target.ledger(clickhouse);
        if args.new_servers {
            ledger.make_everywhere(&target.schema, |news| println!("{news}"))?;
        }
        let applied = ledger.apply(&target.schema, |news| println!("{news}"))?;
        let DatabaseSchema { baseline, migrations } = &target.schema;
        done.push(format!("{} files of tables and {} migrations ({applied} applied now)", baseline.len(), migrations.len()));
        // Questions hold no data, so their views are made anew each time.
        for question in &target.questions {
            ledger.run_text(&question.text).map_err(|failure| failure.during(&format!("question {}", question.name)))?;
        }
        done.push(format!("{} questions", target.questions.len()));
        if let Some(retention) = &target.retention {
            // The tables of new servers have theirs as they were made, whatever the server that is asked says of its own.
            let in_effect = if args.new_servers { retention::as_made(&target.schema) } else { ledger.ttls()? };
            done.push(apply_retention(&ledger, retention, &target.schema, &in_effect)?);
        }
        if args.new_servers {
            let rows = ledger.bring_home(|news| println!("{news}"))?;
            done.push(format!("{rows} rows brought to another shard"));
        }
    }
    println!("schema is up to date: {}", done.join(", "));
    Ok(())
}

/// Creates and alters, and returns the words for the summary. What must be refused is found before anything is changed.
fn apply_topics(kafka: &Kafka, topics: &[Topic], asked: &[Partitions], replication: Option<u32>) -> Result<String, Failure> {
    let (mut created, mut altered) = (0, 0);
    for (topic, change) in changes(kafka, topics, asked)? {
        match change {
            TopicChange::Nothing { .. } => {}
            TopicChange::Create => {
                let replication = replication.map_or_else(|| kafka.default_replication(), Ok)?;
                if kafka.create(topic, replication)? {
                    println!("created topic {} ({topic}, replication {replication})", topic.name);
                    created += 1;
                }
            }
            TopicChange::Alter(changes) => {
                alter(kafka, topic, &changes)?;
                altered += 1;
            }
            TopicChange::Grow { from, settings } => {
                kafka.grow(topic, topic.partitions)?;
                println!("altered topic {}: partitions {from} -> {}; {GROWN}", topic.name, topic.partitions);
                alter(kafka, topic, &settings)?;
                altered += 1;
            }
        }
    }
    let partitions: Vec<(&str, u32)> = topics.iter().map(|topic| (topic.name.as_str(), topic.partitions)).collect();
    kafka.await_leaders(&partitions, Duration::from_secs(30))?;
    Ok(format!("{} topics ({created} created now, {altered} altered now)", topics.len()))
}

fn alter(kafka: &Kafka, topic: &Topic, changes: &[SettingChange]) -> Result<(), Failure> {
    if !changes.is_empty() {
        kafka.alter(topic, changes)?;
    }
    changes.iter().for_each(|change| println!("altered topic {}: {change}", topic.name));
    Ok(())
}

/// Alters what keeps its rows for another time than the file says, and returns the words for the summary.
fn apply_retention(
    ledger: &Ledger<'_>,
    retention: &Retention,
    schema: &DatabaseSchema,
    in_effect: &BTreeMap<String, Option<String>>,
) -> Result<String, Failure> {
    let changes = retention.changes(schema, in_effect)?;
    for change in &changes {
        ledger.change_ttl(change)?;
        println!("altered table {change}");
    }
    Ok(format!("retention ({} altered now)", changes.len()))
}

fn changes<'a>(kafka: &Kafka, topics: &'a [Topic], asked: &[Partitions]) -> Result<Vec<(&'a Topic, TopicChange)>, Failure> {
    let names: Vec<String> = topics.iter().map(|topic| topic.name.clone()).collect();
    let existing = kafka.existing(&names)?;
    topics.iter().map(|topic| Ok((topic, topic.compare(existing.get(&topic.name), asked)?))).collect()
}

fn status(args: &TargetArgs) -> Result<(), Failure> {
    let target = Target::open(args)?;
    let mut pending = 0;
    if let Some(kafka) = &target.kafka {
        for (topic, change) in changes(kafka, &target.topics, &target.partitions)? {
            let (word, detail) = match change {
                TopicChange::Nothing { partitions } => ("applied", Topic { partitions, ..topic.clone() }.to_string()),
                TopicChange::Create => ("pending", format!("will be created: {topic}")),
                TopicChange::Alter(changes) => ("pending", changes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
                TopicChange::Grow { from, .. } => ("pending", format!("partitions {from} -> {}; {GROWN}", topic.partitions)),
            };
            pending += usize::from(word == "pending");
            println!("{word}  topic      {:<45} {detail}", topic.name);
        }
    }
    if let Some(clickhouse) = &target.clickhouse {
        let ledger = target.ledger(clickhouse);
        let rows = ledger.read()?;
        let DatabaseSchema { baseline, migrations } = &target.schema;
        pending += baseline::pending(baseline, &rows)?.len() + migrations::pending(migrations, &rows)?.len();
        let files = baseline.iter().map(|file| ("baseline ", applied::BASELINE, &file.name));
        for (what, number, name) in files.chain(migrations.iter().map(|migration| ("migration", migration.number, &migration.name))) {
            match rows.iter().find(|applied| applied.number == number && applied.name == *name) {
                Some(applied) => println!("applied  {what}  {name:<45} {} UTC", applied.applied_at),
                None => println!("pending  {what}  {name}"),
            }
        }
        // Tables that are not there yet get their TTL when they are made.
        if let Some(retention) = target.retention.as_ref().filter(|_| !rows.is_empty()) {
            for change in retention.changes(&target.schema, &ledger.ttls()?)? {
                println!("pending  retention  {change}");
                pending += 1;
            }
        }
    }
    if pending > 0 {
        return Err(Failure::new(format!("{pending} schema changes are pending"), "run `tocsin schema apply`"));
    }
    println!("schema is up to date");
    Ok(())
}
