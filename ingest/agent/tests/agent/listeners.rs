//! Every kind of listener, with frames good and bad.

use std::collections::HashSet;
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr, TcpStream, UdpSocket};
use std::sync::Arc;
use std::time::Duration;

use tocsin_agent::{Agent, Config, HeldSockets};
use tocsin_publish::{MemoryPublisher, Topic};
use tocsin_telemetry::Health;
use tocsin_wire::events::Event;
use tocsin_wire::events::alert_update::Action;
use tocsin_wire::rejects::Reason;
use tocsin_wire::{Body, word};

use crate::running::{events, message, sender, start, start_with, v4, v6};

fn alert(number: usize) -> String {
    let action = if number == 418 { "update" } else { "delete" };
    format!(
        r#"{{"action":"{action}","source":"hyak","device":"n{number:04}","check":"node","severity":"critical","summary":"node state as the monitor tells it after its restart","labels":{{"rack":"b4"}}}}"#
    )
}

#[test]
fn a_burst_of_500_datagrams_becomes_500_events() {
    let running = start("kind: alert, listen: '[::]:0'");
    let socket = sender(v4(running.port()));
    for number in 0..500 {
        socket.send(alert(number).as_bytes()).unwrap();
    }
    let stats = running.wait_for(|stats| stats.received + stats.kernel_dropped == 500 && stats.acked == stats.received);
    assert_eq!((stats.events, stats.malformed), (stats.received, 0));
    let events = running.events();
    let sequences: HashSet<_> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences.len(), events.len(), "every event has its own number");
    assert!(running.publisher.records().iter().filter(|record| record.topic == Topic::Alert).count() == events.len());
    // Without CAP_NET_ADMIN the kernel caps the buffer, and a burst may not fit: the agent warns of it when it starts.
    if stats.buffer_limit_bytes > 2 * 1024 * 1024 {
        assert_eq!((stats.kernel_dropped, events[418].device.as_str()), (0, "n0418"));
    }
}

#[test]
fn what_the_kernel_drops_is_counted_to_the_last_datagram() {
    // More than the queue and the two batches in work can hold, so that the reader must wait and the kernel must drop.
    const SENT: u64 = 5_000;
    let running = start("kind: alert, listen: '[::]:0', receive_buffer: 1");
    running.publisher.close_gate();
    let socket = sender(v6(running.port()));
    for number in 0..SENT {
        socket.send(alert(number as usize).as_bytes()).unwrap();
    }
    running.publisher.open_gate();
    let stats = running.wait_for(|stats| stats.received + stats.kernel_dropped == SENT && stats.acked == stats.received);
    assert!(stats.kernel_dropped > 0 && stats.buffer_limit_bytes > 0, "{stats:?}");
    assert_eq!(stats.events, stats.received);
}

#[test]
fn a_dual_stack_socket_takes_both_families_and_normalises_addresses() {
    let running = start("kind: syslog, listen: '[::]:0'");
    sender(v4(running.port())).send(b"<13>from four").unwrap();
    sender(v6(running.port())).send(b"<13>from six").unwrap();
    running.wait_for(|stats| stats.acked == 2);
    let mut seen: Vec<_> =
        running.events().iter().map(|event| (message(event).to_owned(), event.device.clone(), event.source_ip.to_vec())).collect();
    seen.sort();
    assert_eq!(
        seen,
        [
            ("from four".to_owned(), "127.0.0.1".to_owned(), Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets().to_vec()),
            ("from six".to_owned(), "::1".to_owned(), Ipv6Addr::LOCALHOST.octets().to_vec()),
        ]
    );
}

#[test]
fn an_ipv6_only_socket_leaves_ipv4_to_another_listener() {
    let six = start("kind: syslog, listen: '[::]:0', ipv6_only: true");
    let four = start(&format!("kind: syslog, listen: '0.0.0.0:{}'", six.port()));
    sender(v4(six.port())).send(b"<13>from four").unwrap();
    sender(v6(six.port())).send(b"<13>from six").unwrap();
    four.wait_for(|stats| stats.acked == 1);
    six.wait_for(|stats| stats.acked == 1);
    assert_eq!((message(&four.events()[0]), message(&six.events()[0])), ("from four", "from six"));
}

#[test]
fn a_name_from_the_table_stands_for_an_address() {
    let running =
        start_with("devices: {names: {'127.0.0.1': core-sw1}}\nlisteners: [{name: l, kind: syslog, listen: '[::]:0', site: fra1}]");
    sender(v4(running.port())).send(b"<13>nameless").unwrap();
    running.wait_for(|stats| stats.acked == 1);
    let event = &running.events()[0];
    assert_eq!((event.device.as_str(), event.site.as_str(), event.listener.as_str()), ("core-sw1", "fra1", "l"));
}

