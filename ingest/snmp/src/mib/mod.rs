//! MIB modules, SMIv1 (RFC 1155, 1212, 1215) and SMIv2 (RFC 2578, 2579), compiled into a table of names (see [`crate::names`]).
//!
//! Reads what names and shapes a value: OIDs, types, enumerations, display hints, notifications. Descriptions, access and conformance are
//! stepped over. Modules as vendors ship them are not always well-formed; what cannot be read is a [`Problem`] with its place.

mod lexer;
mod module;
mod tree;

use std::fmt;

use crate::names::Names;

/// One file that may hold modules.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Name of the file, for messages.
    pub name: &'a str,
    /// Its text.
    pub text: &'a str,
}

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Name of the file.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// What, and what to do.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// A compiled table, and what could not be compiled.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compiled {
    /// The table, sorted by OID.
    pub table: String,
    /// Names in it.
    pub names: usize,
    /// Modules that were read.
    pub modules: Vec<String>,
    /// What was left out.
    pub problems: Vec<Problem>,
}

/// Compiles all modules of some files together. `known` has the names that they may import from elsewhere.
pub fn compile(sources: &[Source<'_>], known: &Names) -> Compiled {
    let mut modules = Vec::new();
    let mut problems = Vec::new();
    for source in sources {
        let (read, wrong) = module::read(source);
        modules.extend(read);
        problems.extend(wrong);
    }
    tree::compile(&modules, known, problems)
}

#[cfg(test)]
mod tests;
