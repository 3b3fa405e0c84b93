//! `tocsin devices rename` against a real ClickHouse: TOCSIN_TEST_CLICKHOUSE_URL says where.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod server;

use server::{run, server};

#[test]
fn a_renamed_device_keeps_its_history_under_every_name_that_it_had() {
    let Some(url) = server("TOCSIN_TEST_CLICKHOUSE_URL") else { return };
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
