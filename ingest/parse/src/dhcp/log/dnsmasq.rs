//! dnsmasq 2.x, src/rfc2131.c (`log_packet`) and src/rfc3315.c (`log6_packet`).

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::MessageType;

use super::{bytes_of, event, ip, mac, set_duid, v4_type, v6_type};

/// More bytes than a hardware address has, so that the client is named by its DUID: version 6.
const MIN_DUID_BYTES: usize = 8;

pub(super) fn read(message: &str) -> Option<Dhcp> {
    // `log-dhcp` puts the transaction before everything else, in decimal.
    let (transaction_id, message) = match message.split_once(' ') {
        Some((number, rest)) if number.bytes().all(|byte| byte.is_ascii_digit()) => (number.parse().unwrap_or_default(), rest),
        _ => (0, message),
    };
    let dhcp = lease(message).or_else(|| trouble(message))?;
    Some(Dhcp { transaction_id, ..dhcp })
}

/// `DHCPACK(eth0) 10.0.0.5 02:00:00:00:00:01 host`, `DHCPSOLICIT(eth0) 00:01:00:01:...`, `DHCPDISCOVER(eth0) 02:... no address available`
fn lease(message: &str) -> Option<Dhcp> {
    let (word, rest) = message.split_once('(')?;
    let (interface, rest) = rest.split_once(") ")?;
    let (address, rest) = match rest.split_once(' ').and_then(|(first, rest)| Some((ip(first)?, rest))) {
        Some((address, rest)) => (address, rest),
        None => (ip(rest.trim()).unwrap_or_default(), if ip(rest.trim()).is_some() { "" } else { rest }),
    };
    let (client, words) = rest.trim_start().split_once(' ').unwrap_or((rest, ""));
    let is_duid = bytes_of(client).is_some_and(|bytes| bytes.len() >= MIN_DUID_BYTES);
    let v6_name = word.strip_prefix("DHCP")?;
    let message_type = if is_duid || address.contains(':') { v6_type(v6_name) } else { v4_type(word).or_else(|| v6_type(v6_name)) };
    let mut dhcp = Dhcp { ip: address, interface: interface.to_owned(), ..event(message_type?) };
    if is_duid {
        set_duid(client, &mut dhcp);
    } else {
        dhcp.mac = mac(client);
    }
    let words = words.trim();
    if matches!(dhcp.message_type(), MessageType::Ack | MessageType::V6Reply | MessageType::V6Advertise) && !words.contains(' ') {
        words.clone_into(&mut dhcp.hostname);
    } else {
        words.clone_into(&mut dhcp.detail);
    }
    if matches!(words, "no address available" | "no leases left" | "no addresses available") {
        dhcp.message_type = MessageType::NoFreeLeases.into();
    }
    Some(dhcp)
}

fn trouble(message: &str) -> Option<Dhcp> {
    let with_detail = |message_type| Dhcp { detail: message.to_owned(), ..event(message_type) };
    if let Some(rest) = message.strip_prefix("Error sending DHCP packet to ") {
        let address = rest.split_once(": ").and_then(|(address, _)| ip(address)).unwrap_or_default();
        return Some(Dhcp { ip: address, ..with_detail(MessageType::SendFailed) });
    }
    let place = message.strip_prefix("no address range available for DHCP")?;
    let (_, way) = place.split_once(" via ").or_else(|| place.split_once(" from "))?;
    let way = way.split_whitespace().last().unwrap_or_default();
    let mut dhcp = with_detail(MessageType::NoFreeLeases);
    match ip(way) {
        Some(relay) => dhcp.relay = relay,
        None => way.clone_into(&mut dhcp.interface),
    }
    Some(dhcp)
}
