//! `tocsin size`: what a rate of events and a number of days need, in cores, memory, disk, partitions, tasks and shards.
//!
//! Arithmetic over the constants of [`costs`], each of which says where it was measured or set. Nothing is asked of a network or a disk.

mod costs;
mod plan;
#[cfg(test)]
mod tests;

use clap::{Args, ValueEnum};

use self::plan::{Plan, Site};
use crate::table;

const AFTER_HELP: &str = "\
Example: a fifth of a million events a second, kept for 400 days
  tocsin size --events 200000 --days 400
One small server without copies of anything
  tocsin size --events 2000 --days 90 --kafka-copies 1 --clickhouse-replicas 1

Give the rate of a busy hour. Syslog of 200 bytes is assumed, every correlation on, and half of each machine kept free for peaks and for reading what
an outage left behind. Larger rates than 60,000 a second were never measured: they are that of a small one times as much.
How long ClickHouse keeps each table is `tocsin schema apply --retention`.";

/// `tocsin size`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SizeArgs {
    /// Events a second, of all agents together.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    events: u64,

    /// How many days ClickHouse keeps them.
    #[arg(long, value_name = "N", default_value_t = 400, value_parser = clap::value_parser!(u64).range(1..=3_650))]
    days: u64,

    /// How many agents receive them.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    agents: u64,

    /// How many brokers have a copy of each partition.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..=9))]
    kafka_copies: u64,

    /// How many hours Kafka keeps events: as long may ClickHouse or the jobs be away.
    #[arg(long, value_name = "N", default_value_t = 72, value_parser = clap::value_parser!(u64).range(1..=8_760))]
    kafka_hours: u64,

    /// How many servers of ClickHouse have a copy of each shard.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..=9))]
    clickhouse_replicas: u64,

    /// Disk of each broker and of each server of ClickHouse, in terabytes (10^12 bytes).
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    disk_tb: u64,

    /// How to print it.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum Format {
    /// Aligned columns, for people.
    Table,
    /// One object, with the names of the plan's fields.
    Json,
}

/// Prints the plan.
pub fn run(args: &SizeArgs) {
    let site = Site {
        events_per_second: args.events,
        days: args.days,
        agents: args.agents,
        kafka_copies: args.kafka_copies,
        kafka_hours: args.kafka_hours,
        clickhouse_replicas: args.clickhouse_replicas,
        disk_bytes: args.disk_tb * costs::TERABYTE,
    };
    let plan = Plan::of(&site);
    match args.format {
        Format::Table => print!("{}", sheet(&plan)),
        Format::Json => println!("{}", serde_json::to_string_pretty(&plan).expect("numbers can be written")),
    }
}

/// A line a part, and below it what the numbers rest on.
fn sheet(plan: &Plan) -> String {
    let columns: Vec<(&str, Vec<String>)> = [("part", 0), ("how many", 1), ("cores", 2), ("memory", 3), ("disk", 4), ("why", 5)]
        .map(|(name, index)| (name, plan.parts().iter().map(|part| part.cells()[index].clone()).collect()))
        .into();
    format!("{}\n{}", table::laid_out(&columns, |index| index == 0 || index == 5), plan.notes().join("\n") + "\n")
}
