//! Against real servers: TOCSIN_TEST_CLICKHOUSE_URL and TOCSIN_TEST_KAFKA say where. Every test makes a database or topics of its own.
//!
//! A laptop without servers skips them and says so; CI fails instead.

use std::io::Write;
use std::path::Path;
use std::sync::Barrier;
use std::thread;

use tocsin_wire::registrations::Device;

use super::files::SchemaFile;
use super::topics::{Cleanup, Topic};
use super::*;
use crate::clickhouse::Outcome;
use crate::devices::topic::DevicesTopic;

/// The address in `variable`; none, with a word about it, where the test shall be skipped.
fn server(variable: &str) -> Option<String> {
    let address = std::env::var(variable).ok().filter(|address| !address.is_empty());
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(address.is_some() || !is_ci, "{variable} must be set in CI: `make test` sets it from the embedded stack");
    if address.is_none() {
        // Not by eprintln!, which cargo keeps to itself when a test passes.
        let _ = writeln!(std::io::stderr(), "skipped: {variable} is not set; `make test` starts the server and sets it");
    }
    address
}

/// A database of its own for each test, dropped at the end.
struct OwnDatabase {
    clickhouse: ClickHouse,
    name: String,
}

impl OwnDatabase {
    fn make(test: &str) -> Option<Self> {
        let url = server("TOCSIN_TEST_CLICKHOUSE_URL")?;
        let args = ClickHouseArgs { url, user: "default".to_owned(), password_file: None };
        Some(Self { clickhouse: ClickHouse::new(&args).unwrap(), name: format!("tocsin_test_{test}_{}", std::process::id()) })
    }

    /// The answer to a statement about `tocsin.`, asked of this database.
    fn run(&self, statement: &str) -> String {
        self.clickhouse.run(&statement.replace("tocsin.", &format!("{}.", self.name))).unwrap()
    }

    fn ledger(&self) -> Ledger<'_> {
        Ledger::new(&self.clickhouse, &self.name)
    }

    /// The repository's migrations, for this database.
    fn migrations(&self) -> Vec<Migration> {
        let mut files = SchemaFiles::load(None).unwrap().migrations;
        for SchemaFile { text, .. } in &mut files {
            *text = text.replace("DATABASE IF NOT EXISTS tocsin;", &format!("DATABASE IF NOT EXISTS {};", self.name));
            *text = text.replace("tocsin.", &format!("{}.", self.name));
        }
        migrations::parse(&files).unwrap()
    }
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        if let Err(failure) = self.clickhouse.run(&format!("DROP DATABASE IF EXISTS {} SYNC", self.name)) {
            eprintln!("{} was left behind: {failure}", self.name);
        }
    }
}

#[test]
fn the_migrations_make_the_schema_that_schema_sql_shows() {
    let Some(database) = OwnDatabase::make("end_state") else { return };
    database.ledger().apply(&database.migrations(), |_| ()).unwrap();
    let (made, shown) = (end_state(&database), shown_end_state());
    let difference = made.lines().zip(shown.lines()).find(|(made, shown)| made != shown);
    assert!(
        made == shown,
        "schemas/clickhouse/schema.sql is not what the migrations make: write it with `tocsin schema dump`.\nfirst difference: {difference:#?}"
    );
}

fn end_state(database: &OwnDatabase) -> String {
    ledger::dump(&database.clickhouse, &database.name).unwrap().replace(&format!("{}.", database.name), "tocsin.")
}

fn shown_end_state() -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/clickhouse/schema.sql")).unwrap()
}

/// How many migrations main had whenever it was in a state that somebody may have applied.
const RELEASED: [usize; 9] = [16, 18, 35, 57, 63, 67, 68, 70, 92];

