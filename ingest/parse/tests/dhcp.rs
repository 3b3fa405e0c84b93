//! DHCP packets and log lines of `testdata/dhcp_*.yaml`, whole results compared. A new case is a new entry, not new code.

// The cases stand in files; what they are about reads none.
#![allow(clippy::disallowed_methods)]

use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use tocsin_parse::{Format, Parsed, Refusal};
use tocsin_wire::events::Dhcp;
use tocsin_wire::{Body, word};

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PacketCase {
    name: String,
    hex: String,
    expect: Option<Expected>,
    refused: Option<Refused>,
}

/// A refusal: its reason, and a piece of its detail that names the place.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Refused {
    reason: String,
    detail: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct LineCase {
    name: String,
    frame: String,
    device: Option<String>,
    /// Absent: the line is a syslog message and nothing else.
    expect: Option<Expected>,
}

/// The fields of an event; what is left away is empty.
#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct Expected {
    message_type: String,
    request_kind: String,
    mac: String,
    client_id: String,
    ip: String,
    client_address: String,
    server: String,
    relay: String,
    circuit_id: String,
    remote_id: String,
    hostname: String,
    lease_seconds: Option<u32>,
    renewal_seconds: Option<u32>,
    rebinding_seconds: Option<u32>,
    fingerprint: String,
    vendor_class: String,
    is_broadcast: bool,
    transaction_id: u32,
    elapsed_seconds: u32,
    router: String,
    interface: String,
    prefix_length: u32,
    detail: String,
}

fn cases<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(file);
    serde_saphyr::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn parse(format: Format, frame: &[u8]) -> Vec<Result<Parsed, Refusal>> {
    let mut results = Vec::new();
    format.parse(frame, RECEIVED_AT, |result| results.push(result));
    results
}

fn seen(dhcp: Dhcp) -> Expected {
    let request_kind = if dhcp.request_kind == 0 { String::new() } else { word(dhcp.request_kind()) };
    Expected {
        message_type: word(dhcp.message_type()),
        request_kind,
        mac: dhcp.mac,
        client_id: dhcp.client_id,
        ip: dhcp.ip,
        client_address: dhcp.client_address,
        server: dhcp.server,
        relay: dhcp.relay,
        circuit_id: dhcp.circuit_id,
        remote_id: dhcp.remote_id,
        hostname: dhcp.hostname,
        lease_seconds: dhcp.lease_seconds,
        renewal_seconds: dhcp.renewal_seconds,
        rebinding_seconds: dhcp.rebinding_seconds,
        fingerprint: dhcp.fingerprint,
        vendor_class: dhcp.vendor_class,
        is_broadcast: dhcp.is_broadcast,
        transaction_id: dhcp.transaction_id,
        elapsed_seconds: dhcp.elapsed_seconds,
        router: dhcp.router,
        interface: dhcp.interface,
        prefix_length: dhcp.prefix_length,
        detail: dhcp.detail,
    }
}

fn dhcp(parsed: Parsed) -> Dhcp {
    let Body::Dhcp(dhcp) = parsed.body else { panic!("no DHCP: {parsed:?}") };
    dhcp
}

#[test]
fn every_packet_gives_what_its_case_says() {
    let cases: Vec<PacketCase> = cases("dhcp_packets.yaml");
    assert!(cases.len() >= 40);
    for case in cases {
        let mut results = parse(Format::Dhcp, &bytes_of_hex(&case.hex));
        assert_eq!(results.len(), 1, "{}", case.name);
        match (results.remove(0), case.expect, case.refused) {
            (Ok(parsed), Some(expected), None) => {
                let dhcp = dhcp(parsed);
                assert_eq!(word(dhcp.path()), "relay_copy", "{}", case.name);
                assert_eq!(seen(dhcp), expected, "{}", case.name);
            }
            (Err(refusal), None, Some(expected)) => {
                assert_eq!(word(refusal.reason), expected.reason, "{}: {}", case.name, refusal.detail);
                assert!(refusal.detail.contains(&expected.detail), "{}: {}", case.name, refusal.detail);
            }
            (result, expected, refused) => panic!("{}: {result:?}, expected {expected:?} or {refused:?}", case.name),
        }
    }
}

#[test]
fn every_log_line_gives_its_syslog_message_and_what_its_case_says() {
    let cases: Vec<LineCase> = cases("dhcp_log_lines.yaml");
    assert!(cases.len() >= 30);
    for case in cases {
        let mut results = parse(Format::Syslog, case.frame.as_bytes()).into_iter();
        let line = results.next().unwrap().unwrap();
        assert!(matches!(line.body, Body::Syslog(_)), "{}", case.name);
        assert_eq!(line.device, case.device, "{}", case.name);
        let logged = results.next().map(Result::unwrap);
        assert!(results.next().is_none(), "{}", case.name);
        if let Some(logged) = &logged {
            assert_eq!((&logged.device, logged.event_time_unix_nanos), (&line.device, line.event_time_unix_nanos), "{}", case.name);
        }
        assert_eq!(logged.map(dhcp).map(seen), case.expect, "{}", case.name);
    }
}

/// A small generator (xorshift64*), so that the mutations are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}

#[test]
fn no_mutation_of_a_packet_makes_the_parser_panic_and_each_has_one_answer() {
    const TELLING: [u8; 12] = [0, 1, 2, 3, 9, 12, 13, 52, 53, 82, 254, 255];
    let packets: Vec<Vec<u8>> = cases::<PacketCase>("dhcp_packets.yaml").iter().map(|case| bytes_of_hex(&case.hex)).collect();
    let mut random = Random(0x6468_6370_6468_6370);
    for packet in packets.iter().filter(|packet| !packet.is_empty()) {
        for _ in 0..2_000 {
            let mut bytes = packet.clone();
            for _ in 0..=random.below(6) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] ^= 1 << random.below(8),
                    1 => bytes[at] = TELLING[random.below(TELLING.len())],
                    2 => bytes.truncate(at + 1),
                    _ => bytes.insert(at, TELLING[random.below(TELLING.len())]),
                }
            }
            assert_eq!(parse(Format::Dhcp, &bytes).len(), 1, "{bytes:02x?}");
        }
        for end in 0..packet.len() {
            assert_eq!(parse(Format::Dhcp, &packet[..end]).len(), 1);
        }
    }
}

#[test]
fn no_mutation_of_a_log_line_makes_a_parser_panic() {
    let lines: Vec<String> = cases::<LineCase>("dhcp_log_lines.yaml").into_iter().map(|case| case.frame).collect();
    let mut random = Random(0x6c6f_676c_696e_6573);
    for line in &lines {
        for _ in 0..1_000 {
            let mut bytes = line.clone().into_bytes();
            for _ in 0..=random.below(5) {
                let at = random.below(bytes.len());
                match random.below(4) {
                    0 => bytes[at] = b" :()[],./=%\xc3"[random.below(12)],
                    1 => bytes.truncate(at + 1),
                    2 => drop(bytes.drain(at / 2..at)),
                    _ => bytes.insert(at, b" :()[],./=%\xc3"[random.below(12)]),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            assert!(!parse(Format::Syslog, &bytes).is_empty(), "{bytes:?}");
        }
    }
}
