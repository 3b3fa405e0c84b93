//! Against real servers: TOCSIN_TEST_CLICKHOUSE_URL and TOCSIN_TEST_KAFKA say where. Every test makes a database or topics of its own.
//!
//! A laptop without servers skips them and says so; CI fails instead.

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use tocsin_kafka::Connection;
use tocsin_wire::registrations::Device;

use super::files::SchemaFile;
use super::topics::{Cleanup, Topic};
use super::*;
use crate::clickhouse::Outcome;
use crate::devices::topic::DevicesTopic;

mod growth;
mod partitions;

/// The address in `variable`; none, with a word about it, where the test shall be skipped.
pub(crate) fn server(variable: &str) -> Option<String> {
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
        let args = ClickHouseArgs { url, user: "default".to_owned(), password_file: None, authorities: None };
        Some(Self { clickhouse: ClickHouse::new(&args).unwrap(), name: format!("tocsin_test_{test}_{}", std::process::id()) })
    }

    /// The answer to a statement about `tocsin.`, asked of this database.
    fn run(&self, statement: &str) -> String {
        self.clickhouse.run(&statement.replace("tocsin.", &format!("{}.", self.name))).unwrap()
    }

    fn ledger(&self) -> Ledger<'_> {
        Ledger::new(&self.clickhouse, &self.name)
    }

    /// The repository's files for this database, edited by `edit`.
    fn edited(&self, edit: impl FnOnce(&mut SchemaFiles)) -> DatabaseSchema {
        let mut files = SchemaFiles::load(None).unwrap();
        edit(&mut files);
        // A file is read as one of the database tocsin: what it says about another is not looked at.
        let mut schema = DatabaseSchema::parse(&files).unwrap();
        let here = |text: &str| text.replace("tocsin.", &format!("{}.", self.name));
        for file in &mut schema.baseline {
            file.statements.iter_mut().for_each(|statement| *statement = here(statement));
        }
        schema.migrations.iter_mut().for_each(|migration| migration.text = here(&migration.text));
        schema
    }

    /// The repository's files and the [`MADE_UP`] migrations, for this database.
    fn schema(&self) -> DatabaseSchema {
        self.edited(|files| files.migrations = made_up(&MADE_UP))
    }

    /// By name: the engine of everything that is there.
    fn engines(&self) -> BTreeMap<String, String> {
        let rows = self.run(&format!(
            "SELECT name, engine FROM system.tables WHERE database = '{}' AND name NOT LIKE '.inner%' FORMAT TSV",
            self.name
        ));
        rows.lines().map(|row| row.split_once('\t').unwrap()).map(|(name, engine)| (name.to_owned(), engine.to_owned())).collect()
    }
}

/// Migrations of a later day: a column, a table, and its end.
const MADE_UP: [(&str, &str); 3] = [
    ("0001_add_note_to_pages.sql", "ALTER TABLE tocsin.pages ADD COLUMN IF NOT EXISTS note String"),
    ("0002_create_notes.sql", "-- Shard: at\nCREATE TABLE IF NOT EXISTS tocsin.notes (at DateTime) ENGINE = MergeTree ORDER BY at"),
    ("0003_drop_notes.sql", "DROP TABLE IF EXISTS tocsin.notes"),
];

fn made_up(migrations: &[(&str, &str)]) -> Vec<SchemaFile> {
    migrations.iter().map(|(name, text)| SchemaFile { name: (*name).to_owned(), text: (*text).to_owned() }).collect()
}

/// The file `name` of the baseline, with `from` made `to`.
fn edit(files: &mut SchemaFiles, name: &str, from: &str, to: &str) {
    let file = files.baseline.iter_mut().find(|file| file.name == name).unwrap();
    assert!(file.text.contains(from), "{name} has no {from:?}");
    file.text = file.text.replacen(from, to, 1);
}

impl Drop for OwnDatabase {
    fn drop(&mut self) {
        if let Err(failure) = self.clickhouse.run(&format!("DROP DATABASE IF EXISTS {} SYNC", self.name)) {
            eprintln!("{} was left behind: {failure}", self.name);
        }
    }
}

