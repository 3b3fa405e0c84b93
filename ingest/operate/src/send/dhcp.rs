//! DHCP packets of version 4 as clients, servers and relays would send them, from the few words of an events file.
//!
//! ```json
//! {"offset_ms": 0, "dhcp": {"type": "discover", "mac": "02:00:00:00:00:01", "relay": "10.20.0.1", "circuit_id": "Gi1/0/7"}}
//! {"offset_ms": 9, "dhcp": {"type": "ack", "mac": "02:00:00:00:00:01", "ip": "10.20.0.9", "server": "10.0.0.1", "lease_seconds": 60}}
//! ```
//! The packets are BOOTP as RFC 2131 says, 300 bytes or more. A server's OFFER, ACK or NAK goes to the same listener, as a mirror would bring it.

use std::net::Ipv4Addr;

use serde::Deserialize;

/// The least length of a BOOTP message (RFC 951): shorter ones are padded.
const MIN_BYTES: usize = 300;
const BROADCAST_FLAG: u16 = 0x8000;
const MAX_OPTION_BYTES: usize = 255;

/// DHCP message types of RFC 2132 9.6, by their numbers.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Type {
    /// Looks for servers.
    Discover = 1,
    /// A server's answer to it.
    Offer = 2,
    /// Asks for an address; `state` says why.
    Request = 3,
    /// The address is in use by somebody else.
    Decline = 4,
    /// The lease is given or extended.
    Ack = 5,
    /// It is not.
    Nak = 6,
    /// The address is given back.
    Release = 7,
    /// Asks for parameters alone.
    Inform = 8,
}

/// State of a client that sends a request, RFC 2131 4.3.2.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Answers an offer: names server and address.
    Selecting,
    /// Has restarted: names its old address.
    InitReboot,
    /// Uses the address and asks its server by unicast.
    Renewing,
    /// Uses the address and asks everybody by broadcast.
    Rebinding,
}

/// One packet. `type` and `mac` must be given; a field that is left away is zero or absent in the packet.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Packet {
    /// What it is.
    #[serde(rename = "type")]
    pub message_type: Type,
    /// Hardware address, six bytes with colons.
    pub mac: String,
    /// Of a request: selecting where a server is named, else init_reboot.
    pub state: Option<State>,
    /// The address it is about: yiaddr of a reply, option 50 or ciaddr of a client, as the state wants it.
    pub ip: Option<Ipv4Addr>,
    /// Server identifier.
    pub server: Option<Ipv4Addr>,
    /// Relay that passes it on (giaddr).
    pub relay: Option<Ipv4Addr>,
    /// Circuit id of option 82.
    pub circuit_id: Option<String>,
    /// Remote id of option 82.
    pub remote_id: Option<String>,
    /// Host name.
    pub hostname: Option<String>,
    /// Lease time.
    pub lease_seconds: Option<u32>,
    /// T1.
    pub renewal_seconds: Option<u32>,
    /// T2.
    pub rebinding_seconds: Option<u32>,
    /// First router.
    pub router: Option<Ipv4Addr>,
    /// Of the subnet mask, 0 to 32.
    pub prefix_length: Option<u8>,
    /// Vendor class.
    pub vendor_class: Option<String>,
    /// Parameter request list, numbers with commas.
    pub fingerprint: Option<String>,
    /// Option 56: a server's or client's words.
    pub message: Option<String>,
    /// Transaction; by default the last four bytes of `mac`, so that an exchange of one client belongs together.
    pub xid: Option<u32>,
    /// How long the client has been trying.
    #[serde(default)]
    pub elapsed_seconds: u16,
    /// The broadcast flag; set by itself for state rebinding without a relay.
    #[serde(default)]
    pub broadcast: bool,
}

impl Packet {
    /// A packet of this type and client with nothing else.
    pub fn new(message_type: Type, mac: String) -> Self {
        Self {
            message_type,
            mac,
            state: None,
            ip: None,
            server: None,
            relay: None,
            circuit_id: None,
            remote_id: None,
            hostname: None,
            lease_seconds: None,
            renewal_seconds: None,
            rebinding_seconds: None,
            router: None,
            prefix_length: None,
            vendor_class: None,
            fingerprint: None,
            message: None,
            xid: None,
            elapsed_seconds: 0,
            broadcast: false,
        }
    }