#[test]
fn every_released_state_is_brought_to_the_same_end_and_keeps_its_rows() {
    for released in RELEASED {
        let Some(database) = OwnDatabase::make(&format!("from_{released}")) else { return };
        let migrations = database.migrations();
        database.ledger().apply(&migrations[..released], |_| ()).unwrap();
        let run = |statement: &str| database.run(statement);
        run("INSERT INTO tocsin.syslog (event_id, agent_id, boot_id, agent_sequence, device, received_at, message, raw) \
             SELECT if(number < 9, concat('a-7-', toString(number)), 'other'), 'a', 7, number, 'core-1', now(), 'bgp down', \
             if(number > 0, '<30>core-1: bgp down', '<30>bgp\\xff') FROM numbers(10)");
        run("INSERT INTO tocsin.alert_history (fingerprint, version, device) VALUES ('f', 1, 'core-1')");

        assert_eq!(database.ledger().apply(&migrations, |_| ()).unwrap(), migrations.len() - released);
        assert_eq!(end_state(&database), shown_end_state(), "from {released} migrations");
        assert_eq!(run("SELECT count() FROM tocsin.syslog WHERE hasAllTokens(lower(message), ['bgp'])"), "10");
        assert_eq!(run("SELECT count() FROM tocsin.syslog WHERE event_id = concat('a-7-', toString(agent_sequence))"), "9");
        assert_eq!(run("SELECT agent_sequence, hex(given_event_id) FROM tocsin.syslog WHERE event_id = 'other'"), "9\t6F74686572");
        assert_eq!(
            run("SELECT hex(raw), message_in_raw, count() FROM tocsin.syslog GROUP BY ALL ORDER BY ALL"),
            "3C33303E626770FF\tfalse\t1\n3C33303E636F72652D313A2062677020646F776E\ttrue\t9"
        );
        assert_eq!(run("SELECT fingerprint, device FROM tocsin.alerts"), "f\tcore-1");
    }
}

#[test]
fn a_table_that_is_made_anew_keeps_its_retention_and_feeds_its_roll_ups() {
    let Some(database) = OwnDatabase::make("anew") else { return };
    let migrations = database.migrations();
    let run = |statement: &str| database.run(statement);
    database.ledger().apply(&migrations[..92], |_| ()).unwrap();
    run("ALTER TABLE tocsin.syslog REMOVE TTL");
    run(
        "INSERT INTO tocsin.syslog (event_id, device, received_at, message) SELECT toString(number), 'core-1', '2001-02-03', 'm' FROM numbers(3)",
    );

    database.ledger().apply(&migrations, |_| ()).unwrap();

    assert_eq!(database.ledger().ttls().unwrap()["syslog"], None);
    run(
        "INSERT INTO tocsin.syslog (given_event_id, device, received_at, message) SELECT toString(number), 'core-1', now(), 'm' FROM numbers(4)",
    );
    assert_eq!(run("SELECT count(), uniqExact(event_id) FROM tocsin.syslog"), "7\t4");
    assert_eq!(run("SELECT sum(stored) FROM tocsin.stored_events_1m"), "7", "rows that move are not counted again, new ones are");
}

#[test]
fn nobody_inserts_while_rows_are_moved() {
    let Some(database) = OwnDatabase::make("halted") else { return };
    let migrations = database.migrations();
    database.ledger().apply(&migrations[..93], |_| ()).unwrap();
    let insert = format!("INSERT INTO {}.syslog (device, message) VALUES ('core-1', 'm')", database.name);

    let refused = database.clickhouse.run(&insert).unwrap_err().to_string();
    assert!(refused.contains("rows_are_being_moved_by_migration_0094"), "{refused}");

    database.ledger().apply(&migrations, |_| ()).unwrap();
    database.clickhouse.run(&insert).unwrap();
}

#[test]
fn a_table_of_a_cluster_that_holds_rows_is_not_copied_and_nothing_is_changed() {
    let Some(database) = OwnDatabase::make("cluster_rows") else { return };
    let migrations = database.migrations();
    let cluster = Cluster::new("main", &migrations);
    database.ledger().apply(&migrations[..92], |_| ()).unwrap();
    let insert = "INSERT INTO tocsin.syslog (device, received_at, message) VALUES ('core-1', now(), 'm')";
    database.run(insert);

    let refused = database.ledger().on(Some(&cluster)).apply(&migrations, |_| ()).unwrap_err().to_string();

    assert!(refused.contains("syslog has rows") && refused.contains("0094_replace_syslog.sql"), "{refused}");
    database.run(insert);
}