#[test]
fn several_readers_share_a_port_and_lose_nothing() {
    let running = start("kind: syslog, listen: '[::]:0', readers: 3");
    for number in 0..30 {
        sender(v4(running.port())).send(format!("<13>{number}").as_bytes()).unwrap();
    }
    running.wait_for(|stats| stats.acked == 30);
}

#[test]
fn hostile_datagrams_become_rejects_or_events_and_are_counted() {
    let running = start("kind: syslog, listen: '[::]:0', max_message: 1000");
    let socket = sender(v4(running.port()));
    socket.send(b"").unwrap();
    socket.send(b"\x16\x03\x01\x00\x00\x01\x02\x03").unwrap();
    socket.send(b"<13>caf\xe9").unwrap();
    socket.send(&[b'x'; 60_000]).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 4);
    assert_eq!((stats.received, stats.received_bytes, stats.events, stats.malformed), (4, 8 + 8 + 60_000, 1, 3));
    let rejects = running.rejects();
    let reasons: Vec<_> = rejects.iter().map(|reject| (word(reject.reason()), word(reject.stage()), reject.original_bytes)).collect();
    let expected = [("empty", "parse", 0), ("not_text", "parse", 8), ("oversize", "framing", 60_000)];
    assert_eq!(reasons, expected.map(|(reason, stage, bytes)| (reason.to_owned(), stage.to_owned(), bytes)));
    let events = running.events();
    let stored = events.iter().find(|event| matches!(event.body, Some(Body::Syslog(_)))).unwrap();
    assert_eq!((message(stored), stored.raw.as_ref()), ("caf\u{fffd}", b"<13>caf\xe9".as_slice()));
    let oversize = events.iter().find(|event| event.raw.len() == 1000).unwrap();
    assert!(matches!(&oversize.body, Some(Body::Reject(reject)) if reject.reason() == Reason::Oversize));
}

#[test]
fn a_bad_element_of_an_array_is_rejected_alone_and_the_balance_holds() {
    let running = start("kind: alert, listen: '[::]:0'");
    sender(v4(running.port())).send(format!("[{},{{}},{}]", alert(1), alert(2)).as_bytes()).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 3);
    assert_eq!((stats.received, stats.events, stats.malformed, stats.published), (1, 2, 1, 3));
}

#[test]
fn a_datagram_of_very_many_elements_does_not_multiply_its_bytes() {
    let running = start("kind: alert, listen: '[::]:0'");
    let elements = vec![r#"{"action":"update","source":"s","device":"d","check":"c"}"#; 1_000].join(",");
    sender(v4(running.port())).send(format!("[{elements}]").as_bytes()).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 1_000);
    assert_eq!((stats.received, stats.events, stats.malformed), (1, 1_000, 0));
    let events = running.events();
    let frame_bytes = elements.len() + 2;
    assert_eq!(events[0].raw.len(), frame_bytes);
    assert_eq!(events.iter().filter(|event| event.raw.len() == frame_bytes).count(), 1);
    assert_eq!(events.iter().filter(|event| event.raw.is_empty()).count(), 1_000 - 1);
}

#[test]
fn a_datagram_of_elements_that_are_no_updates_is_one_reject_with_its_bytes() {
    let running = start("kind: alert, listen: '[::]:0'");
    let frame = format!("[{}]", vec!["0"; 30_000].join(","));
    sender(v4(running.port())).send(frame.as_bytes()).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 1);
    assert_eq!((stats.received, stats.events, stats.malformed), (1, 0, 1));
    assert_eq!(running.events()[0].raw, frame.as_bytes());
}

#[test]
fn tcp_takes_lines_counted_frames_and_a_line_of_70_000_bytes() {
    let running = start("kind: syslog, transport: tcp, listen: '[::]:0'");
    let long = format!("<13>{}", "x".repeat(70_000));
    let mut lines = TcpStream::connect(v4(running.port())).unwrap();
    lines.write_all(format!("<13>one\n{long}\n<13>without an end").as_bytes()).unwrap();
    drop(lines);
    let mut counted = TcpStream::connect(v6(running.port())).unwrap();
    counted.write_all(b"12 <13>two\nrows9 <13>three10 <13>cu").unwrap();
    drop(counted);
    let stats = running.wait_for(|stats| stats.acked == 6);
    assert_eq!((stats.received, stats.events, stats.malformed), (6, 5, 1));
    let mut messages: Vec<_> =
        running.events().iter().filter(|event| matches!(event.body, Some(Body::Syslog(_)))).map(|event| message(event).len()).collect();
    messages.sort_unstable();
    assert_eq!(messages, [3, 5, 8, 14, 70_000]);
    assert_eq!(running.rejects()[0].reason(), Reason::Truncated);
}

