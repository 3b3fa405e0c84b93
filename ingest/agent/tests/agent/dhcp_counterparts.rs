//! DHCP of real programs in network namespaces: ISC dhcpd, Kea, dhclient, perfdhcp, dhcrelay, logger. Needs root; with CI=true a missing
//! program or right is a failure, otherwise the test says what it misses and is skipped.

use std::fs::{self, File};
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns};
use tempfile::TempDir;
use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::{MessageType, Path, RequestKind};
use tocsin_wire::{Body, word};

use crate::running::{Running, start_with};

const PATIENCE: Duration = Duration::from_secs(40);
/// Sets the address that the client was given, and nothing else of the machine. dhclient begins it with a PATH of its own.
const CLIENT_SCRIPT: &str =
    "#!/bin/sh\nPATH='HERE'\n[ -n \"$new_ip_address\" ] && ip addr replace \"$new_ip_address/24\" dev \"$interface\"\nexit 0\n";

/// Namespaces and programs of one test, all gone when it ends.
struct Lab {
    name: String,
    namespaces: Vec<String>,
    programs: Vec<Child>,
    dir: TempDir,
}

/// Whether the test can run; says why not.
fn can_run(programs: &[(&str, &str)]) -> bool {
    let mut missing: Vec<String> = Vec::new();
    if !nix::unistd::geteuid().is_root() {
        missing.push("root, to make network namespaces".to_owned());
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    for (program, package) in programs.iter().chain(&[("ip", "iproute2")]) {
        if !std::env::split_paths(&folders).any(|folder| folder.join(program).exists()) {
            missing.push(format!("{program} (apt-get install {package})"));
        }
    }
    assert!(missing.is_empty() || std::env::var_os("CI").is_none(), "with CI=true these must be there: {missing:?}");
    if !missing.is_empty() {
        eprintln!("skipped, for want of {missing:?}");
    }
    missing.is_empty()
}

fn run(command: &str) {
    let status = Command::new("sh").args(["-c", command]).status().unwrap();
    assert!(status.success(), "{command}: {status}");
}

impl Lab {
    fn new(name: &str) -> Self {
        Self { name: format!("{name}{}", std::process::id()), namespaces: Vec::new(), programs: Vec::new(), dir: TempDir::new().unwrap() }
    }

    fn namespace(&mut self, name: &str) -> String {
        let namespace = format!("{}-{name}", self.name);
        run(&format!("ip netns add {namespace} && ip -n {namespace} link set lo up"));
        self.namespaces.push(namespace.clone());
        namespace
    }

    /// Joins two namespaces by interfaces of these names.
    fn link(&self, (one, interface): (&str, &str), (other, other_interface): (&str, &str)) {
        run(&format!(
            "ip link add {interface} netns {one} type veth peer name {other_interface} netns {other}; \
             ip -n {one} link set {interface} up; ip -n {other} link set {other_interface} up"
        ));
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Starts a shell command that goes on in a namespace; what it says is in the file `log`.
    fn start(&mut self, namespace: &str, log: &str, command: &str) {
        let out = File::create(self.dir.path().join(log)).unwrap();
        let child = Command::new("ip")
            .args(["netns", "exec", namespace, "sh", "-c", &format!("exec {command}")])
            .env("KEA_PIDFILE_DIR", self.dir.path())
            .env("KEA_LOCKFILE_DIR", self.dir.path())
            .stdin(Stdio::null())
            .stderr(out.try_clone().unwrap())
            .stdout(out)
            .spawn()
            .unwrap();
        self.programs.push(child);
    }

    fn start_dhclient(&mut self, namespace: &str, version: u8, interface: &str) {
        let script = self.file("script", &CLIENT_SCRIPT.replace("HERE", &std::env::var("PATH").unwrap()));
        run(&format!("chmod +x {script}"));
        let leases = self.file(&format!("client{version}.leases"), "");
        // With its own backoff of 10 s it may not ask again between renewal and expiry of leases as short as these.
        let config = self.file("dhclient.conf", "initial-interval 1; backoff-cutoff 2; retry 1;");
        let command = format!("dhclient -{version} -d -cf {config} -sf {script} -lf {leases} -pf {leases}.pid {interface}");
        self.start(namespace, "dhclient.log", &command);
    }

    fn start_dhcpd(&mut self, namespace: &str, interface: &str, config: &str, and_then: &str) {
        let config = self.file("dhcpd.conf", config);
        let leases = self.file("dhcpd.leases", "");
        self.start(namespace, "dhcpd.log", &format!("dhcpd -4 -f -d -cf {config} -lf {leases} -pf {leases}.pid {interface} {and_then}"));
    }

    /// Starts an agent whose sockets are in a namespace.
    fn agent(&self, namespace: &str, config: &str) -> Running {
        let config = config.to_owned();
        self.inside(namespace, move || start_with(&config))
    }

    /// Runs on a thread of its own in a namespace.
    fn inside<T: Send + 'static>(&self, namespace: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
        let namespace = File::open(format!("/run/netns/{namespace}")).unwrap();
        std::thread::spawn(move || {
            setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
            run()
        })
        .join()
        .unwrap()
    }

    fn logs(&self) -> String {
        let logs = fs::read_dir(self.dir.path()).unwrap().map(|entry| entry.unwrap().path());
        let logs = logs.filter(|path| path.extension().is_some_and(|extension| extension == "log"));
        logs.map(|path| format!("--- {}\n{}", path.display(), fs::read_to_string(&path).unwrap_or_default())).collect()
    }

    /// Waits until events satisfy a condition; fails with what the programs said.
    #[track_caller]
    fn wait_for(&self, running: &Running, what: &str, condition: impl Fn(&[Dhcp]) -> bool) -> Vec<Dhcp> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let seen = dhcp_events(running);
            if condition(&seen) {
                return seen;
            }
            assert!(Instant::now() < deadline, "waited in vain for {what}: {:#?}\n{}", summary(&seen), self.logs());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in &mut self.programs {
            let _ = child.kill();
            let _ = child.wait();
        }
        for namespace in &self.namespaces {
            // Children of a shell, as in a pipe, are ended by their namespace's processes.
            let _ =
                Command::new("sh").args(["-c", &format!("ip netns pids {namespace} | xargs -r kill; ip netns del {namespace}")]).status();
        }
    }
}

