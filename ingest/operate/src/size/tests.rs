use super::plan::{Plan, Site, bytes};
use super::{costs, sheet};

fn site(events_per_second: u64) -> Site {
    Site {
        events_per_second,
        days: 400,
        agents: 1,
        kafka_copies: 3,
        kafka_hours: 72,
        clickhouse_replicas: 2,
        disk_bytes: 20 * costs::TERABYTE,
    }
}

#[test]
fn one_machine_of_the_measurement_needs_twice_the_cores_that_were_measured() {
    let plan = Plan::of(&Site { days: 30, kafka_copies: 1, clickhouse_replicas: 1, ..site(20_000) });
    let all = plan.agent_cores + plan.kafka_cores + plan.flink_cores + plan.clickhouse_cores;
    // 0.70 cores were measured, one of the two rates that the line goes through.
    assert!((all / (2.0 * 0.70) - 1.0).abs() < 0.05, "{all}");
    assert_eq!((plan.brokers, plan.shards, plan.partitions), (1, 1, 4));
}

#[test]
fn disks_grow_with_days_and_copies() {
    let (short, long) = (Plan::of(&Site { days: 40, ..site(20_000) }), Plan::of(&site(20_000)));
    assert!((long.clickhouse_disk_bytes as f64 / short.clickhouse_disk_bytes as f64 - 10.0).abs() < 1e-6);
    assert_eq!(long.kafka_disk_bytes, short.kafka_disk_bytes);
    let single = Plan::of(&Site { clickhouse_replicas: 1, kafka_copies: 1, ..site(20_000) });
    assert_eq!(long.clickhouse_disk_bytes, 2 * single.clickhouse_disk_bytes);
    assert_eq!(long.kafka_disk_bytes, 3 * single.kafka_disk_bytes);
}

#[test]
fn no_disk_is_fuller_than_it_may_be() {
    for events in [100, 5_000, 200_000, 3_000_000] {
        let plan = Plan::of(&site(events));
        assert!(plan.kafka_disk_bytes <= plan.brokers * 20 * costs::TERABYTE, "{plan:?}");
        assert!(plan.clickhouse_disk_bytes <= plan.clickhouse_servers * 20 * costs::TERABYTE, "{plan:?}");
    }
}

#[test]
fn instances_share_partitions_and_key_groups_evenly() {
    for events in [1, 20_000, 170_000, 200_000, 1_000_000, 100_000_000] {
        let plan = Plan::of(&site(events));
        for count in [plan.partitions, plan.archive_instances, plan.job_instances] {
            assert!(count >= 1 && 720 % count == 0, "{plan:?}");
        }
        assert!(plan.archive_instances.max(plan.job_instances) <= plan.partitions, "{plan:?}");
    }
}

#[test]
fn agents_that_mostly_report_of_themselves_are_named() {
    let plan = Plan::of(&Site { agents: 10_000, ..site(100_000) });
    assert_eq!(plan.events_per_second, 150_000);
    assert!(plan.notes().iter().any(|note| note.starts_with("50000 of these events")), "{:?}", plan.notes());
    assert!(!Plan::of(&site(100_000)).notes().iter().any(|note| note.contains("report of themselves")));
}

#[test]
fn sheet_has_a_line_a_part_and_says_what_was_never_measured() {
    let sheet = sheet(&Plan::of(&site(200_000)));
    for part in ["agents", "Kafka brokers", "Flink slots", "ClickHouse servers"] {
        assert_eq!(sheet.lines().filter(|line| line.starts_with(part)).count(), 1, "{sheet}");
    }
    assert!(sheet.contains("No more than 60,000 events a second were ever measured"), "{sheet}");
}

/// The table of `deploy/README.md` is what the command says.
#[test]
fn table_of_the_readme_is_what_the_command_says() {
    let readme = include_str!("../../../../deploy/README.md");
    let mut rows = Vec::new();
    for events in [1_000, 5_000, 20_000, 60_000, 200_000] {
        let plan = Plan::of(&site(events));
        rows.push(format!(
            "| {events} | {:.1} | {:.1} | {:.1} | {:.1} | {} | {} | {} | {} x 2 | {} | {} |",
            plan.agent_cores,
            plan.kafka_cores,
            plan.flink_cores,
            plan.clickhouse_cores,
            plan.partitions,
            plan.slots,
            plan.brokers,
            plan.shards,
            bytes(plan.kafka_disk_bytes),
            bytes(plan.clickhouse_disk_bytes),
        ));
    }
    let rows = rows.join("\n");
    assert!(readme.contains(&rows), "deploy/README.md has other rows than these:\n{rows}");
}
