use super::*;

const SYSLOG: &str = "{name: s, kind: syslog, listen: '127.0.0.1:5514'}";

fn config(yaml: &str) -> Config {
    Config::parse(yaml).unwrap()
}

fn listeners(listeners: &[&str]) -> Config {
    config(&format!("listeners: [{}]", listeners.join(", ")))
}

fn told(changes: &[Change]) -> Vec<String> {
    changes.iter().map(Change::to_string).collect()
}

#[track_caller]
fn plan(running: &Config, wanted: &Config) -> (Vec<String>, Vec<String>) {
    let plan = Plan::between(running, wanted, |_| false).unwrap();
    (told(&plan.applied), told(&plan.waiting))
}

#[test]
fn the_same_config_changes_nothing() {
    assert_eq!(plan(&Config::default(), &Config::default()), (vec![], vec![]));
}

#[test]
fn settings_of_a_listener_are_applied_key_by_key() {
    let wanted = listeners(&["{name: s, kind: syslog, listen: '127.0.0.1:5514', max_message: 1KiB, deny: [192.0.2.0/24]}"]);
    let (applied, waiting) = plan(&listeners(&[SYSLOG]), &wanted);
    assert_eq!(applied, ["listeners[s].deny: [] -> [\"192.0.2.0/24\"]", "listeners[s].max_message: 256.0 KiB -> 1.0 KiB"]);
    assert!(waiting.is_empty());
}

#[test]
fn listeners_come_and_go_and_move_to_another_port() {
    let running = listeners(&[SYSLOG, "{name: old, kind: alert, listen: '127.0.0.1:5515'}"]);
    let wanted = listeners(&["{name: s, kind: syslog, listen: '127.0.0.1:6514'}", "{name: new, kind: snmp, listen: '[::1]:162'}"]);
    let (applied, waiting) = plan(&running, &wanted);
    assert_eq!(
        applied,
        [
            "listeners[new]: new: snmp udp [::1]:162",
            "listeners[old]: goes, was alert udp 127.0.0.1:5515",
            "listeners[s].listen: 127.0.0.1:5514 -> 127.0.0.1:6514"
        ]
    );
    assert!(waiting.is_empty());
}

#[test]
fn what_the_promises_rest_on_waits_for_a_restart() {
    let wanted = config("agent_id: b\nkafka: {linger: 5ms}\nspool: {max_size: 2GiB}\nsnmp: {engine_id: 80007ed904726f75746572}");
    let (applied, waiting) = plan(&Config::default(), &wanted);
    assert!(applied.is_empty(), "{applied:?}");
    assert_eq!(waiting.len(), 4);
    assert_eq!(waiting[1], "kafka.linger: 40ms -> 5ms");
}

#[test]
fn keys_of_a_socket_that_cannot_be_opened_beside_itself_wait_and_the_others_do_not() {
    let wanted = listeners(&["{name: s, kind: syslog, listen: '127.0.0.1:5514', readers: 2, receive_buffer: 1MiB, site: fra1}"]);
    let (applied, waiting) = plan(&listeners(&[SYSLOG]), &wanted);
    assert_eq!(applied, ["listeners[s].site:  -> fra1"]);
    assert_eq!(waiting, ["listeners[s].readers: 1 -> 2", "listeners[s].receive_buffer: auto -> 1.0 MiB"]);
}

#[test]
fn a_held_socket_is_not_opened_elsewhere() {
    let wanted = listeners(&["{name: s, kind: syslog, listen: '127.0.0.1:6514'}"]);
    let plan = Plan::between(&listeners(&[SYSLOG]), &wanted, |name| name == "s").unwrap();
    assert_eq!((told(&plan.applied), plan.waiting.len()), (vec![], 1));
}

#[test]
fn a_port_that_changes_its_listener_is_refused_with_a_way_round() {
    let wanted = listeners(&["{name: renamed, kind: syslog, listen: '[::]:5514'}"]);
    let problem = Plan::between(&listeners(&[SYSLOG]), &wanted, |_| false).unwrap_err();
    assert!(problem.contains("renamed wants [::]:5514") && problem.contains("listener s") && problem.contains("first"), "{problem}");
}

#[test]
fn a_changed_secret_is_not_told() {
    let running = config("snmp: {communities: [one], users: [{name: u, auth: {protocol: md5, password: maplesyrup}}]}");
    let wanted = config("snmp: {communities: [two], users: [{name: u, auth: {protocol: sha1, password: correcthorse}}]}");
    assert_eq!(plan(&running, &wanted).0, ["snmp.users[u].auth.protocol: md5 -> sha1"]);
}
