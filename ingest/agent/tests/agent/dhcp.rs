//! DHCP: copies of packets on a socket, and what servers log.

use std::net::Ipv4Addr;

use tocsin_publish::Topic;
use tocsin_wire::events::dhcp::{MessageType, Path, RequestKind};
use tocsin_wire::events::{Dhcp, Event};
use tocsin_wire::rejects::Reason;
use tocsin_wire::{Body, word};

use crate::running::{sender, start, start_with, v4};

/// A request of a client that renews `address`, as a relay passes it on where `relay` is set.
fn request(address: Ipv4Addr, relay: Ipv4Addr) -> Vec<u8> {
    let mut packet = vec![0; 240];
    packet[..8].copy_from_slice(&[1, 1, 6, 0, 0, 0, 0, 9]);
    packet[12..16].copy_from_slice(&address.octets());
    packet[24..28].copy_from_slice(&relay.octets());
    packet[28..34].copy_from_slice(&[2, 0, 0, 0, 0, 7]);
    packet[236..240].copy_from_slice(&[99, 130, 83, 99]);
    packet.extend_from_slice(&[53, 1, 3, 255]);
    packet
}

fn dhcp(event: &Event) -> &Dhcp {
    let Some(Body::Dhcp(dhcp)) = &event.body else { panic!("no DHCP: {event:?}") };
    dhcp
}

#[test]
fn a_relay_s_copy_is_an_event_keyed_by_mac_whose_device_is_the_relay() {
    let running = start_with("devices: {names: {10.20.0.1: edge-7}}\nlisteners: [{name: l, kind: dhcp, listen: '[::]:0'}]");
    let socket = sender(v4(running.port()));
    socket.send(&request([10, 20, 0, 9].into(), [10, 20, 0, 1].into())).unwrap();
    socket.send(&request([10, 20, 0, 9].into(), [10, 30, 0, 1].into())).unwrap();
    socket.send(&request([10, 20, 0, 9].into(), Ipv4Addr::UNSPECIFIED)).unwrap();
    running.wait_for(|stats| stats.acked == 3);
    let events = running.events();
    assert_eq!(events.iter().map(|event| event.device.as_str()).collect::<Vec<_>>(), ["edge-7", "10.30.0.1", "127.0.0.1"]);
    let kinds = [RequestKind::Rebinding, RequestKind::Rebinding, RequestKind::Renewing];
    assert_eq!(events.iter().map(|event| dhcp(event).request_kind()).collect::<Vec<_>>(), kinds);
    let record = running.publisher.records().into_iter().find(|record| record.topic == Topic::Dhcp).unwrap();
    assert_eq!(record.key, "02:00:00:00:00:07");
}

#[test]
fn what_is_no_dhcp_packet_is_a_reject_with_the_place() {
    let running = start("kind: dhcp, listen: '[::]:0'");
    let packet = request([10, 20, 0, 9].into(), [10, 20, 0, 1].into());
    sender(v4(running.port())).send(&packet[..239]).unwrap();
    running.wait_for(|stats| stats.acked == 1);
    let reject = running.rejects().remove(0);
    assert_eq!(reject.reason(), Reason::Truncated);
    assert!(reject.detail.starts_with("byte 0: "), "{}", reject.detail);
}

#[test]
fn a_server_s_log_line_is_a_syslog_event_and_a_dhcp_event() {
    let running = start("kind: syslog, listen: '[::]:0'");
    let line = "<30>Nov 20 12:00:00 dhcp1 dhcpd[812]: DHCPACK on 10.20.0.55 to 02:00:00:00:00:07 (laptop-7) via eth0";
    sender(v4(running.port())).send(line.as_bytes()).unwrap();
    running.wait_for(|stats| stats.acked == 2);
    let events = running.events();
    assert!(matches!(events[0].body, Some(Body::Syslog(_))));
    let logged = dhcp(&events[1]);
    assert_eq!((logged.message_type(), word(logged.path())), (MessageType::Ack, word(Path::ServerLog)));
    assert_eq!((events[1].device.as_str(), logged.server.as_str(), logged.ip.as_str()), ("dhcp1", "dhcp1", "10.20.0.55"));
    assert_eq!(events[0].event_time_unix_nanos, events[1].event_time_unix_nanos);
}
