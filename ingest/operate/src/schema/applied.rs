//! What the ledger knows of a file that has been applied. Pure.

use serde::Deserialize;
use sha2::{Digest, Sha256};

/// The number of a file of the baseline in the ledger, where migrations count from 1.
pub const BASELINE: u32 = 0;

/// One row of `tocsin.schema_migrations`: a migration, or a file of the baseline, that has been applied.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Applied {
    /// NNNN of a migration's file name; [`BASELINE`] for the baseline.
    pub number: u32,
    /// File name, in the baseline with its folder.
    pub name: String,
    /// SHA-256 of the file as it was applied, hexadecimal.
    pub sha256: String,
    /// When, UTC, as ClickHouse writes it.
    pub applied_at: String,
}

/// In hexadecimal.
pub fn sha256(text: &str) -> String {
    Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
