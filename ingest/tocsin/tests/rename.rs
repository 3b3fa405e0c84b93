//! `tocsin devices rename` against a real ClickHouse: TOCSIN_TEST_CLICKHOUSE_URL says where.

use std::process::Command;

const TOCSIN: &str = env!("CARGO_BIN_EXE_tocsin");

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(TOCSIN).args(arguments).env_remove("TOCSIN_CLICKHOUSE").output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
}

/// None, with a word about it, where the test shall be skipped. CI fails instead.
fn clickhouse() -> Option<String> {
    let url = std::env::var("TOCSIN_TEST_CLICKHOUSE_URL").ok().filter(|url| !url.is_empty());
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    assert!(url.is_some() || !is_ci, "TOCSIN_TEST_CLICKHOUSE_URL must be set in CI: `make test` sets it from the embedded stack");
    if url.is_none() {
        eprintln!("skipped: TOCSIN_TEST_CLICKHOUSE_URL is not set; `make test` starts the server and sets it");
    }
    url
}

#[test]
fn a_renamed_device_keeps_its_history_under_every_name_that_it_had() {
    let Some(url) = clickhouse() else { return };
    let ask = |statement: &str| ureq::post(&url).send(statement).unwrap().body_mut().read_to_string().unwrap();
    let (code, _, err) = run(&["schema", "apply", "--only", "clickhouse", "--clickhouse", &url]);
    assert_eq!(code, Some(0), "{err}");
    let id = std::process::id();
    let [first, second, third] = ["first", "second", "third"].map(|name| format!("sw-{name}-{id}"));
    for (number, device) in [&first, &second, &third].into_iter().enumerate() {
        ask(&format!(
            "INSERT INTO tocsin.syslog (agent_id, boot_id, agent_sequence, listener, received_at, event_time, device, message) \
             VALUES ('rename{id}', 1, {number}, 'l', now64(9), now64(9), '{device}', 'renamed{id}')"
        ));
    }
    let words = format!("words=renamed{id}");
    let found = |device: &str| {
        let (code, out, err) = run(&["ask", "search", &words, &format!("device={device}"), "--format", "json", "--clickhouse", &url]);
        assert_eq!(code, Some(0), "{err}");
        out.matches(&format!("renamed{id}\"")).count()
    };
    assert_eq!([found(&first), found(&third)], [1, 1]);

    let (code, out, err) = run(&["devices", "rename", &first, &second, "--clickhouse", &url]);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.starts_with(&format!("{first} is called {second} now: 1 events since ")), "{out}");
    assert_eq!(run(&["devices", "rename", &second, &third, "--clickhouse", &url]).0, Some(0));
    assert_eq!([found(&first), found(&second), found(&third)], [1, 1, 3]);

    let (code, _, err) = run(&["devices", "rename", &third, &first, "--clickhouse", &url]);
    assert!(code == Some(64) && err.contains(&format!("{first} is an old name of {third}")), "{err}");
    assert_eq!(run(&["devices", "rename", &first, &third, "--undo", "--clickhouse", &url]).0, Some(0));
    assert_eq!(found(&third), 2);
}
