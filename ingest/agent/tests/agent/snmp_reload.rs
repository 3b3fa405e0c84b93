//! Whom SNMP believes and what it calls things, changed while traps arrive.

use std::fs;
use std::path::Path;

use tempfile::TempDir;
use tocsin_agent::Config;
use tocsin_snmp::pdu::{CommunityMessage, Kind, Pdu, Value, Varbind};
use tocsin_snmp::usm::{AuthProtocol, Level, LocalKeys, User};
use tocsin_snmp::v3::{Context, Outgoing};
use tocsin_wire::Body;
use tocsin_wire::rejects::Reason;

use crate::running::{Running, sender, start_with, v4};

const ENGINE: [u8; 8] = [0x80, 0, 0, 0, 1, 2, 3, 4];
const ALARM: &str = "1.3.6.1.4.1.32473.1";
const LISTENERS: &str = "listeners: [{name: l, kind: snmp, listen: '[::]:0'}]";

fn reload(running: &mut Running, snmp: &str) {
    let yaml = format!("agent_id: test-agent\ntelemetry: {{listen: '127.0.0.1:0'}}\nsnmp: {{{snmp}}}\n{LISTENERS}");
    running.agent.reload(&Config::parse(&yaml).unwrap()).unwrap();
}

fn alarm() -> Vec<u8> {
    let named = Varbind { oid: "1.3.6.1.6.3.1.1.4.1.0".parse().unwrap(), value: Value::Oid(ALARM.parse().unwrap()) };
    Pdu::new(Kind::Trap, 1, vec![named]).write()
}

fn of_community(community: &str) -> Vec<u8> {
    CommunityMessage::write(false, community.as_bytes(), &alarm())
}

fn keys(password: &str) -> LocalKeys {
    let auth = AuthProtocol::Sha256;
    let auth = Some((auth, auth.key_of_password(password.as_bytes())));
    User { name: "monitor".to_owned(), engine_id: None, auth, privacy: None, min_level: Level::AuthNoPriv }.localize(&ENGINE)
}

fn of_user(password: &str, time: u32) -> Vec<u8> {
    let context = Context { engine_id: &ENGINE, name: b"" };
    let (engine_id, user, pdu) = (&ENGINE[..], &b"monitor"[..], &alarm()[..]);
    let message = Outgoing { msg_id: 1, is_reportable: false, level: Level::AuthNoPriv, engine_id, boots: 7, time, user, context, pdu };
    message.write(&keys(password), 1).unwrap()
}

/// Sends a trap and tells what became of it: the trap's name, or why it was refused.
fn told(running: &Running, trap: &[u8]) -> Result<String, Reason> {
    let before = running.events().len();
    sender(v4(running.port())).send(trap).unwrap();
    running.wait_for(|_| running.events().len() > before);
    match running.events().swap_remove(before).body {
        Some(Body::SnmpTrap(trap)) => Ok(trap.trap_name),
        Some(Body::Reject(reject)) => Err(reject.reason()),
        other => panic!("{other:?}"),
    }
}

fn write(folder: &TempDir, file: &str, text: &str) -> String {
    fs::write(folder.path().join(file), text).unwrap();
    Path::display(&folder.path().join(file)).to_string()
}

#[test]
fn communities_and_users_are_those_of_the_last_reload_and_a_replay_is_still_one() {
    let folder = tempfile::tempdir().unwrap();
    let secret = write(&folder, "auth.secret", "first-password\n");
    let users = format!("users: [{{name: monitor, auth: {{protocol: sha256, password: {{file: {secret}}}}}}}]");
    let mut running = start_with(&format!("snmp: {{communities: [first]}}\n{LISTENERS}"));
    let accepted = Ok("SNMPv2-SMI::enterprises.32473.1".to_owned());
    assert_eq!(told(&running, &of_community("first")), accepted);
    assert_eq!(told(&running, &of_user("first-password", 1_000)), Err(Reason::UnknownUser));

    reload(&mut running, &format!("communities: [second], {users}"));
    assert_eq!(told(&running, &of_community("first")), Err(Reason::CommunityNotAllowed));
    assert_eq!(told(&running, &of_community("second")), accepted);
    assert_eq!(told(&running, &of_user("first-password", 1_000)), accepted);

    write(&folder, "auth.secret", "other-password\n");
    reload(&mut running, &format!("communities: [second], {users}"));
    assert_eq!(told(&running, &of_user("first-password", 1_010)), Err(Reason::AuthenticationFailed));
    assert_eq!(told(&running, &of_user("other-password", 1_010)), accepted);
    assert_eq!(told(&running, &of_user("other-password", 800)), Err(Reason::NotInTimeWindow), "the engine's clock is known from before");

    reload(&mut running, "communities: [second]");
    assert_eq!(told(&running, &of_user("other-password", 1_020)), Err(Reason::UnknownUser));
}

#[test]
fn a_table_of_names_that_is_added_or_changed_is_used_from_the_reload_on() {
    let folder = tempfile::tempdir().unwrap();
    let mut running = start_with(&format!("snmp: {{communities: [public]}}\n{LISTENERS}"));
    let trap = of_community("public");
    assert_eq!(told(&running, &trap).unwrap(), "SNMPv2-SMI::enterprises.32473.1");
    for name in ["SITE-MIB::alarm", "SITE-MIB::greatAlarm"] {
        let table = write(&folder, "site.tsv", &format!("{ALARM}\t{name}\tnotification\n"));
        reload(&mut running, &format!("communities: [public], mibs: [{table}]"));
        assert_eq!(told(&running, &trap).unwrap(), name);
    }
    let broken = write(&folder, "site.tsv", "no table\n");
    let yaml = format!("agent_id: test-agent\ntelemetry: {{listen: '127.0.0.1:0'}}\nsnmp: {{mibs: [{broken}]}}\n{LISTENERS}");
    let refused = Config::parse(&yaml)
        .map_err(|error| error.to_string())
        .and_then(|wanted| running.agent.reload(&wanted).map(drop).map_err(|error| error.to_string()));
    assert!(refused.as_ref().is_err_and(|problem| problem.contains("site.tsv")), "{refused:?}");
    assert_eq!(told(&running, &trap).unwrap(), "SITE-MIB::greatAlarm", "a table that cannot be read changes nothing");
}
