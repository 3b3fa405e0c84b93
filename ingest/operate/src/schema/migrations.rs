//! Which migrations there are since the baseline, and which of them a database still needs. Pure: [`super::ledger`] applies them.

use super::applied::{Applied, BASELINE, sha256};
use super::files::SchemaFile;
use super::statement;
use crate::Failure;

/// One file of `schemas/clickhouse/migrations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Migration {
    /// NNNN of the file name; counts from 1 without gaps.
    pub number: u32,
    /// File name.
    pub name: String,
    /// The one statement, with its comments.
    pub text: String,
    /// SHA-256 of the file, hexadecimal.
    pub sha256: String,
}

/// Reads and validates every migration file; `files` are ordered by name.
pub fn parse(files: &[SchemaFile]) -> Result<Vec<Migration>, Failure> {
    let mut migrations: Vec<Migration> = Vec::with_capacity(files.len());
    for file in files {
        let number = number_of(&file.name).ok_or_else(|| {
            Failure::usage(
                format!("migration {} has a name that cannot be ordered", file.name),
                "call it NNNN_verb_object.sql in lower case, for example 0017_create_dhcp.sql",
            )
        })?;
        match migrations.last() {
            Some(previous) if previous.number == number => {
                return Err(Failure::usage(
                    format!("migrations {} and {} have the same number", previous.name, file.name),
                    "renumber the one that no database has seen yet",
                ));
            }
            previous => {
                let expected = previous.map_or(0, |previous| previous.number) + 1;
                if number != expected {
                    return Err(Failure::usage(
                        format!("migration {expected:04} is missing: {} follows {:04}", file.name, expected - 1),
                        "number migrations without gaps; if one was removed, restore it",
                    ));
                }
            }
        }
        check_statement(file)?;
        migrations.push(Migration { number, name: file.name.clone(), text: file.text.clone(), sha256: sha256(&file.text) });
    }
    Ok(migrations)
}

/// The migrations that `ledger` does not have, in order.
///
/// Refused: a migration that was edited or renamed after it was applied, and a ledger that knows more than the files do.
pub fn pending<'a>(migrations: &'a [Migration], ledger: &[Applied]) -> Result<Vec<&'a Migration>, Failure> {
    for applied in ledger.iter().filter(|applied| applied.number != BASELINE) {
        let Some(migration) = migrations.iter().find(|migration| migration.number == applied.number) else {
            return Err(Failure::new(
                format!("the database has migration {}, which this binary does not know", applied.name),
                "use the newer tocsin binary that applied it, or give its files with --schemas DIR; a database from before the baseline is dropped and applied again",
            ));
        };
        if migration.sha256 != applied.sha256 {
            return Err(Failure::new(
                format!(
                    "migration {} was edited after it was applied: the ledger has sha256 {}, the file has {}",
                    migration.name, applied.sha256, migration.sha256
                ),
                format!(
                    "restore the file as it was (applied {} UTC as {}), and write a new migration for the change",
                    applied.applied_at, applied.name
                ),
            ));
        }
        if migration.name != applied.name {
            return Err(Failure::new(
                format!("migration {} was renamed after it was applied: the ledger has {}", migration.name, applied.name),
                "give the file its old name back",
            ));
        }
    }
    Ok(migrations.iter().filter(|migration| !ledger.iter().any(|applied| applied.number == migration.number)).collect())
}

/// NNNN of `NNNN_verb_object.sql`.
fn number_of(name: &str) -> Option<u32> {
    let (digits, words) = name.strip_suffix(".sql")?.split_once('_')?;
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    let is_well_formed = digits.len() == 4 && words.contains('_') && words.split('_').all(is_word);
    if !is_well_formed || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse().ok()
}

fn check_statement(file: &SchemaFile) -> Result<(), Failure> {
    let statements = statement::statements(&file.text);
    let [only] = statements.as_slice() else {
        return Err(Failure::usage(
            format!("migration {} holds {} statements", file.name, statements.len()),
            "put each statement into a file of its own, so that each is applied once or not at all",
        ));
    };
    match statement::why_not_repeatable(only) {
        None => Ok(()),
        Some(reason) => Err(Failure::usage(
            format!("migration {} cannot be repeated: {reason}", file.name),
            "two appliers may run it at once, and an interrupted one runs it again; make it idempotent",
        )),
    }
}

#[cfg(test)]
mod tests;
