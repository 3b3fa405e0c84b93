//! What every source of the agent needs to make events and to publish them.

use std::net::IpAddr;
use std::sync::Arc;

use tocsin_names::Names;
use tocsin_publish::Publisher;
use tocsin_snmp::Receiver;
use tocsin_wire::events::Event;
use tocsin_wire::{Body, EventSource, Origin};

use crate::aliases::Aliases;
use crate::places::Places;
use crate::time_zones::TimeZones;

/// What parsers, pollers and probers share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) events: Arc<EventSource>,
    pub(crate) publisher: Arc<dyn Publisher>,
    /// Names of addresses.
    pub(crate) names: Names,
    /// Sites and roles by network.
    pub(crate) places: Arc<Places>,
    /// The agent's own site, which is that of devices of which nobody says another.
    pub(crate) site: Arc<str>,
    /// Other names of devices.
    pub(crate) aliases: Arc<Aliases>,
    /// Zones of clocks that tell none.
    pub(crate) time_zones: Arc<TimeZones>,
    /// Reads notifications; knows their senders.
    pub(crate) snmp: Arc<Receiver>,
}

impl Shared {
    /// An event of a device that the agent asks by itself. Its site is the one that the config gives it, which `origin` has, else that of its
    /// network, else the agent's.
    ///
    /// `address`: as in [`Places::of_asked`].
    pub(crate) fn asked(
        &self,
        origin: &Origin,
        device: &str,
        address: Option<IpAddr>,
        asked_at_unix_nanos: Option<u64>,
        body: Body,
    ) -> Event {
        let place = self.places.of_asked(device, address);
        let mut event = self.events.event(origin, Some(device.to_owned()), asked_at_unix_nanos, body, |_| None);
        if event.site.is_empty() {
            event.site = place.site.unwrap_or_else(|| self.site.to_string());
        }
        event.role = place.role.unwrap_or_default();
        event
    }
}
