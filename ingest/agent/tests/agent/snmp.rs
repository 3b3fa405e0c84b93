//! Traps and informs as Net-SNMP's programs send them, in all versions and with every protocol that they have.

use std::net::UdpSocket;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;
use tocsin_snmp::pdu::{CommunityMessage, Kind, Pdu, Value, Varbind};
use tocsin_wire::events::snmp_trap::Version;
use tocsin_wire::events::{Event, SnmpTrap};
use tocsin_wire::rejects::Reason;
use tocsin_wire::{Body, word};

use crate::running::{Running, sender, start_with, v4};

const ENGINE: &str = "8000000001020304";
const LINK_DOWN: &str = "1.3.6.1.6.3.1.1.5.3";
const AUTH: [(&str, &str); 6] =
    [("md5", "MD5"), ("sha1", "SHA"), ("sha224", "SHA-224"), ("sha256", "SHA-256"), ("sha384", "SHA-384"), ("sha512", "SHA-512")];
const PRIVACY: [(&str, &str); 4] = [("des", "DES"), ("aes128", "AES"), ("aes192", "AES-192"), ("aes256", "AES-256")];

/// Whether a program can be run; in CI it must be there.
pub(crate) fn has(program: &str, package: &str) -> bool {
    // Whatever a program says to it, it ends; by `-V` snmpd would stay as a daemon.
    let is_there = Command::new(program).arg("-v").output().is_ok();
    assert!(is_there || std::env::var("CI").as_deref() != Ok("true"), "{program} is missing; apt-get install {package}");
    if !is_there {
        eprintln!("skipped: {program} is missing; apt-get install {package}");
    }
    is_there
}

/// Net-SNMP's programs with a folder of their own, so that nothing of the machine's config is read or written.
pub(crate) struct NetSnmp {
    folder: TempDir,
}

impl NetSnmp {
    pub(crate) fn new() -> Option<Self> {
        has("snmptrap", "snmp").then(|| Self { folder: tempfile::tempdir().unwrap() })
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Output {
        let path = self.folder.path();
        Command::new(program)
            .args(arguments)
            .envs([("SNMP_PERSISTENT_DIR", path), ("SNMPCONFPATH", path)])
            .env("MIBS", "")
            .output()
            .unwrap_or_else(|error| panic!("{program}: {error}"))
    }

    /// Sends linkDown of interface 3.
    #[track_caller]
    fn send(&self, program: &str, port: u16, arguments: &[&str]) -> Output {
        let address = format!("udp:127.0.0.1:{port}");
        let ends = [&address, "", LINK_DOWN, "1.3.6.1.2.1.2.2.1.1.3", "i", "3", "1.3.6.1.2.1.2.2.1.8.3", "i", "2"];
        self.run(program, &[arguments, &ends].concat())
    }
}

fn agent(snmp: &str) -> Running {
    start_with(&format!("snmp: {{{snmp}}}\nlisteners: [{{name: l, kind: snmp, listen: '[::]:0'}}]"))
}

fn trap(event: &Event) -> &SnmpTrap {
    let Some(Body::SnmpTrap(trap)) = &event.body else { panic!("no trap: {event:?}") };
    trap
}

/// A user for each way to protect messages: config and the arguments that choose it.
fn users() -> Vec<(String, Vec<String>)> {
    let arguments = |text: String| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let mut users = vec![("{name: plain}".to_owned(), arguments("-v3 -l noAuthNoPriv -u plain".to_owned()))];
    for (auth, auth_argument) in AUTH {
        let password = format!("auth-{auth}-password");
        users.push((
            format!("{{name: {auth}, auth: {{protocol: {auth}, password: {password}}}}}"),
            arguments(format!("-v3 -l authNoPriv -u {auth} -a {auth_argument} -A {password}")),
        ));
        for (privacy, privacy_argument) in PRIVACY {
            let (name, privacy_password) = (format!("{auth}-{privacy}"), format!("privacy-{privacy}-password"));
            users.push((
                format!(
                    "{{name: {name}, auth: {{protocol: {auth}, password: {password}}}, privacy: {{protocol: {privacy}, password: {privacy_password}}}}}"
                ),
                arguments(format!(
                    "-v3 -l authPriv -u {name} -a {auth_argument} -A {password} -x {privacy_argument} -X {privacy_password}"
                )),
            ));
        }
    }
    users
}

fn agent_with_users(users: &[(String, Vec<String>)]) -> Running {
    let entries: Vec<_> = users.iter().map(|(config, _)| config.as_str()).collect();
    agent(&format!("users: [{}]", entries.join(", ")))
}

fn strings(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn a_v1_trap_has_its_v2_name_and_the_device_it_tells() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("");
    let address = format!("udp:127.0.0.1:{}", running.port());
    let varbind = ["1.3.6.1.2.1.2.2.1.1.3", "i", "3"];
    let generic = [&["-v1", "-c", "public", &address, "1.3.6.1.4.1.8072.3.2.10", "192.0.2.7", "2", "0", "4200"], &varbind[..]].concat();
    let specific = [&["-v1", "-c", "public", &address, "1.3.6.1.4.1.9.9.41.2", "0.0.0.0", "6", "1", "4200"], &varbind[..]].concat();
    for arguments in [generic, specific] {
        let output = net_snmp.run("snmptrap", &arguments);
        assert!(output.status.success(), "{output:?}");
    }
    running.wait_for(|stats| stats.acked == 2);
    let events = running.events();
    let (first, second) = (trap(&events[0]), trap(&events[1]));
    assert_eq!((first.version(), first.trap_oid.as_str(), first.uptime_centiseconds), (Version::V1, LINK_DOWN, 4200));
    assert_eq!((first.agent_address.as_str(), events[0].device.as_str()), ("192.0.2.7", "192.0.2.7"));
    assert_eq!((second.trap_oid.as_str(), events[1].device.as_str()), ("1.3.6.1.4.1.9.9.41.2.0.1", "127.0.0.1"));
    assert_eq!(second.varbinds[0].value, "3");
}

#[test]
fn a_v2c_trap_is_stored_without_its_community_and_an_inform_is_acknowledged() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("communities: [public, s3cret-word]");
    let sent = net_snmp.send("snmptrap", running.port(), &["-v2c", "-c", "s3cret-word"]);
    assert!(sent.status.success(), "{sent:?}");
    let acknowledged = net_snmp.send("snmpinform", running.port(), &["-v2c", "-c", "public", "-r", "0", "-t", "10"]);
    assert!(acknowledged.status.success(), "{acknowledged:?}");
    running.wait_for(|stats| stats.acked == 2);
    let events = running.events();
    let (first, inform) = (trap(&events[0]), trap(&events[1]));
    assert_eq!((first.version(), first.trap_oid.as_str(), first.is_inform), (Version::V2c, LINK_DOWN, false));
    assert_eq!((inform.trap_oid.as_str(), inform.is_inform), (LINK_DOWN, true));
    assert_eq!(first.user_or_community_hash, tocsin_snmp::identity_hash(b"s3cret-word"));
    let everything = format!("{events:?}");
    assert!(!everything.contains("s3cret-word"), "{everything}");
    assert!(events[0].raw.windows(11).any(|window| window == b"***********"), "the community is blanked in the raw bytes");
}

