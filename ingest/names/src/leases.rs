//! What DHCP says of addresses: how the client that leased one calls itself. Pure.
//!
//! A client tells its name when it asks, the server tells the address when it acknowledges; the hardware address joins them.

use std::net::IpAddr;
use std::num::NonZeroUsize;

use lru::LruCache;
use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::MessageType;

use crate::is_host_name;

/// Clients and addresses that are remembered, each; those that said nothing for longest are forgotten first.
const MOST: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();
/// Where an acknowledgement does not say for how long.
const USUAL_LEASE_S: u64 = 24 * 60 * 60;
const NANOS_PER_S: u64 = 1_000_000_000;
/// Longest host name (RFC 1035).
const MAX_NAME_BYTES: usize = 253;

/// Names of clients, by address.
#[derive(Debug)]
pub(crate) struct Leases {
    names: LruCache<String, String>,
    leases: LruCache<IpAddr, (String, u64)>,
}

impl Default for Leases {
    fn default() -> Self {
        Self { names: LruCache::new(MOST), leases: LruCache::new(MOST) }
    }
}

impl Leases {
    /// Learns from a message.
    pub(crate) fn see(&mut self, dhcp: &Dhcp, at_unix_nanos: u64) {
        if dhcp.mac.is_empty() {
            return;
        }
        let name = dhcp.hostname.trim_end_matches('.');
        let is_name = name.len() <= MAX_NAME_BYTES && is_host_name(name);
        if is_name && self.names.peek(&dhcp.mac).is_none_or(|known| known != name) {
            self.names.put(dhcp.mac.clone(), name.to_owned());
        }
        let Ok(address) = dhcp.ip.parse::<IpAddr>() else { return };
        match dhcp.message_type() {
            MessageType::Ack | MessageType::V6Reply => {
                if let Some(name) = self.names.get(&dhcp.mac) {
                    let seconds = dhcp.lease_seconds.map_or(USUAL_LEASE_S, u64::from);
                    let ends = at_unix_nanos.saturating_add(seconds.saturating_mul(NANOS_PER_S));
                    self.leases.put(address.to_canonical(), (name.clone(), ends));
                }
            }
            MessageType::Release | MessageType::Decline | MessageType::V6Release | MessageType::V6Decline => {
                self.leases.pop(&address.to_canonical());
            }
            _ => {}
        }
    }

    /// Who has the address now.
    pub(crate) fn name(&mut self, address: IpAddr, at_unix_nanos: u64) -> Option<String> {
        let (name, ends) = self.leases.get(&address.to_canonical())?;
        (*ends > at_unix_nanos).then(|| name.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: MessageType, mac: &str, ip: &str, hostname: &str) -> Dhcp {
        let mut dhcp =
            Dhcp { mac: mac.to_owned(), ip: ip.to_owned(), hostname: hostname.to_owned(), lease_seconds: Some(60), ..Dhcp::default() };
        dhcp.set_message_type(kind);
        dhcp
    }

    const MAC: &str = "02:00:00:00:00:01";

    fn address() -> IpAddr {
        "10.0.0.9".parse().unwrap()
    }

    #[test]
    fn a_client_s_name_belongs_to_its_address_until_the_lease_ends() {
        let mut leases = Leases::default();
        leases.see(&message(MessageType::Request, MAC, "", "printer-7."), 0);
        assert_eq!(leases.name(address(), 1), None, "nobody has acknowledged it");
        leases.see(&message(MessageType::Ack, MAC, "10.0.0.9", ""), 0);
        assert_eq!(leases.name(address(), 59 * NANOS_PER_S).as_deref(), Some("printer-7"));
        assert_eq!(leases.name(address(), 60 * NANOS_PER_S), None);
    }

    #[test]
    fn who_gives_an_address_back_has_it_no_more() {
        let mut leases = Leases::default();
        leases.see(&message(MessageType::Ack, MAC, "10.0.0.9", "printer-7"), 0);
        leases.see(&message(MessageType::Release, MAC, "10.0.0.9", ""), 1);
        assert_eq!(leases.name(address(), 2), None);
    }

    #[test]
    fn what_is_no_name_is_not_taken_for_one() {
        let mut leases = Leases::default();
        for hostname in ["", ".", "a b", "x\u{1b}[2J", "caf\u{e9}", &"x".repeat(254)] {
            leases.see(&message(MessageType::Ack, MAC, "10.0.0.9", hostname), 0);
            assert_eq!(leases.name(address(), 1), None, "{hostname:?}");
        }
    }
}
