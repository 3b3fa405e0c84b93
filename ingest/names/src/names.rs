//! Who is asked for the name of an address, in the order that is configured.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock};

use serde::{Deserialize, Serialize};
use tocsin_wire::events::Dhcp;

use crate::InventoryFile;
use crate::leases::Leases;
use crate::reverse_dns::ReverseDns;

/// Who knows names of addresses.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// `devices.names` of the config.
    Names,
    /// `devices.inventory`.
    Inventory,
    /// SNMP: the name under which the address is polled, which is its sysName where none is configured.
    Snmp,
    /// The client that leased the address, as it called itself in the DHCP messages that this agent saw.
    Lease,
    /// Reverse DNS and /etc/hosts.
    ReverseDns,
}

/// What was learned while the agent runs; another config keeps it.
#[derive(Debug, Default)]
pub struct Learned {
    snmp: RwLock<Polled>,
    leases: Mutex<Leases>,
    reverse_dns: OnceLock<ReverseDns>,
}

/// Who is polled where.
#[derive(Debug, Default)]
struct Polled {
    names: HashMap<IpAddr, String>,
    addresses: HashMap<String, IpAddr>,
}

impl Learned {
    /// The device that is polled at an address.
    pub fn polled(&self, address: IpAddr, name: &str) {
        let address = address.to_canonical();
        let is_known = self.snmp.read().unwrap_or_else(PoisonError::into_inner).names.get(&address).is_some_and(|known| known == name);
        if !is_known {
            let mut polled = self.snmp.write().unwrap_or_else(PoisonError::into_inner);
            polled.names.insert(address, name.to_owned());
            polled.addresses.insert(name.to_owned(), address);
        }
    }

    /// Forgets who is polled where: other devices are from now on.
    pub fn forget_polled(&self) {
        *self.snmp.write().unwrap_or_else(PoisonError::into_inner) = Polled::default();
    }
}

/// Names of addresses, by one config.
#[derive(Clone, Debug, Default)]
pub struct Names {
    order: Vec<Source>,
    configured: Arc<HashMap<IpAddr, String>>,
    configured_addresses: Arc<HashMap<String, IpAddr>>,
    inventory: Option<Arc<InventoryFile>>,
    learned: Arc<Learned>,
}

impl Names {
    /// Asks in this order.
    pub fn new(
        order: &[Source],
        configured: impl IntoIterator<Item = (IpAddr, String)>,
        inventory: Option<Arc<InventoryFile>>,
        learned: Arc<Learned>,
    ) -> Self {
        let (mut names, mut addresses) = (HashMap::new(), HashMap::new());
        for (address, name) in configured {
            addresses.entry(name.clone()).or_insert(address.to_canonical());
            names.insert(address.to_canonical(), name);
        }
        Self { order: order.to_vec(), configured: Arc::new(names), configured_addresses: Arc::new(addresses), inventory, learned }
    }

    /// The name of an address, by the first that knows one. Never waits.
    pub fn of(&self, address: IpAddr, at_unix_nanos: u64) -> Option<String> {
        let address = address.to_canonical();
        self.order.iter().find_map(|source| self.by(*source, address, at_unix_nanos))
    }

    fn by(&self, source: Source, address: IpAddr, at_unix_nanos: u64) -> Option<String> {
        match source {
            Source::Names => self.configured.get(&address).cloned(),
            Source::Inventory => self.inventory.as_ref()?.name(address),
            Source::Snmp => self.learned.snmp.read().unwrap_or_else(PoisonError::into_inner).names.get(&address).cloned(),
            Source::Lease => self.learned.leases.lock().unwrap_or_else(PoisonError::into_inner).name(address, at_unix_nanos),
            Source::ReverseDns => self.learned.reverse_dns.get_or_init(ReverseDns::start).name(address),
        }
    }

    /// An address of a device, by the first that knows one; of several the first in the config or the inventory. Leases and reverse DNS are not
    /// asked: what strangers say does not place a device.
    pub fn address(&self, device: &str) -> Option<IpAddr> {
        self.order.iter().find_map(|source| match source {
            Source::Names => self.configured_addresses.get(device).copied(),
            Source::Inventory => self.inventory.as_ref()?.address(device),
            Source::Snmp => self.learned.snmp.read().unwrap_or_else(PoisonError::into_inner).addresses.get(device).copied(),
            Source::Lease | Source::ReverseDns => None,
        })
    }

    /// The place that the inventory gives an address.
    pub fn site(&self, address: IpAddr) -> Option<String> {
        self.inventory.as_ref()?.site(address)
    }

    /// What the inventory says an address is for.
    pub fn role(&self, address: IpAddr) -> Option<String> {
        self.inventory.as_ref()?.role(address)
    }

    /// Learns from a DHCP message, where leases are asked.
    pub fn see(&self, dhcp: &Dhcp, at_unix_nanos: u64) {
        if self.order.contains(&Source::Lease) {
            self.learned.leases.lock().unwrap_or_else(PoisonError::into_inner).see(dhcp, at_unix_nanos);
        }
    }

    /// The inventory, where there is one.
    pub fn inventory(&self) -> Option<&InventoryFile> {
        self.inventory.as_deref()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tocsin_wire::events::dhcp::MessageType;

    use super::*;

    #[test]
    fn the_first_source_that_knows_an_address_names_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("devices.csv");
        fs::write(&path, "name,address,site\nby-inventory,192.0.2.1,fra1\n").unwrap();
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        let mut ack = Dhcp { mac: "m".to_owned(), ip: "192.0.2.1".to_owned(), hostname: "by-lease".to_owned(), ..Dhcp::default() };
        ack.set_message_type(MessageType::Ack);
        let learned = Arc::new(Learned::default());
        let inventory = Arc::new(InventoryFile::open(&path).unwrap());
        let names = |order: &[Source]| {
            let configured = [("::ffff:192.0.2.1".parse().unwrap(), "by-config".to_owned())];
            Names::new(order, configured, Some(Arc::clone(&inventory)), Arc::clone(&learned))
        };
        learned.polled(address, "by-snmp");
        names(&[Source::Names]).see(&ack, 0);
        assert_eq!(names(&[Source::Lease]).of(address, 1), None, "leases are learned only where they are asked");
        names(&[Source::Lease]).see(&ack, 0);

        use Source::{Inventory, Lease, Names as Config, Snmp};
        for (order, expected) in [
            (&[Config, Inventory, Snmp, Lease][..], Some("by-config")),
            (&[Inventory, Snmp, Lease, Config], Some("by-inventory")),
            (&[Snmp, Inventory], Some("by-snmp")),
            (&[Lease, Snmp], Some("by-lease")),
            (&[], None),
        ] {
            assert_eq!(names(order).of(address, 1).as_deref(), expected, "{order:?}");
        }
        assert_eq!(names(&[]).site(address).as_deref(), Some("fra1"));
        learned.forget_polled();
        assert_eq!(names(&[Snmp, Lease]).of(address, 1).as_deref(), Some("by-lease"), "who does not know does not end the search");
    }
}
