//! How long each ClickHouse table keeps its rows, where that shall differ from what the schema files say. Pure: [`super::ledger`] asks ClickHouse
//! and alters.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use serde::Deserialize;

use super::database::DatabaseSchema;
use super::statement;
use crate::Failure;

/// A file of `table: days` lines, like `deploy/config/retention.example.yaml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retention {
    wanted: BTreeMap<String, Kept>,
}

/// How long rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Kept {
    /// So many days.
    Days(u32),
    /// Until somebody deletes them.
    Forever(Forever),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Forever {
    Forever,
}

/// One table's TTL, as the schema files say it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Ttl {
    /// What the time of a row is, for example `toDateTime(received_at)`.
    time: String,
    /// As ClickHouse writes it, for example `toIntervalDay(400)`.
    interval: String,
}

/// A table whose TTL is not what it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TtlChange {
    /// Name without database.
    pub table: String,
    /// The TTL in effect; none where rows are kept for ever.
    pub from: Option<String>,
    /// The TTL that it shall have.
    pub to: Option<String>,
}

impl TtlChange {
    /// What follows `ALTER TABLE <table>`. ClickHouse then works out again which parts may go.
    pub fn clause(&self) -> String {
        self.to.as_ref().map_or_else(|| "REMOVE TTL".to_owned(), |ttl| format!("MODIFY TTL {ttl}"))
    }
}

impl fmt::Display for TtlChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = |ttl: &Option<String>| ttl.as_deref().unwrap_or("kept for ever").to_owned();
        write!(f, "{}: {} -> {}", self.table, words(&self.from), words(&self.to))
    }
}

impl Retention {
    /// Reads `file`.
    pub fn load(file: &Path) -> Result<Self, Failure> {
        let text = std::fs::read_to_string(file)
            .map_err(|error| Failure::usage(format!("cannot read {}: {error}", file.display()), "point --retention at a readable file"))?;
        Self::parse(&text).map_err(|failure| failure.during(&file.display().to_string()))
    }

    fn parse(text: &str) -> Result<Self, Failure> {
        const REMEDY: &str = "write one `table: days` or `table: forever` a line, as deploy/config/retention.example.yaml does";
        let wanted: BTreeMap<String, Kept> = serde_saphyr::from_str(text).map_err(|error| Failure::usage(error.to_string(), REMEDY))?;
        if let Some((table, _)) = wanted.iter().find(|(_, kept)| **kept == Kept::Days(0)) {
            return Err(Failure::usage(format!("{table}: 0 days would drop every row at once"), REMEDY));
        }
        Ok(Self { wanted })
    }

    /// What must change. `in_effect` is the TTL of each table at the server, as ClickHouse writes it. A table with a TTL that the file does not
    /// name shall have the TTL of its file.
    pub fn changes(&self, schema: &DatabaseSchema, in_effect: &BTreeMap<String, Option<String>>) -> Result<Vec<TtlChange>, Failure> {
        let shipped = shipped(schema);
        if let Some(unknown) = self.wanted.keys().find(|table| !shipped.contains_key(*table)) {
            let known: Vec<&str> = shipped.keys().map(String::as_str).collect();
            return Err(Failure::usage(
                format!("retention of {unknown}: there is no such table, or it has no time by which rows could go"),
                format!("name one of these: {}", known.join(", ")),
            ));
        }
        let changes = shipped.into_iter().filter_map(|(table, ttl)| {
            let to = match self.wanted.get(&table) {
                None => Some(format!("{} + {}", ttl.time, ttl.interval)),
                Some(Kept::Days(days)) => Some(format!("{} + toIntervalDay({days})", ttl.time)),
                Some(Kept::Forever(_)) => None,
            };
            let from = in_effect.get(&table).cloned().flatten();
            (from != to).then_some(TtlChange { table, from, to })
        });
        Ok(changes.collect())
    }
}

/// The TTL in ClickHouse's own text of a table, `... TTL x + toIntervalDay(400) SETTINGS ...`.
pub fn ttl_of(engine_full: &str) -> Option<String> {
    let (_, after) = engine_full.split_once(" TTL ")?;
    Some(after.split_once(" SETTINGS ").map_or(after, |(ttl, _)| ttl).trim().to_owned())
}

