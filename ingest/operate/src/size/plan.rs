//! The arithmetic of `tocsin size`.

use serde::Serialize;

use super::costs::{
    AGENT_CORES, AGENT_MEMORY, AGENT_US, ARCHIVE_PER_INSTANCE, BROKER_MEMORY, BUSY_AGENT_EVENTS, CLICKHOUSE_BYTES, CLICKHOUSE_CORE_MEMORY,
    CLICKHOUSE_INSERT_US, CLICKHOUSE_MEMORY, CLICKHOUSE_ROW_US, CORES_PER_SERVER, DISK_FILL, FLINK_CORES, FLINK_US, HEADROOM,
    INSERT_SECONDS, JOB_PER_INSTANCE, KAFKA_BYTES, KAFKA_CORES, KAFKA_US, KEY_GROUPS, PARTITIONS, PER_PARTITION, REPORTS_PER_AGENT,
    SLOT_MEMORY,
};

const DAY_SECONDS: u64 = 86_400;
/// Jobs that read events with as many instances as each other: alerts, findings, registrations, wan.
const EVENT_JOBS: u64 = 4;

/// What is to be carried.
#[derive(Debug, Clone)]
pub(super) struct Site {
    pub events_per_second: u64,
    pub days: u64,
    pub agents: u64,
    pub kafka_copies: u64,
    pub kafka_hours: u64,
    pub clickhouse_replicas: u64,
    /// Of a broker, and of a server of ClickHouse.
    pub disk_bytes: u64,
}

/// What it needs. Cores and disks are of all machines of a part together, with headroom.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Plan {
    /// With what agents report of themselves.
    pub events_per_second: u64,
    pub agents: u64,
    pub agent_cores: f64,
    pub brokers: u64,
    pub kafka_cores: f64,
    pub kafka_disk_bytes: u64,
    pub partitions: u64,
    pub slots: u64,
    pub archive_instances: u64,
    pub job_instances: u64,
    pub flink_cores: f64,
    pub shards: u64,
    pub clickhouse_servers: u64,
    pub clickhouse_cores: f64,
    pub clickhouse_disk_bytes: u64,
    pub clickhouse_bytes_per_day: u64,
    pub reports_per_second: u64,
}

/// A line of the sheet.
pub(super) struct Part {
    name: &'static str,
    count: u64,
    cores: f64,
    memory_bytes: u64,
    disk_bytes: u64,
    why: String,
}

impl Plan {
    pub(super) fn of(site: &Site) -> Self {
        let reports = site.agents * REPORTS_PER_AGENT;
        let events = site.events_per_second + reports;
        let cores = |microseconds: f64, by_the_second: f64| HEADROOM * (events as f64 * microseconds / 1e6 + by_the_second);
        let busy_agents = (events as f64 / BUSY_AGENT_EVENTS).min(site.agents as f64);

        let kafka_disk_bytes = on_disk(events * KAFKA_BYTES * 3600 * site.kafka_hours) * site.kafka_copies;
        let partitions = even(events.div_ceil(PER_PARTITION).max(PARTITIONS));
        let archive_instances = even(events.div_ceil(ARCHIVE_PER_INSTANCE)).min(partitions);
        let job_instances = even(events.div_ceil(JOB_PER_INSTANCE)).min(partitions);

        let clickhouse_bytes_per_day = events * CLICKHOUSE_BYTES * DAY_SECONDS;
        let one_copy = on_disk(clickhouse_bytes_per_day * site.days);
        let shards = shards(events, archive_instances, one_copy, site.disk_bytes);
        Self {
            events_per_second: events,
            agents: site.agents,
            agent_cores: cores(AGENT_US, AGENT_CORES * busy_agents),
            brokers: site.kafka_copies.max(kafka_disk_bytes.div_ceil(site.disk_bytes)),
            kafka_cores: cores(KAFKA_US, KAFKA_CORES * busy_agents) * site.kafka_copies as f64,
            kafka_disk_bytes,
            partitions,
            // The job of paging reads a topic of few records: one.
            slots: archive_instances + EVENT_JOBS * job_instances + 1,
            archive_instances,
            job_instances,
            flink_cores: cores(FLINK_US, FLINK_CORES * job_instances as f64),
            shards,
            clickhouse_servers: shards * site.clickhouse_replicas,
            clickhouse_cores: clickhouse_cores(events, archive_instances, shards) * site.clickhouse_replicas as f64,
            clickhouse_disk_bytes: one_copy * site.clickhouse_replicas,
            clickhouse_bytes_per_day,
            reports_per_second: reports,
        }
    }

