//! Time to read one DHCP packet or one log line of a DHCP server: `cargo bench -p tocsin-parse --bench dhcp`.

// The cases stand in a file; what they are about reads none.
#![allow(clippy::disallowed_methods)]

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use serde::Deserialize;
use tocsin_parse::Format;

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;

/// Packets of `testdata/dhcp_packets.yaml` that stand for what a relay sends most.
const PACKETS: [&str; 6] = [
    "DISCOVER of an IP phone that wants its old address",
    "through a Cisco switch: circuit id of VLAN, module and port, remote id of its MAC",
    "rebind: an address in use, and a relay passed it on",
    "OFFER with lease time, T1, T2, mask and router",
    "SOLICIT, with a DUID of link-layer address and time",
    "through a relay that tells interface, remote id and the client's link-layer address (RFC 6939)",
];

const LINES: [(&str, &str); 4] = [
    ("no server's line", "<38>Nov 20 11:59:59 web1 sshd[4711]: Accepted publickey for root from 192.0.2.7 port 51234 ssh2"),
    ("dhcpd", "<30>Nov 20 12:00:00 dhcp1 dhcpd[812]: DHCPACK on 10.20.0.55 to 02:00:00:00:00:01 (laptop-7) via eth0"),
    (
        "Kea",
        "<30>Nov 20 12:00:00 kea1 kea-dhcp4[3069]: INFO  [kea-dhcp4.leases/3069.140413671444992] DHCP4_LEASE_ALLOC [hwtype=1 02:00:00:00:00:01], \
         cid=[01:02:00:00:00:00:01], tid=0x1f2e3d4c: lease 10.77.0.200 has been allocated for 3600 seconds",
    ),
    ("dnsmasq", "<30>Nov 20 12:00:00 gw dnsmasq-dhcp[733]: DHCPACK(br-lan) 192.168.1.77 02:00:00:00:00:01 laptop-7"),
];

#[derive(Deserialize)]
struct Case {
    name: String,
    hex: String,
}

fn packet(cases: &[Case], name: &str) -> Vec<u8> {
    let hex = &cases.iter().find(|case| case.name == name).expect("the case is in testdata").hex;
    let digits: Vec<char> = hex.chars().filter(char::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|pair| u8::from_str_radix(&pair.iter().collect::<String>(), 16).expect("hexadecimal")).collect()
}

fn dhcp(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/dhcp_packets.yaml");
    let cases: Vec<Case> = serde_saphyr::from_str(&std::fs::read_to_string(path).expect("testdata")).expect("YAML");
    let packets = PACKETS.map(|name| (name, Format::Dhcp, packet(&cases, name)));
    let lines = LINES.map(|(name, line)| (name, Format::Syslog, line.as_bytes().to_vec()));
    for (group, frames) in [("dhcp", packets.to_vec()), ("dhcp log line", lines.to_vec())] {
        let mut group = criterion.benchmark_group(group);
        group.throughput(Throughput::Elements(1));
        for (name, format, frame) in frames {
            group.bench_function(name, |bencher| {
                bencher.iter(|| format.parse(black_box(&frame), RECEIVED_AT, |result| drop(black_box(result))));
            });
        }
        group.finish();
    }
}

criterion_group!(benches, dhcp);
criterion_main!(benches);
