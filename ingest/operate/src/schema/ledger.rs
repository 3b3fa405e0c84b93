//! Migrations at a real ClickHouse: reads the ledger, applies what is pending, sets retention, prints the end state.

use std::collections::BTreeMap;
use std::fmt;
use std::thread;
use std::time::Duration;

use serde::Deserialize;

use super::cluster::Cluster;
use super::migrations::{Applied, BOOTSTRAP, Migration, pending};
use super::replacement::{replaced_table, with_ttl};
use super::retention::{TtlChange, ttl_of};
use crate::Failure;
use crate::clickhouse::{ClickHouse, Outcome, Progress};

/// The database that the migrations make.
pub const DATABASE: &str = "tocsin";

/// The database of a cluster's replicated tables: see [`Cluster`].
const LOCAL_DATABASE: &str = "tocsin_local";

/// A statement that another process runs ends when it ends; this is how often one looks.
const OTHER_APPLIER_POLL: Duration = Duration::from_secs(1);

/// The sink's inserts take tens of milliseconds.
const INSERT_POLL: Duration = Duration::from_millis(100);

/// What an operator wants to hear while migrations are applied.
#[derive(Debug, Clone, Copy)]
pub enum News<'a> {
    /// It is done, and in the ledger.
    Applied(&'a Migration),
    /// It takes its time.
    Progress(&'a Migration, Progress),
    /// Another process is at it.
    RunsElsewhere(&'a Migration),
}

impl fmt::Display for News<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Applied(migration) => write!(f, "applied {}", migration.name),
            Self::Progress(migration, Progress { seconds, rows_read, rows_expected }) => {
                write!(f, "{}: {rows_read} of {rows_expected} rows after {seconds} s", migration.name)
            }
            Self::RunsElsewhere(migration) => write!(f, "{}: another `tocsin schema apply` is at it; waiting", migration.name),
        }
    }
}

/// The ledger of one database. `database` is always [`DATABASE`] except in tests, which migrate a database of their own.
pub struct Ledger<'a> {
    clickhouse: &'a ClickHouse,
    database: &'a str,
    cluster: Option<&'a Cluster>,
}

impl<'a> Ledger<'a> {
    /// The ledger of `database` at `clickhouse`.
    pub fn new(clickhouse: &'a ClickHouse, database: &'a str) -> Self {
        Self { clickhouse, database, cluster: None }
    }

    /// The same on a cluster of servers. Its database is [`DATABASE`].
    pub fn on(self, cluster: Option<&'a Cluster>) -> Self {
        Self { cluster, ..self }
    }

