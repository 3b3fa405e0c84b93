//! The schema at a real ClickHouse: reads the ledger, applies what is pending, sets retention.

use std::collections::BTreeMap;
use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::applied::{Applied, BASELINE, sha256};
use super::baseline;
use super::cluster::Cluster;
use super::database::DatabaseSchema;
use super::migrations;
use super::retention::{TtlChange, ttl_of};
use crate::Failure;
use crate::clickhouse::{ClickHouse, Outcome, Progress};

/// The database that everything is stored in.
pub const DATABASE: &str = "tocsin";

/// The database of a cluster's replicated tables: see [`Cluster`].
const LOCAL_DATABASE: &str = "tocsin_local";

/// A statement that another process runs ends when it ends; this is how often one looks.
const OTHER_APPLIER_POLL: Duration = Duration::from_secs(1);

/// So long one waits for one statement of another process: a migration of a large table takes minutes.
const OTHER_APPLIER_PATIENCE: Duration = Duration::from_secs(30 * 60);

/// What an operator wants to hear while files are applied. Each has the file's name.
#[derive(Debug, Clone, Copy)]
pub enum News<'a> {
    /// It is done, and in the ledger.
    Applied(&'a str),
    /// It takes its time.
    Progress(&'a str, Progress),
    /// Another process is at it.
    RunsElsewhere(&'a str),
    /// So many of its rows are brought to another shard; a table in place of a file.
    BringsHome(&'a str, u64),
}

impl fmt::Display for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied(file) => write!(f, "applied {file}"),
            Self::Progress(file, Progress { seconds, rows_read, rows_expected }) => {
                write!(f, "{file}: {rows_read} of {rows_expected} rows after {seconds} s")
            }
            Self::RunsElsewhere(file) => write!(f, "{file}: another `tocsin schema apply` is at it; waiting"),
            Self::BringsHome(table, rows) => write!(f, "{table}: bringing {rows} rows to the shard that is theirs now"),
        }
    }
}

/// The ledger of one database. `database` is always [`DATABASE`] except in tests, which make a database of their own.
pub struct Ledger<'a> {
    clickhouse: &'a ClickHouse,
    database: &'a str,
    cluster: Option<&'a Cluster>,
    patience: Duration,
}

impl<'a> Ledger<'a> {
    /// The ledger of `database` at `clickhouse`.
    pub fn new(clickhouse: &'a ClickHouse, database: &'a str) -> Self {
        Self { clickhouse, database, cluster: None, patience: OTHER_APPLIER_PATIENCE }
    }

    /// The same on a cluster of servers. Its database is [`DATABASE`].
    pub fn on(self, cluster: Option<&'a Cluster>) -> Self {
        Self { cluster, ..self }
    }

    /// The same, waiting so long for each statement that another process runs.
    #[cfg(test)]
    pub fn with_patience(self, patience: Duration) -> Self {
        Self { patience, ..self }
    }

    /// What has been applied, by number and name; empty where there is no ledger yet. Changes nothing.
    pub fn read(&self) -> Result<Vec<Applied>, Failure> {
        let database = self.database;
        if self.clickhouse.run(&format!("EXISTS TABLE {database}.schema_migrations"))? != "1" {
            return Ok(Vec::new());
        }
        let skip = u8::from(self.cluster.is_some_and(|cluster| cluster.has_new_servers));
        let rows = self.clickhouse.run(&format!(
            "SELECT number, name, sha256, toString(applied_at) AS applied_at FROM {database}.schema_migrations FINAL \
             ORDER BY number, name SETTINGS skip_unavailable_shards = {skip} FORMAT JSONEachRow"
        ));
        let rows = rows.map_err(|failure| if self.cluster.is_some() { of_server_without_tables(failure) } else { failure })?;
        rows.lines()
            .map(|row| {
                serde_json::from_str(row).map_err(|error| {
                    Failure::new(
                        format!("a row of {database}.schema_migrations cannot be read: {error}: {row}"),
                        "the table was not made by tocsin; restore it from a backup, or drop it if the database is empty",
                    )
                })
            })
            .collect()
    }

