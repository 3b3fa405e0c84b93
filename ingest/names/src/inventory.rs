//! A list of devices and networks: CSV with a head line (RFC 4180), as people write it, or as NetBox exports devices, addresses and prefixes. Pure.
//!
//! A line with a name is a device; one without is a network, of which site and role are known. Columns beside those below are left alone: an export has many.

use std::collections::HashMap;
use std::net::IpAddr;

use ipnet::IpNet;

use crate::Networks;

/// Of the columns with the same meaning all are read.
const NAME: &[&str] = &["name", "device", "hostname", "dns_name"];
const ADDRESS: &[&str] =
    &["address", "ip_address", "ip", "primary_ip", "primary_ip4", "primary_ip6", "ipv4_address", "ipv6_address", "prefix", "network"];
const SITE: &[&str] = &["site", "scope"];
const ROLE: &[&str] = &["role", "device_role"];
/// As long as names of agents, listeners and sites may be.
const MAX_BYTES: usize = 255;

/// What a line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name of the device; empty for a network.
    pub name: String,
    /// Its addresses, whole, or a network.
    pub networks: Vec<IpNet>,
    /// Place; empty where none is told.
    pub site: String,
    /// What it is for; empty where it is not told.
    pub role: String,
}

/// What is known of addresses.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    names: HashMap<IpAddr, String>,
    addresses: HashMap<String, IpAddr>,
    sites: Networks<String>,
    roles: Networks<String>,
}

impl Inventory {
    /// # Errors
    ///
    /// One sentence that begins with the line's number: `3: address "x" is ...`.
    pub fn read(text: &str) -> Result<Self, String> {
        Self::of(entries(text)?)
    }

    /// Puts entries together, each with its line.
    fn of(entries: Vec<(u64, Entry)>) -> Result<Self, String> {
        let (mut names, mut addresses, mut lines) = (HashMap::new(), HashMap::new(), HashMap::new());
        let (mut sites, mut roles) = (Vec::new(), Vec::new());
        for (line, entry) in entries {
            for network in &entry.networks {
                if !entry.site.is_empty() {
                    sites.push((*network, entry.site.clone()));
                }
                if !entry.role.is_empty() {
                    roles.push((*network, entry.role.clone()));
                }
                let address = network.addr();
                if entry.name.is_empty() {
                    continue;
                }
                if let Some(other) = names.insert(address, entry.name.clone())
                    && other != entry.name
                {
                    let first = lines.get(&address).copied().unwrap_or(line);
                    return Err(format!("{line}: {address} is {} here and {other} in line {first}; keep one of the two", entry.name));
                }
                lines.entry(address).or_insert(line);
                addresses.entry(entry.name.clone()).or_insert(address);
            }
        }
        Ok(Self { names, addresses, sites: sites.into_iter().collect(), roles: roles.into_iter().collect() })
    }

    /// Name of the device with this address.
    pub fn name(&self, address: IpAddr) -> Option<&str> {
        self.names.get(&address.to_canonical()).map(String::as_str)
    }

    /// The first address of the device with this name.
    pub fn address(&self, name: &str) -> Option<IpAddr> {
        self.addresses.get(name).copied()
    }

    /// Place of the device with this address, else of the longest prefix that holds it.
    pub fn site(&self, address: IpAddr) -> Option<&str> {
        self.sites.of(address).map(String::as_str)
    }

    /// What the device with this address is for, else what the longest prefix that holds it is for.
    pub fn role(&self, address: IpAddr) -> Option<&str> {
        self.roles.of(address).map(String::as_str)
    }

    /// How many addresses have a name.
    pub fn named(&self) -> usize {
        self.names.len()
    }
}

/// Every line with an address, in the file's order, with its number.
///
/// # Errors
///
/// One sentence that begins with the line's number.
pub fn entries(text: &str) -> Result<Vec<(u64, Entry)>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let columns = Columns::of(reader.headers().map_err(|error| format!("1: {error}"))?)?;
    let mut entries = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("{}: {error}", error.position().map_or(1, csv::Position::line)))?;
        let line = record.position().map_or(1, csv::Position::line);
        let entry = columns.entry(&record).map_err(|problem| format!("{line}: {problem}"))?;
        entries.extend(entry.map(|entry| (line, entry)));
    }
    Ok(entries)
}

/// Where in a line things stand.
struct Columns {
    names: Vec<usize>,
    addresses: Vec<usize>,
    sites: Vec<usize>,
    roles: Vec<usize>,
}

impl Columns {
    fn of(head: &csv::StringRecord) -> Result<Self, String> {
        let head: Vec<String> = head.iter().map(|title| title.to_lowercase().replace([' ', '-'], "_")).collect();
        let of =
            |titles: &[&str]| -> Vec<usize> { titles.iter().filter_map(|title| head.iter().position(|column| column == title)).collect() };
        let columns = Self { names: of(NAME), addresses: of(ADDRESS), sites: of(SITE), roles: of(ROLE) };
        if columns.addresses.is_empty() {
            return Err(format!("1: the head line has no column for addresses; one of {}", ADDRESS.join(", ")));
        }
        if columns.names.is_empty() && columns.sites.is_empty() && columns.roles.is_empty() {
            return Err("1: the head line has none of the columns name, site and role; what is to be known of the addresses?".to_owned());
        }
        Ok(columns)
    }

