//! How long one notification takes on one core: datagram -> event body, names included.

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tocsin_snmp::names::Names;
use tocsin_snmp::pdu::{CommunityMessage, Kind, Pdu, Value, Varbind};
use tocsin_snmp::usm::{AuthProtocol, Level, PrivacyProtocol, User};
use tocsin_snmp::v3::{Context, Outgoing};
use tocsin_snmp::{Oid, OwnEngine, Receiver};

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;
const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04bench";

/// linkDown with the bindings that a router sends.
fn link_down() -> Vec<u8> {
    let oid = |text: &str| text.parse::<Oid>().unwrap_or_default();
    let varbind = |name: &str, value| Varbind { oid: oid(name), value };
    let varbinds = vec![
        varbind("1.3.6.1.2.1.1.3.0", Value::TimeTicks(123_456_789)),
        varbind("1.3.6.1.6.3.1.1.4.1.0", Value::Oid(oid("1.3.6.1.6.3.1.1.5.3"))),
        varbind("1.3.6.1.2.1.2.2.1.1.10101", Value::Integer(10_101)),
        varbind("1.3.6.1.2.1.2.2.1.2.10101", Value::Octets(b"GigabitEthernet1/0/1")),
        varbind("1.3.6.1.2.1.2.2.1.7.10101", Value::Integer(1)),
        varbind("1.3.6.1.2.1.2.2.1.8.10101", Value::Integer(2)),
        varbind("1.3.6.1.4.1.9.2.2.1.1.20.10101", Value::Octets(b"down")),
    ];
    Pdu::new(Kind::Trap, 1, varbinds).write()
}

fn user(auth: AuthProtocol, privacy: Option<PrivacyProtocol>) -> User {
    let key = auth.key_of_password(b"correct horse");
    let mut user = User {
        name: "bench".to_owned(),
        engine_id: None,
        auth: Some((auth, key.clone())),
        privacy: privacy.map(|privacy| (privacy, key)),
        min_level: Level::NoAuthNoPriv,
    };
    user.min_level = user.max_level();
    user
}

fn v3(user: &User, pdu: &[u8]) -> Vec<u8> {
    let outgoing = Outgoing {
        msg_id: 1,
        is_reportable: false,
        level: user.max_level(),
        engine_id: ENGINE,
        boots: 3,
        time: 1_000,
        user: user.name.as_bytes(),
        context: Context { engine_id: ENGINE, name: b"" },
        pdu,
    };
    outgoing.write(&user.localize(ENGINE), 7).unwrap_or_default()
}

fn traps(criterion: &mut Criterion) {
    let names = Arc::new(Names::shipped().unwrap_or_default());
    let pdu = link_down();
    let sha256_aes = user(AuthProtocol::Sha256, Some(PrivacyProtocol::Aes128));
    let md5_des = user(AuthProtocol::Md5, Some(PrivacyProtocol::Des));
    let cases = [
        ("v2c", CommunityMessage::write(false, b"public", &pdu), None),
        ("v3 SHA-256 AES-128", v3(&sha256_aes, &pdu), Some(sha256_aes)),
        ("v3 MD5 DES", v3(&md5_des, &pdu), Some(md5_des)),
    ];
    let mut group = criterion.benchmark_group("snmp");
    group.throughput(Throughput::Elements(1));
    for (name, frame, user) in cases {
        let own = OwnEngine::new(&[], "bench", RECEIVED_AT);
        let receiver = Receiver::new(vec![b"public".to_vec()], user.into_iter().collect(), own, Arc::clone(&names), 1);
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        assert!(receiver.receive(&frame, peer, RECEIVED_AT).parsed.is_some_and(|parsed| parsed.is_ok()), "{name}");
        group.bench_function(name, |bencher| bencher.iter(|| receiver.receive(black_box(&frame), peer, RECEIVED_AT)));
    }
    group.finish();
}

criterion_group!(benches, traps);
criterion_main!(benches);