/// What [`Retention::changes`] takes of tables that were made just now.
pub fn as_made(schema: &DatabaseSchema) -> BTreeMap<String, Option<String>> {
    shipped(schema).into_iter().map(|(table, ttl)| (table, Some(format!("{} + {}", ttl.time, ttl.interval)))).collect()
}

/// The TTL of every table that is made with one.
fn shipped(schema: &DatabaseSchema) -> BTreeMap<String, Ttl> {
    schema.texts().flat_map(statement::statements).filter_map(|statement| shipped_ttl(&statement)).collect()
}

fn shipped_ttl(statement: &str) -> Option<(String, Ttl)> {
    let (name, _) = statement.strip_prefix("CREATE TABLE IF NOT EXISTS ")?.split_once(' ')?;
    let (_, table) = name.split_once('.')?;
    let ttl = ttl_of(statement)?;
    let (time, interval) = ttl.split_once(" + INTERVAL ")?;
    let (count, unit) = interval.split_once(' ')?;
    let unit = format!("{}{}", unit.get(..1)?, unit.get(1..)?.to_lowercase());
    Some((table.to_owned(), Ttl { time: time.to_owned(), interval: format!("toInterval{unit}({count})") }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::files::SchemaFiles;

    fn repository() -> DatabaseSchema {
        DatabaseSchema::parse(&SchemaFiles::load(None).unwrap()).unwrap()
    }

    fn as_shipped() -> BTreeMap<String, Option<String>> {
        as_made(&repository())
    }

    #[test]
    fn a_table_that_the_file_names_is_altered_and_the_others_are_not() {
        let retention = Retention::parse("syslog: 90\ndhcp: 400\n").unwrap();
        let changes = retention.changes(&repository(), &as_shipped()).unwrap();
        let expected = TtlChange {
            table: "syslog".to_owned(),
            from: Some("toDateTime(received_at) + toIntervalDay(400)".to_owned()),
            to: Some("toDateTime(received_at) + toIntervalDay(90)".to_owned()),
        };
        assert_eq!(changes, [expected]);
        assert_eq!(changes[0].clause(), "MODIFY TTL toDateTime(received_at) + toIntervalDay(90)");
    }

    #[test]
    fn a_table_that_the_file_no_longer_names_goes_back_to_its_schema_file() {
        let mut in_effect = as_shipped();
        in_effect.insert("syslog_volume_1d".to_owned(), Some("day + toIntervalDay(7)".to_owned()));
        let changes = Retention::parse("syslog: 400").unwrap().changes(&repository(), &in_effect).unwrap();
        assert_eq!(changes.iter().map(TtlChange::clause).collect::<Vec<_>>(), ["MODIFY TTL day + toIntervalYear(10)"]);
    }

    #[test]
    fn rows_can_be_kept_for_ever_and_be_bounded_again() {
        let mut in_effect = as_shipped();
        let forever = Retention::parse("dhcp: forever").unwrap();
        let change = forever.changes(&repository(), &in_effect).unwrap().remove(0);
        assert_eq!((change.table.as_str(), change.clause()), ("dhcp", "REMOVE TTL".to_owned()));
        in_effect.insert("dhcp".to_owned(), None);
        assert_eq!(forever.changes(&repository(), &in_effect).unwrap(), []);
        assert_eq!(Retention::parse("dhcp: 10").unwrap().changes(&repository(), &in_effect).unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_the_remedy() {
        for (text, problem) in [("syslog: 0", "0 days"), ("syslog: soon", "`table: days`"), ("- syslog", "`table: days`")] {
            let failure = Retention::parse(text).unwrap_err().to_string();
            assert!(failure.contains(problem), "{failure}");
        }
        let failure = Retention::parse("alerts: 9").unwrap().changes(&repository(), &as_shipped()).unwrap_err().to_string();
        assert!(failure.contains("retention of alerts") && failure.contains("syslog_volume_1m"), "{failure}");
    }

    #[test]
    fn the_example_names_every_table_with_the_days_of_its_schema_file() {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/retention.example.yaml");
        let named: Vec<String> = Retention::load(&example).unwrap().wanted.into_keys().collect();
        assert_eq!(named, shipped(&repository()).into_keys().collect::<Vec<_>>());
    }
}
