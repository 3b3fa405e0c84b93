//! What DHCP servers log, as it arrives by syslog: ISC dhcpd (and what is made of it), Kea, dnsmasq, Microsoft's, and those inside of gateways.
//!
//! A line becomes an event where it tells of a message that was received or sent, of a reply that could not be sent, or of an address that
//! was missing or in use. A line that tells less stays a syslog event alone.

mod dnsmasq;
mod gateways;
mod isc;
mod kea;
mod windows;

use tocsin_wire::events::dhcp::{MessageType, Path};
use tocsin_wire::events::{Dhcp, Syslog};

use super::v6::mac_of_duid;

/// Reads a syslog message; `None` for everything but a DHCP server's telling line. Costs next to nothing for others.
pub(crate) fn read(syslog: &Syslog) -> Option<Dhcp> {
    let message = syslog.message.trim();
    let dhcp = match syslog.app_name.as_str() {
        "dhcpd" | "dhcpd6" | "dhcpd-pools" => isc::read(message),
        "dnsmasq-dhcp" | "dnsmasq" => dnsmasq::read(message),
        "dhcp" if syslog.msg_id.starts_with("dhcp,") => gateways::routeros(message),
        "event" => gateways::fortios(message),
        "events" => gateways::meraki(message),
        name if name.starts_with("kea-dhcp") || message.contains(" [kea-dhcp") => kea::read(message),
        // It has no program's name of its own.
        _ => windows::read(message),
    }?;
    Some(Dhcp { path: Path::ServerLog.into(), ..dhcp })
}

/// An event of this type with everything else empty.
fn event(message_type: MessageType) -> Dhcp {
    Dhcp { message_type: message_type.into(), ..Dhcp::default() }
}

/// `DHCPDISCOVER` and so on, as all servers write the messages of version 4.
fn v4_type(word: &str) -> Option<MessageType> {
    Some(match word {
        "DHCPDISCOVER" => MessageType::Discover,
        "DHCPOFFER" => MessageType::Offer,
        "DHCPREQUEST" => MessageType::Request,
        "DHCPDECLINE" => MessageType::Decline,
        "DHCPACK" => MessageType::Ack,
        "DHCPNAK" => MessageType::Nak,
        "DHCPRELEASE" => MessageType::Release,
        "DHCPINFORM" => MessageType::Inform,
        _ => return None,
    })
}

/// Names of DHCPv6 messages in any spelling: `Solicit`, `SOLICIT`, `Information-request`.
fn v6_type(word: &str) -> Option<MessageType> {
    const NAMES: [(&str, MessageType); 11] = [
        ("solicit", MessageType::V6Solicit),
        ("advertise", MessageType::V6Advertise),
        ("request", MessageType::V6Request),
        ("confirm", MessageType::V6Confirm),
        ("renew", MessageType::V6Renew),
        ("rebind", MessageType::V6Rebind),
        ("reply", MessageType::V6Reply),
        ("release", MessageType::V6Release),
        ("decline", MessageType::V6Decline),
        ("reconfigure", MessageType::V6Reconfigure),
        ("information-request", MessageType::V6InformationRequest),
    ];
    NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)).map(|(_, message_type)| *message_type)
}

/// The bytes of `00:01:0a`; also with one digit, as dhcpd writes a DUID's small bytes. `None` for anything else, or nothing.
fn bytes_of(hex: &str) -> Option<Vec<u8>> {
    let is_byte = |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    hex.split(':').map(|part| if is_byte(part) { u8::from_str_radix(part, 16).ok() } else { None }).collect()
}

/// A hardware address as it stands in an event; empty for what is none.
fn mac(word: &str) -> String {
    bytes_of(word).filter(|bytes| bytes.len() >= 6).map(|bytes| super::text::mac(&bytes)).unwrap_or_default()
}

/// Sets client id and hardware address from a DUID in hexadecimal with colons.
fn set_duid(duid: &str, dhcp: &mut Dhcp) {
    if let Some(bytes) = bytes_of(duid) {
        dhcp.client_id = super::text::hex(&bytes);
        if dhcp.mac.is_empty() {
            dhcp.mac = mac_of_duid(&bytes).unwrap_or_default();
        }
    }
}

/// An address in its usual spelling, where a word is one.
fn ip(word: &str) -> Option<String> {
    word.parse::<std::net::IpAddr>().ok().map(|address| address.to_string())
}

/// A hexadecimal number, with or without `0x`.
fn hex_number(word: &str) -> Option<u32> {
    u32::from_str_radix(word.trim_start_matches("0x").trim_start_matches("0X"), 16).ok()
}