#[test]
fn a_tcp_line_over_the_limit_is_a_reject_and_the_next_line_is_whole() {
    let running = start("kind: syslog, transport: tcp, listen: '[::]:0', max_message: 8KiB");
    let mut stream = TcpStream::connect(v4(running.port())).unwrap();
    stream.write_all(format!("<13>{}\n<13>next\n", "x".repeat(70_000)).as_bytes()).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 2);
    assert_eq!((stats.received, stats.events, stats.malformed), (2, 1, 1));
    assert_eq!((running.rejects()[0].reason(), running.rejects()[0].original_bytes), (Reason::Oversize, 70_004));
    assert!(running.events().iter().any(|event| matches!(event.body, Some(Body::Syslog(_))) && message(event) == "next"));
}

#[test]
fn a_stop_reads_the_sockets_empty_and_its_last_reports_close_the_balance() {
    let running =
        start_with("listeners: [{name: l, kind: syslog, listen: '[::]:0'}, {name: t, kind: syslog, transport: tcp, listen: '[::]:0'}]");
    let tcp_address = v4(running.agent.address("t").unwrap().port());
    let socket = sender(v4(running.port()));
    let mut stream = TcpStream::connect(tcp_address).unwrap();
    for number in 0..2_000 {
        socket.send(format!("<13>datagram {number}").as_bytes()).unwrap();
        stream.write_all(format!("<13>line {number}\n").as_bytes()).unwrap();
    }
    // No waiting: loopback has put every datagram and line into the kernel's buffers before the last call returned.
    let closing = running.agent.drain();
    assert!(closing.is_all_acked);

    let events = events(&running.publisher);
    let last_reports: Vec<_> = events.iter().rev().take(2).map(|event| (event.listener.as_str(), event.body.as_ref().unwrap())).collect();
    for (listener, body) in last_reports {
        let Body::AgentStats(stats) = body else { panic!("{listener}: the last records must be reports") };
        assert_eq!(stats.received + stats.kernel_dropped, 2_000, "{listener}");
        assert_eq!([stats.events, stats.published, stats.acked], [stats.received; 3], "{listener}");
    }
    assert_eq!(events.iter().map(|event| event.sequence).max(), Some(events.len() as u64), "numbers have no gaps");
}

#[test]
fn a_port_in_use_is_an_error_that_names_listener_and_remedy() {
    let taken = UdpSocket::bind("[::]:0").unwrap();
    let config = Config::parse(&format!(
        "agent_id: a\ntelemetry: {{listen: '127.0.0.1:0'}}\nlisteners: [{{name: l, kind: syslog, listen: '[::]:{}'}}]",
        taken.local_addr().unwrap().port()
    ))
    .unwrap();
    let health = Arc::new(Health::new(Duration::from_secs(1)));
    let error = Agent::start(&config, Arc::new(MemoryPublisher::default()), health, HeldSockets::default()).err().unwrap().to_string();
    assert!(error.contains("listener l") && error.contains("ss -lnp"), "{error}");
}

