//! Migrations at a real ClickHouse: reads the ledger, applies what is pending, sets retention, prints the end state.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::cluster::Cluster;
use super::migrations::{Applied, BOOTSTRAP, Migration, pending};
use super::retention::{TtlChange, ttl_of};
use crate::Failure;
use crate::clickhouse::ClickHouse;

/// The database that the migrations make.
pub const DATABASE: &str = "tocsin";

/// The database of a cluster's replicated tables: see [`Cluster`].
const LOCAL_DATABASE: &str = "tocsin_local";

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

    /// Applies what is pending, tells `report` of each, and returns how many there were.
    ///
    /// Safe to run in several processes at once: every statement is idempotent, and a second row of the same number is merged away.
    pub fn apply(&self, migrations: &[Migration], mut report: impl FnMut(&Migration)) -> Result<usize, Failure> {
        let before = pending(migrations, &self.read()?)?;
        // Refusals come first, so that nothing is changed in a database that is not as expected.
        for migration in migrations.iter().filter(|migration| migration.number <= BOOTSTRAP) {
            self.run(migration)?;
        }
        for migration in &before {
            if migration.number > BOOTSTRAP {
                self.run(migration)?;
            }
            let Migration { number, name, sha256, .. } = migration;
            self.clickhouse.run(&format!(
                "INSERT INTO {}.schema_migrations (number, name, sha256) SETTINGS distributed_foreground_insert = 1 VALUES ({number}, '{name}', '{sha256}')",
                self.database
            ))?;
            report(migration);
        }
        Ok(before.len())
    }

    fn run(&self, migration: &Migration) -> Result<(), Failure> {
        self.run_text(&migration.text).map_err(|failure| failure.during(&format!("migration {}", migration.name)))
    }

    /// Runs the one statement of a file; on a cluster, what takes its place.
    pub fn run_text(&self, text: &str) -> Result<(), Failure> {
        let statements = self.cluster.map_or_else(|| vec![text.to_owned()], |cluster| cluster.statements(text));
        statements.iter().try_for_each(|statement| self.clickhouse.run(statement).map(drop))
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
