//! A config that is read again while datagrams arrive.

use std::collections::HashSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use tocsin_agent::Config;
use tocsin_wire::Body;
use tocsin_wire::events::AgentStats;

use crate::running::{PATIENCE, Running, events, message, sender, start_with};

/// Gives the agent this config, beside the keys that a test agent has anyway. A listener that stays on port 0 stays on the port that it has.
fn reload(running: &mut Running, yaml: &str) {
    running.agent.reload(&config(yaml)).unwrap();
}

fn config(yaml: &str) -> Config {
    Config::parse(&format!("agent_id: test-agent\ntelemetry: {{listen: '127.0.0.1:0'}}\n{yaml}")).unwrap()
}

fn address(running: &Running, listener: &str) -> SocketAddr {
    running.agent.address(listener).unwrap()
}

/// The counters of an input, fresh from the kernel, once they satisfy `condition`.
#[track_caller]
fn wait_for(running: &Running, name: &str, condition: impl Fn(&AgentStats) -> bool) -> AgentStats {
    let index = running.agent.inputs().iter().position(|input| input.counters.name() == name).unwrap();
    let counters = running.agent.inputs()[index].counters.clone();
    let deadline = Instant::now() + PATIENCE;
    loop {
        running.agent.report();
        let stats = counters.snapshot();
        if condition(&stats) {
            return stats;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {stats:?}");
        thread::yield_now();
    }
}

const UDP: &str = "name: l, kind: syslog, listen: '127.0.0.1:0'";

#[test]
fn names_limits_sites_and_kinds_change_on_a_socket_that_stays() {
    let mut running = start_with(&format!("listeners: [{{{UDP}}}]"));
    let device = sender(address(&running, "l"));
    device.send(b"<13>first").unwrap();
    running.wait_for(|stats| stats.acked == 1);

    reload(&mut running, &format!("devices: {{names: {{'127.0.0.1': sw1}}}}\nlisteners: [{{{UDP}, max_message: 64, site: fra1}}]"));
    device.send(b"<13>second").unwrap();
    device.send(&[b'x'; 65]).unwrap();
    running.wait_for(|stats| stats.acked == 3);
    let events = running.events();
    assert_eq!((events[0].device.as_str(), events[0].site.as_str()), ("127.0.0.1", ""));
    assert_eq!((events[1].device.as_str(), events[1].site.as_str()), ("sw1", "fra1"));
    assert_eq!(running.rejects().len(), 1);

    reload(&mut running, "listeners: [{name: l, kind: alert, listen: '127.0.0.1:0', deny: [198.51.100.0/24]}]");
    device.send(br#"{"action":"update","source":"s","device":"d","check":"c"}"#).unwrap();
    running.wait_for(|stats| stats.acked == 4);
    assert!(matches!(running.events()[3].body, Some(Body::AlertUpdate(_))));

    reload(&mut running, "listeners: [{name: l, kind: alert, listen: '127.0.0.1:0', deny: [127.0.0.0/8]}]");
    device.send(b"nobody hears it").unwrap();
    let stats = running.wait_for(|stats| stats.received == 5);
    assert_eq!((stats.rate_limited, stats.events + stats.malformed), (1, 4));
}

#[test]
fn a_listener_is_added_and_one_that_goes_is_read_empty_and_stays_on_the_balance_sheet() {
    let mut running = start_with(&format!("listeners: [{{{UDP}}}, {{name: old, kind: syslog, listen: '127.0.0.1:0'}}]"));
    let old = address(&running, "old");
    let device = sender(old);
    for number in 0..200 {
        device.send(format!("<13>{number}").as_bytes()).unwrap();
    }
    reload(&mut running, &format!("listeners: [{{{UDP}}}, {{name: new, kind: syslog, listen: '127.0.0.1:0'}}]"));
    // Loopback had put all of them into the socket before the last call returned.
    let stats = wait_for(&running, "old", |stats| stats.acked > 0);
    assert_eq!((stats.received + stats.kernel_dropped, stats.events), (200, stats.received));
    drop(std::net::UdpSocket::bind(old).expect("the port is free again"));
    assert!(running.agent.address("old").is_none());

    sender(address(&running, "new")).send(b"<13>to the new one").unwrap();
    wait_for(&running, "new", |stats| stats.acked == 1);
    let health = running.get("/health");
    assert!(health.contains(r#""listeners":{"l":"ok","new":"ok"}"#), "{health}");
    let metrics = running.get("/metrics");
    assert!(metrics.contains(r#"tocsin_agent_received_total{listener="old"} "#), "{metrics}");
    assert!(!metrics.contains(r#"tocsin_agent_listener_up{listener="old"}"#), "{metrics}");

    reload(&mut running, &format!("listeners: [{{{UDP}}}, {{name: old, kind: syslog, listen: '127.0.0.1:0'}}]"));
    sender(address(&running, "old")).send(b"<13>back again").unwrap();
    let again = wait_for(&running, "old", |stats| stats.acked == stats.received && stats.received > 200 - stats.kernel_dropped);
    assert_eq!(again.received + again.kernel_dropped, 201, "its counters went on");
}

#[test]
fn a_reload_that_cannot_open_a_socket_changes_nothing() {
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut running = start_with(&format!("listeners: [{{{UDP}}}]"));
    let wanted = config(&format!(
        "listeners: [{{{UDP}, max_message: 64}}, {{name: good, kind: syslog, listen: '127.0.0.1:0'}}, {{name: bad, kind: syslog, listen: '{}'}}]",
        taken.local_addr().unwrap()
    ));
    let error = running.agent.reload(&wanted).unwrap_err().to_string();
    assert!(error.contains("listener bad") && error.contains("ss -lnp"), "{error}");
    assert!(running.agent.address("good").is_none());
    sender(address(&running, "l")).send(&[b'x'; 100]).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 1);
    assert_eq!((stats.events, stats.malformed), (1, 0));
    let health = running.get("/health");
    assert!(health.contains(r#""listeners":{"l":"ok"}"#), "{health}");
}

#[test]
fn an_open_connection_that_is_no_longer_allowed_is_read_empty_and_closed_and_others_stay_open() {
    let tcp = "name: l, kind: syslog, transport: tcp, listen: '127.0.0.1:0'";
    let mut running = start_with(&format!("listeners: [{{{tcp}}}]"));
    let mut device = TcpStream::connect(address(&running, "l")).unwrap();
    device.write_all(b"<13>before\n").unwrap();
    running.wait_for(|stats| stats.acked == 1);
    reload(&mut running, &format!("listeners: [{{{tcp}, site: fra1}}]"));
    device.write_all(b"<13>still\n").unwrap();
    running.wait_for(|stats| stats.acked == 2);
    assert_eq!(running.events()[1].site, "fra1");
    device.write_all(b"<13>last\n").unwrap();
    reload(&mut running, &format!("listeners: [{{{tcp}, deny: [127.0.0.0/8]}}]"));
    device.set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(device.read(&mut [0; 8]).unwrap(), 0, "closed");
    running.wait_for(|stats| stats.acked == 3);
}

#[test]
fn a_sender_over_a_limit_that_is_lifted_is_heard_again_and_its_alert_is_cleared() {
    let limit = "rate_limit: {messages: 1, messages_period: 100ms, penalty: 1h}";
    let mut running = start_with(&format!("listeners: [{{{UDP}, {limit}}}]"));
    let device = sender(address(&running, "l"));
    (0..3).for_each(|_| assert_eq!(device.send(b"<13>news").unwrap(), 8));
    running.wait_for(|stats| stats.rate_limited == 2);
    reload(&mut running, &format!("listeners: [{{{UDP}}}]"));
    (0..3).for_each(|_| assert_eq!(device.send(b"<13>more").unwrap(), 8));
    let alerts = |running: &Running| {
        let events = running.events();
        events.iter().filter(|event| matches!(event.body, Some(Body::AlertUpdate(_)))).count()
    };
    running.wait_for(|stats| stats.received == 6 && alerts(&running) == 2);
    assert_eq!(running.stats().rate_limited, 2);
}

#[test]
fn the_config_in_effect_is_shown_without_secrets() {
    let mut running = start_with(&format!("snmp: {{communities: [first]}}\nlisteners: [{{{UDP}}}]"));
    reload(&mut running, &format!("snmp: {{communities: [second]}}\nlisteners: [{{{UDP}, site: fra1}}]"));
    let page = running.get("/config");
    assert!(page.contains(r#""site":"fra1""#) && page.contains("(hidden)") && page.contains(r#""held":[]"#), "{page}");
    assert!(!page.contains("first") && !page.contains("second"), "{page}");
}

/// 20,000 datagrams a second.
const PER_MILLISECOND: usize = 20;
const MILLISECONDS: usize = 2_000;

#[test]
fn each_datagram_of_a_steady_stream_is_counted_once_through_several_reloads() {
    let yaml = |turn: usize| {
        let other = if turn % 2 == 1 { ", {name: other, kind: syslog, listen: '127.0.0.1:0'}" } else { "" };
        let limit = if turn % 3 == 1 { ", rate_limit: {messages: 100000000}" } else { "" };
        format!(
            "devices: {{names: {{'127.0.0.1': turn-{turn}}}}}\nlisteners: [{{{UDP}, max_message: {}KiB, deny: [192.0.2.{turn}/32]{limit}}}{other}]",
            turn + 1
        )
    };
    let mut running = start_with(&yaml(0));
    let device = sender(address(&running, "l"));
    let stream = thread::spawn(move || {
        let started = Instant::now();
        for millisecond in 0..MILLISECONDS {
            for number in 0..PER_MILLISECOND {
                device.send(format!("<13>{}", millisecond * PER_MILLISECOND + number).as_bytes()).unwrap();
            }
            let next = Duration::from_millis(millisecond as u64 + 1);
            thread::sleep(next.saturating_sub(started.elapsed()));
        }
    });
    let mut reloads = 0;
    while !stream.is_finished() || reloads < 5 {
        reloads += 1;
        reload(&mut running, &yaml(reloads % 200));
        running.agent.report();
    }
    stream.join().unwrap();

    let sent = (PER_MILLISECOND * MILLISECONDS) as u64;
    let stats = running.wait_for(|stats| stats.received + stats.kernel_dropped == sent && stats.acked == stats.received);
    assert_eq!((stats.events, stats.malformed, stats.rate_limited), (stats.received, 0, 0));
    // Without CAP_NET_ADMIN the kernel caps the buffer: then a busy machine may drop, which is counted.
    if stats.buffer_limit_bytes > 8 * 1024 * 1024 {
        assert_eq!(stats.kernel_dropped, 0);
    }
    let events = events(&running.publisher);
    let of_stream: Vec<_> = events.iter().filter(|event| matches!(event.body, Some(Body::Syslog(_)))).collect();
    let numbers: Vec<usize> = of_stream.iter().map(|event| message(event).parse().unwrap()).collect();
    assert_eq!(numbers.len() as u64, stats.received);
    assert!(numbers.is_sorted_by(|one, next| one < next), "each once, and in order");
    let names: HashSet<_> = of_stream.iter().map(|event| event.device.as_str()).collect();
    assert!(names.len() > 1, "no reload took effect while datagrams came: {names:?}");
}
