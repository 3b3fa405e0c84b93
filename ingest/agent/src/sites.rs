//! Where devices stand, by the networks that they are in.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use ipnet::IpNet;
use tocsin_wire::Body;
use tocsin_wire::events::dhcp::Path;

/// Sites by network; the longest prefix that holds an address says where it is.
#[derive(Debug, Default)]
pub(crate) struct Sites {
    by_network: HashMap<IpNet, Arc<str>>,
    /// Lengths of prefixes that there are, longest first: as many look-ups an event, however many networks.
    lengths: Vec<u8>,
}

impl Sites {
    /// The site of what an event is about, where its address has one.
    pub(crate) fn of(&self, body: &Body, peer: Option<SocketAddr>) -> Option<&Arc<str>> {
        if self.lengths.is_empty() {
            return None;
        }
        let address = address_of(body, peer?.ip())?.to_canonical();
        let networks = self.lengths.iter().filter_map(|length| IpNet::new(address, *length).ok());
        networks.into_iter().find_map(|network| self.by_network.get(&network.trunc()))
    }
}

impl<'a> FromIterator<(&'a IpNet, &'a String)> for Sites {
    fn from_iter<I: IntoIterator<Item = (&'a IpNet, &'a String)>>(sites: I) -> Self {
        let by_network: HashMap<_, Arc<str>> = sites.into_iter().map(|(network, site)| (network.trunc(), site.as_str().into())).collect();
        let mut lengths: Vec<_> = by_network.keys().map(IpNet::prefix_len).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { by_network, lengths }
    }
}

/// The address that an event is about: of DHCP the relay, else the lease, because a server serves many sites; of a trap that came through a proxy its
/// device's; else the sender's. None for what a monitor tells of others.
fn address_of(body: &Body, sender: IpAddr) -> Option<IpAddr> {
    match body {
        Body::AlertUpdate(_) => None,
        Body::Dhcp(dhcp) => {
            let told = [&dhcp.relay, &dhcp.ip].into_iter().find_map(|text| text.parse().ok());
            told.or(Some(sender).filter(|_| dhcp.path() != Path::ServerLog))
        }
        Body::SnmpTrap(trap) => trap.agent_address.parse().ok().or(Some(sender)),
        _ => Some(sender),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tocsin_wire::events::{AlertUpdate, Dhcp, SnmpTrap, Syslog};

    use super::*;

    fn sites() -> Sites {
        let networks = [("10.0.0.0/8", "everywhere"), ("10.1.0.0/16", "zrh"), ("10.1.2.0/24", "zrh-lab"), ("2001:db8::/32", "fra")];
        let networks: BTreeMap<IpNet, String> = networks.map(|(network, site)| (network.parse().unwrap(), site.to_owned())).into();
        networks.iter().collect()
    }

    fn site(body: Body, peer: &str) -> Option<String> {
        sites().of(&body, Some(SocketAddr::new(peer.parse().unwrap(), 1))).map(ToString::to_string)
    }

    fn dhcp(path: Path, relay: &str, ip: &str) -> Body {
        let mut dhcp = Dhcp { relay: relay.to_owned(), ip: ip.to_owned(), ..Dhcp::default() };
        dhcp.set_path(path);
        Body::Dhcp(dhcp)
    }

    #[test]
    fn the_longest_prefix_that_holds_the_sender_is_its_site() {
        for (peer, expected) in [
            ("10.1.2.3", Some("zrh-lab")),
            ("::ffff:10.1.9.9", Some("zrh")),
            ("10.9.9.9", Some("everywhere")),
            ("2001:db8::7", Some("fra")),
            ("192.0.2.1", None),
        ] {
            assert_eq!(site(Body::Syslog(Syslog::default()), peer).as_deref(), expected, "{peer}");
        }
    }

    #[test]
    fn dhcp_is_where_its_relay_is_else_where_the_lease_is() {
        assert_eq!(site(dhcp(Path::RelayCopy, "10.1.2.1", "10.9.0.7"), "192.0.2.1").as_deref(), Some("zrh-lab"));
        assert_eq!(site(dhcp(Path::ServerLog, "", "10.1.0.7"), "192.0.2.1").as_deref(), Some("zrh"));
        assert_eq!(site(dhcp(Path::ServerLog, "", ""), "10.1.2.3"), None, "its server's place is not that of its client");
        assert_eq!(site(dhcp(Path::RelayCopy, "", ""), "10.1.2.3").as_deref(), Some("zrh-lab"));
    }

    #[test]
    fn a_monitor_s_place_is_not_that_of_what_it_watches_and_a_proxy_s_not_that_of_the_trap_s_device() {
        assert_eq!(site(Body::AlertUpdate(AlertUpdate::default()), "10.1.2.3"), None);
        let trap = SnmpTrap { agent_address: "10.1.9.9".to_owned(), ..SnmpTrap::default() };
        assert_eq!(site(Body::SnmpTrap(trap), "10.1.2.3").as_deref(), Some("zrh"));
    }

    #[test]
    fn without_networks_nothing_has_a_place_of_its_own() {
        assert_eq!(Sites::default().of(&Body::Syslog(Syslog::default()), Some(([10, 1, 2, 3], 1).into())), None);
    }
}
