//! Kea 1.6 and newer: `INFO  [kea-dhcp4.leases/3612.140] DHCP4_LEASE_ALLOC [hwtype=1 02:...], cid=[01:...], tid=0x1f: lease 10.0.0.5 has been
//! allocated for 600 seconds`. The message's identifier says what happened, the label before the colon whose packet it was.

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::MessageType;

use super::{bytes_of, event, hex_number, ip, mac, set_duid};

/// What DHCPv6 types add in `MessageType`.
const V6_OFFSET: i32 = 100;

pub(super) fn read(message: &str) -> Option<Dhcp> {
    let (identifier, rest) = identifier(message)?;
    let (label, words) = label(rest);
    let is_v6 = identifier.starts_with("DHCP6_") || identifier.starts_with("ALLOC_ENGINE_V6_");
    let mut dhcp = match identifier {
        "DHCP4_PACKET_RECEIVED" | "DHCP6_PACKET_RECEIVED" => packet_received(words, is_v6)?,
        "DHCP4_PACKET_SEND" | "DHCP6_PACKET_SEND" => packet_sent(words, is_v6)?,
        "DHCP4_LEASE_ALLOC" | "DHCP4_LEASE_REUSE" => lease(words, MessageType::Ack),
        // Renamed in 2.5.
        "DHCP4_LEASE_ADVERT" | "DHCP4_LEASE_OFFER" => lease(words, MessageType::Offer),
        "DHCP6_LEASE_ALLOC" | "DHCP6_LEASE_REUSE" | "DHCP6_LEASE_RENEW" | "DHCP6_PD_LEASE_ALLOC" | "DHCP6_PD_LEASE_REUSE" => {
            lease(words, MessageType::V6Reply)
        }
        "DHCP6_LEASE_ADVERT" | "DHCP6_PD_LEASE_ADVERT" => lease(words, MessageType::V6Advertise),
        "DHCP4_INIT_REBOOT" => {
            let request_kind = tocsin_wire::events::dhcp::RequestKind::InitReboot.into();
            Dhcp { request_kind, ip: first_ip(words), ..event(MessageType::Request) }
        }
        "DHCP4_RELEASE" => Dhcp { ip: first_ip(words), ..event(MessageType::Release) },
        "DHCP6_RELEASE_NA" | "DHCP6_RELEASE_PD" => lease(words, MessageType::V6Release),
        "DHCP4_DECLINE_LEASE" | "DHCP6_DECLINE_LEASE" => Dhcp { ip: first_ip(words), ..with_detail(MessageType::Abandoned, words) },
        "DHCP4_PACKET_SEND_FAIL" | "DHCP6_PACKET_SEND_FAIL" => with_detail(MessageType::SendFailed, words),
        // No subnet, an address that is not the client's, no lease. 0003 is an offer that is not made; nothing is sent then.
        "DHCP4_PACKET_NAK_0001" if !words.contains("DHCPREQUEST") => return None,
        "DHCP4_PACKET_NAK_0001" | "DHCP4_PACKET_NAK_0002" | "DHCP4_PACKET_NAK_0004" => {
            Dhcp { ip: requested(words), ..with_detail(MessageType::Nak, words) }
        }
        // A failure is logged up to three times, the last naming the client's classes.
        "ALLOC_ENGINE_V4_ALLOC_FAIL_CLASSES" | "ALLOC_ENGINE_V6_ALLOC_FAIL_CLASSES" => return None,
        name if name.starts_with("ALLOC_ENGINE_V4_ALLOC_FAIL") || name.starts_with("ALLOC_ENGINE_V6_ALLOC_FAIL") => {
            with_detail(MessageType::NoFreeLeases, words)
        }
        _ => return None,
    };
    read_label(label, &mut dhcp);
    Some(dhcp)
}

/// The identifier, upper case with underscores, and what follows it.
fn identifier(message: &str) -> Option<(&str, &str)> {
    let start = ["DHCP4_", "DHCP6_", "ALLOC_ENGINE_V"].iter().filter_map(|prefix| message.find(prefix)).min()?;
    let text = message.get(start..)?;
    Some(text.split_once(' ').unwrap_or((text, "")))
}

/// The client's label, and what is said of it. Declines have theirs inside the sentence.
fn label(text: &str) -> (&str, &str) {
    if !(text.starts_with('[') || text.starts_with("duid=")) {
        return (text, text);
    }
    text.find("tid=")
        .and_then(|at| text.get(at..)?.find(": ").map(|colon| at + colon))
        .map_or((text, text), |colon| (text.get(..colon).unwrap_or_default(), text.get(colon + 2..).unwrap_or_default()))
}

