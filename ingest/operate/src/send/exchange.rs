//! An exchange of many clients: one line of an events file becomes the DHCP packets of each of them. Pure.
//!
//! ```json
//! {"offset_ms": 0, "exchange": {"messages": ["discover", "offer", "select", "ack"], "mac": "02:10:00:00:00:00", "ip": "10.20.0.10",
//!  "server": "10.20.255.1", "relay": "10.20.0.1", "clients": 500, "every_ms": 2, "gap_ms": 0.5}}
//! ```

use std::net::Ipv4Addr;
use std::time::Duration;

use serde::Deserialize;

use super::dhcp::{Packet, State, Type};

const MAX_CLIENTS: u32 = 1_000_000;

/// What the clients do, and how they follow each other.
#[derive(Deserialize, Debug, Clone)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    messages: Vec<Message>,
    /// Of the first client; each next one has the next MAC, address and transaction.
    mac: String,
    ip: Option<Ipv4Addr>,
    #[serde(default = "one")]
    xid: u32,
    server: Ipv4Addr,
    relay: Option<Ipv4Addr>,
    router: Option<Ipv4Addr>,
    circuit_id: Option<String>,
    remote_id: Option<String>,
    #[serde(default = "usual_lease")]
    lease_seconds: u32,
    #[serde(default = "usual_prefix")]
    prefix_length: u8,
    #[serde(default = "one")]
    clients: u32,
    /// From one client to the next.
    #[serde(default)]
    every_ms: f64,
    /// From one message of a client to the next.
    #[serde(default)]
    gap_ms: f64,
}

fn one() -> u32 {
    1
}

fn usual_lease() -> u32 {
    3600
}

fn usual_prefix() -> u8 {
    24
}

/// A message, with the state of the client that sends a request.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
enum Message {
    Discover,
    Offer,
    Select,
    Reboot,
    Renew,
    Rebind,
    Decline,
    Ack,
    Nak,
    Release,
}

impl Message {
    fn message_type(self) -> Type {
        match self {
            Self::Discover => Type::Discover,
            Self::Offer => Type::Offer,
            Self::Select | Self::Reboot | Self::Renew | Self::Rebind => Type::Request,
            Self::Decline => Type::Decline,
            Self::Ack => Type::Ack,
            Self::Nak => Type::Nak,
            Self::Release => Type::Release,
        }
    }

    fn state(self) -> Option<State> {
        match self {
            Self::Select => Some(State::Selecting),
            Self::Reboot => Some(State::InitReboot),
            Self::Renew => Some(State::Renewing),
            Self::Rebind => Some(State::Rebinding),
            _ => None,
        }
    }

    fn gives_address(self) -> bool {
        matches!(self, Self::Offer | Self::Ack)
    }

    fn names_server(self) -> bool {
        !matches!(self, Self::Discover | Self::Reboot)
    }

    /// Goes straight to the server, past the relay.
    fn is_unicast(self) -> bool {
        matches!(self, Self::Renew | Self::Release)
    }
}

impl Exchange {
    /// Every packet with its time after the line's own, in the order of time.
    pub fn packets(&self) -> Result<Vec<(Duration, Vec<u8>)>, String> {
        if self.messages.is_empty() || self.clients == 0 || self.clients > MAX_CLIENTS {
            return Err(format!("exchange: needs messages and 1 to {MAX_CLIENTS} clients"));
        }
        let first_mac = u64::from_str_radix(&self.mac.replace(':', ""), 16)
            .ok()
            .filter(|_| self.mac.len() == 17)
            .ok_or_else(|| format!("exchange: mac {:?} is not six bytes such as 02:00:00:00:00:01", self.mac))?;
        let wait = |ms: f64| Duration::try_from_secs_f64(ms / 1000.0).map_err(|_| format!("exchange: {ms} ms is not a pause"));
        let (every, gap) = (wait(self.every_ms)?, wait(self.gap_ms)?);
        let mut packets = Vec::with_capacity(self.clients as usize * self.messages.len());
        for client in 0..self.clients {
            for (step, message) in (0u32..).zip(&self.messages) {
                packets.push((every * client + gap * step, self.packet(*message, client, first_mac).bytes()?));
            }
        }
        packets.sort_by_key(|(offset, _)| *offset);
        Ok(packets)
    }

    fn packet(&self, message: Message, client: u32, first_mac: u64) -> Packet {
        let mac = (first_mac + u64::from(client)).to_be_bytes()[2..].iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().join(":");
        let is_offer = message.gives_address();
        let relay = self.relay.filter(|_| !message.is_unicast());
        Packet {
            state: message.state(),
            ip: self.ip.filter(|_| message != Message::Discover).map(|ip| Ipv4Addr::from_bits(ip.to_bits().wrapping_add(client))),
            server: Some(self.server).filter(|_| message.names_server()),
            relay,
            circuit_id: self.circuit_id.clone().filter(|_| relay.is_some()),
            remote_id: self.remote_id.clone().filter(|_| relay.is_some()),
            lease_seconds: Some(self.lease_seconds).filter(|_| is_offer),
            router: self.router.or(self.relay).filter(|_| is_offer),
            prefix_length: Some(self.prefix_length).filter(|_| is_offer),
            xid: Some(self.xid.wrapping_add(client)),
            ..Packet::new(message.message_type(), mac)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn exchange(change: &serde_json::Value) -> Exchange {
        let mut line = json!({"messages": ["discover", "offer", "select", "ack"], "mac": "02:10:00:00:00:fe", "ip": "10.20.0.10",
            "server": "10.20.255.1", "relay": "10.20.0.1", "circuit_id": "ge-0/0/7", "clients": 3, "every_ms": 10, "gap_ms": 4});
        line.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        serde_json::from_value(line).unwrap()
    }

    #[test]
    fn clients_follow_each_other_with_macs_addresses_and_transactions_of_their_own() {
        let packets = exchange(&json!({})).packets().unwrap();
        assert_eq!(packets.len(), 12);
        assert!(packets.is_sorted_by_key(|(offset, _)| *offset));
        let acks: Vec<&[u8]> = packets.iter().map(|(_, packet)| packet.as_slice()).filter(|packet| packet[242] == 5).collect();
        assert_eq!(acks[2][28..34], [2, 0x10, 0, 0, 1, 0]);
        assert_eq!(acks[2][16..20], [10, 20, 0, 12]);
        assert_eq!(acks[2][4..8], [0, 0, 0, 3]);
    }

    #[test]
    fn a_renewal_goes_past_the_relay_and_a_rebind_through_it() {
        let packets = exchange(&json!({"messages": ["renew", "rebind"], "clients": 1})).packets().unwrap();
        assert_eq!(packets[0].1[24..28], [0; 4]);
        assert_eq!(packets[1].1[24..28], [10, 20, 0, 1]);
        assert_eq!((&packets[0].1[12..16], packets[1].0), (&[10, 20, 0, 10][..], Duration::from_millis(4)));
    }

    #[test]
    fn what_makes_no_packet_is_refused() {
        for change in [json!({"mac": "02-10"}), json!({"clients": 0}), json!({"every_ms": -1}), json!({"prefix_length": 33})] {
            assert!(exchange(&change).packets().is_err(), "{change}");
        }
    }
}