    pub(super) fn parts(&self) -> [Part; 4] {
        let server_cores = (self.clickhouse_cores / self.clickhouse_servers as f64).ceil() as u64;
        [
            Part {
                name: "agents",
                count: self.agents,
                cores: self.agent_cores,
                memory_bytes: self.agents * AGENT_MEMORY,
                disk_bytes: 0,
                why: "disk: what the spool may take (`spool.max_bytes`)".into(),
            },
            Part {
                name: "Kafka brokers",
                count: self.brokers,
                cores: self.kafka_cores,
                memory_bytes: self.brokers * BROKER_MEMORY,
                disk_bytes: self.kafka_disk_bytes,
                why: format!("{} partitions for each topic of events", self.partitions),
            },
            Part {
                name: "Flink slots",
                count: self.slots,
                cores: self.flink_cores,
                memory_bytes: self.slots * SLOT_MEMORY,
                disk_bytes: 0,
                why: format!("archive {}, paging 1, each other job {}", self.archive_instances, self.job_instances),
            },
            Part {
                name: "ClickHouse servers",
                count: self.clickhouse_servers,
                cores: self.clickhouse_cores,
                memory_bytes: self.clickhouse_servers * CLICKHOUSE_MEMORY.max(server_cores * CLICKHOUSE_CORE_MEMORY),
                disk_bytes: self.clickhouse_disk_bytes,
                why: format!("{} shards; {} a day before copies", self.shards, bytes(self.clickhouse_bytes_per_day)),
            },
        ]
    }

    /// What a reader must know besides.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = vec![
            "Cores, memory and disk are of all machines of a part together. CPU was measured on two cores, disk of ClickHouse with lines of few kinds;".into(),
            "memory is a setting, disk of Kafka a bound before lz4. Each figure and where it is from: ingest/operate/src/size/costs.rs.".into(),
        ];
        if self.events_per_second > 60_000 {
            notes.push(
                "No more than 60,000 events a second were ever measured: beyond that each event is taken to cost what it costs there."
                    .into(),
            );
        }
        if self.reports_per_second * 5 > self.events_per_second {
            notes.push(format!(
                "{} of these events a second are what agents report of themselves: `telemetry.stats_interval: 10s` leaves a tenth.",
                self.reports_per_second
            ));
        }
        notes
    }
}

impl Part {
    /// The cells of its line, as the sheet has them.
    pub(super) fn cells(&self) -> [String; 6] {
        let or_none = |value: u64| if value == 0 { "-".to_owned() } else { bytes(value) };
        [
            self.name.to_owned(),
            self.count.to_string(),
            format!("{:.1}", self.cores),
            format!("{:.0} GiB", (self.memory_bytes as f64 / f64::from(1 << 30)).ceil()),
            or_none(self.disk_bytes),
            self.why.clone(),
        ]
    }
}

/// `used` bytes with the room that a disk must have free.
fn on_disk(used: u64) -> u64 {
    (used as f64 / DISK_FILL) as u64
}

/// The least divisor of the key groups that is not below `least`; all of them where none is.
fn even(least: u64) -> u64 {
    (least..=KEY_GROUPS).find(|count| KEY_GROUPS.is_multiple_of(*count)).unwrap_or(KEY_GROUPS)
}

/// Cores of one replica of all shards: each instance of the archive inserts into each shard, and an insert costs as much as its roll-ups.
fn clickhouse_cores(events: u64, archive_instances: u64, shards: u64) -> f64 {
    let inserts_per_second = (archive_instances * shards) as f64 / INSERT_SECONDS;
    HEADROOM * (events as f64 * CLICKHOUSE_ROW_US + inserts_per_second * CLICKHOUSE_INSERT_US) / 1e6
}

/// As few shards as disks allow, and servers of no more than [`CORES_PER_SERVER`]. More shards cost more inserts: beyond the point where another one
/// would make no server smaller, there are no more.
fn shards(events: u64, archive_instances: u64, one_copy_bytes: u64, disk_bytes: u64) -> u64 {
    let by_disk = one_copy_bytes.div_ceil(disk_bytes).max(1);
    let rows_cores = HEADROOM * events as f64 * CLICKHOUSE_ROW_US / 1e6;
    let insert_cores = HEADROOM * archive_instances as f64 * CLICKHOUSE_INSERT_US / INSERT_SECONDS / 1e6;
    let for_rows = (CORES_PER_SERVER - insert_cores).max(CORES_PER_SERVER / 4.0);
    by_disk.max((rows_cores / for_rows).ceil() as u64)
}

/// Bytes with a decimal unit, as disks are sold.
pub(super) fn bytes(value: u64) -> String {
    let units = [(1_000_000_000_000, "TB"), (1_000_000_000, "GB"), (1_000_000, "MB")];
    let (unit, name) = *units.iter().find(|(unit, _)| value >= *unit).unwrap_or(&units[2]);
    let scaled = value as f64 / unit as f64;
    if scaled < 10.0 { format!("{scaled:.1} {name}") } else { format!("{scaled:.0} {name}") }
}