#[test]
fn an_inform_is_not_answered_before_its_record_is_handed_over() {
    let running = agent("communities: [public]");
    let varbind = |oid: &str, value| Varbind { oid: oid.parse().unwrap(), value };
    let varbinds =
        vec![varbind("1.3.6.1.2.1.1.3.0", Value::TimeTicks(1)), varbind("1.3.6.1.6.3.1.1.4.1.0", Value::Oid(LINK_DOWN.parse().unwrap()))];
    let inform = CommunityMessage::write(false, b"public", &Pdu::new(Kind::Inform, 7, varbinds).write());
    running.publisher.close_gate();
    let socket = sender(v4(running.port()));
    socket.send(&inform).unwrap();
    running.wait_for(|stats| stats.events == 1);
    socket.set_nonblocking(true).unwrap();
    assert_eq!(socket.recv(&mut [0; 2048]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    socket.set_nonblocking(false).unwrap();
    running.publisher.open_gate();
    socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    assert!(socket.recv(&mut [0; 2048]).unwrap() > 0);
    // It was published before it was answered, so nothing is waited for.
    assert_eq!(running.events().len(), 1);
}

/// Between snmpinform and the agent stands a relay that loses the first answer, so that snmpinform sends again.
#[test]
fn an_inform_whose_answer_was_lost_comes_again_and_is_one_event() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("communities: [public]");
    let relay = UdpSocket::bind("127.0.0.1:0").unwrap();
    let relay_port = relay.local_addr().unwrap().port();
    let agent_port = running.port();
    let relaying = std::thread::spawn(move || {
        let inside = UdpSocket::bind("127.0.0.1:0").unwrap();
        inside.connect(("127.0.0.1", agent_port)).unwrap();
        for socket in [&relay, &inside] {
            socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        }
        let mut buffer = [0_u8; 2048];
        for attempt in 1..=2 {
            let (length, sender) = relay.recv_from(&mut buffer).unwrap();
            inside.send(&buffer[..length]).unwrap();
            let length = inside.recv(&mut buffer).unwrap();
            if attempt == 2 {
                relay.send_to(&buffer[..length], sender).unwrap();
            }
        }
    });
    let acknowledged = net_snmp.send("snmpinform", relay_port, &["-v2c", "-c", "public", "-r", "3", "-t", "3"]);
    assert!(acknowledged.status.success(), "{acknowledged:?}");
    relaying.join().unwrap();
    let stats = running.wait_for(|stats| stats.received == 2 && stats.acked == 1);
    assert_eq!((stats.events, stats.malformed, running.counters[0].answers()), (1, 0, 1));
}

#[test]
fn a_community_that_is_not_allowed_is_rejected_unnamed_and_not_acknowledged() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("");
    let output = net_snmp.send("snmpinform", running.port(), &["-v2c", "-c", "s3cret-word", "-r", "0", "-t", "1"]);
    assert!(!output.status.success());
    running.wait_for(|stats| stats.acked == 1);
    let events = running.events();
    assert_eq!(running.rejects()[0].reason(), Reason::CommunityNotAllowed);
    assert!(!format!("{events:?}").contains("s3cret-word"));
    assert!(!events[0].raw.windows(11).any(|window| window == b"s3cret-word"));
}

