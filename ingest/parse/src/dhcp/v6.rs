//! DHCPv6: RFC 8415, through relays too, with RFC 6939 (client link-layer address) and RFC 4704 (client FQDN).

use std::net::{IpAddr, Ipv6Addr};

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::{MessageType, RequestKind};
use tocsin_wire::rejects::Reason;

use super::{Reception, be_u16, be_u32, text, truncated};
use crate::Refusal;

const RELAY_FORWARD: u8 = 12;
const RELAY_REPLY: u8 = 13;
/// RFC 8415 7.6: no packet passes more than 8 relays; a few more do no harm.
const MAX_RELAYS: usize = 32;
/// msg-type, hop-count, link-address, peer-address.
const RELAY_HEADER_BYTES: usize = 34;
/// What `MessageType` adds to a msg-type.
const TYPE_OFFSET: i32 = 100;

// Options, RFC 8415 24 and IANA's list.
const CLIENT_ID: u16 = 1;
const SERVER_ID: u16 = 2;
const IA_NA: u16 = 3;
const IA_TA: u16 = 4;
const IA_ADDRESS: u16 = 5;
const OPTION_REQUEST: u16 = 6;
const ELAPSED_TIME: u16 = 8;
const RELAY_MESSAGE: u16 = 9;
const STATUS_CODE: u16 = 13;
const VENDOR_CLASS: u16 = 16;
const INTERFACE_ID: u16 = 18;
const IA_PD: u16 = 25;
const IA_PREFIX: u16 = 26;
const REMOTE_ID: u16 = 37;
const CLIENT_FQDN: u16 = 39;
const CLIENT_LINK_LAYER: u16 = 79;

const ETHERNET: u16 = 1;

/// Bytes with their place in the packet.
#[derive(Clone, Copy)]
struct Span<'a> {
    at: usize,
    bytes: &'a [u8],
}

impl<'a> Span<'a> {
    fn skip(self, count: usize) -> Self {
        Self { at: self.at + count, bytes: self.bytes.get(count..).unwrap_or_default() }
    }

    /// Calls `each` for every option.
    fn options(self, mut each: impl FnMut(u16, Span<'a>) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let mut rest = self;
        while !rest.bytes.is_empty() {
            let (Some(code), Some(length)) = (be_u16(rest.bytes, 0), be_u16(rest.bytes, 2)) else {
                return Err(truncated(rest.at, "an option's header", 4, rest.bytes.len()));
            };
            let length = usize::from(length);
            let value = rest.skip(4);
            let Some(bytes) = value.bytes.get(..length) else {
                return Err(truncated(rest.at, &format!("option {code}"), length, value.bytes.len()));
            };
            each(code, Span { at: value.at, bytes })?;
            rest = value.skip(length);
        }
        Ok(())
    }
}

/// Reads one packet, from the msg-type on.
pub(super) fn parse(packet: &[u8], reception: Reception<'_>) -> Result<Dhcp, Refusal> {
    let mut dhcp = Dhcp { path: reception.path.into(), interface: reception.interface.to_owned(), ..Dhcp::default() };
    let mut relays = Relays::default();
    let mut message = Span { at: 0, bytes: packet };
    for _ in 0..=MAX_RELAYS {
        match message.bytes.first() {
            Some(&(RELAY_FORWARD | RELAY_REPLY)) => message = relays.unwrap(message)?,
            _ => {
                read_message(message, &mut dhcp, &mut relays, reception)?;
                return Ok(dhcp);
            }
        }
    }
    Err(Refusal::new(Reason::InvalidValue, format!("byte {}: more than {MAX_RELAYS} relay headers around a message", message.at)))
}

/// What relays said; the one next to the client comes last.
#[derive(Default)]
struct Relays {
    count: usize,
    link_address: Option<Ipv6Addr>,
    peer_address: Option<Ipv6Addr>,
    circuit_id: String,
    remote_id: String,
    mac: String,
}

impl Relays {
    /// Takes one relay header off.
    fn unwrap<'a>(&mut self, message: Span<'a>) -> Result<Span<'a>, Refusal> {
        if message.bytes.len() < RELAY_HEADER_BYTES {
            return Err(truncated(message.at, "a relay header", RELAY_HEADER_BYTES, message.bytes.len()));
        }
        self.count += 1;
        // A relay in a switch has no address on the link (RFC 6221): then the next one's counts.
        self.link_address = address(message.bytes, 2).filter(|address| !address.is_unspecified()).or(self.link_address);
        self.peer_address = address(message.bytes, 18);
        let mut inner = None;
        message.skip(RELAY_HEADER_BYTES).options(|code, value| {
            match code {
                RELAY_MESSAGE => inner = Some(value),
                INTERFACE_ID => self.circuit_id = text::printable_or_hex(value.bytes),
                // Enterprise number, then the id (RFC 4649 3).
                REMOTE_ID => self.remote_id = text::printable_or_hex(value.skip(4).bytes),
                CLIENT_LINK_LAYER if be_u16(value.bytes, 0) == Some(ETHERNET) => self.mac = text::mac(value.skip(2).bytes),
                _ => {}
            }
            Ok(())
        })?;
        inner.ok_or_else(|| {
            let detail = format!("byte {}: a relay header without option 9 (relay message); look at the relay", message.at);
            Refusal::new(Reason::MissingField, detail)
        })
    }
}

