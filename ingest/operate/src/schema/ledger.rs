//! Migrations at a real ClickHouse: reads the ledger, applies what is pending, prints the end state.

use super::migrations::{Applied, BOOTSTRAP, Migration, pending};
use crate::Failure;
use crate::clickhouse::ClickHouse;

/// The database that the migrations make.
pub const DATABASE: &str = "tocsin";

/// The ledger of one database. `database` is always [`DATABASE`] except in tests, which migrate a database of their own.
pub struct Ledger<'a> {
    clickhouse: &'a ClickHouse,
    database: &'a str,
}

impl<'a> Ledger<'a> {
    /// The ledger of `database` at `clickhouse`.
    pub fn new(clickhouse: &'a ClickHouse, database: &'a str) -> Self {
        Self { clickhouse, database }
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
                "INSERT INTO {}.schema_migrations (number, name, sha256) VALUES ({number}, '{name}', '{sha256}')",
                self.database
            ))?;
            report(migration);
        }
        Ok(before.len())
    }

    fn run(&self, migration: &Migration) -> Result<(), Failure> {
        self.clickhouse.run(&migration.text).map(drop).map_err(|failure| failure.during(&format!("migration {}", migration.name)))
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
