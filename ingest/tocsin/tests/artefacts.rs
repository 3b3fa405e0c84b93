//! Builds with and without tests share their artefacts: what has other features in one of them is compiled twice, with everything above it.

use std::collections::BTreeSet;
use std::process::Command;

/// Every crate of a build with its features.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["tree", "--offline", "--locked", "--prefix=none", "--format={p} [{f}]"]).args(arguments);
    let output = command.current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(|line| line.trim_end_matches(" (*)").to_owned()).collect()
}

#[test]
fn tests_use_what_the_build_has_compiled() {
    let build = crates(&["--package=tocsin", "--edges=normal,build"]);
    let tests = crates(&["--workspace", "--exclude=tocsin-fuzz", "--edges=normal,build,dev"]);
    let only_in_the_build: Vec<_> = build.difference(&tests).collect();
    assert!(
        only_in_the_build.is_empty(),
        "with tests these have further features: {only_in_the_build:?}; add the features in ingest/Cargo.toml (`cargo tree -e features -i CRATE` \
         says who asks for them)"
    );
}