#[test]
fn an_insert_that_is_under_way_is_waited_for() {
    let Some(database) = OwnDatabase::make("under_way") else { return };
    let migrations = database.migrations();
    database.ledger().apply(&migrations[..92], |_| ()).unwrap();
    let slow =
        "INSERT INTO tocsin.syslog (device, received_at, message) SELECT 'core-1', now(), toString(sleepEachRow(0.5)) FROM numbers(3)";
    thread::scope(|scope| {
        let insert = scope.spawn(|| database.run(slow));
        while database.clickhouse.run(&database.ledger().inserts_under_way("syslog")).unwrap() == "0" {
            assert!(!insert.is_finished(), "the insert was over before it was seen");
        }
        database.ledger().apply(&migrations, |_| ()).unwrap();
    });
    assert_eq!(database.run("SELECT count() FROM tocsin.syslog"), "3");
}

#[test]
fn a_long_statement_runs_once_at_a_time_and_says_how_far_it_is() {
    let Some(database) = OwnDatabase::make("alone") else { return };
    let id = format!("{}-slow", database.name);
    let slow = "SELECT sleepEachRow(1) FROM numbers(4) SETTINGS max_block_size = 1 FORMAT Null";
    let mut second = None;
    let first = database
        .clickhouse
        .run_alone(&id, slow, |progress| {
            assert!(progress.seconds >= 1, "{progress:?}");
            second = Some(database.clickhouse.run_alone(&id, slow, |_| ()).unwrap());
        })
        .unwrap();
    assert_eq!((first, second), (Outcome::Done, Some(Outcome::RunsElsewhere)));
}

#[test]
fn applying_again_changes_nothing() {
    let Some(database) = OwnDatabase::make("again") else { return };
    let migrations = database.migrations();
    assert!(database.ledger().read().unwrap().is_empty());
    let mut reported = Vec::new();
    let applied = database
        .ledger()
        .apply(&migrations, |news| {
            if let ledger::News::Applied(migration) = news {
                reported.push(migration.name.clone());
            }
        })
        .unwrap();
    assert_eq!(applied, migrations.len());
    assert_eq!(reported, migrations.iter().map(|migration| migration.name.clone()).collect::<Vec<_>>());
    let before = database.ledger().read().unwrap();

    assert_eq!(database.ledger().apply(&migrations, |news| panic!("applied twice: {news}")).unwrap(), 0);
    assert_eq!(database.ledger().read().unwrap(), before);
}

#[test]
fn appliers_that_start_together_all_succeed_and_leave_one_row_a_migration() {
    let Some(database) = OwnDatabase::make("together") else { return };
    let migrations = database.migrations();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                database.ledger().apply(&migrations, |_| ()).unwrap();
            });
        }
    });
    let numbers: Vec<u32> = database.ledger().read().unwrap().into_iter().map(|applied| applied.number).collect();
    assert_eq!(numbers, migrations.iter().map(|migration| migration.number).collect::<Vec<_>>());
}

#[test]
fn an_interrupted_apply_goes_on_where_it_stopped() {
    let Some(database) = OwnDatabase::make("interrupted") else { return };
    let mut migrations = database.migrations();
    let last = migrations.len() - 1;
    let intact = migrations[last].clone();
    migrations[last].text = "CREATE TABLE IF NOT EXISTS nonsense (".to_owned();
    let failure = database.ledger().apply(&migrations, |_| ()).unwrap_err().to_string();
    assert!(failure.contains(&format!("migration {}", intact.name)) && failure.contains("Syntax error"), "{failure}");

    migrations[last] = intact;
    assert_eq!(database.ledger().apply(&migrations, |_| ()).unwrap(), 1);
}

