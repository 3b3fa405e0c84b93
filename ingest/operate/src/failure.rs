//! How a command ends when it cannot do what was asked.

use std::fmt;
use std::process::ExitCode;

/// Why a command failed, in words for the person who typed it, and the exit code that scripts see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    message: String,
    remedy: String,
    exit_code: u8,
}

impl Failure {
    /// The command was right and could not be carried out: exit code 1. `message` says what, where and why; `remedy` what to do.
    pub fn new(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { message: message.into(), remedy: remedy.into(), exit_code: 1 }
    }

    /// What was given to the command cannot be used (a flag, a file): exit code 64, `EX_USAGE` of sysexits.h.
    pub fn usage(message: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { exit_code: 64, ..Self::new(message, remedy) }
    }

    /// The same failure, told as one that happened during `what`.
    pub fn during(self, what: &str) -> Self {
        Self { message: format!("{what}: {}", self.message), ..self }
    }

    /// The same failure where something else helps.
    pub fn with_remedy(self, remedy: &str) -> Self {
        Self { remedy: remedy.to_owned(), ..self }
    }

    /// 1 for a failure on the way, 64 for input that cannot be used.
    pub fn exit_code(&self) -> ExitCode {
        ExitCode::from(self.exit_code)
    }
}

/// Two lines: `error: what, where, why` and `help: what to do`.
impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error: {}\nhelp: {}", self.message, self.remedy)
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_what_and_what_to_do_on_two_lines() {
        let failure = Failure::new("cannot read rows.jsonl: no such file", "check the path");
        assert_eq!(failure.to_string(), "error: cannot read rows.jsonl: no such file\nhelp: check the path");
    }

    #[test]
    fn unusable_input_is_told_apart_by_its_exit_code() {
        let (usage, other) = (Failure::usage("a", "b"), Failure::new("a", "b"));
        assert_eq!((usage.exit_code, other.exit_code), (64, 1));
    }
}