fn dhcp_events(running: &Running) -> Vec<Dhcp> {
    let bodies = running.events().into_iter().filter_map(|event| event.body);
    bodies.filter_map(|body| if let Body::Dhcp(dhcp) = body { Some(dhcp) } else { None }).collect()
}

fn summary(events: &[Dhcp]) -> Vec<String> {
    let line = |dhcp: &Dhcp| {
        let kind = word(dhcp.request_kind());
        format!(
            "{} {} {kind} {} {} relay {} broadcast {}",
            word(dhcp.path()),
            word(dhcp.message_type()),
            dhcp.mac,
            dhcp.ip,
            dhcp.relay,
            dhcp.is_broadcast
        )
    };
    events.iter().map(line).collect()
}

fn has(events: &[Dhcp], message_type: MessageType) -> bool {
    events.iter().any(|dhcp| dhcp.message_type() == message_type)
}

fn has_kind(events: &[Dhcp], kind: RequestKind) -> bool {
    events.iter().any(|dhcp| dhcp.request_kind() == kind)
}

const DHCPD_CONF: &str = "authoritative; default-lease-time 12; max-lease-time 12; min-lease-time 12; option dhcp-renewal-time 2; \
    option dhcp-rebinding-time 5; option routers 10.77.0.1; subnet 10.77.0.0 netmask 255.255.255.0 { range 10.77.0.100 10.77.0.120; }";