fn read_message(message: Span<'_>, dhcp: &mut Dhcp, relays: &mut Relays, reception: Reception<'_>) -> Result<(), Refusal> {
    let Some(header) = be_u32(message.bytes, 0) else {
        return Err(truncated(message.at, "a DHCPv6 message", 4, message.bytes.len()));
    };
    let number = (header >> 24) as i32;
    let message_type = MessageType::try_from(TYPE_OFFSET + number).ok().filter(|_| number < RELAY_FORWARD.into());
    let Some(message_type) = message_type else {
        let detail = format!("byte {}: message type {number}; 1 to 11 are messages of clients and servers", message.at);
        return Err(Refusal::new(Reason::InvalidValue, detail));
    };
    let is_from_server = matches!(message_type, MessageType::V6Advertise | MessageType::V6Reply | MessageType::V6Reconfigure);
    dhcp.message_type = message_type.into();
    dhcp.transaction_id = header & 0x00ff_ffff;
    dhcp.request_kind = match message_type {
        MessageType::V6Renew => RequestKind::Renewing,
        MessageType::V6Rebind => RequestKind::Rebinding,
        _ => RequestKind::Unspecified,
    }
    .into();
    let mut lease = Lease::default();
    let mut client_duid = &[][..];
    message.skip(4).options(|code, value| {
        match code {
            CLIENT_ID => client_duid = value.bytes,
            SERVER_ID => dhcp.server = text::hex(value.bytes),
            IA_NA | IA_TA | IA_PD => lease.read(code, value)?,
            OPTION_REQUEST => dhcp.fingerprint = text::numbers(value.bytes.chunks_exact(2).filter_map(|pair| be_u16(pair, 0))),
            // Hundredths of a second.
            ELAPSED_TIME => dhcp.elapsed_seconds = be_u16(value.bytes, 0).map_or(0, |hundredths| u32::from(hundredths / 100)),
            STATUS_CODE => lease.status(value.bytes),
            // Enterprise number, then pieces with their length; the first piece names the vendor's product.
            VENDOR_CLASS => dhcp.vendor_class = vendor_class(value.skip(4).bytes),
            CLIENT_FQDN => dhcp.hostname = text::first_label(value.skip(1).bytes),
            _ => {}
        }
        Ok(())
    })?;
    lease.write(dhcp, is_from_server);
    dhcp.client_id = text::hex(client_duid);
    dhcp.relay = relays.link_address.map(|address| address.to_string()).unwrap_or_default();
    dhcp.circuit_id = std::mem::take(&mut relays.circuit_id);
    dhcp.remote_id = std::mem::take(&mut relays.remote_id);
    dhcp.is_broadcast = match reception.addresses {
        _ if relays.count > 0 => !is_from_server,
        Some(addresses) => addresses.is_broadcast,
        // Clients send to the multicast group of servers and relays unless a server allowed unicast (RFC 8415 14).
        None => !is_from_server,
    };
    let link_local = relays.peer_address.or_else(|| client_link_local(reception, is_from_server));
    dhcp.mac = Some(std::mem::take(&mut relays.mac))
        .filter(|mac| !mac.is_empty())
        .or_else(|| mac_of_duid(client_duid))
        .or_else(|| link_local.and_then(mac_of_link_local))
        .unwrap_or_default();
    if dhcp.server.is_empty() && is_from_server && relays.count == 0 {
        dhcp.server = reception.addresses.map(|addresses| addresses.source.to_string()).unwrap_or_default();
    }
    Ok(())
}

/// What the identity associations of a message say. The first address counts, else the first delegated prefix.
#[derive(Default)]
struct Lease {
    address: Option<Binding>,
    prefix: Option<Binding>,
    status: String,
}

#[derive(Clone, Copy)]
struct Binding {
    ip: Ipv6Addr,
    /// Of a delegated prefix; 0 for an address.
    prefix_length: u8,
    valid_seconds: u32,
    /// T1 and T2; 0 leaves them to the client.
    renewal_seconds: u32,
    rebinding_seconds: u32,
}

