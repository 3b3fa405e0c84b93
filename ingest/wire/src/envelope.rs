//! The envelope of an event: identity, origin and the normalised peer address.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;

use crate::Body;
use crate::events::Event;

/// One run of one agent: gives every record its identity. Cheap to share between threads.
#[derive(Debug)]
pub struct EventSource {
    agent_id: String,
    boot_id: u64,
    /// `<agent_id>-<boot_id>-`, the part of an event id that all events of a run share.
    id_prefix: String,
    last_sequence: AtomicU64,
}

/// Where the bytes of one frame came from. Cheap to clone: every field is shared or small.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Configured name of the listener.
    pub listener: Arc<str>,
    /// Configured place; empty where none is configured.
    pub site: Arc<str>,
    /// When the bytes were taken from the socket, Unix nanoseconds.
    pub received_at_unix_nanos: u64,
    /// The peer; `None` when the agent speaks of itself.
    pub peer: Option<SocketAddr>,
    /// The frame as received.
    pub raw: Bytes,
}

impl EventSource {
    /// A run of agent `agent_id` that started at `boot_id` (Unix nanoseconds).
    pub fn new(agent_id: &str, boot_id: u64) -> Self {
        Self { agent_id: agent_id.to_owned(), boot_id, id_prefix: format!("{agent_id}-{boot_id:x}-"), last_sequence: AtomicU64::new(0) }
    }

    /// The agent's configured name.
    pub fn agent_id(&self) -> &str {
        &self.agent_id
    }

    /// The run: when it started, Unix nanoseconds.
    pub fn boot_id(&self) -> u64 {
        self.boot_id
    }

    /// The next event of this run.
    ///
    /// `device` is the name from the message; where it is `None`, `address_names` is asked for the peer's address, and where it knows none,
    /// the address itself is the name. `event_time` is the sender's clock; where it is `None`, the time of reception stands in.
    pub fn event(
        &self,
        origin: &Origin,
        device: Option<String>,
        event_time_unix_nanos: Option<u64>,
        body: Body,
        address_names: impl FnOnce(IpAddr) -> Option<String>,
    ) -> Event {
        let mut event = Event::default();
        self.write_event(&mut event, origin, device, event_time_unix_nanos, body, address_names);
        event
    }

    /// The same in the place of an event that is over, whose memory is used again.
    pub fn write_event(
        &self,
        event: &mut Event,
        origin: &Origin,
        device: Option<String>,
        event_time_unix_nanos: Option<u64>,
        body: Body,
        address_names: impl FnOnce(IpAddr) -> Option<String>,
    ) {
        let peer_ip = origin.peer.map(|peer| peer.ip().to_canonical());
        // Relaxed: only uniqueness matters; the order of two threads' events means nothing.
        let sequence = self.last_sequence.fetch_add(1, Ordering::Relaxed) + 1;
        let device = device
            .or_else(|| peer_ip.and_then(address_names))
            .unwrap_or_else(|| peer_ip.map_or_else(|| self.agent_id.clone(), |ip| ip.to_string()));
        *event = Event {
            event_id: in_place_of(&mut event.event_id, &[&self.id_prefix, itoa::Buffer::new().format(sequence)]),
            agent_id: in_place_of(&mut event.agent_id, &[&self.agent_id]),
            boot_id: self.boot_id,
            sequence,
            listener: in_place_of(&mut event.listener, &[&origin.listener]),
            received_at_unix_nanos: origin.received_at_unix_nanos,
            event_time_unix_nanos: event_time_unix_nanos.unwrap_or(origin.received_at_unix_nanos),
            source_ip: source_ip_bytes(peer_ip.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED))),
            source_port: origin.peer.map_or(0, |peer| u32::from(peer.port())),
            device,
            site: in_place_of(&mut event.site, &[&origin.site]),
            role: String::new(),
            raw: origin.raw.clone(),
            copies: None,
            body: Some(body),
        };
    }
}

