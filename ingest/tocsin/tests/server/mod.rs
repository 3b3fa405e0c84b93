//! What tests of the binary share: running it, and the servers that `make test` starts.

use std::io::Write;
use std::process::{Command, Output};

/// `tocsin` with these arguments, without the caller's TOCSIN_ variables.
pub fn tocsin(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tocsin"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("TOCSIN_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

pub fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    told(tocsin(arguments).output().unwrap())
}

pub fn told(output: Output) -> (Option<i32>, String, String) {
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// The address in `variable`; none, with a word about it, where the test shall be skipped. CI fails instead.
pub fn server(variable: &str) -> Option<String> {
    let address = std::env::var(variable).ok().filter(|address| !address.is_empty());
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(address.is_some() || !is_ci, "{variable} must be set in CI: `make test` sets it from the embedded stack");
    if address.is_none() {
        // Not by eprintln!, which cargo keeps to itself when a test passes.
        let _ = writeln!(std::io::stderr(), "skipped: {variable} is not set; `make test` starts the server and sets it");
    }
    address
}
