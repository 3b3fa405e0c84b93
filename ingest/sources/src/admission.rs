//! Who may hold a connection of a listener, and how many of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};

use tocsin_telemetry::Counters;

use crate::{Policies, sender_of};

/// The policy of one listener and the open connections of each sender.
#[derive(Clone, Debug)]
pub(crate) struct Admission {
    policies: Policies,
    counters: Arc<Counters>,
    /// Open connections by sender.
    senders: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection among those of its sender; ends with it.
pub(crate) struct Place {
    sender: IpAddr,
    senders: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        if let Entry::Occupied(mut open) = senders.entry(self.sender) {
            *open.get_mut() -= 1;
            if *open.get() == 0 {
                open.remove();
            }
        }
    }
}

impl Admission {
    pub(crate) fn new(policies: Policies, counters: Arc<Counters>) -> Self {
        Self { policies, counters, senders: Arc::default() }
    }

    /// A place for a connection of this peer; `None`, counted and told, where it may not have one.
    pub(crate) fn admit(&self, peer: SocketAddr) -> Option<Place> {
        let policy = self.policies.borrow();
        if !policy.admits(peer.ip()) {
            self.counters.connection_refused(&format!("{peer} closed: the listener's allow and deny do not let it in"));
            return None;
        }
        let place = self.place(sender_of(peer.ip()), policy.connections_per_sender);
        if place.is_none() {
            let problem =
                format!("{peer} closed: its sender holds {} connections, which is connections_per_sender", policy.connections_per_sender);
            self.counters.connection_refused(&problem);
        }
        place
    }

    /// A place among the connections of a sender; `None` where it has all that it may have.
    fn place(&self, sender: IpAddr, connections_per_sender: usize) -> Option<Place> {
        let mut senders = self.senders.lock().unwrap_or_else(PoisonError::into_inner);
        let open = senders.entry(sender).or_default();
        if *open >= connections_per_sender {
            return None;
        }
        *open += 1;
        Some(Place { sender, senders: Arc::clone(&self.senders) })
    }
}