#[test]
fn the_database_holds_what_the_files_make_and_nothing_else() {
    let Some(database) = OwnDatabase::make("end_state") else { return };
    let schema = database.edited(|_| ());
    database.ledger().apply(&schema, |_| ()).unwrap();
    let mut expected = BTreeMap::new();
    for statement in schema.baseline.iter().flat_map(|file| &file.statements) {
        let (verb, rest) = statement.split_once(&format!(" IF NOT EXISTS {}.", database.name)).unwrap();
        let engine = match verb {
            "CREATE MATERIALIZED VIEW" => "MaterializedView",
            "CREATE VIEW" => "View",
            _ => rest.split_once(" ENGINE = ").unwrap().1.split([' ', '(']).next().unwrap(),
        };
        let twice = expected.insert(rest.split(' ').next().unwrap().to_owned(), engine.to_owned());
        assert_eq!(twice, None, "made by two statements: {statement}");
    }
    assert_eq!(database.engines(), expected);
}

#[test]
fn a_file_that_was_edited_in_place_is_refused_by_name_and_nothing_is_changed() {
    let Some(database) = OwnDatabase::make("edited_file") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    let edited = database.edited(|files| {
        edit(files, "events/dhcp.sql", "hostname String", "host String");
        files
            .baseline
            .push(SchemaFile { name: "events/new.sql".to_owned(), text: "CREATE VIEW IF NOT EXISTS tocsin.new AS SELECT 1".to_owned() });
        files.migrations = made_up(&MADE_UP);
    });

    let refused = database.ledger().apply(&edited, |news| panic!("{news}")).unwrap_err().to_string();

    assert!(refused.contains("clickhouse/events/dhcp.sql (applied ") && refused.contains("DROP DATABASE tocsin SYNC"), "{refused}");
    assert!(!refused.contains("syslog"), "only what was edited is named: {refused}");
    assert!(!database.engines().contains_key("new"));
}

#[test]
fn a_file_that_is_new_is_made_and_a_mended_comment_is_no_edit() {
    let Some(database) = OwnDatabase::make("new_file") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    let grown = database.edited(|files| {
        edit(files, "events/dhcp.sql", "-- ", "-- In other words: ");
        files
            .baseline
            .push(SchemaFile { name: "events/new.sql".to_owned(), text: "CREATE VIEW IF NOT EXISTS tocsin.new AS SELECT 1".to_owned() });
    });
    assert_eq!(database.ledger().apply(&grown, |_| ()).unwrap(), 1);
    assert_eq!(database.engines()["new"], "View");
}

#[test]
fn migrations_follow_the_baseline_in_order_in_a_new_database_and_in_an_old_one() {
    for old in [false, true] {
        let Some(database) = OwnDatabase::make(&format!("migrated_{old}")) else { return };
        if old {
            database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
            database.run("INSERT INTO tocsin.pages (sent_at) VALUES (now())");
        }
        let schema = database.schema();
        let applied = database.ledger().apply(&schema, |_| ()).unwrap();
        assert_eq!(applied, MADE_UP.len() + if old { 0 } else { schema.baseline.len() });
        assert_eq!(database.run("SELECT count(), countIf(note = '') FROM tocsin.pages"), if old { "1\t1" } else { "0\t0" });
        assert!(!database.engines().contains_key("notes"));
    }
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
            // Asked once: at a later look the first may be about to end, and the second would run.
            second.get_or_insert_with(|| database.clickhouse.run_alone(&id, slow, |_| ()).unwrap());
        })
        .unwrap();
    assert_eq!((first, second), (Outcome::Done, Some(Outcome::RunsElsewhere)));
}

#[test]
fn a_statement_that_another_process_does_not_end_is_waited_for_no_longer_than_patience() {
    let Some(database) = OwnDatabase::make("patience") else { return };
    let id = database.ledger().query_id(baseline::LEDGER, &format!("CREATE DATABASE IF NOT EXISTS {}", database.name));
    let slow = "SELECT sleepEachRow(1) FROM numbers(4) SETTINGS max_block_size = 1 FORMAT Null";
    let mut second = None;
    database
        .clickhouse
        .run_alone(&id, slow, |_| {
            let impatient = database.ledger().with_patience(Duration::ZERO);
            second.get_or_insert_with(|| impatient.apply(&database.schema(), |_| ()).unwrap_err().to_string());
        })
        .unwrap();
    let failure = second.unwrap();
    assert!(failure.contains("another `tocsin schema apply` has been at it for 0 s") && failure.contains(&id), "{failure}");
}

#[test]
fn applying_again_changes_nothing() {
    let Some(database) = OwnDatabase::make("again") else { return };
    let schema = database.schema();
    assert!(database.ledger().read().unwrap().is_empty());
    let mut reported = Vec::new();
    let applied = database
        .ledger()
        .apply(&schema, |news| {
            if let ledger::News::Applied(name) = news {
                reported.push(name.to_owned());
            }
        })
        .unwrap();
    assert_eq!(applied, reported.len());
    assert_eq!(reported, names(&schema));
    let before = database.ledger().read().unwrap();

    assert_eq!(database.ledger().apply(&schema, |news| panic!("applied twice: {news}")).unwrap(), 0);
    assert_eq!(database.ledger().read().unwrap(), before);
}

