//! Resolvers through the whole agent; how they are asked is tested in `probes/tests`.

use std::net::UdpSocket;
use std::thread;
use std::time::Instant;

use tocsin_publish::Topic;
use tocsin_wire::Body;

use crate::running::{PATIENCE, events, start_with};

/// Answers every query with its own question and this code, until the process ends.
fn server(code: u8) -> u16 {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    thread::spawn(move || {
        let mut packet = [0; 512];
        while let Ok((length, peer)) = socket.recv_from(&mut packet) {
            packet[2] |= 0x80;
            packet[3] = code;
            socket.send_to(&packet[..length], peer).unwrap();
        }
    });
    port
}

#[test]
fn each_answer_of_each_resolver_is_one_event_keyed_by_its_group() {
    let (good, refusing) = (server(0), server(5));
    let running = start_with(&format!(
        "listeners: [{{name: l, kind: alert, listen: '[::]:0'}}]\n\
         devices: {{sites: {{127.0.0.0/8: fra1}}, roles: {{127.0.0.1/32: resolver}}}}\nresolvers:\n\
         - {{id: lab, interval: 1s, timeout: 1s, servers: [{{id: ns1, address: 127.0.0.1, port: {good}}}, \
         {{id: ns2, address: 127.0.0.1, port: {refusing}}}], questions: [{{name: a.example, types: [A, AAAA]}}]}}"
    ));
    let deadline = Instant::now() + PATIENCE;
    let asked = loop {
        let answers: Vec<_> = running.events().into_iter().filter(|event| matches!(event.body, Some(Body::DnsAnswer(_)))).collect();
        if answers.len() >= 4 {
            break answers;
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain");
        thread::yield_now();
    };
    let told: Vec<_> = asked[..4]
        .iter()
        .map(|event| {
            let Some(Body::DnsAnswer(answer)) = &event.body else { panic!("{event:?}") };
            assert_eq!((event.listener.as_str(), event.source_port > 0), ("resolvers", true));
            assert_eq!((event.site.as_str(), event.role.as_str()), ("fra1", "resolver"));
            assert!(event.event_time_unix_nanos <= event.received_at_unix_nanos && !event.raw.is_empty());
            (event.device.as_str(), answer.query_type.as_str(), answer.answer_code.as_str(), answer.expected.as_str())
        })
        .collect();
    let expected = [
        ("ns1", "A", "NOERROR", ""),
        ("ns2", "A", "REFUSED", "NOERROR"),
        ("ns1", "AAAA", "NOERROR", ""),
        ("ns2", "AAAA", "REFUSED", "NOERROR"),
    ];
    assert_eq!(told, expected);

    let counters = running.agent.inputs().into_iter().find(|input| input.counters.name() == "resolvers").unwrap().counters;
    let publisher = std::sync::Arc::clone(&running.publisher);
    assert!(running.agent.drain().is_all_acked);
    let stats = counters.snapshot();
    let answers = events(&publisher).into_iter().filter(|event| matches!(event.body, Some(Body::DnsAnswer(_)))).count();
    assert_eq!([stats.received, stats.published, stats.acked], [answers as u64; 3]);
    assert!(publisher.records().iter().filter(|record| record.topic == Topic::Probe).all(|record| record.key == "lab"));
}