#[test]
fn a_v3_trap_of_every_protocol_becomes_an_event_and_its_engine_is_listed() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let users = users();
    let running = agent_with_users(&users);
    for (_, arguments) in &users {
        let output = net_snmp.send("snmptrap", running.port(), &[&strings(arguments)[..], &["-e", ENGINE]].concat());
        assert!(output.status.success(), "{output:?}");
    }
    let stats = running.wait_for(|stats| stats.acked == users.len() as u64);
    assert_eq!((stats.events, stats.malformed), (31, 0), "{:?}", running.rejects());
    let events = running.events();
    assert!(events.iter().all(|event| trap(event).engine_id == ENGINE && trap(event).trap_oid == LINK_DOWN));
    let of_level = |level: &str| events.iter().filter(|event| trap(event).security_level == level).count();
    assert_eq!([of_level("noAuthNoPriv"), of_level("authNoPriv"), of_level("authPriv")], [1, 6, 24]);
    let page = running.get("/snmp-engines");
    assert!(page.contains(ENGINE) && page.contains(r#""accepted":31"#), "{page}");
}

#[test]
fn a_v3_inform_of_every_protocol_finds_our_engine_and_is_acknowledged() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let users = users();
    let running = agent_with_users(&users);
    for (_, arguments) in &users {
        let output = net_snmp.send("snmpinform", running.port(), &[&strings(arguments)[..], &["-r", "0", "-t", "10"]].concat());
        assert!(output.status.success(), "{arguments:?}: {output:?}");
    }
    let stats = running.wait_for(|stats| stats.acked == users.len() as u64);
    assert_eq!((stats.events, stats.malformed), (31, 0), "{:?}", running.rejects());
    assert!(running.events().iter().all(|event| trap(event).is_inform && trap(event).trap_oid == LINK_DOWN));
    assert_eq!(running.counters[0].answers() + stats.events, stats.received, "questions for our engine id and clock are counted apart");
}

#[test]
fn a_refusal_names_the_user_and_engine_and_says_what_was_wrong() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent(
        "users: [{name: known, auth: {protocol: sha256, password: right-password}, privacy: {protocol: aes128, password: right-password}}, \
         {name: elsewhere, engine_id: '80000000aabbccdd', auth: {protocol: sha1, password: right-password}}]",
    );
    let (right, wrong) = ("right-password", "wrong-password");
    let cases = [
        ("-l authPriv -u stranger -a SHA-256 -A right-password -x AES -X right-password", Reason::UnknownUser, "\"stranger\""),
        ("-l authNoPriv -u elsewhere -a SHA -A right-password", Reason::UnknownUser, "other engine ids"),
        (
            "-l authPriv -u known -a SHA-256 -A wrong-password -x AES -X right-password",
            Reason::AuthenticationFailed,
            "auth protocol and password",
        ),
        (
            "-l authPriv -u known -a SHA -A right-password -x AES -X right-password",
            Reason::AuthenticationFailed,
            "auth protocol and password",
        ),
        (
            "-l authPriv -u known -a SHA-256 -A right-password -x AES -X wrong-password",
            Reason::DecryptionFailed,
            "privacy protocol and password",
        ),
        (
            "-l authPriv -u known -a SHA-256 -A right-password -x DES -X right-password",
            Reason::DecryptionFailed,
            "privacy protocol and password",
        ),
        ("-l authNoPriv -u known -a SHA-256 -A right-password", Reason::SecurityLevel, "min_level"),
        ("-l noAuthNoPriv -u known", Reason::SecurityLevel, "noAuthNoPriv"),
    ];
    for (number, (arguments, reason, part)) in cases.iter().enumerate() {
        let arguments: Vec<_> = ["-v3", "-e", ENGINE].into_iter().chain(arguments.split(' ')).collect();
        assert!(net_snmp.send("snmptrap", running.port(), &arguments).status.success());
        running.wait_for(|stats| stats.acked == number as u64 + 1);
        let reject = running.rejects().pop().unwrap();
        assert_eq!(word(reject.reason()), word(*reason), "{arguments:?}");
        assert!(reject.detail.contains(part) && reject.detail.contains(ENGINE), "{}", reject.detail);
        assert!(!reject.detail.contains(right) && !reject.detail.contains(wrong));
    }
}