    /// Makes on servers that have joined the cluster what the others have: every statement again, as each can be repeated.
    pub fn make_everywhere(&self, schema: &DatabaseSchema, mut report: impl FnMut(News<'_>)) -> Result<(), Failure> {
        self.make_ledger(schema, &mut report)?;
        let files: Vec<_> = schema.baseline.iter().collect();
        let baseline = baseline::in_order(&files).into_iter().map(|(file, statement)| (&file.name, statement));
        let migrations = schema.migrations.iter().map(|migration| (&migration.name, migration.text.as_str()));
        for (file, statement) in baseline.chain(migrations) {
            self.run(file, statement, || Ok(false), &mut report)?;
        }
        Ok(())
    }

    /// Brings rows of which the newest of a key counts to the shard where new ones of their key go. Returns how many.
    pub fn bring_home(&self, mut report: impl FnMut(News<'_>)) -> Result<u64, Failure> {
        let Some(cluster) = self.cluster else { return Ok(0) };
        let shards = self.shards(cluster)?;
        let mut brought = 0;
        for table in cluster.replaced() {
            let elsewhere = || self.number(&cluster.elsewhere(table, shards));
            let rows = elsewhere()?;
            if rows == 0 {
                continue;
            }
            report(News::BringsHome(table, rows));
            for statement in cluster.bring_home(table, shards) {
                self.clickhouse.run(&statement).map_err(|failure| failure.during(table))?;
            }
            let left = elsewhere()?;
            if left > 0 {
                return Err(Failure::new(
                    format!("{table}: {left} rows lie on another shard than new ones of their key, still"),
                    "stop what inserts (the archive job) and repeat this; a server that does not know itself in system.clusters (is_local) keeps what it has",
                ));
            }
            brought += rows;
        }
        Ok(brought)
    }

    fn shards(&self, cluster: &Cluster) -> Result<u32, Failure> {
        let answer = self.clickhouse.run(&cluster.shards())?;
        let numbers: Vec<u32> = answer.split('\t').filter_map(|number| number.parse().ok()).collect();
        match numbers[..] {
            [shards, 1] if shards > 0 => Ok(shards),
            [0, _] => Err(Failure::usage("ClickHouse knows no such cluster", "name one of its remote_servers with --cluster")),
            _ => Err(Failure::new(
                format!("shards and their greatest weight are {answer:?}: rows of a key are found where all weights are 1"),
                "leave <weight> out of remote_servers",
            )),
        }
    }

    fn number(&self, question: &str) -> Result<u64, Failure> {
        let answer = self.clickhouse.run(question)?;
        answer
            .parse()
            .map_err(|_| Failure::new(format!("ClickHouse answered {answer:?} to {question}"), "compare its version with the README's"))
    }

    /// Applies what is pending, tells `report` of each and of what takes long, and returns how many files it did.
    ///
    /// Safe to run in several processes at once: every statement is idempotent and runs in one process at a time, and a second row of the same
    /// file is merged away.
    pub fn apply(&self, schema: &DatabaseSchema, mut report: impl FnMut(News<'_>)) -> Result<usize, Failure> {
        // Refusals come first, so that nothing is changed in a database that is not as expected.
        let recorded = self.read()?;
        let files = baseline::pending(&schema.baseline, &recorded)?;
        let migrations = migrations::pending(&schema.migrations, &recorded)?;

        self.make_ledger(schema, &mut report)?;
        for (file, statement) in baseline::in_order(&files) {
            self.run(&file.name, statement, || self.is_recorded(BASELINE, &file.name), &mut report)?;
        }
        for file in &files {
            self.record(BASELINE, &file.name, &file.sha256)?;
            report(News::Applied(&file.name));
        }
        let mut applied = files.len();
        for migration in migrations {
            if self.run(&migration.name, &migration.text, || self.is_recorded(migration.number, &migration.name), &mut report)? {
                self.record(migration.number, &migration.name, &migration.sha256)?;
                report(News::Applied(&migration.name));
                applied += 1;
            }
        }
        Ok(applied)
    }

    /// The database and the ledger, which must stand before it can be written.
    fn make_ledger(&self, schema: &DatabaseSchema, report: &mut impl FnMut(News<'_>)) -> Result<(), Failure> {
        let database = format!("CREATE DATABASE IF NOT EXISTS {}", self.database);
        let ledger = schema.baseline.iter().find(|file| file.name == baseline::LEDGER);
        for statement in std::iter::once(&database).chain(ledger.iter().flat_map(|file| &file.statements)) {
            self.run(baseline::LEDGER, statement, || Ok(false), report)?;
        }
        Ok(())
    }

    /// Runs a statement of a file, in one process at a time and unless `is_recorded` says that another has done so. Was it run here?
    fn run(
        &self,
        file: &str,
        statement: &str,
        is_recorded: impl Fn() -> Result<bool, Failure>,
        report: &mut impl FnMut(News<'_>),
    ) -> Result<bool, Failure> {
        for statement in self.statements(statement) {
            let id = self.query_id(file, &statement);
            let begun = Instant::now();
            loop {
                // Later migrations may have undone what this statement does: a process that has fallen behind must not do it again.
                if is_recorded()? {
                    return Ok(false);
                }
                let tell = |progress| report(News::Progress(file, progress));
                match self.clickhouse.run_alone(&id, &statement, tell).map_err(|failure| failure.during(file))? {
                    Outcome::Done => break,
                    Outcome::RunsElsewhere if begun.elapsed() >= self.patience => return Err(self.still_runs_elsewhere(file, &id)),
                    Outcome::RunsElsewhere => {
                        report(News::RunsElsewhere(file));
                        thread::sleep(OTHER_APPLIER_POLL);
                    }
                }
            }
        }
        Ok(true)
    }

    /// What the server knows a statement of a file by: the same in every process.
    pub(super) fn query_id(&self, file: &str, statement: &str) -> String {
        format!("tocsin schema apply: {} {file} {}", self.database, sha256(statement))
    }

    fn still_runs_elsewhere(&self, file: &str, id: &str) -> Failure {
        Failure::new(
            format!("{file}: another `tocsin schema apply` has been at it for {} s at {}", self.patience.as_secs(), self.clickhouse.url()),
            format!(
                "SELECT elapsed, read_rows FROM system.processes WHERE query_id = '{id}' says how far it is; \
                 repeat this command when it is over, or end it with KILL QUERY WHERE query_id = '{id}'"
            ),
        )
    }

    fn record(&self, number: u32, name: &str, sha256: &str) -> Result<(), Failure> {
        let insert = format!(
            "INSERT INTO {}.schema_migrations (number, name, sha256) SETTINGS distributed_foreground_insert = 1 VALUES ({number}, '{name}', '{sha256}')",
            self.database
        );
        self.clickhouse.run(&insert).map(drop)
    }

    fn is_recorded(&self, number: u32, name: &str) -> Result<bool, Failure> {
        let count = format!("SELECT count() FROM {}.schema_migrations WHERE number = {number} AND name = '{name}'", self.database);
        Ok(self.clickhouse.run(&count)? != "0")
    }

    /// Runs the one statement of `text`; on a cluster, what takes its place.
    pub fn run_text(&self, text: &str) -> Result<(), Failure> {
        self.statements(text).iter().try_for_each(|statement| self.clickhouse.run(statement).map(drop))
    }

    fn statements(&self, text: &str) -> Vec<String> {
        self.cluster.map_or_else(|| vec![text.to_owned()], |cluster| cluster.statements(text))
    }

    /// The TTL of every table, as ClickHouse writes it; none where rows are kept for ever.
    pub fn ttls(&self) -> Result<BTreeMap<String, Option<String>>, Failure> {
        #[derive(Deserialize)]
        struct Table {
            name: String,
            engine_full: String,
        }
        let database = self.cluster.map_or(self.database, |_| LOCAL_DATABASE);
        let rows = self.clickhouse.run(&format!(
            "SELECT name, engine_full FROM system.tables WHERE database = '{database}' AND engine LIKE '%MergeTree' FORMAT JSONEachRow"
        ))?;
        rows.lines()
            .map(|row| {
                let table: Table = serde_json::from_str(row).map_err(|error| {
                    Failure::new(
                        format!("a row of system.tables cannot be read: {error}: {row}"),
                        "compare ClickHouse's version with the README's",
                    )
                })?;
                Ok((table.name, ttl_of(&table.engine_full)))
            })
            .collect()
    }

    /// Gives a table another TTL.
    pub fn change_ttl(&self, change: &TtlChange) -> Result<(), Failure> {
        let TtlChange { table, .. } = change;
        let statements = match self.cluster {
            None => vec![format!("ALTER TABLE {}.{table} {}", self.database, change.clause())],
            Some(cluster) => cluster.alter(table, &change.clause()),
        };
        statements
            .iter()
            .try_for_each(|statement| self.clickhouse.run(statement).map(drop))
            .map_err(|failure| failure.during(&format!("retention of {table}")))
    }
}

/// The same failure with what helps, where a server of a cluster knows nothing of our tables.
fn of_server_without_tables(failure: Failure) -> Failure {
    let said = failure.to_string();
    if !said.contains("There is no table") && !said.contains("UNKNOWN_TABLE") {
        return failure;
    }
    failure.during("a server of the cluster has no tables yet").with_remedy(
        "those that have joined get them by `tocsin schema apply --new-servers`; deploy/clickhouse/README.md says what to do before",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_has_joined_without_tables_is_told_with_what_helps() {
        // As ClickHouse 26.7 says it.
        let answer = "Code: 279. DB::Exception: All connection tries failed. Log: \n\nThere is no table `tocsin_local`.`schema_migrations` on server: \
                      127.0.0.1:24300\n\n: While executing Remote. (ALL_CONNECTION_TRIES_FAILED)";
        let told = of_server_without_tables(Failure::new(answer, "read ClickHouse's answer above")).to_string();
        assert!(told.starts_with("error: a server of the cluster has no tables yet: Code: 279."), "{told}");
        assert!(told.contains("help: those that have joined get them by `tocsin schema apply --new-servers`"), "{told}");
        let other = Failure::new("Code: 210. DB::NetException: Connection refused (NETWORK_ERROR)", "start it");
        assert_eq!(of_server_without_tables(other.clone()), other);
    }
}
