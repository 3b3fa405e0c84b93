#![no_main]
//! Any bytes as one datagram at the port for traps: an answer, never a panic. Users have keys, so that authenticated input from the corpus
//! gets through to decryption.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, LazyLock};

use libfuzzer_sys::fuzz_target;
use tocsin_snmp::names::Names;
use tocsin_snmp::usm::{AuthProtocol, Level, PrivacyProtocol, User};
use tocsin_snmp::{OwnEngine, Receiver};

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;

static RECEIVER: LazyLock<Receiver> = LazyLock::new(|| {
    // Users of the corpus, which is that of snmp/testdata/notifications.yaml.
    let user = |name: &str, auth: AuthProtocol, privacy| {
        let key = auth.key_of_password(b"correcthorse");
        let min_level = Level::NoAuthNoPriv;
        User { name: name.to_owned(), engine_id: None, auth: Some((auth, key.clone())), privacy: Some((privacy, key)), min_level }
    };
    let users = vec![
        user("md5-des", AuthProtocol::Md5, PrivacyProtocol::Des),
        user("sha1-aes128", AuthProtocol::Sha1, PrivacyProtocol::Aes128),
        user("md5-aes256", AuthProtocol::Md5, PrivacyProtocol::Aes256),
    ];
    let names = Arc::new(Names::shipped().expect("the shipped table is well-formed"));
    Receiver::new(vec![b"public".to_vec()], users, OwnEngine::new(&[], "fuzz", RECEIVED_AT), names, 1)
});

fuzz_target!(|frame: &[u8]| {
    let outcome = RECEIVER.receive(frame, IpAddr::V4(Ipv4Addr::LOCALHOST), RECEIVED_AT);
    assert!(outcome.parsed.is_some() || outcome.reply.is_some());
    assert!(outcome.secrets.iter().all(|secret| secret.end <= frame.len()));
});