/// A text in the memory of another: `format!` asks for some three times, and took a ninth of a parser's time.
fn in_place_of(text: &mut String, parts: &[&str]) -> String {
    let mut text = std::mem::take(text);
    text.clear();
    text.extend(parts.iter().copied());
    text
}

/// An address as the 16 bytes of `Event.source_ip`: IPv4 is IPv4-mapped (RFC 4291 2.5.5.2).
pub fn source_ip_bytes(ip: IpAddr) -> Bytes {
    let v6 = match ip {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    };
    Bytes::copy_from_slice(&v6.octets())
}

/// An address as people write it: an IPv4-mapped one in dotted form.
pub fn address_text(ip: IpAddr) -> String {
    ip.to_canonical().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::Syslog;

    fn origin(peer: Option<&str>) -> Origin {
        Origin {
            listener: "syslog-udp".into(),
            site: "".into(),
            received_at_unix_nanos: 42,
            peer: peer.map(|p| p.parse().unwrap()),
            raw: Bytes::from_static(b"raw"),
        }
    }

    fn event(peer: Option<&str>, device: Option<&str>, names: Option<&str>) -> Event {
        let source = EventSource::new("agent-1", 0x2a);
        source.event(&origin(peer), device.map(str::to_owned), None, Body::Syslog(Syslog::default()), |_| names.map(str::to_owned))
    }

    #[test]
    fn ids_carry_the_run_in_hexadecimal_and_count_from_one() {
        let source = EventSource::new("agent-1", 0x2a);
        let next = || source.event(&origin(None), None, None, Body::Syslog(Syslog::default()), |_| None);
        assert_eq!(next().event_id, "agent-1-2a-1");
        let second = next();
        assert_eq!((second.event_id.as_str(), second.sequence, second.boot_id), ("agent-1-2a-2", 2, 0x2a));
    }

    #[test]
    fn an_event_in_the_place_of_another_has_nothing_of_it() {
        let source = EventSource::new("agent-1", 0x2a);
        let mut event = Event {
            event_id: "a-long-id-of-another-event".to_owned(),
            site: "north".to_owned(),
            role: "core".to_owned(),
            copies: Some(crate::events::Copies { group: "core".to_owned(), agents: 2 }),
            body: Some(Body::Reject(crate::rejects::Reject::default())),
            ..event(Some("192.0.2.7:514"), Some("sw1"), None)
        };
        source.write_event(&mut event, &origin(None), None, Some(7), Body::Syslog(Syslog::default()), |_| None);
        let fresh = EventSource::new("agent-1", 0x2a).event(&origin(None), None, Some(7), Body::Syslog(Syslog::default()), |_| None);
        assert_eq!(event, fresh);
    }

    #[test]
    fn both_spellings_of_an_ipv4_peer_are_the_same_sixteen_bytes() {
        let plain = event(Some("192.0.2.7:514"), None, None);
        let mapped = event(Some("[::ffff:192.0.2.7]:514"), None, None);
        assert_eq!(plain.source_ip.as_ref(), "::ffff:192.0.2.7".parse::<Ipv6Addr>().unwrap().octets());
        assert_eq!(plain.source_ip, mapped.source_ip);
        assert_eq!((plain.device.as_str(), mapped.device.as_str()), ("192.0.2.7", "192.0.2.7"));
        assert_eq!(plain.source_port, 514);
    }

    #[test]
    fn the_device_is_the_message_s_name_then_the_table_s_then_the_address() {
        assert_eq!(event(Some("[2001:db8::1]:1"), Some("sw1"), Some("table")).device, "sw1");
        assert_eq!(event(Some("[2001:db8::1]:1"), None, Some("table")).device, "table");
        assert_eq!(event(Some("[2001:db8::1]:1"), None, None).device, "2001:db8::1");
        assert_eq!(event(None, None, None).device, "agent-1");
    }

    #[test]
    fn without_a_sender_s_time_the_time_of_reception_stands_in() {
        assert_eq!(event(None, None, None).event_time_unix_nanos, 42);
    }
}
