//! DHCP: packets of version 4 and 6, and what servers log about them. All become the same [`Dhcp`] event.
//!
//! An option that is no option (it runs over the end of the packet) refuses the packet, with the byte where it begins. An option whose
//! content has the wrong length is as good as absent: the raw bytes travel with the event, and a client's odd option is no reason to lose
//! sight of the client.

mod frame;
mod log;
mod options;
mod text;
mod v4;
mod v6;

use std::net::{IpAddr, SocketAddr};

use tocsin_wire::Body;
use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::Path;
use tocsin_wire::rejects::Reason;

use crate::{Parsed, Refusal};

/// What a packet's own bytes do not say: how and where it was received.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reception<'a> {
    /// How the agent learned of it.
    pub(crate) path: Path,
    /// Interface that it was seen on; empty for a relay's copy.
    pub(crate) interface: &'a str,
    /// Addresses of the IP header, where one was seen.
    pub(crate) addresses: Option<Addresses>,
}

/// Addresses of a packet that was seen on an interface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    /// Broadcast or multicast, by the Ethernet or the IP address.
    pub(crate) is_broadcast: bool,
}

impl Reception<'static> {
    /// A relay's copy, or a mirror's: BOOTP or DHCPv6 without the headers it travelled in.
    const COPY: Self = Self { path: Path::RelayCopy, interface: "", addresses: None };
}

/// Reads the payload of a copy, told apart by its content: BOOTP has its magic cookie, everything else is DHCPv6.
pub(crate) fn parse_copy(payload: &[u8]) -> Result<Parsed, Refusal> {
    let dhcp = if v4::has_magic_cookie(payload) {
        v4::parse(payload, Reception::COPY)
    } else {
        match payload.first() {
            None => Err(Refusal::new(Reason::Empty, "the datagram has no bytes; nothing to do, unless a relay was to send something")),
            Some(1..=13) => v6::parse(payload, Reception::COPY).or_else(|refusal| {
                // A DHCPv6 transaction id begins like an Ethernet BOOTP header once in 65,536 times, and then the rest still fits.
                if v4::looks_like_bootp(payload) { v4::parse(payload, Reception::COPY) } else { Err(refusal) }
            }),
            Some(first) => Err(Refusal::new(
                Reason::InvalidValue,
                format!("byte 0 is {first}, neither a BOOTP op (1 or 2) nor a DHCPv6 message type (1 to 13); send DHCP to this listener"),
            )),
        }
    };
    dhcp.map(parsed)
}

/// A captured frame: who sent it, where that can be told, and what it says.
#[derive(Debug)]
pub struct Captured {
    /// Sender's address and port; `None` for a client that has no address yet.
    pub source: Option<SocketAddr>,
    /// The event, or why there is none.
    pub parsed: Result<Parsed, Refusal>,
}

/// Reads an Ethernet frame that was captured on `interface` and passed the filter for DHCP's ports.
pub fn parse_captured(frame: &[u8], interface: &str) -> Captured {
    let datagram = match frame::read(frame) {
        Ok(datagram) => datagram,
        Err(refusal) => return Captured { source: None, parsed: Err(refusal) },
    };
    let tagged = datagram.vlan.map(|vlan| format!("{interface}.{vlan}"));
    let interface = tagged.as_deref().unwrap_or(interface);
    let reception = Reception { path: Path::Capture, interface, addresses: Some(datagram.addresses()) };
    let dhcp = match datagram.source {
        SocketAddr::V4(_) => v4::parse(datagram.payload, reception),
        SocketAddr::V6(_) => v6::parse(datagram.payload, reception),
    };
    let source = Some(datagram.source).filter(|source| !source.ip().is_unspecified());
    Captured { source, parsed: dhcp.map(parsed) }
}

/// The sender of a captured frame, without reading further.
pub fn source_of_captured(frame: &[u8]) -> Option<SocketAddr> {
    frame::read(frame).ok().map(|datagram| datagram.source)
}

/// The DHCP event that a server's log line tells of, with the time and the device of the line; `None` for every other message.
pub(crate) fn of_log_line(line: &Parsed) -> Option<Parsed> {
    let Body::Syslog(syslog) = &line.body else { return None };
    let Parsed { event_time_unix_nanos, is_zone_missing, .. } = *line;
    Some(Parsed { body: Body::Dhcp(log::read(syslog)?), device: line.device.clone(), event_time_unix_nanos, is_zone_missing })
}

/// Envelope-less event of a message. Packets carry no clock; the device is the relay or the sender, which the agent knows.
fn parsed(dhcp: Dhcp) -> Parsed {
    Parsed { device: None, event_time_unix_nanos: None, is_zone_missing: false, body: Body::Dhcp(dhcp) }
}

fn truncated(at: usize, what: &str, needed: usize, there: usize) -> Refusal {
    let detail = format!("byte {at}: {what} needs {needed} bytes and {there} are left; see what cuts packets on the way");
    Refusal::new(Reason::Truncated, detail)
}

/// A number in network order; `None` where the bytes are too few.
fn be_u16(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn be_u32(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.get(at..)?.first_chunk()?))
}
