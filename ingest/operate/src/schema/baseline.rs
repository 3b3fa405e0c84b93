//! The tables and views that a new database begins with: `schemas/clickhouse/<what it tells>/<name>.sql`. Pure: [`super::ledger`] makes them.
//!
//! A file makes the table or view that it is named after, the table behind that view if it has one, and the materialized views that write them.
//! Tables are made first, then materialized views, then views: a table needs nothing, a materialized view needs tables, a view reads tables. So
//! the order follows from what a statement makes, and nothing says what depends on what.

use super::applied::{Applied, BASELINE, sha256};
use super::files::SchemaFile;
use super::statement;
use crate::Failure;

/// What makes the ledger itself. It stands before anything else is made.
pub const LEDGER: &str = "pipeline/schema_migrations.sql";

/// Until a version is released nothing leads from one edition of a file to the next.
const DROP_BEFORE_RELEASE: &str = "until 0.1.0 is tagged files are edited in place, and a database without rows worth keeping is dropped (`DROP DATABASE tocsin SYNC`, on a cluster tocsin_local too) and applied again";

/// One file of the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineFile {
    /// With its folder: `events/syslog.sql`.
    pub name: String,
    /// Content.
    pub text: String,
    /// Its statements, without comments.
    pub statements: Vec<String>,
    /// SHA-256 of what the file says, hexadecimal: its comments may be mended at any time.
    pub sha256: String,
}

/// What a statement makes, in the order in which they are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Table,
    MaterializedView,
    View,
}

/// Reads and validates every file.
pub fn parse(files: &[SchemaFile]) -> Result<Vec<BaselineFile>, Failure> {
    let baseline = files.iter().map(parse_file).collect::<Result<Vec<_>, _>>()?;
    if !baseline.iter().any(|file| file.name == LEDGER) {
        return Err(Failure::usage(
            format!("clickhouse/{LEDGER} is missing: it makes the table that keeps what was applied"),
            "point --schemas at the repository's schemas folder, or leave it out to use the files inside the binary",
        ));
    }
    Ok(baseline)
}

fn parse_file(file: &SchemaFile) -> Result<BaselineFile, Failure> {
    let SchemaFile { name, text } = file;
    let refused = |problem: String, remedy: &str| Failure::usage(format!("clickhouse/{name} {problem}"), remedy);
    let statements = statement::statements(text);
    let mut made = Vec::new();
    for statement in &statements {
        made.push(made_by(statement).ok_or_else(|| {
            refused(
                format!("holds what is no part of a baseline: {}", statement.chars().take(60).collect::<String>()),
                "write CREATE TABLE, CREATE MATERIALIZED VIEW or CREATE VIEW, each with IF NOT EXISTS and with a name in database tocsin",
            )
        })?);
    }
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let stem = name.strip_suffix(".sql").and_then(|path| path.split_once('/')).filter(|(folder, _)| folder.chars().all(is_plain));
    let stem = stem.map(|(_, stem)| stem).filter(|stem| stem.chars().all(is_plain));
    if !made.iter().any(|(kind, made)| *kind != Kind::MaterializedView && Some(*made) == stem) {
        return Err(refused("makes no table or view of its own name".to_owned(), "call it <what it tells>/<table or view>.sql"));
    }
    let written: Vec<&str> = statements.iter().filter_map(|statement| Some(statement::written_by_view(statement)?.0)).collect();
    if let Some(table) = written.iter().find(|table| !made.contains(&(Kind::Table, **table))) {
        return Err(refused(
            format!("writes {table}, a table of another file"),
            "move the materialized view to the file of the table that it writes",
        ));
    }
    let shard_column = statement::shard_column(text);
    for (statement, (kind, table)) in statements.iter().zip(&made) {
        let is_told = || shard_column.is_some_and(|column| statement.contains(&format!(" {column} ")));
        if *kind == Kind::Table && !written.contains(table) && !is_told() {
            return Err(refused(
                format!("does not say on which server of a cluster a row of {table} lies"),
                "write `-- Shard: column` above the statement, with the column whose rows belong together",
            ));
        }
    }
    let digest = sha256(&format!("{}\n{shard_column:?}", statements.join(";\n")));
    Ok(BaselineFile { name: name.clone(), statements, sha256: digest, text: text.clone() })
}

/// What `statement` makes, and its name without the database.
fn made_by(statement: &str) -> Option<(Kind, &str)> {
    let (_, name) = statement.split_once(" IF NOT EXISTS tocsin.")?;
    Some((kind(statement)?, name.split(' ').next()?))
}

fn kind(statement: &str) -> Option<Kind> {
    match statement.split_once(" IF NOT EXISTS ")?.0 {
        "CREATE TABLE" => Some(Kind::Table),
        "CREATE MATERIALIZED VIEW" => Some(Kind::MaterializedView),
        "CREATE VIEW" => Some(Kind::View),
        _ => None,
    }
}

/// Every statement of `files` in an order in which it can be run, with its file.
pub fn in_order<'a>(files: &[&'a BaselineFile]) -> Vec<(&'a BaselineFile, &'a str)> {
    let mut statements: Vec<_> =
        files.iter().flat_map(|file| file.statements.iter().map(|statement| (*file, statement.as_str()))).collect();
    // The sort is stable: files keep their order.
    statements.sort_by_key(|(_, statement)| kind(statement));
    statements
}

/// The files that `ledger` does not have. Refused: one that was edited after it was applied, and a ledger that knows more than the files do.
pub fn pending<'a>(baseline: &'a [BaselineFile], ledger: &[Applied]) -> Result<Vec<&'a BaselineFile>, Failure> {
    let ledger: Vec<_> = ledger.iter().filter(|applied| applied.number == BASELINE).collect();
    let mut edited = Vec::new();
    for applied in &ledger {
        match baseline.iter().find(|file| file.name == applied.name) {
            None => {
                return Err(Failure::new(
                    format!("the database was made from clickhouse/{}, which this binary does not know", applied.name),
                    format!("use the tocsin binary that made it, or give its files with --schemas DIR; {DROP_BEFORE_RELEASE}"),
                ));
            }
            Some(file) if file.sha256 != applied.sha256 => {
                edited.push(format!("clickhouse/{} (applied {} UTC)", file.name, applied.applied_at))
            }
            Some(_) => {}
        }
    }
    if !edited.is_empty() {
        return Err(Failure::new(
            format!("edited after the database was made from it, so that the two differ: {}", edited.join(", ")),
            format!("restore the file, and write a migration for the change; {DROP_BEFORE_RELEASE}"),
        ));
    }
    Ok(baseline.iter().filter(|file| !ledger.iter().any(|applied| applied.name == file.name)).collect())
}

#[cfg(test)]
mod tests;
