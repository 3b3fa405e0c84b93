//! Every case of `testdata/notifications.yaml`, whole results compared; and that no input makes the reader panic. A new case is a new entry.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use tocsin_parse::{Parsed, Refusal};
use tocsin_snmp::interfaces::{Table, column_groups};
use tocsin_snmp::mib::{Source, compile};
use tocsin_snmp::names::{Names, SHIPPED};
use tocsin_snmp::pdu::CommunityMessage;
use tocsin_snmp::usm::{AuthProtocol, Level, PrivacyProtocol, User};
use tocsin_snmp::walk::Walk;
use tocsin_snmp::{OwnEngine, Receiver, identity_hash};
use tocsin_wire::events::SnmpTrap;
use tocsin_wire::{Body, word};

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Corpus {
    users: Vec<UserEntry>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserEntry {
    name: String,
    auth: Option<String>,
    privacy: Option<String>,
    #[serde(default)]
    password: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    hex: String,
    expect: Option<Expected>,
    refused: Option<String>,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Expected {
    version: String,
    oid: String,
    trap: String,
    uptime_centiseconds: u64,
    agent_address: String,
    engine_id: String,
    security_level: String,
    is_inform: bool,
    /// Name, type, value.
    varbinds: Vec<[String; 3]>,
}

fn corpus() -> Corpus {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/notifications.yaml");
    serde_saphyr::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn user(entry: &UserEntry) -> User {
    let auth = entry.auth.as_deref().map(|auth| match auth {
        "md5" => AuthProtocol::Md5,
        "sha1" => AuthProtocol::Sha1,
        "sha224" => AuthProtocol::Sha224,
        "sha256" => AuthProtocol::Sha256,
        "sha384" => AuthProtocol::Sha384,
        "sha512" => AuthProtocol::Sha512,
        other => panic!("{other}"),
    });
    let privacy = entry.privacy.as_deref().map(|privacy| match privacy {
        "des" => PrivacyProtocol::Des,
        "aes128" => PrivacyProtocol::Aes128,
        "aes192" => PrivacyProtocol::Aes192,
        "aes256" => PrivacyProtocol::Aes256,
        other => panic!("{other}"),
    });
    let key = auth.map(|auth| auth.key_of_password(entry.password.as_bytes()));
    let mut user = User {
        name: entry.name.clone(),
        engine_id: None,
        auth: auth.zip(key.clone()),
        privacy: privacy.zip(key),
        min_level: Level::NoAuthNoPriv,
    };
    user.min_level = user.max_level();
    user
}

fn receiver(users: &[UserEntry]) -> Receiver {
    let own = OwnEngine::new(&[], "agent-1", RECEIVED_AT);
    Receiver::new(vec![b"public".to_vec()], users.iter().map(user).collect(), own, Arc::new(Names::shipped().unwrap()), 1)
}

fn trap(parsed: Parsed) -> SnmpTrap {
    let Body::SnmpTrap(trap) = parsed.body else { panic!("no trap: {parsed:?}") };
    trap
}

fn seen(trap: SnmpTrap) -> Expected {
    Expected {
        version: word(trap.version()),
        oid: trap.trap_oid,
        trap: trap.trap_name,
        uptime_centiseconds: trap.uptime_centiseconds,
        agent_address: trap.agent_address,
        engine_id: trap.engine_id,
        security_level: trap.security_level,
        is_inform: trap.is_inform,
        varbinds: trap.varbinds.into_iter().map(|varbind| [varbind.name, varbind.r#type, varbind.value]).collect(),
    }
}

#[test]
fn every_case_gives_what_it_says() {
    let Corpus { users, cases } = corpus();
    assert!(cases.iter().filter(|case| case.expect.is_some()).count() >= 30);
    let receiver = receiver(&users);
    for case in cases {
        let outcome = receiver.receive(&bytes_of_hex(&case.hex), PEER, RECEIVED_AT);
        match outcome.parsed.unwrap_or_else(|| panic!("{}: nothing", case.name)) {
            Ok(parsed) => {
                let trap = trap(parsed);
                assert_eq!(outcome.reply.is_some(), trap.is_inform, "{}", case.name);
                assert_eq!(Some(seen(trap)), case.expect, "{}", case.name);
            }
            Err(Refusal { reason, detail }) => {
                assert_eq!(Some(word(reason)), case.refused, "{}: {detail}", case.name);
                assert!(detail.len() > 30 && !detail.contains("public"), "{}: {detail}", case.name);
            }
        }
    }
}

#[test]
fn a_community_is_stored_as_a_hash_and_its_place_is_told() {
    let Corpus { users, cases } = corpus();
    let receiver = receiver(&users);
    let case = cases.iter().find(|case| case.name.contains("hidden")).unwrap();
    let frame = bytes_of_hex(&case.hex);
    let outcome = receiver.receive(&frame, PEER, RECEIVED_AT);
    let secrets: Vec<_> = outcome.secrets.iter().map(|secret| &frame[secret.clone()]).collect();
    assert_eq!(secrets, [&b"public"[..], b"s3cret"]);
    let trap = trap(outcome.parsed.unwrap().unwrap());
    // `printf public | sha256sum`
    assert_eq!((trap.user_or_community_hash.as_str(), identity_hash(b"public").len()), ("efa1f375d76194fa", 16));
}

#[test]
fn the_answer_to_an_inform_repeats_its_bindings() {
    let Corpus { users, cases } = corpus();
    let case = cases.iter().find(|case| case.name == "a version 2c inform").unwrap();
    let frame = bytes_of_hex(&case.hex);
    let reply = receiver(&users).receive(&frame, PEER, RECEIVED_AT).reply.unwrap();
    let response: Vec<u8> = frame.iter().map(|byte| if *byte == 0xa6 { 0xa2 } else { *byte }).collect();
    assert_eq!(reply, response);
}

/// A small generator (xorshift64*), so that the mutations are the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % below.max(1)
    }
}

#[test]
fn mutations_of_all_cases_are_answered_and_walks_end() {
    let Corpus { users, cases } = corpus();
    let receiver = receiver(&users);
    let mut random = Random(0x5eed);
    for case in cases {
        let frame = bytes_of_hex(&case.hex);
        for _ in 0..300 {
            let mut frame = frame.clone();
            for _ in 0..=random.next(4) {
                let at = random.next(frame.len());
                match random.next(4) {
                    0 => frame.truncate(at),
                    1 => frame.insert(at.min(frame.len()), random.next(256) as u8),
                    _ => frame.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.next(256) as u8),
                }
            }
            let outcome = receiver.receive(&frame, PEER, RECEIVED_AT);
            assert!(outcome.parsed.is_some() || outcome.reply.is_some(), "{}", case.name);
            assert!(outcome.secrets.iter().all(|secret| secret.end <= frame.len()));
            walk_all(&frame);
        }
    }
}

/// Takes a datagram for a device's answer, again and again.
fn walk_all(frame: &[u8]) {
    let Ok(pdu) = CommunityMessage::read_response(frame) else { return };
    let mut table = Table::default();
    for (group, columns) in column_groups().iter().enumerate() {
        let mut walk = Walk::new(columns);
        for turn in 0.. {
            if walk.next_request().is_empty() {
                break;
            }
            assert!(turn < 1_000, "the same answer must end the walk");
            table.take(group, walk.take(&pdu.varbinds));
        }
    }
    table.into_readings();
}

#[test]
fn the_shipped_table_is_sorted_and_has_the_usual_modules() {
    let mut names = Names::default();
    names.add(SHIPPED).unwrap();
    assert!(names.len() > 3_000);
    for (name, oid) in [
        ("IF-MIB::linkDown", "1.3.6.1.6.3.1.1.5.3"),
        ("BGP4-MIB::bgpPeerState", "1.3.6.1.2.1.15.3.1.2"),
        ("CISCO-FIREWALL-MIB::cfwConnectionStatValue", "1.3.6.1.4.1.9.9.147.1.2.2.2.1.5"),
        ("UPS-MIB::upsTrapOnBattery", "1.3.6.1.2.1.33.2.1"),
        ("NET-SNMP-AGENT-MIB::nsNotifyShutdown", "1.3.6.1.4.1.8072.4.0.2"),
    ] {
        assert_eq!(names.oid(name).unwrap().to_string(), oid, "{name}");
    }
    let oids: Vec<Vec<u32>> = SHIPPED
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').next().unwrap().split('.').map(|arc| arc.parse().unwrap()).collect())
        .collect();
    assert!(oids.is_sorted());
}

#[test]
fn mutations_of_a_module_are_compiled_or_told_of() {
    let module = "M-MIB DEFINITIONS ::= BEGIN\nIMPORTS enterprises FROM SNMPv2-SMI;\nm OBJECT IDENTIFIER ::= { enterprises 32473 }\n\
                  mState OBJECT-TYPE SYNTAX INTEGER { up(1), down(2) } MAX-ACCESS read-only STATUS current DESCRIPTION \"x\" ::= { m 1 }\n\
                  T ::= TEXTUAL-CONVENTION DISPLAY-HINT \"1x:\" STATUS current DESCRIPTION \"x\" SYNTAX OCTET STRING (SIZE (6))\n\
                  mDown TRAP-TYPE ENTERPRISE m VARIABLES { mState } DESCRIPTION \"x\" ::= 3\nEND\n";
    let mut random = Random(0x5eed);
    for _ in 0..3_000 {
        let mut text = module.as_bytes().to_vec();
        for _ in 0..=random.next(5) {
            let at = random.next(text.len());
            match random.next(3) {
                0 => drop(text.drain(at..(at + random.next(20)).min(text.len()))),
                1 => text.insert(at, b"{}()\"-:=;'\n \tA9"[random.next(15)]),
                _ => text.iter_mut().skip(at).take(1).for_each(|byte| *byte = random.next(128) as u8),
            }
        }
        let text = String::from_utf8_lossy(&text);
        let compiled = compile(&[Source { name: "m", text: &text }], &Names::default());
        Names::default().add(&compiled.table).unwrap_or_else(|error| panic!("{error}: {text}"));
    }
}