#[test]
fn capture_sees_dhcpd_and_dhclient_and_tells_a_renewal_from_a_rebind() {
    if !can_run(&[("dhcpd", "isc-dhcp-server"), ("dhclient", "isc-dhcp-client"), ("logger", "bsdutils")]) {
        return;
    }
    let mut lab = Lab::new("isc");
    let (server, client) = (lab.namespace("s"), lab.namespace("c"));
    lab.link((&server, "vs"), (&client, "vc"));
    run(&format!("ip -n {server} addr add 10.77.0.1/24 dev vs"));
    let running =
        lab.agent(&server, "listeners: [{name: l, kind: syslog, listen: '127.0.0.1:5514'}]\ncaptures: [{name: wire, interface: vs}]");
    lab.start_dhclient(&client, 4, "vc");
    lab.start_dhcpd(&server, "vs", DHCPD_CONF, "2>&1 | logger --server 127.0.0.1 --port 5514 --udp --rfc3164 --tag dhcpd");

    let captured = |seen: &[Dhcp]| seen.iter().filter(|dhcp| dhcp.path() == Path::Capture).cloned().collect::<Vec<_>>();
    let seen = lab.wait_for(&running, "a renewal and its answer", |seen| {
        let seen = captured(seen);
        let renewed = seen.iter().position(|dhcp| dhcp.request_kind() == RequestKind::Renewing);
        renewed.is_some_and(|at| has(&seen[at..], MessageType::Ack))
    });
    let wire = captured(&seen);
    let first_of = |message_type| wire.iter().find(|dhcp| dhcp.message_type() == message_type).unwrap();
    let (discover, offer, ack) = (first_of(MessageType::Discover), first_of(MessageType::Offer), first_of(MessageType::Ack));
    assert!(discover.is_broadcast && discover.interface == "vs" && !discover.fingerprint.is_empty(), "{discover:?}");
    assert_eq!((offer.server.as_str(), offer.router.as_str(), offer.prefix_length), ("10.77.0.1", "10.77.0.1", 24));
    assert_eq!((ack.lease_seconds, ack.renewal_seconds, ack.rebinding_seconds), (Some(12), Some(2), Some(5)));
    assert!(has_kind(&wire, RequestKind::Selecting) && !has_kind(&wire, RequestKind::Rebinding), "{:#?}", summary(&wire));
    let renewal = wire.iter().find(|dhcp| dhcp.request_kind() == RequestKind::Renewing).unwrap();
    assert_eq!((renewal.is_broadcast, renewal.server.as_str(), &renewal.client_address), (false, "10.77.0.1", &offer.ip));

    let logged: Vec<_> = lab.wait_for(&running, "the log lines", |seen| {
        seen.iter().any(|dhcp| dhcp.path() == Path::ServerLog && dhcp.message_type() == MessageType::Ack)
    });
    let logged = logged.iter().find(|dhcp| dhcp.path() == Path::ServerLog && dhcp.message_type() == MessageType::Ack).unwrap();
    assert_eq!((&logged.mac, &logged.ip, logged.interface.as_str()), (&ack.mac, &ack.ip, "vs"));

    // Nobody answers any more: the client goes on to a broadcast.
    run(&format!("ip netns pids {server} | xargs -r kill"));
    let seen = lab.wait_for(&running, "a rebind", |seen| has_kind(seen, RequestKind::Rebinding));
    let rebind = seen.iter().find(|dhcp| dhcp.request_kind() == RequestKind::Rebinding).unwrap();
    assert_eq!((rebind.is_broadcast, &rebind.client_address, rebind.path()), (true, &offer.ip, Path::Capture));
    let wire_counters = running.counters[1].snapshot();
    assert_eq!((wire_counters.malformed, wire_counters.kernel_dropped), (0, 0));
    assert!(wire_counters.buffer_limit_bytes == 8 * 1024 * 1024);
}