#[test]
fn metrics_health_and_sources_answer_over_http() {
    let running = start("kind: syslog, listen: '[::]:0'");
    sender(v4(running.port())).send(b"<13>hello").unwrap();
    running.wait_for(|stats| stats.acked == 1);
    let get = |path: &str| running.get(path);
    assert!(get("/metrics").contains("tocsin_agent_received_total{listener=\"l\"} 1\n"));
    assert!(get("/sources").contains(r#""source_ip":"127.0.0.1""#));
    let health = get("/health");
    assert!(health.starts_with("HTTP/1.1 503") && health.contains("Kafka has acknowledged nothing yet"), "{health}");
}

#[test]
fn a_noisy_sender_is_limited_counted_and_told_while_others_are_heard() {
    let running = start("kind: syslog, listen: '0.0.0.0:0', site: fra1, rate_limit: {messages: 5, messages_period: 1m}");
    let noisy = UdpSocket::bind("127.0.0.9:0").unwrap();
    for number in 0..50 {
        noisy.send_to(format!("<13>{number}").as_bytes(), v4(running.port())).unwrap();
    }
    running.wait_for(|stats| stats.rate_limited == 45);
    sender(v4(running.port())).send(b"<13>quiet").unwrap();
    // Five of the noisy one, the alert about it, and the quiet one.
    let stats = running.wait_for(|stats| stats.acked == 7);
    assert_eq!((stats.received, stats.rate_limited, stats.events, stats.malformed), (51, 45, 7, 0));
    let heard = running.events();
    assert_eq!(heard.iter().filter(|event| event.device == "127.0.0.1").map(message).collect::<Vec<_>>(), ["quiet"]);
    let alerts: Vec<_> = heard.iter().filter(|event| matches!(event.body, Some(Body::AlertUpdate(_)))).collect();
    let [Event { body: Some(Body::AlertUpdate(alert)), device, site, .. }] = alerts[..] else { panic!("{alerts:?}") };
    assert_eq!((device.as_str(), site.as_str(), alert.check.as_str()), ("127.0.0.9", "fra1", "rate-limited"));
    assert_eq!(alert.fingerprint_labels, ["listener"]);
    assert!(alert.summary.contains("5 messages in 60s"), "{}", alert.summary);

    let publisher = Arc::clone(&running.publisher);
    running.agent.drain();
    let cleared = events(&publisher).into_iter().filter_map(|event| match event.body {
        Some(Body::AlertUpdate(alert)) => Some((alert.action(), alert.labels["refused_messages"].clone())),
        _ => None,
    });
    assert_eq!(cleared.last(), Some((Action::Delete, "45".to_owned())));
}

#[test]
fn a_flood_of_rejects_is_summed_up_at_a_stop_and_the_last_report_closes_the_balance() {
    let running = start("kind: alert, transport: tcp, listen: '127.0.0.1:0'");
    TcpStream::connect(v4(running.port())).unwrap().write_all("no update\n".repeat(1_200).as_bytes()).unwrap();
    running.wait_for(|stats| stats.received == 1_200 && stats.malformed + stats.rate_limited == 1_199);
    let (counters, publisher) = (running.counters[0].clone(), Arc::clone(&running.publisher));
    running.agent.drain();
    let stats = counters.snapshot();
    assert_eq!((stats.received, stats.malformed, stats.rate_limited, stats.acked), (1_200, 1_001, 199, 1_001));
    let bodies = events(&publisher).into_iter().filter_map(|event| event.body);
    let last = bodies.filter_map(|body| if let Body::Reject(reject) = body { Some(reject) } else { None }).last().unwrap();
    assert!(last.detail.starts_with("200 rejects more (1800 bytes) of this sender"), "{}", last.detail);
}

#[test]
fn a_listener_whose_thread_has_died_is_named_by_health_and_metrics_and_the_others_go_on() {
    let running =
        start_with("listeners: [{name: l, kind: syslog, listen: '127.0.0.1:0'}, {name: other, kind: alert, listen: '127.0.0.1:0'}]");
    running.agent.report();
    assert!(running.get("/metrics").contains(r#"tocsin_agent_listener_up{listener="l"} 1"#));
    running.publisher.become_defect();
    sender(v4(running.port())).send(b"<13>x").unwrap();
    running.wait_for(|_| running.get("/health").contains("listener l: its thread parse-l has ended"));
    let health = running.get("/health");
    assert!(health.starts_with("HTTP/1.1 503") && health.contains(r#""l":"not ok","other":"ok""#), "{health}");
    assert!(running.get("/metrics").contains(r#"tocsin_agent_listener_up{listener="l"} 0"#));
}

#[test]
fn who_is_denied_is_counted_and_not_heard() {
    let running = start("kind: syslog, listen: '[::]:0', deny: [127.0.0.0/8]");
    sender(v4(running.port())).send(b"<13>from a denied network").unwrap();
    sender(v6(running.port())).send(b"<13>from another").unwrap();
    let stats = running.wait_for(|stats| stats.received == 2 && stats.acked == 1);
    assert_eq!((stats.rate_limited, stats.events, stats.malformed), (1, 1, 0));
    assert_eq!(message(&running.events()[0]), "from another");
    assert!(running.get("/metrics").contains(r#"tocsin_agent_not_allowed_total{listener="l"} 1"#));
}

#[test]
fn one_sender_does_not_take_the_connections_of_all_and_a_denied_one_has_none() {
    let running = start("kind: syslog, transport: tcp, listen: '[::]:0', connections_per_sender: 2, deny: ['::1/128']");
    let connect = || TcpStream::connect(v4(running.port())).unwrap();
    let open = [connect(), connect()];
    running.wait_for(|_| running.counters[0].connections().0 == 2);
    let _refused = [connect(), TcpStream::connect(v6(running.port())).unwrap()];
    running.wait_for(|_| running.counters[0].connections_refused() == 2);
    drop(open);
    running.wait_for(|_| running.counters[0].connections().0 == 0);
    connect().write_all(b"<13>room again\n").unwrap();
    running.wait_for(|stats| stats.acked == 1);
}