    /// `None` for a line without an address: a device in a store room.
    fn entry(&self, record: &csv::StringRecord) -> Result<Option<Entry>, String> {
        let first = |columns: &[usize]| columns.iter().filter_map(|index| record.get(*index)).find(|text| !text.is_empty());
        let name = first(&self.names).unwrap_or_default().to_owned();
        let site = first(&self.sites).unwrap_or_default().to_owned();
        let role = first(&self.roles).unwrap_or_default().to_owned();
        for (what, text) in [("name", &name), ("site", &site), ("role", &role)] {
            if text.len() > MAX_BYTES || text.chars().any(char::is_control) {
                return Err(format!("{what} {text:?} cannot be used; write up to {MAX_BYTES} bytes without control characters"));
            }
        }
        let mut networks = Vec::new();
        let texts = self.addresses.iter().filter_map(|index| record.get(*index)).flat_map(|cell| cell.split([',', ';', ' ']));
        for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
            let network = network(text, !name.is_empty())?;
            if !networks.contains(&network) {
                networks.push(network);
            }
        }
        Ok((!networks.is_empty()).then_some(Entry { name, networks, site, role }))
    }
}

/// A device's address may have the length of its network behind it, which is not asked for.
fn network(text: &str, is_device: bool) -> Result<IpNet, String> {
    let wrong = || format!("address {text:?} is neither an address nor a network; write 192.0.2.1, 2001:db8::1 or 192.0.2.0/24");
    let network = match text.parse::<IpAddr>() {
        Ok(address) => IpNet::from(address.to_canonical()),
        Err(_) => text.parse::<IpNet>().map_err(|_| wrong())?,
    };
    Ok(if is_device { IpNet::from(network.addr().to_canonical()) } else { network.trunc() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[track_caller]
    fn refused(text: &str, parts: &[&str]) {
        let problem = Inventory::read(text).unwrap_err();
        for part in parts {
            assert!(problem.contains(part), "{part:?} is missing in: {problem}");
        }
    }

    #[test]
    fn devices_have_names_and_networks_have_sites() {
        let inventory = Inventory::read(
            "name,address,site\nedge1,192.0.2.1,fra1\n\"core, 1\",192.0.2.2; 2001:db8::2,\n,192.0.2.0/24,zrh1\nspare,,ams1\n",
        )
        .unwrap();
        assert_eq!(inventory.named(), 3);
        assert_eq!((inventory.name(ip("::ffff:192.0.2.1")), inventory.site(ip("192.0.2.1"))), (Some("edge1"), Some("fra1")));
        assert_eq!((inventory.name(ip("2001:db8::2")), inventory.site(ip("2001:db8::2"))), (Some("core, 1"), None));
        assert_eq!((inventory.name(ip("192.0.2.2")), inventory.site(ip("192.0.2.2"))), (Some("core, 1"), Some("zrh1")));
        assert_eq!((inventory.address("core, 1"), inventory.address("spare")), (Some(ip("192.0.2.2")), None));
        assert_eq!((inventory.name(ip("192.0.2.9")), inventory.site(ip("192.0.2.9"))), (None, Some("zrh1")));
    }

    #[test]
    fn netbox_s_exports_are_read_as_they_come() {
        let devices = "\u{feff}Name,Status,Tenant,Site,Location,Rack,Role,Manufacturer,Type,IP Address\n\
                       sw-fra-1,Active,,FRA1,,R1,Access Switch,Juniper,EX3400,10.0.0.11/24\n\
                       sw-fra-2,Offline,,FRA1,,R1,Access Switch,Juniper,EX3400,\n";
        let inventory = Inventory::read(devices).unwrap();
        assert_eq!(
            (inventory.name(ip("10.0.0.11")), inventory.site(ip("10.0.0.11")), inventory.named()),
            (Some("sw-fra-1"), Some("FRA1"), 1)
        );
        assert_eq!(inventory.role(ip("10.0.0.11")), Some("Access Switch"));
        assert_eq!(inventory.site(ip("10.0.0.12")), None, "the length behind a device's address says nothing of its neighbours");

        let prefixes = "Prefix,Status,Children,VRF,Scope,VLAN,Role,Description\n10.1.0.0/16,Active,0,,ZRH1,,Users,\n";
        let inventory = Inventory::read(prefixes).unwrap();
        assert_eq!((inventory.site(ip("10.1.2.3")), inventory.role(ip("10.1.2.3"))), (Some("ZRH1"), Some("Users")));

        let by_api = "id,name,primary_ip4,primary_ip6,site\n7,rtr1,10.0.0.1/31,2001:db8::1/64,ams1\n";
        let inventory = Inventory::read(by_api).unwrap();
        assert_eq!((inventory.name(ip("10.0.0.1")), inventory.name(ip("2001:db8::1"))), (Some("rtr1"), Some("rtr1")));
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_its_line() {
        refused("name,site\na,b\n", &["1:", "no column for addresses", "primary_ip4"]);
        refused("address,status\n192.0.2.1,x\n", &["1:", "none of the columns name, site and role"]);
        refused("name,address\na,192.0.2.1\nb,192.0.2.999\n", &["3:", "192.0.2.999", "192.0.2.0/24"]);
        refused("name,address\na,192.0.2.1\nb,192.0.2.1\n", &["3:", "192.0.2.1 is b here and a in line 2"]);
        refused("name,address\na,192.0.2.1,more\n", &["2", "fields"]);
        refused(&format!("name,address\n{},192.0.2.1\n", "x".repeat(256)), &["2:", "255"]);
    }

    #[test]
    fn the_same_line_twice_is_no_quarrel() {
        let inventory = Inventory::read("name,address\na,192.0.2.1\na,192.0.2.1/24\n").unwrap();
        assert_eq!((inventory.name(ip("192.0.2.1")), inventory.named()), (Some("a"), 1));
    }
}