#[test]
fn retention_is_set_once_and_goes_back_when_its_file_no_longer_says_so() {
    let Some(database) = OwnDatabase::make("retention") else { return };
    let (ledger, migrations) = (database.ledger(), database.migrations());
    ledger.apply(&migrations, |_| ()).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let altered = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        apply_retention(&ledger, &Retention::load(file.path()).unwrap(), &migrations).unwrap()
    };

    assert_eq!(altered("syslog: 400\n"), "retention (0 altered now)", "what the migrations make is what the example says");
    assert_eq!(altered("syslog: 90\nsyslog_volume_1d: 30\ndhcp: forever\n"), "retention (3 altered now)");
    assert_eq!(altered("syslog: 90\nsyslog_volume_1d: 30\ndhcp: forever\n"), "retention (0 altered now)");
    let ttls = ledger.ttls().unwrap();
    let ttl = |table: &str| ttls[table].as_deref();
    assert_eq!(ttl("syslog"), Some("toDateTime(received_at) + toIntervalDay(90)"));
    assert_eq!(ttl("syslog_volume_1d"), Some("day + toIntervalDay(30)"));
    assert_eq!(ttl("dhcp"), None);

    assert_eq!(altered("syslog: 90\n"), "retention (2 altered now)");
    assert_eq!(ledger.ttls().unwrap()["dhcp"].as_deref(), Some("toDateTime(received_at) + toIntervalDay(400)"));
}

#[test]
fn clickhouse_can_parse_every_statement_for_a_cluster() {
    let Some(database) = OwnDatabase::make("cluster") else { return };
    let files = SchemaFiles::load(None).unwrap();
    let migrations = migrations::parse(&files.migrations).unwrap();
    let cluster = Cluster::new("main", &migrations);
    let texts = files.migrations.iter().chain(&files.questions);
    for statement in texts.flat_map(|file| cluster.statements(&file.text)).chain(cluster.alter("syslog", "REMOVE TTL")) {
        let parameters = [("statement".to_owned(), statement.clone())];
        let answer = database.clickhouse.ask("SELECT formatQuery({statement:String})", &parameters).unwrap();
        assert!(answer.contains("ON CLUSTER"), "{statement}");
    }
}

#[test]
fn an_edited_migration_is_refused_before_anything_is_changed() {
    let Some(database) = OwnDatabase::make("edited") else { return };
    let mut migrations = database.migrations();
    let last = migrations.pop().unwrap();
    database.ledger().apply(&migrations, |_| ()).unwrap();
    migrations[2].sha256 = "0".repeat(64);
    migrations.push(last);
    let failure = database.ledger().apply(&migrations, |news| panic!("{news}")).unwrap_err().to_string();
    assert!(failure.contains(&format!("{} was edited", migrations[2].name)), "{failure}");
}

/// A topic that no other test uses. It is left behind: brokers of tests are thrown away.
fn own_topic(test: &str) -> Topic {
    Topic {
        name: format!("test-{test}-{}-v1", std::process::id()),
        message: "tocsin.events.v1.Event".to_owned(),
        key: "device".to_owned(),
        partitions: 2,
        cleanup: Cleanup::Delete,
        retention_hours: Some(1),
    }
}

#[test]
fn a_topic_is_created_once_and_altered_when_its_file_changes() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(&address).unwrap();
    let mut topics = [own_topic("altered")];
    assert!(apply_topics(&kafka, &topics, Some(1)).unwrap().contains("1 created now, 0 altered now"));
    assert!(apply_topics(&kafka, &topics, Some(1)).unwrap().contains("0 created now, 0 altered now"));
    assert!(!kafka.create(&topics[0], 1).unwrap(), "creating what another process created meanwhile is no failure");

    topics[0].retention_hours = Some(2);
    assert!(apply_topics(&kafka, &topics, Some(1)).unwrap().contains("0 created now, 1 altered now"));
    assert!(apply_topics(&kafka, &topics, Some(1)).unwrap().contains("0 created now, 0 altered now"));
}

