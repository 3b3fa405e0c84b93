//! Senders behind a proxy, by the frames of the PROXY protocol's document.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use tocsin_wire::Body;
use tocsin_wire::rejects::{Reason, Stage};

use crate::running::{Running, message, start, v4};

/// 192.0.2.7:12345, through a proxy with an extension that is of no interest here.
const FROM_SENDER: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\x00\x10\xc0\x00\x02\x07\xc6\x33\x64\x01\x30\x39\x02\x02\x04\x00\x01\x00";
/// A health check of the proxy itself.
const FROM_PROXY: &[u8] = b"\r\n\r\n\0\r\nQUIT\n\x20\x00\x00\x00";

/// Sends on a connection of its own and waits until the agent has closed it.
fn send(running: &Running, bytes: &[&[u8]]) {
    let mut stream = TcpStream::connect(v4(running.port())).unwrap();
    stream.write_all(&bytes.concat()).unwrap();
    // A refused connection may be closed by now, or reset.
    match stream.shutdown(std::net::Shutdown::Write).and_then(|()| stream.read_to_end(&mut Vec::new())) {
        Ok(_) => {}
        Err(refused) => {
            assert!(matches!(refused.kind(), ErrorKind::NotConnected | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe), "{refused}")
        }
    }
}

fn behind_proxy(keys: &str) -> Running {
    start(&format!("kind: syslog, transport: tcp, listen: '127.0.0.1:0', proxies: ['127.0.0.0/8']{keys}"))
}

#[test]
fn the_sender_behind_a_proxy_is_the_source_of_its_events() {
    let running = behind_proxy("");
    send(&running, &[FROM_SENDER, b"<13>one\n10 <13>two\nxy"]);
    send(&running, &[FROM_PROXY, b"<13>three\n"]);
    running.wait_for(|stats| stats.acked == 3);
    let mut seen: Vec<_> = running.events().iter().map(|event| (message(event).to_owned(), event.source_ip.to_vec())).collect();
    seen.sort();
    let (sender, proxy) = (Ipv4Addr::new(192, 0, 2, 7).to_ipv6_mapped().octets(), Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets());
    assert_eq!(seen, [("one".to_owned(), sender.to_vec()), ("three".to_owned(), proxy.to_vec()), ("two\nxy".to_owned(), sender.to_vec())]);
}

#[test]
fn a_connection_of_a_proxy_without_a_header_becomes_a_reject_and_an_empty_one_is_only_counted() {
    let running = behind_proxy("");
    send(&running, &[b"<13>a line that came without a header\n"]);
    send(&running, &[FROM_SENDER, b"<13>heard\n"]);
    send(&running, &[]);
    let stats = running.wait_for(|stats| stats.acked == 2 && running.counters[0].connections_refused() == 1);
    assert_eq!((stats.received, stats.events, stats.malformed), (2, 1, 1));
    let events = running.events();
    let (event, reject) =
        events.iter().find_map(|event| if let Some(Body::Reject(reject)) = &event.body { Some((event, reject)) } else { None }).unwrap();
    assert_eq!((reject.stage(), reject.reason(), &event.raw[..]), (Stage::Framing, Reason::Syntax, &b"<13>a line that "[..]));
    assert!(reject.detail.contains("PROXY header"), "{}", reject.detail);
}

#[test]
fn access_lists_and_limits_mean_the_sender_and_not_the_proxy() {
    let running = behind_proxy(", allow: ['192.0.2.0/24'], deny: ['192.0.2.8/32'], connections_per_sender: 1");
    let denied = [&FROM_SENDER[..19], &[8], &FROM_SENDER[20..]].concat();
    send(&running, &[&denied, b"<13>not heard\n"]);
    running.wait_for(|_| running.counters[0].connections_refused() == 1);
    // The one place of this sender is taken while its connection is open.
    let mut open = TcpStream::connect(v4(running.port())).unwrap();
    open.write_all(&[FROM_SENDER, b"<13>heard\n"].concat()).unwrap();
    running.wait_for(|stats| stats.acked == 1);
    send(&running, &[FROM_SENDER, b"<13>one too many\n"]);
    running.wait_for(|_| running.counters[0].connections_refused() == 2);
    assert_eq!(running.stats().received, 1);
}

#[test]
fn nobody_else_is_believed() {
    let running = start("kind: syslog, transport: tcp, listen: '127.0.0.1:0', proxies: ['192.0.2.1/32']");
    send(&running, &[FROM_SENDER, b"<13>heard\n"]);
    running.wait_for(|stats| stats.received > 1 && stats.acked == stats.received);
    let local = Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets();
    assert!(running.events().iter().all(|event| event.source_ip[..] == local[..]));
}
