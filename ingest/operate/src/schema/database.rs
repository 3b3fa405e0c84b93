//! What the files of `schemas/clickhouse` say a database is: the baseline that it begins with, and the migrations that have changed it since.

use super::baseline::{self, BaselineFile};
use super::files::SchemaFiles;
use super::migrations::{self, Migration};
use crate::Failure;

/// Valid files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseSchema {
    /// Ordered by name.
    pub baseline: Vec<BaselineFile>,
    /// Ordered by number.
    pub migrations: Vec<Migration>,
}

impl DatabaseSchema {
    /// Reads and validates every file but the questions.
    pub fn parse(files: &SchemaFiles) -> Result<Self, Failure> {
        Ok(Self { baseline: baseline::parse(&files.baseline)?, migrations: migrations::parse(&files.migrations)? })
    }

    /// The content of every file.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let baseline = self.baseline.iter().map(|file| file.text.as_str());
        baseline.chain(self.migrations.iter().map(|migration| migration.text.as_str()))
    }
}
