//! DHCPv4: RFC 2131, with the options of RFC 2132, RFC 3046 (relay agent), RFC 4702 (client FQDN).

use std::net::{IpAddr, Ipv4Addr};

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::{MessageType, RequestKind};
use tocsin_wire::rejects::Reason;

use super::options::{Code, OPTIONS, Options, sub_option};
use super::{Reception, be_u16, be_u32, text, truncated};
use crate::Refusal;

/// Where the magic cookie stands, after the fixed header (RFC 2131 2).
const COOKIE_AT: usize = 236;
const MAGIC_COOKIE: [u8; 4] = [99, 130, 83, 99];
const MAX_HARDWARE_BYTES: usize = 16;
const CHADDR_AT: usize = 28;
const BROADCAST_FLAG: u16 = 0x8000;
const ETHERNET: u8 = 1;
const BOOT_REPLY: u8 = 2;

// Sub-options of the relay agent information option.
const CIRCUIT_ID: u8 = 1;
const REMOTE_ID: u8 = 2;
/// RFC 5010: whether the relay received the packet by unicast.
const RELAY_FLAGS: u8 = 10;
const RELAY_FLAG_UNICAST: u8 = 0x80;

/// Whether a packet has the cookie of DHCP where BOOTP has its vendor field.
pub(super) fn has_magic_cookie(packet: &[u8]) -> bool {
    packet.get(COOKIE_AT..OPTIONS) == Some(&MAGIC_COOKIE)
}

/// Whether a packet begins like BOOTP over Ethernet, complete or not.
pub(super) fn looks_like_bootp(packet: &[u8]) -> bool {
    matches!(packet, [1 | 2, ETHERNET, 6, ..])
}

/// Reads one packet, from the op byte on.
pub(super) fn parse(packet: &[u8], reception: Reception<'_>) -> Result<Dhcp, Refusal> {
    let header = Header::read(packet)?;
    let options = Options::read(packet)?;
    let message_type = message_type(&options)?;
    let relay_agent = options.get(Code::RelayAgent).unwrap_or_default();
    let requested = options.number(Code::RequestedAddress).map(Ipv4Addr::from_bits).filter(|address| !address.is_unspecified());
    let client_id = options.get(Code::ClientIdentifier).unwrap_or_default();
    let is_broadcast = is_broadcast(&header, relay_agent, reception);
    let server = server(&header, &options, reception);

    Ok(Dhcp {
        message_type: message_type.into(),
        path: reception.path.into(),
        request_kind: request_kind(message_type, &header, &options, is_broadcast).into(),
        mac: mac(&header, client_id),
        client_id: text::hex(client_id),
        ip: text::ipv4(subject(message_type, &header, requested)),
        client_address: text::ipv4(header.ciaddr),
        server,
        relay: text::ipv4(header.giaddr),
        circuit_id: sub_option(relay_agent, CIRCUIT_ID).map(text::printable_or_hex).unwrap_or_default(),
        remote_id: sub_option(relay_agent, REMOTE_ID).map(text::printable_or_hex).unwrap_or_default(),
        hostname: hostname(&options),
        lease_seconds: options.number(Code::LeaseTime),
        renewal_seconds: options.number(Code::RenewalTime),
        rebinding_seconds: options.number(Code::RebindingTime),
        fingerprint: text::numbers(options.get(Code::ParameterList).unwrap_or_default().iter().copied().map(u16::from)),
        vendor_class: options.get(Code::VendorClass).map(text::printable_or_hex).unwrap_or_default(),
        is_broadcast,
        transaction_id: header.xid,
        elapsed_seconds: u32::from(header.secs),
        router: options.number(Code::Router).map(|router| text::ipv4(Ipv4Addr::from_bits(router))).unwrap_or_default(),
        interface: reception.interface.to_owned(),
        prefix_length: options.number(Code::SubnetMask).map(prefix_length).unwrap_or_default(),
        detail: options.get(Code::Message).map(text::lossy).unwrap_or_default(),
    })
}

/// The fixed fields that matter (RFC 2131 2, figure 1).
struct Header<'a> {
    op: u8,
    hardware: &'a [u8],
    xid: u32,
    secs: u16,
    flags: u16,
    ciaddr: Ipv4Addr,
    yiaddr: Ipv4Addr,
    giaddr: Ipv4Addr,
}

impl<'a> Header<'a> {
    fn read(packet: &'a [u8]) -> Result<Self, Refusal> {
        let &[op, _, hardware_bytes, ..] = packet else { return Err(truncated(0, "a BOOTP header", OPTIONS, packet.len())) };
        if !matches!(op, 1 | BOOT_REPLY) {
            return Err(invalid(0, &format!("op is {op}; 1 is a request and 2 a reply")));
        }
        let number = |at| be_u32(packet, at).ok_or_else(|| truncated(0, "a BOOTP header with the magic cookie", OPTIONS, packet.len()));
        let cookie = number(COOKIE_AT)?;
        if cookie != u32::from_be_bytes(MAGIC_COOKIE) {
            return Err(Refusal::new(
                Reason::MissingField,
                format!("byte {COOKIE_AT}: {cookie:#010x} in place of the magic cookie 0x63825363; plain BOOTP is not read"),
            ));
        }
        let hardware_bytes = usize::from(hardware_bytes);
        if hardware_bytes > MAX_HARDWARE_BYTES {
            return Err(invalid(2, &format!("the hardware address has {hardware_bytes} bytes; at most {MAX_HARDWARE_BYTES} are possible")));
        }
        Ok(Self {
            op,
            hardware: packet.get(CHADDR_AT..CHADDR_AT + hardware_bytes).unwrap_or_default(),
            xid: number(4)?,
            secs: be_u16(packet, 8).unwrap_or_default(),
            flags: be_u16(packet, 10).unwrap_or_default(),
            ciaddr: Ipv4Addr::from_bits(number(12)?),
            yiaddr: Ipv4Addr::from_bits(number(16)?),
            giaddr: Ipv4Addr::from_bits(number(24)?),
        })
    }
}