#[test]
fn a_v3_inform_of_an_unknown_user_is_reported_to_its_sender() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("");
    let arguments = ["-v3", "-l", "authNoPriv", "-u", "stranger", "-a", "SHA", "-A", "any-password", "-r", "0", "-t", "5"];
    let output = net_snmp.send("snmpinform", running.port(), &arguments);
    let said = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(!output.status.success() && said.contains("unknown user name"), "{output:?}");
    running.wait_for(|stats| stats.acked == 1);
    assert_eq!(running.rejects()[0].reason(), Reason::UnknownUser);
}

#[test]
fn a_trap_from_before_a_reboot_is_outside_the_window_of_its_engine() {
    let Some(net_snmp) = NetSnmp::new() else { return };
    let running = agent("users: [{name: u, auth: {protocol: sha1, password: some-password}}]");
    let user = ["-v3", "-l", "authNoPriv", "-u", "u", "-a", "SHA", "-A", "some-password", "-e", ENGINE];
    for (clock, acked) in [("5,1000", 1), ("4,2000", 2), ("5,800", 3), ("6,1", 4)] {
        assert!(net_snmp.send("snmptrap", running.port(), &[&user[..], &["-Z", clock]].concat()).status.success());
        running.wait_for(|stats| stats.acked == acked);
    }
    let reasons: Vec<_> = running.rejects().iter().map(|reject| word(reject.reason())).collect();
    assert_eq!(reasons, ["not_in_time_window", "not_in_time_window"]);
    assert_eq!(running.stats().events, 2);
}

#[test]
fn what_is_no_snmp_is_rejected_and_says_where() {
    let running = agent("");
    let socket = sender(v4(running.port()));
    for bytes in [&b"<13>syslog at the wrong port"[..], b"", &[0x30, 0x82, 0xff, 0xff, 2, 1, 1], &[0x30, 3, 2, 1, 7]] {
        socket.send(bytes).unwrap();
    }
    running.wait_for(|stats| stats.acked == 4);
    let reasons: Vec<_> = running.rejects().iter().map(|reject| word(reject.reason())).collect();
    assert_eq!(reasons, ["syntax", "empty", "syntax", "syntax"]);
    assert!(running.rejects()[3].detail.contains("version"), "{:?}", running.rejects()[3]);
}

#[test]
fn no_reject_keeps_a_community() {
    let running = start_with("snmp: {communities: [s3cret]}\nlisteners: [{name: l, kind: snmp, listen: '[::]:0', max_message: 64}]");
    let pdu = Pdu::new(Kind::Trap, 1, Vec::new()).write();
    let frame = |community: &[u8], pdu: &[u8]| CommunityMessage::write(false, community, pdu);
    let unnamed = frame(b"s3cret", &pdu);
    let socket = sender(v4(running.port()));
    for frame in [&unnamed[..], &frame(b"mistyped", &pdu), &unnamed[..unnamed.len() - 5], &frame(b"s3cret", &[0; 100])] {
        socket.send(frame).unwrap();
    }
    running.wait_for(|stats| stats.acked == 4);
    let reasons: Vec<_> = running.rejects().iter().map(|reject| reject.reason()).collect();
    assert_eq!(reasons, [Reason::MissingField, Reason::CommunityNotAllowed, Reason::Syntax, Reason::Oversize]);
    for event in running.events() {
        let raw = String::from_utf8_lossy(&event.raw).into_owned();
        assert!(raw.contains("******") && !raw.contains("s3cret") && !raw.contains("mistyped"), "{raw:?}");
    }
}
