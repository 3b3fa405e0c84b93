//! Net-SNMP's snmpd as a device that is polled, in versions 1, 2c and 3.

use std::fs;
use std::net::UdpSocket;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use tocsin_wire::Body;
use tocsin_wire::events::interface_counters::Status;
use tocsin_wire::events::{Gauge, InterfaceCounters};

use crate::running::{PATIENCE, Running, sender, start_with, v4};
use crate::snmp::{NetSnmp, has};

/// A device of its own, with a folder for its state.
struct Device {
    daemon: Child,
    port: u16,
    folder: TempDir,
}

impl Device {
    fn start() -> Option<Self> {
        if !has("snmpd", "snmpd") {
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let config = "rocommunity public\n\
                      createUser poller SHA-256 right-password AES right-password\n\
                      rouser poller priv\n\
                      sysServices 72\nsysName lab-switch.example.net\n";
        // snmpd keeps its state in a file snmpd.conf of the same folder.
        fs::write(folder.path().join("device.conf"), config).unwrap();
        // A port that is free now; snmpd cannot be asked to choose one.
        let port = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let daemon = Self::spawn(&folder, port);
        let device = Self { daemon, port, folder };
        device.wait_until_it_answers();
        Some(device)
    }

    fn spawn(folder: &TempDir, port: u16) -> Child {
        let path = folder.path();
        Command::new("snmpd")
            .args(["-f", "-Lf", "snmpd.log", "-C", "-c", "device.conf", "-I", "-smux"])
            .arg(format!("udp:127.0.0.1:{port}"))
            .current_dir(path)
            .envs([("SNMP_PERSISTENT_DIR", path), ("SNMPCONFPATH", path)])
            .env("MIBS", "")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    }

    fn wait_until_it_answers(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.ask("1.3.6.1.2.1.1.3.0").is_none() {
            let log = fs::read_to_string(self.folder.path().join("snmpd.log")).unwrap_or_default();
            assert!(Instant::now() < deadline, "snmpd does not answer: {log}");
        }
    }

    /// What snmpget says, which is a counterpart of ours.
    fn ask(&self, oid: &str) -> Option<String> {
        let address = format!("udp:127.0.0.1:{}", self.port);
        let output = NetSnmp::new()?.run("snmpget", &["-v2c", "-c", "public", "-t", "1", "-r", "0", "-Oqv", &address, oid]);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn restart(&mut self) {
        self.stop();
        self.daemon = Self::spawn(&self.folder, self.port);
        self.wait_until_it_answers();
    }

    fn stop(&mut self) {
        self.daemon.kill().unwrap();
        self.daemon.wait().unwrap();
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// An agent that polls one device each second; its counters are the second after those of its only listener.
fn agent(port: u16, keys: &str) -> Running {
    start_with(&format!(
        "listeners: [{{name: l, kind: alert, listen: '[::]:0'}}]\ndevices: {{sites: {{127.0.0.0/8: lab1}}, roles: {{127.0.0.1/32: switch}}}}\n\
         snmp:\n  users: [{{name: poller, auth: {{protocol: sha256, password: right-password}}, privacy: {{protocol: aes128, password: right-password}}}}]\n  \
         devices: [{{name: sw1, address: '127.0.0.1:{port}', interval: 1s, timeout: 500ms, retries: 1, {keys}}}]"
    ))
}

/// Waits for something about what has been published.
#[track_caller]
fn wait_for<T>(running: &Running, found: impl Fn(&[Body]) -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let bodies: Vec<_> = running.events().into_iter().filter_map(|event| event.body).collect();
        if let Some(found) = found(&bodies) {
            return found;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {bodies:?}");
        std::thread::yield_now();
    }
}

fn loopback(bodies: &[Body]) -> Vec<InterfaceCounters> {
    let counters =
        bodies.iter().filter_map(|body| if let Body::InterfaceCounters(counters) = body { Some(counters.clone()) } else { None });
    counters.filter(|counters| counters.interface == "lo").collect()
}

fn gauges(bodies: &[Body]) -> Vec<Gauge> {
    bodies.iter().filter_map(|body| if let Body::Gauge(gauge) = body { Some(gauge.clone()) } else { None }).collect()
}

/// Octets that the kernel has counted on the loopback interface.
fn kernel_octets() -> u64 {
    let text = fs::read_to_string("/proc/net/dev").unwrap();
    let line = text.lines().find_map(|line| line.trim().strip_prefix("lo:")).unwrap();
    line.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn every_version_reads_what_the_kernel_and_snmpget_say() {
    let Some(device) = Device::start() else { return };
    for keys in ["version: v2c, interfaces: [l*]", "version: v1, interfaces: [l*]", "version: v3, user: poller, interfaces: [l*]"] {
        let before = kernel_octets();
        let running = agent(device.port, keys);
        // The second that has a rate: 32 bits, all that version 1 has, go round within seconds where much passes loopback.
        let (first, second) = wait_for(&running, |bodies| {
            let polls = loopback(bodies);
            Some((polls.first()?.clone(), polls.iter().skip(1).find(|poll| poll.in_bps.is_some())?.clone()))
        });
        let after = kernel_octets();
        assert_eq!((first.if_index.to_string(), first.oper_status()), (device.ask("1.3.6.1.2.1.2.2.1.1.1").unwrap(), Status::Up), "{keys}");
        assert!((first.in_bps, first.interval_ms) == (None, 0), "{keys}: {first:?}");
        // snmpd keeps its counters for some seconds, so they may be older than the poll; and version 1 has 32 bits of them.
        let modulus = if keys.contains("v1") { 1_u128 << 32 } else { 1 << 64 };
        let moved = |now: u64, then: u64| (u128::from(now) + modulus - u128::from(then) % modulus) % modulus;
        assert!(
            moved(first.in_octets, before.saturating_sub(100_000_000)) <= u128::from(after - before) + 100_000_000,
            "{keys}: {before} {first:?}"
        );
        assert!(second.in_bps.is_some_and(|bps| bps >= 0.0) && second.interval_ms > 0, "{keys}: {second:?}");
        let event = &running.events()[0];
        assert_eq!((event.device.as_str(), event.site.as_str(), event.role.as_str()), ("sw1", "lab1", "switch"));
        let polled = running.counters[1].snapshot();
        assert!(polled.received >= 2 && polled.events == polled.received && polled.acked == polled.received, "{polled:?}");
        assert!(running.get("/metrics").contains("tocsin_agent_polled_device_up{device=\"sw1\"} 1"));
    }
}

#[test]
fn a_device_without_a_name_is_what_it_calls_itself_also_where_its_messages_say_nothing() {
    let Some(device) = Device::start() else { return };
    let running = start_with(&format!(
        "listeners: [{{name: l, kind: syslog, listen: '[::]:0'}}]\nsnmp:\n  devices: [{{address: '127.0.0.1:{}', interval: 1s, timeout: 500ms, interfaces: [lo]}}]",
        device.port
    ));
    wait_for(&running, |bodies| loopback(bodies).pop());
    assert_eq!(running.events()[0].device, "lab-switch.example.net");
    sender(v4(running.port())).send(b"<13>link up").unwrap();
    wait_for(&running, |bodies| bodies.iter().any(|body| matches!(body, Body::Syslog(_))).then_some(()));
    let events = running.events();
    let said = events.iter().find(|event| matches!(event.body, Some(Body::Syslog(_)))).unwrap();
    assert_eq!(said.device, "lab-switch.example.net");
    assert!(running.get("/metrics").contains(&format!("tocsin_agent_polled_device_up{{device=\"127.0.0.1:{}\"}} 1", device.port)));
}

#[test]
fn a_gauge_is_polled_with_its_limit_by_instance_and_by_column() {
    let Some(device) = Device::start() else { return };
    let total = device.ask("1.3.6.1.4.1.2021.4.5.0").unwrap().split(' ').next().unwrap().parse::<f64>().unwrap();
    let running = agent(
        device.port,
        "interfaces: [], gauges: [\
         {name: memory, oid: 1.3.6.1.4.1.2021.4.5.0, limit_oid: 1.3.6.1.4.1.2021.4.5.0, unit: MB, scale: 0.001}, \
         {name: load, oid: 1.3.6.1.4.1.2021.10.1.3, limit: 64}, {name: nothing, oid: 1.3.6.1.4.1.32473.1.0}]",
    );
    let gauges = wait_for(&running, |bodies| Some(gauges(bodies)).filter(|gauges| gauges.len() >= 4));
    let memory = &gauges[0];
    assert!((memory.value - total * 0.001).abs() < 0.01 && memory.limit == Some(memory.value), "{memory:?}");
    assert_eq!((memory.unit.as_str(), memory.instance.as_str(), memory.oid.as_str()), ("MB", "", "1.3.6.1.4.1.2021.4.5.0"));
    let instances: Vec<_> = gauges[1..4].iter().map(|gauge| (gauge.name.as_str(), gauge.instance.as_str(), gauge.limit)).collect();
    assert_eq!(instances, [("load", "1", Some(64.0)), ("load", "2", Some(64.0)), ("load", "3", Some(64.0))]);
}

/// As in the recipe of host/README.md. Its shares of the processors' time come a minute after snmpd's start, when it has figures.
#[test]
fn disks_are_polled_by_the_names_that_the_device_gives_them() {
    let Some(device) = Device::start() else { return };
    let disk = device.ask("1.3.6.1.4.1.2021.13.15.1.1.2.1").unwrap();
    let gauge = "{name: disk_utilization, oid: UCD-DISKIO-MIB::diskIOLA1, instance_oid: UCD-DISKIO-MIB::diskIODevice, unit: percent}";
    let running = agent(device.port, &format!("interfaces: [], gauges: [{gauge}]"));
    let gauges = wait_for(&running, |bodies| Some(gauges(bodies)).filter(|gauges| !gauges.is_empty()));
    let first = &gauges[0];
    assert_eq!((first.name.as_str(), first.instance.as_str()), ("disk_utilization", disk.trim_matches('"')));
    assert_eq!(first.oid, "1.3.6.1.4.1.2021.13.15.1.1.9.1");
    assert!(gauges.iter().all(|gauge| (0.0..=100.0).contains(&gauge.value)), "{gauges:?}");
}

#[test]
fn a_device_that_restarts_has_no_rates_across_it_and_is_polled_on() {
    let Some(mut device) = Device::start() else { return };
    for keys in ["interfaces: [lo]", "version: v3, user: poller, interfaces: [lo]"] {
        let running = agent(device.port, keys);
        wait_for(&running, |bodies| loopback(bodies).last()?.in_bps);
        let polls = loopback(&running.events().into_iter().filter_map(|event| event.body).collect::<Vec<_>>()).len();
        device.restart();
        let uptimes = wait_for(&running, |bodies| {
            let later = loopback(bodies).split_off(polls);
            let went_back = later.iter().position(|counters| counters.in_bps.is_none())?;
            // After the restart, rates come again.
            later[went_back..]
                .iter()
                .find(|counters| counters.in_bps.is_some())
                .map(|counters| (later[went_back].uptime_centiseconds, counters.uptime_centiseconds))
        });
        assert!(uptimes.0 < uptimes.1, "{keys}: {uptimes:?}");
    }
}

#[test]
fn a_device_that_does_not_answer_is_counted_and_holds_nobody_up() {
    let Some(device) = Device::start() else { return };
    let free = UdpSocket::bind("127.0.0.1:0").unwrap();
    let running = start_with(&format!(
        "listeners: [{{name: l, kind: alert, listen: '[::]:0'}}]\nsnmp: {{devices: [\
         {{name: silent, address: '{}', interval: 1s, timeout: 200ms, retries: 1}}, {{name: sw1, address: '127.0.0.1:{}', interval: 1s}}]}}",
        free.local_addr().unwrap(),
        device.port
    ));
    wait_for(&running, |bodies| loopback(bodies).get(1).cloned());
    let deadline = Instant::now() + PATIENCE;
    while !running.get("/metrics").contains("tocsin_agent_polls_total{device=\"silent\",result=\"failed\"} 1") {
        assert!(Instant::now() < deadline, "{}", running.get("/metrics"));
    }
    assert!(running.get("/metrics").contains("tocsin_agent_polled_device_up{device=\"silent\"} 0"));
    let closing = running.agent.drain();
    assert!(closing.is_all_acked);
}

#[test]
fn a_wrong_password_is_told_apart_from_silence() {
    let Some(device) = Device::start() else { return };
    let running = start_with(&format!(
        "listeners: [{{name: l, kind: alert, listen: '[::]:0'}}]\nsnmp:\n  users: [{{name: poller, auth: {{protocol: sha256, password: wrong-password}}}}]\n  \
         devices: [{{name: sw1, address: '127.0.0.1:{}', version: v3, user: poller, interval: 1s, timeout: 1s}}]",
        device.port
    ));
    let deadline = Instant::now() + PATIENCE;
    while !running.get("/metrics").contains("tocsin_agent_polls_total{device=\"sw1\",result=\"failed\"} 1") {
        assert!(Instant::now() < deadline, "{}", running.get("/metrics"));
    }
    assert!(running.events().is_empty());
}