impl Lease {
    /// IA_NA and IA_PD have an id, T1 and T2 before their options, IA_TA only an id (RFC 8415 21.4, 21.5, 21.21).
    fn read(&mut self, code: u16, association: Span<'_>) -> Result<(), Refusal> {
        let header_bytes = if code == IA_TA { 4 } else { 12 };
        if association.bytes.len() < header_bytes {
            return Err(truncated(
                association.at,
                &format!("an identity association (option {code})"),
                header_bytes,
                association.bytes.len(),
            ));
        }
        let time = |at| if code == IA_TA { 0 } else { be_u32(association.bytes, at).unwrap_or_default() };
        let (renewal_seconds, rebinding_seconds) = (time(4), time(8));
        association.skip(header_bytes).options(|code, value| {
            let bytes = value.bytes;
            match code {
                // Address, preferred and valid lifetime.
                IA_ADDRESS => {
                    let (Some(ip), Some(valid_seconds)) = (address(bytes, 0), be_u32(bytes, 20)) else {
                        return Err(truncated(value.at, "an address with its lifetimes", 24, bytes.len()));
                    };
                    self.address.get_or_insert(Binding { ip, prefix_length: 0, valid_seconds, renewal_seconds, rebinding_seconds });
                }
                // Preferred and valid lifetime, length, prefix.
                IA_PREFIX => {
                    let (Some(valid_seconds), Some(&prefix_length), Some(ip)) = (be_u32(bytes, 4), bytes.get(8), address(bytes, 9)) else {
                        return Err(truncated(value.at, "a prefix with its lifetimes", 25, bytes.len()));
                    };
                    self.prefix.get_or_insert(Binding { ip, prefix_length, valid_seconds, renewal_seconds, rebinding_seconds });
                }
                STATUS_CODE => self.status(bytes),
                _ => {}
            }
            Ok(())
        })
    }

    /// Keeps the first status that is not success, by its name in RFC 8415 21.13.
    fn status(&mut self, bytes: &[u8]) {
        let Some(code) = be_u16(bytes, 0).filter(|code| *code != 0 && self.status.is_empty()) else { return };
        let name = match code {
            1 => "UnspecFail",
            2 => "NoAddrsAvail",
            3 => "NoBinding",
            4 => "NotOnLink",
            5 => "UseMulticast",
            6 => "NoPrefixAvail",
            _ => "",
        };
        let name = if name.is_empty() { format!("status {code}") } else { name.to_owned() };
        let words = text::lossy(bytes.get(2..).unwrap_or_default());
        self.status = if words.is_empty() { name } else { format!("{name}: {words}") };
    }

    /// Lifetimes that a client writes are wishes, mostly zero; only a server's count.
    fn write(self, dhcp: &mut Dhcp, is_from_server: bool) {
        if let Some(binding) = self.address.or(self.prefix) {
            dhcp.ip = if binding.ip.is_unspecified() { String::new() } else { binding.ip.to_string() };
            dhcp.prefix_length = binding.prefix_length.into();
            if is_from_server {
                dhcp.lease_seconds = Some(binding.valid_seconds);
                dhcp.renewal_seconds = Some(binding.renewal_seconds).filter(|seconds| *seconds > 0);
                dhcp.rebinding_seconds = Some(binding.rebinding_seconds).filter(|seconds| *seconds > 0);
            }
        }
        dhcp.detail = self.status;
    }
}

fn address(bytes: &[u8], at: usize) -> Option<Ipv6Addr> {
    Some(Ipv6Addr::from(*bytes.get(at..)?.first_chunk::<16>()?))
}

fn vendor_class(pieces: &[u8]) -> String {
    let length = be_u16(pieces, 0).map(usize::from).unwrap_or_default();
    pieces.get(2..2 + length).map(text::printable_or_hex).unwrap_or_default()
}

/// Types 1 (link-layer address and time) and 3 (link-layer address) over Ethernet, RFC 8415 11.
pub(super) fn mac_of_duid(duid: &[u8]) -> Option<String> {
    let address = match (be_u16(duid, 0)?, be_u16(duid, 2)?) {
        (1, ETHERNET) => duid.get(8..)?,
        (3, ETHERNET) => duid.get(4..)?,
        _ => return None,
    };
    (address.len() == 6).then(|| text::mac(address))
}

fn client_link_local(reception: Reception<'_>, is_from_server: bool) -> Option<Ipv6Addr> {
    let addresses = reception.addresses?;
    match if is_from_server { addresses.destination } else { addresses.source } {
        IpAddr::V6(address) => Some(address),
        IpAddr::V4(_) => None,
    }
}

/// The hardware address inside a link-local address that was made of one (RFC 4291 appendix A).
fn mac_of_link_local(address: Ipv6Addr) -> Option<String> {
    let [0xfe, 0x80, 0, 0, 0, 0, 0, 0, a, b, c, 0xff, 0xfe, d, e, f] = address.octets() else { return None };
    Some(text::mac(&[a ^ 2, b, c, d, e, f]))
}
