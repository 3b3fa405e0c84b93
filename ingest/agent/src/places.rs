//! Where devices stand and what they are for, by the networks that they are in.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use ipnet::IpNet;
use tocsin_names::{Names, Networks};
use tocsin_wire::Body;
use tocsin_wire::events::dhcp::Path;

use crate::config::DevicesConfig;

/// Sites and roles by network; the longest prefix that holds an address says both, each for itself.
#[derive(Debug, Default)]
pub(crate) struct Places {
    sites: Networks<String>,
    roles: Networks<String>,
    names: Names,
}

/// Where something is and what it is for; `None` where nobody says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) site: Option<String>,
    pub(crate) role: Option<String>,
}

impl Places {
    /// What the config says goes before the inventory.
    pub(crate) fn new(config: &DevicesConfig, names: Names) -> Self {
        let networks = |values: &BTreeMap<IpNet, String>| values.iter().map(|(network, value)| (*network, value.clone())).collect();
        Self { sites: networks(&config.sites), roles: networks(&config.roles), names }
    }

    /// The place of what an event is about, where its address has one.
    pub(crate) fn of(&self, body: &Body, peer: Option<SocketAddr>) -> Place {
        let address = if self.is_unknown() { None } else { peer.and_then(|peer| address_of(body, peer.ip())) };
        address.map(|address| self.at(address)).unwrap_or_default()
    }

    /// The place of a device that the agent asks by itself.
    ///
    /// `address`: where it is asked; none where another one is, so that its name must say where it is.
    pub(crate) fn of_asked(&self, device: &str, address: Option<IpAddr>) -> Place {
        if self.is_unknown() {
            return Place::default();
        }
        address.or_else(|| self.names.address(device)).map(|address| self.at(address)).unwrap_or_default()
    }

    fn is_unknown(&self) -> bool {
        self.sites.is_empty() && self.roles.is_empty() && self.names.inventory().is_none()
    }

    fn at(&self, address: IpAddr) -> Place {
        Place {
            site: self.sites.of(address).cloned().or_else(|| self.names.site(address)),
            role: self.roles.of(address).cloned().or_else(|| self.names.role(address)),
        }
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
    use std::sync::Arc;

    use tocsin_wire::events::{AlertUpdate, Dhcp, SnmpTrap, Syslog};

    use super::*;

    fn places() -> Places {
        let networks = [("10.0.0.0/8", "everywhere"), ("10.1.0.0/16", "zrh"), ("10.1.2.0/24", "zrh-lab"), ("2001:db8::/32", "fra")];
        let networks: BTreeMap<IpNet, String> = networks.map(|(network, site)| (network.parse().unwrap(), site.to_owned())).into();
        let roles = [("10.1.0.0/16".parse().unwrap(), "access".to_owned())].into();
        Places::new(&DevicesConfig { sites: networks, roles, ..DevicesConfig::default() }, Names::default())
    }

    fn site(body: Body, peer: &str) -> Option<String> {
        places().of(&body, Some(SocketAddr::new(peer.parse().unwrap(), 1))).site
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
    fn a_role_is_that_of_its_network_whatever_network_says_the_site() {
        let place = |peer: [u8; 4]| places().of(&Body::Syslog(Syslog::default()), Some((peer, 1).into()));
        assert_eq!(place([10, 1, 2, 3]), Place { site: Some("zrh-lab".to_owned()), role: Some("access".to_owned()) });
        assert_eq!(place([10, 9, 9, 9]), Place { site: Some("everywhere".to_owned()), role: None });
    }

    #[test]
    fn what_the_agent_asks_is_where_it_is_asked_or_where_its_name_says() {
        let names = [([10, 1, 2, 1].into(), "edge1".to_owned())];
        let names = Names::new(&[tocsin_names::Source::Names], names, None, Arc::default());
        let places = Places { names, ..places() };
        let at = |device: &str, address: Option<[u8; 4]>| places.of_asked(device, address.map(IpAddr::from)).site;

        assert_eq!(at("edge1", Some([10, 9, 9, 9])).as_deref(), Some("everywhere"));
        assert_eq!(at("edge1", None).as_deref(), Some("zrh-lab"));
        assert_eq!(at("edge2", None), None);
        assert_eq!(places.of_asked("edge1", None).role.as_deref(), Some("access"));
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
        assert_eq!(Places::default().of(&Body::Syslog(Syslog::default()), Some(([10, 1, 2, 3], 1).into())), Place::default());
    }
}