/// `[hwtype=1 02:00:00:00:00:01], cid=[01:02:...], tid=0x1f2e` and of version 6 `duid=[00:01:...], [hwtype=1 02:...], tid=0x1f2e`.
fn read_label(label: &str, dhcp: &mut Dhcp) {
    if let Some(hardware) = between(label, "[hwtype=", "]").and_then(|hardware| hardware.split(' ').nth(1)) {
        dhcp.mac = mac(hardware);
    }
    if let Some(id) = between(label, "cid=[", "]").and_then(bytes_of) {
        dhcp.client_id = crate::dhcp::text::hex(&id);
    }
    if let Some(duid) = between(label, "duid=[", "]") {
        set_duid(duid, dhcp);
    }
    if let Some((_, id)) = label.split_once("tid=0x") {
        dhcp.transaction_id =
            hex_number(id.split(|letter: char| !letter.is_ascii_hexdigit()).next().unwrap_or_default()).unwrap_or_default();
    }
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(end)?.0)
}

/// `DHCPREQUEST (type 3) received from 0.0.0.0 to 255.255.255.255 on interface eth0`
fn packet_received(words: &str, is_v6: bool) -> Option<Dhcp> {
    let mut dhcp = event(type_number(words, is_v6)?);
    let from = between(words, " from ", " ").and_then(ip).unwrap_or_default();
    let to = between(words, " to ", " ").and_then(ip).unwrap_or_default();
    dhcp.is_broadcast = to == "255.255.255.255" || to.starts_with("ff");
    if !is_v6 && dhcp.is_broadcast && from != "0.0.0.0" {
        dhcp.client_address = from;
    }
    dhcp.interface = interface(words);
    Some(dhcp)
}

/// `trying to send packet DHCPACK (type 5) from 10.0.0.1:67 to 10.0.0.5:68 on interface eth0`
fn packet_sent(words: &str, is_v6: bool) -> Option<Dhcp> {
    let mut dhcp = event(type_number(words, is_v6)?);
    if !is_v6 {
        let host = |word: &str| word.split(':').next().and_then(ip).unwrap_or_default();
        dhcp.server = between(words, " from ", " ").map(host).unwrap_or_default();
        let to = between(words, " to ", " on interface").map(host).unwrap_or_default();
        dhcp.is_broadcast = to == "255.255.255.255";
    }
    dhcp.interface = interface(words);
    Some(dhcp)
}

fn type_number(words: &str, is_v6: bool) -> Option<MessageType> {
    let number: i32 = between(words, "(type ", ")")?.parse().ok()?;
    MessageType::try_from(if is_v6 { number + V6_OFFSET } else { number }).ok()
}

fn interface(words: &str) -> String {
    words.split_once(" on interface ").map(|(_, rest)| rest.split(' ').next().unwrap_or_default().to_owned()).unwrap_or_default()
}

/// `lease 10.0.0.5 has been allocated for 600 seconds`, `lease for address 2001:db8::5 and iaid=7 has been allocated for 600 seconds`,
/// `lease for prefix 2001:db8:1::/56 and iaid=7 ...`.
fn lease(words: &str, message_type: MessageType) -> Dhcp {
    let prefix = words.split(' ').find_map(|word| {
        let (address, length) = word.split_once('/')?;
        Some((ip(address)?, length.parse().ok()?))
    });
    let (address, prefix_length) = prefix.unwrap_or_else(|| (first_ip(words), 0));
    let lease_seconds = words.split_once(" for ").and_then(|_| words.rsplit_once(" for ")?.1.split(' ').next()?.parse().ok());
    Dhcp { ip: address, prefix_length, lease_seconds, ..event(message_type) }
}

fn first_ip(words: &str) -> String {
    words.split([' ', ',']).find_map(|word| ip(word.trim_end_matches(['.', ':']))).unwrap_or_default()
}

/// `..., client sent ciaddr 0.0.0.0, requested-ip-address 10.0.0.9`
fn requested(words: &str) -> String {
    let asked = words.split_once("requested-ip-address ").and_then(|(_, rest)| ip(rest.split([' ', ',']).next()?));
    let used = words.split_once("ciaddr ").and_then(|(_, rest)| ip(rest.split([' ', ',']).next()?));
    [asked, used]
        .into_iter()
        .flatten()
        .find(|address| address != "0.0.0.0")
        .unwrap_or_else(|| if words.contains("ciaddr") { String::new() } else { first_ip(words) })
}

fn with_detail(message_type: MessageType, words: &str) -> Dhcp {
    Dhcp { detail: words.to_owned(), ..event(message_type) }
}