/// The names of all files, in the order of the ledger.
fn names(schema: &DatabaseSchema) -> Vec<String> {
    let baseline = schema.baseline.iter().map(|file| file.name.clone());
    baseline.chain(schema.migrations.iter().map(|migration| migration.name.clone())).collect()
}

#[test]
fn appliers_that_start_together_all_succeed_and_leave_one_row_a_file() {
    let Some(database) = OwnDatabase::make("together") else { return };
    let schema = database.schema();
    let start = Barrier::new(4);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                start.wait();
                database.ledger().apply(&schema, |_| ()).unwrap();
            });
        }
    });
    let recorded: Vec<String> = database.ledger().read().unwrap().into_iter().map(|applied| applied.name).collect();
    assert_eq!(recorded, names(&schema));
    assert!(
        !database.engines().contains_key("notes"),
        "an applier that has fallen behind does not repeat what a later migration has undone"
    );
}

#[test]
fn an_interrupted_apply_goes_on_where_it_stopped() {
    let Some(database) = OwnDatabase::make("interrupted") else { return };
    let intact = database.schema();
    let mut broken = intact.clone();
    let last_view = broken.baseline.iter_mut().find(|file| file.name == "registrations/registrations.sql").unwrap();
    *last_view.statements.last_mut().unwrap() = "CREATE VIEW nonsense (".to_owned();
    let failure = database.ledger().apply(&broken, |_| ()).unwrap_err().to_string();
    assert!(failure.contains("registrations/registrations.sql") && failure.contains("Syntax error"), "{failure}");

    let mut broken = intact.clone();
    broken.migrations[2].text = "DROP TABLE nonsense (".to_owned();
    let failure = database.ledger().apply(&broken, |_| ()).unwrap_err().to_string();
    assert!(failure.contains("0003_drop_notes.sql") && failure.contains("Syntax error"), "{failure}");

    assert_eq!(database.ledger().apply(&intact, |_| ()).unwrap(), 1);
}

#[test]
fn retention_is_set_once_and_goes_back_when_its_file_no_longer_says_so() {
    let Some(database) = OwnDatabase::make("retention") else { return };
    let (ledger, schema) = (database.ledger(), database.schema());
    ledger.apply(&schema, |_| ()).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    let altered = |text: &str| {
        std::fs::write(file.path(), text).unwrap();
        apply_retention(&ledger, &Retention::load(file.path()).unwrap(), &schema, &ledger.ttls().unwrap()).unwrap()
    };

    assert_eq!(altered("syslog: 400\n"), "retention (0 altered now)", "what the files make is what the example says");
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
    let schema = DatabaseSchema::parse(&files).unwrap();
    let cluster = Cluster::new("main", &schema);
    let texts = schema.texts().chain(files.questions.iter().map(|file| file.text.as_str()));
    for statement in texts.flat_map(|text| cluster.statements(text)).chain(cluster.alter("syslog", "REMOVE TTL")) {
        let parameters = [("statement".to_owned(), statement.clone())];
        let answer = database.clickhouse.ask("SELECT formatQuery({statement:String})", &parameters).unwrap();
        assert!(answer.contains("ON CLUSTER"), "{statement}");
    }
}

#[test]
fn an_edited_migration_is_refused_before_anything_is_changed() {
    let Some(database) = OwnDatabase::make("edited") else { return };
    database.ledger().apply(&database.edited(|files| files.migrations = made_up(&MADE_UP[..1])), |_| ()).unwrap();
    let mut schema = database.schema();
    schema.migrations[0].sha256 = "0".repeat(64);
    let failure = database.ledger().apply(&schema, |news| panic!("{news}")).unwrap_err().to_string();
    assert!(failure.contains("0001_add_note_to_pages.sql was edited"), "{failure}");
}

/// A topic that no other test uses. It is left behind: brokers of tests are thrown away.
fn own_topic(test: &str) -> Topic {
    Topic {
        name: format!("test-{test}-{}-v1", std::process::id()),
        message: "tocsin.events.v1.Event".to_owned(),
        key: "device".to_owned(),
        written_by: vec![topics::KafkaUser::Agent],
        read_by: vec![topics::KafkaUser::Jobs],
        partitions: 2,
        cleanup: Cleanup::Delete,
        retention_hours: Some(1),
        history_hours: None,
        timestamps: topics::Timestamps::Create,
    }
}

