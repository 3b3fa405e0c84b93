//! `tocsin why` against a real ClickHouse: TOCSIN_TEST_CLICKHOUSE_URL says where.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod server;

use server::{run, server};

#[test]
fn an_alert_says_its_events_with_their_lines_its_rule_its_reasons_and_its_decisions() {
    let Some(url) = server("TOCSIN_TEST_CLICKHOUSE_URL") else { return };
    let ask = |statement: &str| ureq::post(&url).send(statement).unwrap().body_mut().read_to_string().unwrap();
    let (code, _, err) = run(&["schema", "apply", "--only", "clickhouse", "--clickhouse", &url]);
    assert_eq!(code, Some(0), "{err}");
    let id = std::process::id();
    let (device, agent) = (format!("sw-why-{id}"), format!("why{id}"));
    // Hexadecimal digits, as fingerprints are; runs of this test differ in their first eight.
    let (link, top) = (format!("{id:08x}{:024x}", 1), format!("{id:08x}{:024x}", 2));
    let boot: u64 = ask("SELECT toUnixTimestamp64Nano(now64(9)) - 3600000000000").trim().parse().unwrap();
    let event = format!("{agent}-{boot:x}-7");
    let opened = "now64(9) - INTERVAL 30 MINUTE";
    ask(&format!(
        "INSERT INTO tocsin.syslog (agent_id, boot_id, agent_sequence, listener, received_at, event_time, device, raw_header, message, message_in_raw) \
         VALUES ('{agent}', {boot}, 7, 'syslog-udp', {opened}, {opened}, '{device}', '<189>', 'Gi1/0/1 went down', true)"
    ));
    let tell = |fingerprint: &str, transition: &str, state: &str, version: u8, more: &str, values: &str| {
        ask(&format!(
            "INSERT INTO tocsin.alert_history (fingerprint, fingerprint_fields, version, told_at, transition, transition_at, state, severity, source, \
             device, check, summary, first_seen, last_seen, update_count, event_id, rule, rule_pushed_at, raised_by{more}) \
             VALUES ('{fingerprint}', map('device', '{device}'), {version}, {opened} + {version}, '{transition}', {opened}, '{state}', 'major', 'link', \
             '{device}', 'link', 'a link is down', {opened}, {opened}, 1, '{event}', 'link', toDateTime64('2026-11-20 11:00:00', 9, 'UTC'), \
             ['{event}']{values})"
        ))
    };
    tell(&link, "opened", "open", 1, "", "");
    let held = format!(", [('tree:{top}', 'array-7', {opened} + 2)]");
    tell(&link, "suppressed", "suppressed", 2, ", held_back", &held);
    tell(&top, "opened", "open", 1, ", tree_down, cut_sets", &format!(", [('disk 1', '{link}')], [['disk 1', 'disk 2']]"));

    let (code, out, err) = run(&["why", &link[..32], "--clickhouse", &url]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for line in [
        format!("alert         {link} suppressed, major: {device} link: a link is down\n"),
        "raised by     1 event\n".to_owned(),
        format!("{device} <189>Gi1/0/1 went down\n                event {event}\n"),
        "rule          link, as pushed at 2026-11-20 11:00:00.000000000\n".to_owned(),
        format!("key           device={device}\n"),
        "held back by  tree array-7 since ".to_owned(),
        format!("                {top} open major {device} link: a link is down\n"),
        " opened: open, major, as of ".to_owned(),
        " suppressed: suppressed, major, as of ".to_owned(),
    ] {
        assert!(out.contains(&line), "{line}{out}");
    }
    let (_, out, _) = run(&["why", &top, "--clickhouse", &url]);
    assert!(out.contains("enough        disk 1 + disk 2\n") && out.contains(&format!("down          disk 1: {link} suppressed")), "{out}");

    let (code, out, _) = run(&["why", &link[..31], "--clickhouse", &url, "--json"]);
    assert_eq!(code, Some(64), "both begin so: {out}");
    let (code, _, err) = run(&["why", &event, "--clickhouse", &url]);
    assert!(code == Some(64) && err.contains(&link) && err.contains(&top), "an event of two alerts: {err}");
    let mistyped = format!("{}f", &link[..31]);
    let (code, _, err) = run(&["why", &mistyped, "--clickhouse", &url]);
    assert!(code == Some(1) && err.contains("the nearest are:") && err.contains(&link), "{err}");
    let (code, _, err) = run(&["why", "nobody-2a-1", "--clickhouse", &url]);
    assert!(code == Some(1) && err.contains("tocsin trace nobody-2a-1"), "{err}");

    ask(&format!("ALTER TABLE tocsin.alert_history DELETE WHERE device = '{device}'"));
    ask(&format!("DELETE FROM tocsin.alerts_latest WHERE device = '{device}'"));
    ask(&format!("DELETE FROM tocsin.syslog WHERE device = '{device}'"));
}