    /// What has been applied, by number; empty where there is no ledger yet. Changes nothing.
    pub fn read(&self) -> Result<Vec<Applied>, Failure> {
        let database = self.database;
        if self.clickhouse.run(&format!("EXISTS TABLE {database}.schema_migrations"))? != "1" {
            return Ok(Vec::new());
        }
        let rows = self.clickhouse.run(&format!(
            "SELECT number, name, sha256, toString(applied_at) AS applied_at FROM {database}.schema_migrations FINAL \
             ORDER BY number FORMAT JSONEachRow"
        ))?;
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

    /// Applies what is pending, tells `report` of each and of what takes long, and returns how many it did.
    ///
    /// Safe to run in several processes at once: every statement is idempotent and runs in one process at a time, and a second row of the same
    /// number is merged away.
    pub fn apply(&self, migrations: &[Migration], mut report: impl FnMut(News<'_>)) -> Result<usize, Failure> {
        let before = pending(migrations, &self.read()?)?;
        let mut applied = 0;
        // Refusals come first, so that nothing is changed in a database that is not as expected.
        for migration in &before {
            self.refuse_a_copy_on_a_cluster(migration)?;
        }
        for migration in migrations.iter().filter(|migration| migration.number <= BOOTSTRAP) {
            self.run(migration, &mut report)?;
        }
        for migration in &before {
            if migration.number > BOOTSTRAP && !self.run(migration, &mut report)? {
                continue;
            }
            let Migration { number, name, sha256, .. } = migration;
            self.clickhouse.run(&format!(
                "INSERT INTO {}.schema_migrations (number, name, sha256) SETTINGS distributed_foreground_insert = 1 VALUES ({number}, '{name}', '{sha256}')",
                self.database
            ))?;
            report(News::Applied(migration));
            applied += 1;
        }
        Ok(applied)
    }

    /// Runs a migration, unless another process has done so meanwhile.
    fn run(&self, migration: &Migration, report: &mut impl FnMut(News<'_>)) -> Result<bool, Failure> {
        let during = |failure: Failure| failure.during(&format!("migration {}", migration.name));
        // Later migrations may have undone what this one does: a process that has fallen behind must not do it again.
        if migration.number > BOOTSTRAP && self.is_applied(migration)? {
            return Ok(false);
        }
        let text = match replaced_table(&migration.text) {
            None => migration.text.clone(),
            Some(table) => self.replacing(&table, &migration.text).map_err(during)?,
        };
        for (index, statement) in self.statements(&text).iter().enumerate() {
            let id = format!("tocsin schema apply: {} {} {index}", self.database, migration.name);
            let tell = |progress| report(News::Progress(migration, progress));
            if self.clickhouse.run_alone(&id, statement, tell).map_err(during)? == Outcome::RunsElsewhere {
                return self.await_other(migration, report);
            }
        }
        Ok(true)
    }

    /// Each replica would copy the rows of its shard, and every row would be there as often as it has replicas.
    fn refuse_a_copy_on_a_cluster(&self, migration: &Migration) -> Result<(), Failure> {
        let Some(table) = replaced_table(&migration.text).filter(|_| self.cluster.is_some()) else { return Ok(()) };
        let name = format!("{}.{table}", self.database);
        if self.clickhouse.run(&format!("EXISTS TABLE {name}"))? != "1"
            || self.clickhouse.run(&format!("SELECT count() FROM {name}"))? == "0"
        {
            return Ok(());
        }
        Err(Failure::new(
            format!("{name} has rows, and migration {} makes it anew, which Tocsin does on single servers only", migration.name),
            "move them by hand as deploy/clickhouse/README.md says under \"A cluster that holds rows\", then apply again",
        ))
    }

    /// The statement that makes `table` anew and keeps its retention.
    fn replacing(&self, table: &str, text: &str) -> Result<String, Failure> {
        // The migration before has halted new inserts; what one of them is about to store must be there before its rows are read.
        while self.clickhouse.run(&self.inserts_under_way(table))? != "0" {
            thread::sleep(INSERT_POLL);
        }
        Ok(self.ttls()?.get(table).map_or_else(|| text.to_owned(), |ttl| with_ttl(text, ttl.as_deref())))
    }

    pub(super) fn inserts_under_way(&self, table: &str) -> String {
        format!("SELECT count() FROM system.processes WHERE query_kind = 'Insert' AND position(query, '{}.{table}') > 0", self.database)
    }

    /// Waits until the process that is at `migration` has done it; what that one could not do is begun here.
    fn await_other(&self, migration: &Migration, report: &mut impl FnMut(News<'_>)) -> Result<bool, Failure> {
        report(News::RunsElsewhere(migration));
        thread::sleep(OTHER_APPLIER_POLL);
        self.run(migration, report)
    }

    fn is_applied(&self, migration: &Migration) -> Result<bool, Failure> {
        let Migration { number, .. } = migration;
        Ok(self.clickhouse.run(&format!("SELECT count() FROM {}.schema_migrations WHERE number = {number}", self.database))? != "0")
    }

    /// Runs the one statement of a file; on a cluster, what takes its place.
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

/// The database as SQL: every object in an order in which it could be created, tables before the views that read them.
pub fn dump(clickhouse: &ClickHouse, database: &str) -> Result<String, Failure> {
    let names = clickhouse.run(&format!(
        "SELECT name FROM system.tables WHERE database = '{database}' AND name NOT LIKE '.inner%' AND name NOT LIKE 'ask\\_%' \
         ORDER BY multiIf(engine = 'MaterializedView', 2, engine LIKE '%View', 3, 1), name FORMAT TSVRaw"
    ))?;
    if names.is_empty() {
        return Err(Failure::new(
            format!("ClickHouse at {} has nothing in database {database}", clickhouse.url()),
            "run `tocsin schema apply` first",
        ));
    }
    let mut text = String::from(
        "-- The end state of the database, to read. Nothing runs this file: migrations/ makes the database, and a test proves that\n\
         -- they make exactly this. After a new migration: `tocsin schema dump > schemas/clickhouse/schema.sql`.\n\
         -- Tables first, then materialized views, then views, each by name.\n",
    );
    for name in names.lines() {
        let statement = clickhouse.run(&format!("SHOW CREATE TABLE {database}.`{name}` FORMAT TSVRaw"))?;
        text.push_str(&format!("\n{statement};\n"));
    }
    Ok(text)
}
