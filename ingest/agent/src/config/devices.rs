//! `devices` in the agent's config.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};
use tocsin_names::{InventoryFile, Learned, Names, Source};

use super::check_site;
use crate::aliases::Aliases;
use crate::time_zones::TimeZones;

/// What is known about devices.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct DevicesConfig {
    /// Names of devices whose messages carry none, by address.
    pub names: BTreeMap<IpAddr, String>,
    /// A list of devices and networks, CSV, watched.
    pub inventory: Option<PathBuf>,
    /// Who is asked for the name of an address, first to last.
    pub order: Vec<Source>,
    /// Sites of networks: the longest prefix that holds the relay or the lease of DHCP, or the sender of anything else but alert updates, goes before
    /// the inventory, and that before the site of the listener. What the agent asks by itself has its own site first.
    pub sites: BTreeMap<IpNet, String>,
    /// Roles of networks, likewise: what the devices in them are for.
    pub roles: BTreeMap<IpNet, String>,
    /// Other names of devices, and the one that is meant; `*` in both stands for the part that is kept.
    pub aliases: BTreeMap<String, String>,
    /// Zones of the IANA database by device, as it calls itself, or by network of the sender: of clocks that tell local time without its zone.
    pub time_zones: BTreeMap<String, String>,
}

impl Default for DevicesConfig {
    /// What strangers say of themselves, to DHCP or in DNS, is asked only where somebody wants it.
    fn default() -> Self {
        Self {
            names: BTreeMap::new(),
            inventory: None,
            order: vec![Source::Names, Source::Inventory, Source::Snmp],
            sites: BTreeMap::new(),
            roles: BTreeMap::new(),
            aliases: BTreeMap::new(),
            time_zones: BTreeMap::new(),
        }
    }
}

impl DevicesConfig {
    /// A path is meant from the config file's folder on.
    pub(super) fn stand_beside(&mut self, folder: &Path) {
        self.inventory = self.inventory.as_ref().map(|path| folder.join(path));
    }

    /// Names of addresses by this config.
    ///
    /// # Errors
    ///
    /// Where the inventory cannot be read.
    pub(crate) fn names(&self, learned: Arc<Learned>) -> Result<Names, String> {
        let open = |path: &PathBuf| InventoryFile::open(path).map(Arc::new);
        let inventory = self.inventory.as_ref().map(open).transpose().map_err(|problem| format!("devices.inventory: {problem}"))?;
        Ok(Names::new(&self.order, self.names.clone(), inventory, learned))
    }

    /// What is wrong with the values, one sentence that names key and remedy.
    pub(super) fn check(&self) -> Result<(), String> {
        for (network, site) in &self.sites {
            check_site(&format!("site of network {network}"), site)?;
        }
        for (network, role) in &self.roles {
            check_site(&format!("role of network {network}"), role)?;
        }
        for (alias, name) in &self.aliases {
            Aliases::check(alias, name)?;
            check_site(&format!("devices.aliases: name of {alias}"), name)?;
        }
        if let Some((index, source)) = self.order.iter().enumerate().find(|(index, source)| self.order[..*index].contains(source)) {
            return Err(format!("devices.order has {source:?} twice, at first and as number {}; name each source once", index + 1));
        }
        self.names(Arc::default())?;
        TimeZones::of(&self.time_zones).map(drop)
    }
}