fn invalid(at: usize, what: &str) -> Refusal {
    Refusal::new(Reason::InvalidValue, format!("byte {at}: {what}; look at what sends this"))
}

fn message_type(options: &Options<'_>) -> Result<MessageType, Refusal> {
    let Some(value) = options.get(Code::MessageType) else {
        let detail = "no option 53 (message type) after byte 240: BOOTP, not DHCP; nothing can be said about a lease";
        return Err(Refusal::new(Reason::MissingField, detail));
    };
    let first = value.first().copied().unwrap_or_default();
    MessageType::try_from(i32::from(first)).ok().filter(|_| first > 0 && first < 100).ok_or_else(|| {
        Refusal::new(
            Reason::InvalidValue,
            format!("option 53 (message type, after byte 240) is {first}; 1 to 8 are messages between clients and servers"),
        )
    })
}

/// Whether the client's packet was broadcast. What a relay passed on was, unless it says otherwise (RFC 5010): relays see only their link's
/// broadcasts. Of a copy without a relay, and of a reply to a relay, the client's broadcast flag tells how it is or will be delivered.
fn is_broadcast(header: &Header<'_>, relay_agent: &[u8], reception: Reception<'_>) -> bool {
    let is_relayed = !header.giaddr.is_unspecified();
    let has_flag = header.flags & BROADCAST_FLAG != 0;
    if is_relayed && header.op != BOOT_REPLY {
        let flags = sub_option(relay_agent, RELAY_FLAGS).and_then(|flags| flags.first().copied());
        return flags.is_none_or(|flags| flags & RELAY_FLAG_UNICAST == 0);
    }
    match reception.addresses {
        Some(addresses) if !is_relayed => addresses.is_broadcast,
        _ => has_flag,
    }
}

/// State of the client (RFC 2131 4.3.2). An address in use comes first: some clients also name server or address while they renew.
fn request_kind(message_type: MessageType, header: &Header<'_>, options: &Options<'_>, is_broadcast: bool) -> RequestKind {
    if message_type != MessageType::Request {
        RequestKind::Unspecified
    } else if !header.ciaddr.is_unspecified() {
        if is_broadcast { RequestKind::Rebinding } else { RequestKind::Renewing }
    } else if options.number(Code::ServerIdentifier).is_some() {
        RequestKind::Selecting
    } else if options.number(Code::RequestedAddress).is_some() {
        RequestKind::InitReboot
    } else {
        RequestKind::Unspecified
    }
}

/// The address that a message is about.
fn subject(message_type: MessageType, header: &Header<'_>, requested: Option<Ipv4Addr>) -> Ipv4Addr {
    match message_type {
        MessageType::Offer | MessageType::Ack | MessageType::Nak if !header.yiaddr.is_unspecified() => header.yiaddr,
        // Acknowledges an INFORM.
        MessageType::Ack | MessageType::Release | MessageType::Inform => header.ciaddr,
        // A client that renews has no business to ask for another address.
        MessageType::Request if !header.ciaddr.is_unspecified() => header.ciaddr,
        _ => requested.unwrap_or(header.ciaddr),
    }
}

/// The server identifier; else, on an interface, who sent a reply, or to whom a client sent its renewal.
fn server(header: &Header<'_>, options: &Options<'_>, reception: Reception<'_>) -> String {
    if let Some(server) = options.number(Code::ServerIdentifier).filter(|server| *server != 0) {
        return text::ipv4(Ipv4Addr::from_bits(server));
    }
    let seen = reception.addresses.and_then(|addresses| match header.op {
        BOOT_REPLY => Some(addresses.source),
        _ => Some(addresses.destination).filter(|_| !addresses.is_broadcast),
    });
    match seen {
        Some(IpAddr::V4(address)) => text::ipv4(address),
        _ => String::new(),
    }
}

/// The hardware address; where the header has none (RFC 4390), that of an Ethernet client identifier.
fn mac(header: &Header<'_>, client_id: &[u8]) -> String {
    if header.hardware.iter().any(|byte| *byte != 0) {
        return text::mac(header.hardware);
    }
    match client_id {
        [ETHERNET, address @ ..] if address.len() == 6 => text::mac(address),
        _ => String::new(),
    }
}

fn hostname(options: &Options<'_>) -> String {
    match options.get(Code::HostName) {
        Some(name) if name.iter().any(|byte| *byte != 0) => text::lossy(name),
        _ => options.get(Code::ClientFqdn).map(client_fqdn).unwrap_or_default(),
    }
}

/// First label of option 81 (RFC 4702 2): flags, two return codes, then a name in wire form (flag E) or in ASCII.
fn client_fqdn(value: &[u8]) -> String {
    const FLAG_ENCODED: u8 = 4;
    let Some((&[flags, _, _], name)) = value.split_first_chunk() else { return String::new() };
    if flags & FLAG_ENCODED != 0 { text::first_label(name) } else { text::before_dot(&text::lossy(name)).to_owned() }
}

/// 0 for a mask that is no prefix.
fn prefix_length(mask: u32) -> u32 {
    if mask.leading_ones() + mask.trailing_zeros() == 32 { mask.leading_ones() } else { 0 }
}
