//! ISC dhcpd 4.x, server/dhcp.c and server/dhcpv6.c, and Infoblox, whose lines carry more at their end.

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::{MessageType, RequestKind};

use super::{bytes_of, event, hex_number, ip, mac, set_duid, v4_type, v6_type};

pub(super) fn read(message: &str) -> Option<Dhcp> {
    let (first, rest) = message.split_once(' ')?;
    if let Some(message_type) = v4_type(first) {
        return Some(v4(message_type, rest));
    }
    trouble(message).or_else(|| v6(message))
}

/// `DHCPACK on 10.0.0.5 to 02:00:00:00:00:01 (host) via eth0`, `DHCPREQUEST for 10.0.0.5 (10.0.0.1) from ... via 10.0.1.1: wrong network.`
fn v4(message_type: MessageType, rest: &str) -> Dhcp {
    let mut dhcp = event(message_type);
    // A host name may hold anything, " via " too.
    let (head, tail) = rest.rsplit_once(" via ").unwrap_or((rest.trim_end_matches(" via"), ""));
    read_head(head, &mut dhcp);
    read_tail(tail, &mut dhcp);
    if message_type == MessageType::Request && !dhcp.server.is_empty() {
        dhcp.request_kind = RequestKind::Selecting.into();
    }
    if dhcp.detail.ends_with("no free leases") || dhcp.detail.contains("peer holds all free leases") {
        dhcp.message_type = MessageType::NoFreeLeases.into();
    }
    dhcp
}

/// `on IP to MAC (HOST)`, `for IP (SERVER) from MAC (HOST)`, `of IP from MAC (HOST)`, `from MAC (HOST)`, `from IP`, `to IP (MAC)`.
fn read_head(head: &str, dhcp: &mut Dhcp) {
    let mut rest = head.trim();
    while let Some((_preposition, object)) = rest.split_once(' ') {
        let (word, after) = object.split_once(' ').unwrap_or((object, ""));
        let (in_brackets, after) = in_brackets(after);
        match ip(word) {
            Some(address) => {
                dhcp.ip = address;
                if let Some(server) = ip(in_brackets) {
                    dhcp.server = server;
                } else {
                    dhcp.mac = mac(in_brackets);
                }
            }
            None => {
                dhcp.mac = mac(word);
                in_brackets.clone_into(&mut dhcp.hostname);
            }
        }
        rest = after;
    }
}

/// The content of brackets at the beginning, and what follows them.
fn in_brackets(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    match text.strip_prefix('(').and_then(|inner| inner.split_once(')')) {
        Some((inner, after)) => (inner, after.trim_start()),
        None => ("", text),
    }
}

/// `eth0`, `10.0.1.1: wrong network.`, `eth0 (found)`, and of Infoblox `eth2 relay 10.0.1.1 lease-duration 600 (RENEW) uid 01:02:00`.
fn read_tail(tail: &str, dhcp: &mut Dhcp) {
    let (way, detail) = tail.split_once(": ").unwrap_or((tail, ""));
    detail.trim().clone_into(&mut dhcp.detail);
    let mut words = way.split_whitespace();
    let via = words.next().unwrap_or_default();
    match ip(via) {
        Some(relay) => dhcp.relay = relay,
        None => via.clone_into(&mut dhcp.interface),
    }
    let mut others = Vec::new();
    while let Some(word) = words.next() {
        match word {
            "relay" => dhcp.relay = words.next().and_then(ip).unwrap_or_default(),
            "lease-duration" => dhcp.lease_seconds = words.next().and_then(|seconds| seconds.parse().ok()),
            "TransID" => dhcp.transaction_id = words.next().and_then(hex_number).unwrap_or_default(),
            "uid" => dhcp.client_id = words.next().and_then(bytes_of).map(|id| crate::dhcp::text::hex(&id)).unwrap_or_default(),
            other => others.push(other.trim_matches(['(', ')'])),
        }
    }
    if dhcp.detail.is_empty() {
        dhcp.detail = others.join(" ");
    }
}

/// What goes wrong. A reply that cannot be sent is logged twice by newer versions ("send_packet: ...", then "Failed to send ..."); the first
/// line counts, which all versions have.
fn trouble(message: &str) -> Option<Dhcp> {
    let with_detail = |message_type| Dhcp { detail: message.to_owned(), ..event(message_type) };
    if let Some(rest) = message.strip_prefix("Abandoning IP address ") {
        let address = rest.split(':').next().and_then(ip).unwrap_or_default();
        return Some(Dhcp { ip: address, ..with_detail(MessageType::Abandoned) });
    }
    if let Some(rest) = message.strip_prefix("ICMP Echo reply while lease ") {
        let address = rest.split(' ').next().and_then(ip).unwrap_or_default();
        return Some(Dhcp { ip: address, ..with_detail(MessageType::Abandoned) });
    }
    if message.starts_with("send_packet: ") || message.starts_with("send_packet6: ") {
        return Some(with_detail(MessageType::SendFailed));
    }
    message.starts_with("Unable to pick client address: no addresses available").then(|| with_detail(MessageType::NoFreeLeases))
}

fn v6(message: &str) -> Option<Dhcp> {
    if let Some((name, rest)) = message.split_once(" message from ") {
        // The link-local address that it came from is neither an address in use nor, without its interface, of any use.
        let transaction = rest.split_once("transaction ID ").and_then(|(_, id)| hex_number(id.split(' ').next()?));
        let received = event(v6_type(name)?);
        let request_kind = match received.message_type() {
            MessageType::V6Renew => RequestKind::Renewing,
            MessageType::V6Rebind => RequestKind::Rebinding,
            _ => RequestKind::Unspecified,
        };
        // Three bytes, copied into the last ones of a number that a little-endian machine then prints in its own order.
        let transaction_id = transaction.unwrap_or_default().swap_bytes();
        return Some(Dhcp { transaction_id, request_kind: request_kind.into(), is_broadcast: true, ..received });
    }
    // "Client 00:01:00:01:... releases address 2001:db8::5"
    if let Some((duid, released)) = message.strip_prefix("Client ").and_then(|rest| rest.split_once(" releases ")) {
        let mut dhcp = event(MessageType::V6Release);
        set_duid(duid, &mut dhcp);
        set_address(released.split_once(' ')?.1, &mut dhcp)?;
        return Some(dhcp);
    }
    // "Reply NA: address 2001:db8::5 to client with duid 00:01:... iaid = 7 valid for 600 seconds"
    let (head, rest) = message.split_once(": address ")?;
    let (name, association) = head.split_once(' ')?;
    if !matches!(association, "NA" | "TA" | "PD") {
        return None;
    }
    let mut dhcp = event(v6_type(name)?);
    let (address, rest) = rest.split_once(" to client with duid ")?;
    set_address(address, &mut dhcp)?;
    let (duid, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    set_duid(duid, &mut dhcp);
    dhcp.lease_seconds = rest.split_once(" valid for ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    Some(dhcp)
}

/// An address, or a prefix with its length.
fn set_address(text: &str, dhcp: &mut Dhcp) -> Option<()> {
    let (address, length) = text.split_once('/').unwrap_or((text, "0"));
    dhcp.ip = ip(address)?;
    dhcp.prefix_length = length.parse().unwrap_or_default();
    Some(())
}
