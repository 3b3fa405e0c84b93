//! What anybody can send to the port for notifications: it is bounded before it is believed, and its secrets are found.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use tocsin_snmp::names::Names;
use tocsin_snmp::pdu::{CommunityMessage, Kind, Pdu, Value, Varbind};
use tocsin_snmp::usm::{AuthProtocol, Level, LocalKeys, User};
use tocsin_snmp::v3::{Context, Outgoing};
use tocsin_snmp::{Oid, Outcome, OwnEngine, Receiver};
use tocsin_wire::rejects::Reason;

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;
const PEER: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
const ENGINE: [u8; 8] = [0x80, 0, 0, 0, 1, 2, 3, 4];
/// More than an agent remembers of strangers, and than it once remembered of all.
const FLOOD: u32 = 60_000;

fn user() -> User {
    let auth = AuthProtocol::Sha256;
    User {
        name: "monitor".to_owned(),
        engine_id: None,
        auth: Some((auth, auth.key_of_password(b"correcthorse"))),
        privacy: None,
        min_level: Level::AuthNoPriv,
    }
}

fn receiver() -> Receiver {
    let own = OwnEngine::new(&[], "agent-1", RECEIVED_AT);
    Receiver::new(vec![b"s3cret".to_vec()], vec![user()], own, Arc::new(Names::default()), 1)
}

fn link_down() -> Vec<u8> {
    let snmp_trap_oid = "1.3.6.1.6.3.1.1.4.1.0".parse().unwrap();
    let varbind = Varbind { oid: snmp_trap_oid, value: Value::Oid("1.3.6.1.6.3.1.1.5.3".parse::<Oid>().unwrap()) };
    Pdu::new(Kind::Trap, 1, vec![varbind]).write()
}

fn trap(engine_id: &[u8], user: &[u8], clock: (u32, u32), keys: &LocalKeys) -> Vec<u8> {
    let (boots, time) = clock;
    let context = Context { engine_id: &ENGINE, name: b"" };
    let message =
        Outgoing { msg_id: 1, is_reportable: false, level: Level::AuthNoPriv, engine_id, boots, time, user, context, pdu: &link_down() };
    message.write(keys, 1).unwrap()
}

fn refusal(outcome: Outcome) -> Option<Reason> {
    outcome.parsed.expect("a trap is never only answered").err().map(|refusal| refusal.reason)
}

fn forged_engine(number: u32) -> [u8; 8] {
    let [a, b, c, d] = number.to_be_bytes();
    [0x80, 0, 0, 1, a, b, c, d]
}

#[test]
fn an_engine_id_or_user_name_of_a_wrong_length_is_no_message_and_is_not_kept() {
    let receiver = receiver();
    let wrong_keys =
        User { auth: Some((AuthProtocol::Md5, AuthProtocol::Md5.key_of_password(b"wrongpassword"))), ..user() }.localize(&ENGINE);
    for (engine_id, name, reason) in [
        (&[0x80; 32][..], &b"monitor"[..], Reason::AuthenticationFailed),
        (&[0x80; 33], b"monitor", Reason::Syntax),
        (&[0x80; 60_000], b"monitor", Reason::Syntax),
        (&[0x80; 5], b"monitor", Reason::AuthenticationFailed),
        (&[0x80; 4], b"monitor", Reason::Syntax),
        (&ENGINE, &[b'u'; 32], Reason::UnknownUser),
        (&ENGINE, &[b'u'; 33], Reason::Syntax),
    ] {
        let frame = trap(engine_id, name, (1, 1), &wrong_keys);
        assert_eq!(refusal(receiver.receive(&frame, PEER, RECEIVED_AT)), Some(reason), "{} {}", engine_id.len(), name.len());
    }
    assert!(receiver.engines().iter().all(|engine| engine.engine_id.len() <= 64 && engine.last_user.len() <= 32));
}

#[test]
fn a_flood_of_forged_engines_is_forgotten_and_switches_no_check_off() {
    let receiver = receiver();
    let real = user().localize(&ENGINE);
    let receive = |frame: &[u8]| refusal(receiver.receive(frame, PEER, RECEIVED_AT));
    assert_eq!(receive(&trap(&ENGINE, b"monitor", (7, 1_000), &real)), None);
    let wrong =
        User { auth: Some((AuthProtocol::Sha256, AuthProtocol::Sha256.key_of_password(b"wrongpassword"))), ..user() }.localize(&ENGINE);
    for number in 0..FLOOD {
        assert_eq!(receive(&trap(&forged_engine(number), b"monitor", (1, 1), &wrong)), Some(Reason::AuthenticationFailed));
    }
    assert!(receiver.engines().len() < 2_000, "{} engines", receiver.engines().len());
    assert!(receiver.engines().iter().any(|engine| engine.accepted == 1), "who is authenticated is not forgotten for strangers");
    assert_eq!(receive(&trap(&ENGINE, b"monitor", (7, 800), &real)), Some(Reason::NotInTimeWindow), "a replay");

    let late_engine = [0x80, 0, 0, 0, 9, 9, 9, 9];
    let late = user().localize(&late_engine);
    assert_eq!(receive(&trap(&late_engine, b"monitor", (3, 1_000), &late)), None, "who comes after the flood is heard");
    assert_eq!(receive(&trap(&late_engine, b"monitor", (3, 800), &late)), Some(Reason::NotInTimeWindow), "and its replays are not");
}

/// A trap with a proxied community, cut anywhere, with any byte changed: no community is left in what is kept.
#[test]
fn a_community_is_found_in_whatever_is_refused() {
    let receiver = receiver();
    let names = ["1.3.6.1.6.3.1.1.4.1.0", "1.3.6.1.6.3.18.1.4.0"].map(|oid| oid.parse::<Oid>().unwrap());
    let [named, proxied] = names;
    let varbinds = vec![
        Varbind { oid: named, value: Value::Oid("1.3.6.1.6.3.1.1.5.3".parse().unwrap()) },
        Varbind { oid: proxied, value: Value::Octets(b"ELSEWHERE") },
    ];
    let pdu = Pdu::new(Kind::Trap, 1, varbinds).write();
    for community in [&b"s3cret"[..], b"mistyped"] {
        let frame = CommunityMessage::write(false, community, &pdu);
        for end in 0..=frame.len() {
            assert_hidden(&receiver, &frame[..end], &frame, community, None);
        }
        for at in 0..frame.len() {
            let mut changed = frame.clone();
            changed[at] ^= 0x55;
            assert_hidden(&receiver, &changed, &frame, community, Some(at));
        }
    }
}

/// A changed byte inside of what marks a community's place makes another's community unrecognisable; ours is known by its bytes.
fn assert_hidden(receiver: &Receiver, frame: &[u8], original: &[u8], community: &[u8], changed: Option<usize>) {
    let outcome = receiver.receive(frame, PEER, RECEIVED_AT);
    let mut kept = frame.to_vec();
    outcome.secrets.iter().for_each(|secret| kept[secret.clone()].fill(b'*'));
    for secret in [community, b"ELSEWHERE"] {
        let start = original.windows(secret.len()).position(|window| window == secret).unwrap();
        let place = start.min(kept.len())..(start + secret.len()).min(kept.len());
        let is_found_by_place = changed.is_none();
        let is_found_by_bytes = secret == b"s3cret" && changed.is_none_or(|at| !place.contains(&at));
        if is_found_by_place || is_found_by_bytes {
            assert!(kept[place].iter().all(|byte| *byte == b'*'), "{:?} of {} bytes, changed {changed:?}", outcome.parsed, frame.len());
        }
    }
}