#[test]
fn a_relay_copies_to_the_agent_what_it_sends_to_its_server() {
    if !can_run(&[("dhcpd", "isc-dhcp-server"), ("dhclient", "isc-dhcp-client"), ("dhcrelay", "isc-dhcp-relay")]) {
        return;
    }
    let mut lab = Lab::new("rel");
    let (server, relay, client, agent) = (lab.namespace("s"), lab.namespace("r"), lab.namespace("c"), lab.namespace("a"));
    lab.link((&client, "vc"), (&relay, "rc"));
    lab.link((&server, "vs"), (&relay, "rs"));
    lab.link((&agent, "va"), (&relay, "ra"));
    run(&format!(
        "ip -n {relay} addr add 10.77.0.1/24 dev rc; ip -n {relay} addr add 10.78.0.2/24 dev rs; ip -n {relay} addr add 10.79.0.2/24 dev ra; \
         ip -n {server} addr add 10.78.0.1/24 dev vs; ip -n {server} route add default via 10.78.0.2; \
         ip -n {agent} addr add 10.79.0.9/24 dev va; ip netns exec {relay} sysctl -qw net.ipv4.ip_forward=1"
    ));
    let running = lab.agent(&agent, "devices: {names: {10.77.0.1: edge-1}}\nlisteners: [{name: l, kind: dhcp, listen: '[::]:67'}]");
    lab.start_dhcpd(&server, "vs", &format!("{DHCPD_CONF} subnet 10.78.0.0 netmask 255.255.255.0 {{}}"), "");
    lab.start(&relay, "dhcrelay.log", "dhcrelay -4 -d -a -i rc -i rs -i ra 10.78.0.1 10.79.0.9");
    lab.start_dhclient(&client, 4, "vc");
    let seen = lab.wait_for(&running, "a request", |seen| has_kind(seen, RequestKind::Selecting));
    let discover = seen.iter().find(|dhcp| dhcp.message_type() == MessageType::Discover).unwrap();
    assert_eq!((word(discover.path()), discover.relay.as_str(), discover.is_broadcast), ("relay_copy".to_owned(), "10.77.0.1", true));
    assert_eq!(discover.circuit_id, "rc");
    assert!(running.events().iter().all(|event| event.device == "edge-1"));
    // Nobody answers any more. The client's renewal goes to its server alone, which the relay does not copy; its rebind is a broadcast.
    run(&format!("ip netns pids {server} | xargs -r kill"));
    let seen = lab.wait_for(&running, "a rebind", |seen| has_kind(seen, RequestKind::Rebinding));
    assert!(!has_kind(&seen, RequestKind::Renewing), "{:#?}", summary(&seen));
    assert_eq!(running.stats().malformed, 0);
}