#[test]
fn a_topic_is_created_once_and_altered_when_its_file_changes() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(Connection::new(&address)).unwrap();
    let mut topics = [own_topic("altered")];
    assert!(apply_topics(&kafka, &topics, &[], Some(1)).unwrap().contains("1 created now, 0 altered now"));
    assert!(apply_topics(&kafka, &topics, &[], Some(1)).unwrap().contains("0 created now, 0 altered now"));
    assert!(!kafka.create(&topics[0], 1).unwrap(), "creating what another process created meanwhile is no failure");

    topics[0].retention_hours = Some(2);
    assert!(apply_topics(&kafka, &topics, &[], Some(1)).unwrap().contains("0 created now, 1 altered now"));
    assert!(apply_topics(&kafka, &topics, &[], Some(1)).unwrap().contains("0 created now, 0 altered now"));
}

#[test]
fn altering_a_topic_leaves_what_an_operator_has_set() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(Connection::new(&address)).unwrap();
    let mut topic = own_topic("operator");
    apply_topics(&kafka, std::slice::from_ref(&topic), &[], Some(1)).unwrap();
    let by_operator = topics::SettingChange { name: "segment.bytes".to_owned(), from: String::new(), to: "1048576".to_owned() };
    kafka.alter(&topic, &[by_operator]).unwrap();

    topic.retention_hours = Some(3);
    apply_topics(&kafka, std::slice::from_ref(&topic), &[], Some(1)).unwrap();
    let existing = &kafka.existing(std::slice::from_ref(&topic.name)).unwrap()[&topic.name];
    assert_eq!((existing.settings["segment.bytes"].as_str(), existing.settings["retention.ms"].as_str()), ("1048576", "10800000"));
}

#[test]
fn a_device_that_is_written_is_read_and_one_that_is_removed_is_gone() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let own = own_topic("devices");
    apply_topics(&Kafka::new(Connection::new(&address)).unwrap(), std::slice::from_ref(&own), &[], Some(1)).unwrap();
    let topic = DevicesTopic::new(Connection::new(&address), &own.name);
    assert!(topic.read().unwrap().is_empty());
    let device = |mac: &str| Device { mac: mac.to_owned(), owner: "Ada".to_owned(), access: 2, ..Device::default() };
    topic.write(&[device("02:00:00:00:00:01"), device("02:00:00:00:00:02")], &[], 7).unwrap();
    topic.write(&[], &["02:00:00:00:00:01".to_owned()], 8).unwrap();
    let expected = Device { imported_at_unix_nanos: 7, ..device("02:00:00:00:00:02") };
    assert_eq!(topic.read().unwrap().into_values().collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_topic_can_be_read_as_soon_as_it_is_created() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    for turn in 0..3 {
        let own = Topic { partitions: 64, ..own_topic(&format!("at-once-{turn}")) };
        apply_topics(&Kafka::new(Connection::new(&address)).unwrap(), std::slice::from_ref(&own), &[], Some(1)).unwrap();
        assert!(DevicesTopic::new(Connection::new(&address), &own.name).read().unwrap().is_empty());
    }
}

#[test]
fn more_copies_than_brokers_are_refused_with_the_remedy() {
    let Some(address) = server("TOCSIN_TEST_KAFKA") else { return };
    let kafka = Kafka::new(Connection::new(&address)).unwrap();
    let failure = kafka.create(&own_topic("copies"), 99).unwrap_err().to_string();
    assert!(failure.contains("--replication"), "{failure}");
}

#[test]
fn every_question_answers_its_own_example() {
    let Some(database) = OwnDatabase::make("questions") else { return };
    database.ledger().apply(&database.schema(), |_| ()).unwrap();
    let here = |text: &str| text.replace("tocsin.", &format!("{}.", database.name));
    for question in question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap() {
        database.clickhouse.run(&here(&question.text)).unwrap();
        let typed = words(question.example.strip_prefix(&format!("tocsin ask {}", question.name)).unwrap());
        let zone = crate::ask::zone::Zone::find(Some("Europe/Berlin")).unwrap();
        let told = crate::ask::told::told(&question, &typed, jiff::Timestamp::now(), &zone).unwrap();
        let told: Vec<_> = told.into_iter().map(|told| (told.name, told.value)).collect();
        let answer = database.clickhouse.ask(&format!("{} FORMAT TSVWithNames", here(&question.select())), &told).unwrap();
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
