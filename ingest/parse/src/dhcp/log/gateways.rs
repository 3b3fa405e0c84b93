//! DHCP servers inside of routers and firewalls: MikroTik RouterOS, FortiGate, Cisco Meraki. The forms are those of their makers' documents.

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::MessageType;

use super::{event, ip, mac, v4_type};
use crate::syslog::value;

/// RouterOS: `dhcp1 assigned 10.0.0.5 for 02:00:00:00:00:01 laptop-7`, `to` and no name in older ones, and `deassigned` at a release or when the
/// lease ended.
pub(super) fn routeros(message: &str) -> Option<Dhcp> {
    let (message_type, detail, (server, rest)) = match message.split_once(" assigned ") {
        Some(parts) => (MessageType::Ack, "", parts),
        None => (MessageType::Release, "deassigned", message.split_once(" deassigned ")?),
    };
    let mut words = rest.split(' ');
    let (address, _preposition, client) = (ip(words.next()?)?, words.next()?, mac(words.next()?));
    let hostname = words.next().unwrap_or_default().to_owned();
    let dhcp = Dhcp { ip: address, mac: client, hostname, interface: server.to_owned(), detail: detail.to_owned(), ..event(message_type) };
    (!dhcp.mac.is_empty()).then_some(dhcp)
}

/// FortiOS: `... interface="lan" dhcp_msg="Ack" mac="02:00:00:00:00:01" ip=10.0.0.5 lease=604800 hostname="laptop-7" ...`
pub(super) fn fortios(message: &str) -> Option<Dhcp> {
    let message_type = v4_type(&format!("DHCP{}", value(message, "dhcp_msg")?.to_ascii_uppercase()))?;
    let text = |key| value(message, key).unwrap_or_default();
    Some(Dhcp {
        ip: ip(text("ip")).filter(|address| address != "0.0.0.0").unwrap_or_default(),
        mac: mac(text("mac")),
        hostname: value(message, "hostname").filter(|name| *name != "N/A").unwrap_or_default().to_owned(),
        interface: text("interface").to_owned(),
        lease_seconds: text("lease").parse().ok().filter(|_| message_type == MessageType::Ack),
        ..event(message_type)
    })
}

/// Meraki: `dhcp lease of ip 10.0.0.5 from server mac 02:00:00:00:00:fe for client mac 02:00:00:00:00:01 [with hostname "laptop-7"] from router
/// 10.0.0.1 on subnet 255.255.255.0 with dns ...`. That nobody made an offer is no event: which server had none is not known.
pub(super) fn meraki(message: &str) -> Option<Dhcp> {
    let (address, rest) = message.strip_prefix("dhcp lease of ip ")?.split_once(' ')?;
    let after = |key: &str| rest.split_once(key).map(|(_, rest)| rest.split(' ').next().unwrap_or_default()).unwrap_or_default();
    Some(Dhcp {
        ip: ip(address)?,
        mac: mac(after(" for client mac ")),
        hostname: after(" with hostname ").trim_matches('"').to_owned(),
        router: ip(after(" from router ")).unwrap_or_default(),
        ..event(MessageType::Ack)
    })
}