#[test]
fn capture_sees_kea_and_perfdhcp_in_both_versions() {
    if !can_run(&[("kea-dhcp4", "kea-dhcp4-server"), ("kea-dhcp6", "kea-dhcp6-server"), ("perfdhcp", "kea-admin")]) {
        return;
    }
    let mut lab = Lab::new("kea");
    let (server, client) = (lab.namespace("s"), lab.namespace("c"));
    lab.link((&server, "vs"), (&client, "vc"));
    // Addresses before the capture, so that duplicate address detection is over when the servers start.
    run(&format!(
        "ip -n {server} addr add 10.77.0.1/24 dev vs; ip -n {client} addr add 10.77.0.2/24 dev vc; \
         ip -n {server} addr add 2001:db8:77::1/64 dev vs nodad; ip -n {client} addr add 2001:db8:77::2/64 dev vc nodad; \
         for i in $(seq 100); do ip -n {server} -6 addr show dev vs tentative | grep -q inet6 || ip -n {client} -6 addr show dev vc tentative | \
         grep -q inet6 || exit 0; sleep 0.1; done"
    ));
    let running = lab.agent(
        &server,
        "listeners: [{name: l, kind: syslog, listen: '127.0.0.1:5514'}]\ncaptures: [{name: wire, interface: vs, receive_ring: 1MiB}]",
    );
    // Debian's folder for the server's DUID is made by systemd alone.
    let duid_folder = format!(r#""data-directory":"{}","#, lab.dir.path().display());
    for (version, folder, subnet) in [
        (4, "", r#"{"id":1,"subnet":"10.77.0.0/24","pools":[{"pool":"10.77.0.100-10.77.0.200"}]}"#),
        (
            6,
            duid_folder.as_str(),
            r#"{"id":1,"subnet":"2001:db8:77::/64","interface":"vs","pools":[{"pool":"2001:db8:77::100-2001:db8:77::1ff"}]}"#,
        ),
    ] {
        let config = format!(
            r#"{{"Dhcp{version}":{{{folder}"interfaces-config":{{"interfaces":["vs"]}},"lease-database":{{"type":"memfile","persist":false}},
            "valid-lifetime":600,"renew-timer":300,"rebind-timer":480,"subnet{version}":[{subnet}],
            "loggers":[{{"name":"kea-dhcp{version}","severity":"INFO","output_options":[{{"output":"stdout","flush":true,"pattern":"%-5p [%c.%t] %m\n"}}]}}]}}}}"#
        );
        let config = lab.file(&format!("kea{version}.json"), &config);
        let pipe = format!("2>&1 | logger --server 127.0.0.1 --port 5514 --udp --rfc3164 --tag kea-dhcp{version}");
        lab.start(&server, &format!("kea{version}.log"), &format!("kea-dhcp{version} -c {config} {pipe}"));
    }
    lab.start(&client, "perf4.log", "sh -c 'while ! perfdhcp -4 -l vc -r 20 -R 10 -n 20 10.77.0.1; do sleep 0.3; done'");
    lab.start(&client, "perf6.log", "sh -c 'while ! perfdhcp -6 -l vc -r 20 -R 10 -n 20 all; do sleep 0.3; done'");
    let wanted = [
        MessageType::Discover,
        MessageType::Offer,
        MessageType::Request,
        MessageType::Ack,
        MessageType::V6Solicit,
        MessageType::V6Advertise,
        MessageType::V6Request,
        MessageType::V6Reply,
    ];
    let on_path = |seen: &[Dhcp], path: Path| seen.iter().filter(|dhcp| dhcp.path() == path).cloned().collect::<Vec<_>>();
    let is_of_one_lease = |wire: &[Dhcp], logged: &Dhcp| {
        wire.iter().any(|dhcp| (&dhcp.ip, &dhcp.mac, dhcp.lease_seconds) == (&logged.ip, &logged.mac, logged.lease_seconds))
    };
    let seen = lab.wait_for(&running, "four messages of each version, and on the wire each lease of the log", |seen| {
        let (wire, log) = (on_path(seen, Path::Capture), on_path(seen, Path::ServerLog));
        wanted.iter().all(|message_type| has(&wire, *message_type))
            && has(&log, MessageType::Ack)
            && has(&log, MessageType::V6Reply)
            // A line of the log may come before its packet is taken out of the ring.
            && log.iter().filter(|dhcp| dhcp.message_type() == MessageType::Ack).all(|logged| is_of_one_lease(&wire, logged))
    });
    let wire = on_path(&seen, Path::Capture);
    let reply = wire.iter().find(|dhcp| dhcp.message_type() == MessageType::V6Reply).unwrap();
    assert_eq!((reply.lease_seconds, reply.renewal_seconds, reply.rebinding_seconds), (Some(600), Some(300), Some(480)));
    assert!(reply.mac.starts_with("00:0c:01:") && reply.ip.starts_with("2001:db8:77::1"), "{reply:?}");
    assert_eq!(running.counters[1].snapshot().malformed, 0);
}

