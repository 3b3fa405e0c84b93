//! What an event costs: the constants of `tocsin size`.
//!
//! Measured ones are of two cores with everything on one machine, traffic of every kind (`make bench-cost`), every correlation on: 5,000 and 20,000
//! events a second, of which a line through the two is what an event costs and what each second costs; files on ext4 with a journal (without one
//! ClickHouse took a quarter more). `integration-tests/BENCHMARKS.md` and `stream-jobs/BENCHMARKS.md` have their conditions. Put your own here after
//! `make bench-cost` on your machines.

/// CPU of the agent for an event, in microseconds: receive, parse, publish.
pub(super) const AGENT_US: f64 = 2.5;
/// Cores that an agent takes by the second, wakes and requests, from [`BUSY_AGENT_EVENTS`] on.
pub(super) const AGENT_CORES: f64 = 0.04;
/// CPU of a broker for an event and each copy of it, in microseconds.
pub(super) const KAFKA_US: f64 = 0.9;
/// Cores that the brokers take by the second for the requests of a busy agent and of the jobs that fetch what they bring, and as many for each copy.
pub(super) const KAFKA_CORES: f64 = 0.07;
/// Events a second from which on an agent sends at each moment that it may. Below, each costs a request of its own. Set: 5,000 is the least that was measured.
pub(super) const BUSY_AGENT_EVENTS: f64 = 1_000.0;
/// CPU of the six jobs for an event, in microseconds.
pub(super) const FLINK_US: f64 = 10.4;
/// Cores that an instance of each job takes by the second: fetches, checkpoints.
pub(super) const FLINK_CORES: f64 = 0.09;
/// CPU of ClickHouse for a row with all its roll-ups, beside what each insert costs, in microseconds.
pub(super) const CLICKHOUSE_ROW_US: f64 = 7.5;
/// CPU of ClickHouse for an insert into each table with all roll-ups, however few their rows, in microseconds.
pub(super) const CLICKHOUSE_INSERT_US: f64 = 170_000.0;

/// Bytes that ClickHouse keeps of an event with indexes and roll-ups: 15.3 MB for 460,000 lines of 210 bytes, of few kinds.
pub(super) const CLICKHOUSE_BYTES: u64 = 33;
/// Bytes of a record in Kafka before lz4, the line and its parts: a bound, for what lz4 spares depends on the text.
pub(super) const KAFKA_BYTES: u64 = 400;

/// Events a second that one instance of the archive stores within half a core (4.5 us each).
pub(super) const ARCHIVE_PER_INSTANCE: u64 = 100_000;
/// Events a second that one instance of the dearest other job takes within half a core (alerts, 3.7 us each with its fetches, by a profile at 20,000).
pub(super) const JOB_PER_INSTANCE: u64 = 130_000;
/// Events a second of one partition: low enough that no busy device is most of one.
pub(super) const PER_PARTITION: u64 = 20_000;
/// Key groups of a job: partitions and instances that divide it share them evenly.
pub(super) const KEY_GROUPS: u64 = 720;
/// Partitions of a topic of events where nobody says otherwise (`schemas/topics`).
pub(super) const PARTITIONS: u64 = 4;
/// Seconds between inserts of one instance of the archive: its checkpoints.
pub(super) const INSERT_SECONDS: f64 = 2.0;

/// Rows that each agent's listeners report a second: five listeners, `telemetry.stats_interval: 1s`.
pub(super) const REPORTS_PER_AGENT: u64 = 5;

/// Memory of an agent with its buffers, set: a bound to the 50 to 69 MB that were measured at full speed.
pub(super) const AGENT_MEMORY: u64 = 256 << 20;
/// Memory of a slot of Flink, set: half a gigabyte for RocksDB (a million clients or alerts) and as much for everything else.
pub(super) const SLOT_MEMORY: u64 = 1 << 30;
/// Memory of a broker, set: heap, and as much again for the pages that readers have not read yet.
pub(super) const BROKER_MEMORY: u64 = 4 << 30;
/// Memory of ClickHouse for each core, set: what its makers advise for servers that are asked all day.
pub(super) const CLICKHOUSE_CORE_MEMORY: u64 = 4 << 30;
/// The least memory of a server of ClickHouse, set.
pub(super) const CLICKHOUSE_MEMORY: u64 = 8 << 30;

/// How much larger than what is used everything is: a day's peak, and what an outage left behind.
pub(super) const HEADROOM: f64 = 2.0;
/// Cores of a server of ClickHouse from which on another shard is made, with headroom.
pub(super) const CORES_PER_SERVER: f64 = 32.0;
/// How much of a disk is filled: merges need the rest.
pub(super) const DISK_FILL: f64 = 0.8;

pub(super) const TERABYTE: u64 = 1_000_000_000_000;