    /// The bytes from the op byte on; the error says which field cannot be sent.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let mac = hardware_address(&self.mac)?;
        let is_reply = matches!(self.message_type, Type::Offer | Type::Ack | Type::Nak);
        let state = self.state()?;
        let uses_address =
            matches!(self.message_type, Type::Release | Type::Inform) || matches!(state, Some(State::Renewing | State::Rebinding));
        let flag = self.broadcast || (state == Some(State::Rebinding) && self.relay.is_none());
        let mut packet = Vec::with_capacity(MIN_BYTES);
        packet.extend_from_slice(&[if is_reply { 2 } else { 1 }, 1, 6, u8::from(self.relay.is_some())]);
        packet.extend_from_slice(&self.xid.unwrap_or(u32::from_be_bytes([mac[2], mac[3], mac[4], mac[5]])).to_be_bytes());
        packet.extend_from_slice(&self.elapsed_seconds.to_be_bytes());
        packet.extend_from_slice(&(if flag { BROADCAST_FLAG } else { 0 }).to_be_bytes());
        let address = |is_here: bool| self.ip.filter(|_| is_here).unwrap_or(Ipv4Addr::UNSPECIFIED).octets();
        packet.extend_from_slice(&address(uses_address));
        packet.extend_from_slice(&address(is_reply));
        packet.extend_from_slice(&[0; 4]);
        packet.extend_from_slice(&self.relay.unwrap_or(Ipv4Addr::UNSPECIFIED).octets());
        packet.extend_from_slice(&mac);
        packet.resize(236, 0);
        packet.extend_from_slice(&[99, 130, 83, 99]);
        self.write_options(!is_reply && !uses_address, &mut packet)?;
        packet.push(255);
        packet.resize(packet.len().max(MIN_BYTES), 0);
        Ok(packet)
    }

    fn state(&self) -> Result<Option<State>, String> {
        match (self.message_type, self.state) {
            (Type::Request, Some(State::Renewing | State::Rebinding)) if self.ip.is_none() => {
                Err("dhcp: a client that renews or rebinds uses an address; add ip".to_owned())
            }
            (Type::Request, Some(state)) => Ok(Some(state)),
            (Type::Request, None) => Ok(Some(if self.server.is_some() { State::Selecting } else { State::InitReboot })),
            (_, None) => Ok(None),
            (_, Some(_)) => Err("dhcp: state is for type request".to_owned()),
        }
    }

    fn write_options(&self, wants_address: bool, packet: &mut Vec<u8>) -> Result<(), String> {
        let mut option = |code: u8, value: &[u8]| {
            let length = u8::try_from(value.len()).map_err(|_| format!("dhcp: option {code} has more than {MAX_OPTION_BYTES} bytes"))?;
            packet.extend_from_slice(&[code, length]);
            packet.extend_from_slice(value);
            Ok::<(), String>(())
        };
        option(53, &[self.message_type as u8])?;
        let asked = self.ip.filter(|_| wants_address).map(|ip| ip.octets().to_vec());
        // A client that renews or rebinds must not name the server (RFC 2131 4.3.2).
        let is_renewal = matches!(self.state, Some(State::Renewing | State::Rebinding));
        let number = |value: Option<u32>| value.map(|value| value.to_be_bytes().to_vec());
        let text = |value: &Option<String>| value.as_ref().map(|value| value.clone().into_bytes());
        let options = [
            (1, self.prefix_length.map(mask).transpose()?),
            (3, self.router.map(|router| router.octets().to_vec())),
            (12, text(&self.hostname)),
            (50, asked),
            (51, number(self.lease_seconds)),
            (54, self.server.filter(|_| !is_renewal).map(|server| server.octets().to_vec())),
            (55, self.fingerprint.as_deref().map(parameter_list).transpose()?),
            (56, text(&self.message)),
            (58, number(self.renewal_seconds)),
            (59, number(self.rebinding_seconds)),
            (60, text(&self.vendor_class)),
            (82, self.relay_agent()?),
        ];
        options.into_iter().filter_map(|(code, value)| Some((code, value?))).try_for_each(|(code, value)| option(code, &value))
    }

    fn relay_agent(&self) -> Result<Option<Vec<u8>>, String> {
        let mut value = Vec::new();
        for (code, id) in [(1, &self.circuit_id), (2, &self.remote_id)] {
            if let Some(id) = id {
                let length = u8::try_from(id.len()).map_err(|_| "dhcp: circuit_id or remote_id has more than 255 bytes".to_owned())?;
                value.extend_from_slice(&[code, length]);
                value.extend_from_slice(id.as_bytes());
            }
        }
        Ok(Some(value).filter(|value| !value.is_empty()))
    }
}