/// The kernel takes the VLAN tag out of a frame and hands it over beside the frame; it belongs to what was on the wire.
#[test]
fn capture_sees_what_passes_on_a_vlan_of_the_interface() {
    if !can_run(&[("python3", "python3")]) {
        return;
    }
    let mut lab = Lab::new("vlan");
    let (server, client) = (lab.namespace("s"), lab.namespace("c"));
    lab.link((&server, "vs"), (&client, "vc"));
    let running = lab.agent(
        &server,
        "listeners: [{name: l, kind: syslog, listen: '127.0.0.1:5514'}]\ncaptures: [{name: wire, interface: vs, receive_ring: 1MiB}]",
    );
    let frame: String = tagged_frame_of(&discover_of(300)).iter().map(|byte| format!("{byte:02x}")).collect();
    // As a frame and not through an interface of the VLAN, which not every kernel has.
    let send =
        "import socket, sys; s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW); s.bind((\"vc\", 0)); s.send(bytes.fromhex(sys.argv[1]))";
    lab.start(&client, "send.log", &format!("python3 -c '{send}' {frame}"));
    lab.wait_for(&running, "a DISCOVER on the VLAN", |seen| has(seen, MessageType::Discover));
    assert_eq!(running.counters[1].snapshot().malformed, 0);
    let tagged = running.events().into_iter().find(|event| matches!(event.body, Some(Body::Dhcp(_)))).unwrap().raw;
    assert_eq!(tagged[12..16], [0x81, 0x00, 0x00, 77], "IEEE 802.1Q: protocol and VLAN stand behind the addresses");
}

/// More than the ring and what the reader keeps back can hold, while nothing can be published.
#[test]
fn what_the_ring_drops_is_counted_to_the_last_packet() {
    const SENT: u64 = 30_000;
    if !can_run(&[]) {
        return;
    }
    let mut lab = Lab::new("ring");
    let (server, client) = (lab.namespace("s"), lab.namespace("c"));
    lab.link((&server, "vs"), (&client, "vc"));
    run(&format!("ip -n {server} addr add 10.77.0.1/24 dev vs; ip -n {client} addr add 10.77.0.2/24 dev vc"));
    let running = lab.agent(
        &server,
        "listeners: [{name: l, kind: syslog, listen: '127.0.0.1:5514'}]\ncaptures: [{name: wire, interface: vs, receive_ring: 256KiB}]",
    );
    running.publisher.close_gate();
    let discover = discover_of(1400);
    lab.inside(&client, move || {
        let socket = UdpSocket::bind("10.77.0.2:68").unwrap();
        for _ in 0..SENT {
            socket.send_to(&discover, "10.77.0.1:67").unwrap();
        }
    });
    // What cannot be published holds back the parser, so the reader and then the ring fill; the gate opens when drops are seen.
    running.wait_for_counters(1, |stats| stats.kernel_dropped > 0);
    running.publisher.open_gate();
    let stats = running.wait_for_counters(1, |stats| stats.received + stats.kernel_dropped == SENT && stats.acked == stats.received);
    assert_eq!((stats.events, stats.malformed), (stats.received, 0));
}

/// An Ethernet frame of VLAN 77 (IEEE 802.1Q) with a client's datagram in it. Without a checksum of UDP, which RFC 768 allows.
fn tagged_frame_of(payload: &[u8]) -> Vec<u8> {
    let udp_bytes = (8 + payload.len()) as u16;
    let mut ip = vec![0x45, 0, 0, 0, 0, 0, 0, 0, 64, 17, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255];
    ip[2..4].copy_from_slice(&(20 + udp_bytes).to_be_bytes());
    let sum: u32 = ip.chunks(2).map(|word| u32::from(u16::from_be_bytes([word[0], word[1]]))).sum();
    let sum = (sum & 0xffff) + (sum >> 16);
    ip[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
    let mut frame = vec![0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0, 1, 0x81, 0x00, 0, 77, 0x08, 0x00];
    frame.extend(ip);
    frame.extend([0, 68, 0, 67]);
    frame.extend(udp_bytes.to_be_bytes());
    frame.extend([0, 0]);
    frame.extend(payload);
    frame
}

/// A DISCOVER (RFC 2131) with padding up to so many bytes.
fn discover_of(bytes: usize) -> Vec<u8> {
    let mut packet = vec![1, 1, 6, 0, 0, 0, 0, 1];
    packet.resize(28, 0);
    packet.extend([0x02, 0, 0, 0, 0, 1]);
    packet.resize(236, 0);
    packet.extend([99, 130, 83, 99, 53, 1, 1, 255]);
    packet.resize(bytes, 0);
    packet
}