#[test]
fn altering_a_topic_leaves_what_an_operator_has_set() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(&address).unwrap();
    let mut topic = own_topic("operator");
    apply_topics(&kafka, std::slice::from_ref(&topic), Some(1)).unwrap();
    let by_operator = topics::SettingChange { name: "segment.bytes".to_owned(), from: String::new(), to: "1048576".to_owned() };
    kafka.alter(&topic, &[by_operator]).unwrap();

    topic.retention_hours = Some(3);
    apply_topics(&kafka, std::slice::from_ref(&topic), Some(1)).unwrap();
    let existing = &kafka.existing(std::slice::from_ref(&topic)).unwrap()[&topic.name];
    assert_eq!((existing.settings["segment.bytes"].as_str(), existing.settings["retention.ms"].as_str()), ("1048576", "10800000"));
}

#[test]
fn another_number_of_partitions_is_refused_by_name() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(&address).unwrap();
    let mut topics = [own_topic("partitions")];
    apply_topics(&kafka, &topics, Some(1)).unwrap();
    topics[0].partitions = 4;
    let failure = apply_topics(&kafka, &topics, Some(1)).unwrap_err().to_string();
    assert!(failure.contains(&topics[0].name) && failure.contains("has 2 partitions"), "{failure}");
}

#[test]
fn a_device_that_is_written_is_read_and_one_that_is_removed_is_gone() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let own = own_topic("devices");
    apply_topics(&Kafka::new(&address).unwrap(), std::slice::from_ref(&own), Some(1)).unwrap();
    let topic = DevicesTopic::new(&address, &own.name);
    assert!(topic.read().unwrap().is_empty());
    let device = |mac: &str| Device { mac: mac.to_owned(), owner: "Ada".to_owned(), access: 2, ..Device::default() };
    topic.write(&[device("02:00:00:00:00:01"), device("02:00:00:00:00:02")], &[], 7).unwrap();
    topic.write(&[], &["02:00:00:00:00:01".to_owned()], 8).unwrap();
    let expected = Device { imported_at_unix_nanos: 7, ..device("02:00:00:00:00:02") };
    assert_eq!(topic.read().unwrap().into_values().collect::<Vec<_>>(), [expected]);
}

#[test]
fn more_copies_than_brokers_are_refused_with_the_remedy() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(&address).unwrap();
    let failure = kafka.create(&own_topic("copies"), 99).unwrap_err().to_string();
    assert!(failure.contains("--replication"), "{failure}");
}

#[test]
fn every_question_answers_its_own_example() {
    let Some(database) = OwnDatabase::make("questions") else { return };
    database.ledger().apply(&database.migrations(), |_| ()).unwrap();
    let here = |text: &str| text.replace("tocsin.", &format!("{}.", database.name));
    for question in question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap() {
        database.clickhouse.run(&here(&question.text)).unwrap();
        let typed = words(question.example.strip_prefix(&format!("tocsin ask {}", question.name)).unwrap());
        let given = crate::ask::given(&question, &typed, jiff::Timestamp::now()).unwrap();
        let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
        let select = here(&question.select(&names).unwrap());
        let answer = database.clickhouse.ask(&format!("{select} FORMAT TSVWithNames"), &given).unwrap();
        assert_eq!(answer.lines().count(), 1, "{}: an empty database has no answer but the names: {answer}", question.name);
    }
}

/// The words of a command line, as a shell splits them; single quotes keep blanks.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for (index, part) in line.split('\'').enumerate() {
        let last = words.last_mut().unwrap();
        if index % 2 == 1 {
            last.push_str(part);
        } else {
            let mut pieces = part.split(' ');
            last.push_str(pieces.next().unwrap_or_default());
            words.extend(pieces.map(str::to_owned));
        }
    }
    words.retain(|word| !word.is_empty());
    words
}