fn hardware_address(text: &str) -> Result<[u8; 6], String> {
    let bytes: Option<Vec<u8>> =
        text.split(':').map(|part| if part.len() == 2 { u8::from_str_radix(part, 16).ok() } else { None }).collect();
    bytes
        .and_then(|bytes| <[u8; 6]>::try_from(bytes).ok())
        .ok_or_else(|| format!("dhcp: mac {text:?} is not six bytes such as 02:00:00:00:00:01"))
}

fn mask(prefix_length: u8) -> Result<Vec<u8>, String> {
    if prefix_length > 32 {
        return Err(format!("dhcp: prefix_length {prefix_length} is more than 32"));
    }
    let mask = u32::MAX.checked_shl(32 - u32::from(prefix_length)).unwrap_or(0);
    Ok(mask.to_be_bytes().to_vec())
}

fn parameter_list(text: &str) -> Result<Vec<u8>, String> {
    let numbers: Result<Vec<u8>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    numbers.map_err(|_| format!("dhcp: fingerprint {text:?} is not a list of numbers below 256 with commas"))
}

/// Packet `index` of made-up load: `clients` clients take turns, and each lives on from DISCOVER over OFFER, REQUEST and ACK to renewals, of
/// which every third is a rebind, each with its ACK.
pub fn generated(index: u64, clients: u32) -> Packet {
    const SERVER: Ipv4Addr = Ipv4Addr::new(10, 0, 0, 1);
    let (client, step) = ((index % u64::from(clients)) as u32, index / u64::from(clients));
    let [a, b, c, d] = client.to_be_bytes();
    let mac = format!("02:00:{a:02x}:{b:02x}:{c:02x}:{d:02x}");
    let (message_type, state) = match step {
        0 => (Type::Discover, None),
        1 => (Type::Offer, None),
        2 => (Type::Request, Some(State::Selecting)),
        3 => (Type::Ack, None),
        later => match (later - 4) % 6 {
            0 | 2 => (Type::Request, Some(State::Renewing)),
            4 => (Type::Request, Some(State::Rebinding)),
            _ => (Type::Ack, None),
        },
    };
    let is_reply = matches!(message_type, Type::Offer | Type::Ack);
    // One transaction an exchange: the first four steps, then two at a time.
    let exchange = if step < 4 { 0 } else { (step - 2) / 2 };
    Packet {
        state,
        ip: (message_type != Type::Discover).then(|| Ipv4Addr::from_bits(0x0a10_0000 | (client & 0x000f_ffff))),
        server: (message_type != Type::Discover).then_some(SERVER),
        lease_seconds: is_reply.then_some(60),
        relay: (state == Some(State::Rebinding) || step < 3).then_some(Ipv4Addr::new(10, 16, 0, 1)),
        circuit_id: (step == 0).then(|| format!("ge-0/0/{}", client % 48)),
        hostname: (step == 0).then(|| format!("gen-{client:06}")),
        xid: Some(client.wrapping_mul(0x9e37_79b1).wrapping_add(exchange as u32)),
        ..Packet::new(message_type, mac)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(json: &str) -> Result<Vec<u8>, String> {
        serde_json::from_str::<Packet>(json).unwrap().bytes()
    }

    fn option(packet: &[u8], wanted: u8) -> Option<Vec<u8>> {
        let mut at = 240;
        while packet[at] != 255 {
            let value = at + 2..at + 2 + usize::from(packet[at + 1]);
            if packet[at] == wanted {
                return Some(packet[value].to_vec());
            }
            at = value.end;
        }
        None
    }

    #[test]
    fn a_discover_through_a_relay_has_the_fields_of_rfc_2131() {
        let packet =
            bytes(r#"{"type":"discover","mac":"02:00:00:00:00:07","relay":"10.20.0.1","circuit_id":"Gi1/0/7","remote_id":"sw","xid":9}"#)
                .unwrap();
        assert_eq!((packet.len(), &packet[..8]), (300, &[1, 1, 6, 1, 0, 0, 0, 9][..]));
        assert_eq!(
            (&packet[24..28], &packet[28..34], &packet[236..240]),
            (&[10, 20, 0, 1][..], &[2, 0, 0, 0, 0, 7][..], &[99, 130, 83, 99][..])
        );
        assert_eq!((option(&packet, 53), option(&packet, 50)), (Some(vec![1]), None));
        assert_eq!(option(&packet, 82), Some(b"\x01\x07Gi1/0/7\x02\x02sw".to_vec()));
    }

    #[test]
    fn the_state_of_a_request_decides_where_its_address_stands() {
        let request = |state: &str| {
            bytes(&format!(r#"{{"type":"request","mac":"02:00:00:00:00:07","ip":"10.0.0.9","server":"10.0.0.1"{state}}}"#)).unwrap()
        };
        for (state, ciaddr, asked, server, flag) in [
            ("", 0, true, true, 0),
            (r#","state":"init_reboot""#, 0, true, true, 0),
            (r#","state":"renewing""#, 9, false, false, 0),
            (r#","state":"rebinding""#, 9, false, false, 0x80),
            (r#","state":"rebinding","relay":"10.0.0.254""#, 9, false, false, 0),
        ] {
            let packet = request(state);
            let seen = (packet[15], option(&packet, 50).is_some(), option(&packet, 54).is_some(), packet[10]);
            assert_eq!(seen, (ciaddr, asked, server, flag), "{state}");
        }
    }

    #[test]
    fn a_server_s_reply_has_op_2_and_its_lease() {
        let packet = bytes(
            r#"{"type":"ack","mac":"02:00:00:00:00:07","ip":"10.0.0.9","server":"10.0.0.1","lease_seconds":60,"prefix_length":20,"router":"10.0.0.254"}"#,
        )
        .unwrap();
        assert_eq!((packet[0], &packet[16..20]), (2, &[10, 0, 0, 9][..]));
        assert_eq!((option(&packet, 51), option(&packet, 1)), (Some(vec![0, 0, 0, 60]), Some(vec![255, 255, 240, 0])));
    }

    #[test]
    fn what_cannot_be_sent_is_refused_by_name() {
        for (json, part) in [
            (r#"{"type":"ack","mac":"02:00"}"#, "mac"),
            (r#"{"type":"ack","mac":"02:00:00:00:00:07","prefix_length":33}"#, "prefix_length"),
            (r#"{"type":"ack","mac":"02:00:00:00:00:07","state":"renewing"}"#, "state"),
            (r#"{"type":"request","mac":"02:00:00:00:00:07","state":"renewing"}"#, "ip"),
            (r#"{"type":"discover","mac":"02:00:00:00:00:07","fingerprint":"1,x"}"#, "fingerprint"),
        ] {
            assert!(bytes(json).unwrap_err().contains(part), "{json}");
        }
        assert!(serde_json::from_str::<Packet>(r#"{"type":"ack","mac":"","ipp":1}"#).is_err());
    }

    #[test]
    fn generated_clients_live_from_discover_to_renewals_and_a_rebind() {
        let life: Vec<_> = (0..10).map(|step| generated(step * 3 + 1, 3)).collect();
        let states: Vec<_> = life.iter().filter_map(|packet| packet.state).collect();
        assert_eq!(states, [State::Selecting, State::Renewing, State::Renewing, State::Rebinding]);
        assert!(life.iter().all(|packet| packet.mac == "02:00:00:00:00:01" && packet.bytes().is_ok()));
        let transactions: std::collections::BTreeSet<_> = life.iter().map(|packet| packet.xid).collect();
        assert_eq!(transactions.len(), 4);
    }
}
