//! A captured Ethernet frame down to the UDP payload: VLAN tags (802.1Q, 802.1ad), IPv4, IPv6, UDP.
//!
//! Deliberately absent: putting IP fragments together. A DHCP packet fits into one frame on every link that is in use; a fragment is refused,
//! and so counted. Checksums are not looked at: a frame that this host sends has none yet.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use tocsin_wire::rejects::Reason;

use super::{Addresses, be_u16, truncated};
use crate::Refusal;

const ETHERNET_BYTES: usize = 14;
const VLAN_TAG_BYTES: usize = 4;
const MAX_VLAN_TAGS: usize = 2;
const IPV4_BYTES: usize = 20;
const IPV6_BYTES: usize = 40;
const UDP_BYTES: usize = 8;
const UDP: u8 = 17;

/// A UDP datagram inside a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Datagram<'a> {
    pub(super) source: SocketAddr,
    pub(super) destination: SocketAddr,
    /// Ethernet's group bit, or a broadcast or multicast address.
    pub(super) is_broadcast: bool,
    /// VLAN of the innermost tag.
    pub(super) vlan: Option<u16>,
    pub(super) payload: &'a [u8],
}

impl Datagram<'_> {
    pub(super) fn addresses(&self) -> Addresses {
        Addresses { source: self.source.ip(), destination: self.destination.ip(), is_broadcast: self.is_broadcast }
    }
}

/// Reads one frame, from the destination's hardware address on.
pub(super) fn read(frame: &[u8]) -> Result<Datagram<'_>, Refusal> {
    let is_group = frame.first().is_some_and(|byte| byte & 1 != 0);
    let mut at = ETHERNET_BYTES;
    let mut vlan = None;
    let mut ether_type = number(frame, at - 2, "an Ethernet header")?;
    for _ in 0..MAX_VLAN_TAGS {
        if !matches!(ether_type, 0x8100 | 0x88a8 | 0x9100) {
            break;
        }
        vlan = Some(number(frame, at, "a VLAN tag")? & 0x0fff);
        at += VLAN_TAG_BYTES;
        ether_type = number(frame, at - 2, "a VLAN tag")?;
    }
    let (source, destination, packet, udp_at) = match ether_type {
        0x0800 => ipv4(frame, at)?,
        0x86dd => ipv6(frame, at)?,
        other => return Err(invalid(at - 2, &format!("EtherType {other:#06x} is neither IPv4 nor IPv6"))),
    };
    let source_port = number(packet, udp_at, "a UDP header")?;
    let destination_port = number(packet, udp_at + 2, "a UDP header")?;
    let length = usize::from(number(packet, udp_at + 4, "a UDP header")?);
    if length < UDP_BYTES {
        return Err(invalid(udp_at + 4, &format!("a UDP length of {length}; the header alone has {UDP_BYTES} bytes")));
    }
    let payload = packet.get(udp_at + UDP_BYTES..udp_at + length);
    let is_broadcast = is_group
        || match destination {
            IpAddr::V4(address) => address.is_broadcast() || address.is_multicast(),
            IpAddr::V6(address) => address.is_multicast(),
        };
    Ok(Datagram {
        source: SocketAddr::new(source, source_port),
        destination: SocketAddr::new(destination, destination_port),
        is_broadcast,
        vlan,
        payload: payload.ok_or_else(|| truncated(udp_at, "a UDP datagram", length, packet.len().saturating_sub(udp_at)))?,
    })
}

/// Source, destination, the frame up to the end of the packet (short frames are padded), and where the transport header begins.
type Packet<'a> = (IpAddr, IpAddr, &'a [u8], usize);

fn ipv4(frame: &[u8], at: usize) -> Result<Packet<'_>, Refusal> {
    let header: &[u8; IPV4_BYTES] = header(frame, at, "an IPv4 header")?;
    let header_bytes = usize::from(header[0] & 15) * 4;
    if header[0] >> 4 != 4 || header_bytes < IPV4_BYTES {
        return Err(invalid(at, &format!("{:#04x} does not begin an IPv4 header", header[0])));
    }
    if header[9] != UDP {
        return Err(invalid(at + 9, &format!("protocol {} is not UDP", header[9])));
    }
    // More fragments, or an offset.
    if u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0 {
        let detail = format!("byte {}: a fragment of an IP packet; fragments are not put together", at + 6);
        return Err(Refusal::new(Reason::Truncated, detail));
    }
    let total_bytes = usize::from(u16::from_be_bytes([header[2], header[3]]));
    let packet = frame.get(..at + total_bytes).ok_or_else(|| truncated(at, "an IPv4 packet", total_bytes, frame.len() - at))?;
    let [.., s0, s1, s2, s3, d0, d1, d2, d3] = *header;
    Ok((Ipv4Addr::new(s0, s1, s2, s3).into(), Ipv4Addr::new(d0, d1, d2, d3).into(), packet, at + header_bytes))
}

fn ipv6(frame: &[u8], at: usize) -> Result<Packet<'_>, Refusal> {
    let header: &[u8; IPV6_BYTES] = header(frame, at, "an IPv6 header")?;
    if header[0] >> 4 != 6 {
        return Err(invalid(at, &format!("{:#04x} does not begin an IPv6 header", header[0])));
    }
    if header[6] != UDP {
        return Err(invalid(at + 6, &format!("next header {} is not UDP", header[6])));
    }
    let payload_bytes = usize::from(u16::from_be_bytes([header[4], header[5]]));
    let end = at + IPV6_BYTES + payload_bytes;
    let packet = frame.get(..end).ok_or_else(|| truncated(at, "an IPv6 packet", end - at, frame.len() - at))?;
    let address = |from: usize| {
        header.get(from..).and_then(|bytes| bytes.first_chunk::<16>()).map_or(Ipv6Addr::UNSPECIFIED, |octets| (*octets).into())
    };
    Ok((address(8).into(), address(24).into(), packet, at + IPV6_BYTES))
}

fn header<'a, const N: usize>(frame: &'a [u8], at: usize, what: &str) -> Result<&'a [u8; N], Refusal> {
    let rest = frame.get(at..).unwrap_or_default();
    rest.first_chunk().ok_or_else(|| truncated(at, what, N, rest.len()))
}

fn number(bytes: &[u8], at: usize, what: &str) -> Result<u16, Refusal> {
    be_u16(bytes, at).ok_or_else(|| truncated(at, what, 2, bytes.len().saturating_sub(at)))
}

fn invalid(at: usize, what: &str) -> Refusal {
    Refusal::new(Reason::InvalidValue, format!("byte {at}: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ethernet header, as many tags as given, an IPv4 header without options, UDP, payload.
    fn frame(tags: &[[u8; 4]], destination: [u8; 4], payload: &[u8]) -> Vec<u8> {
        let mut frame = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        tags.iter().for_each(|tag| frame.extend_from_slice(tag));
        frame.extend_from_slice(&[8, 0, 0x45, 0]);
        frame.extend_from_slice(&(28 + payload.len() as u16).to_be_bytes());
        frame.extend_from_slice(&[0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 9]);
        frame.extend_from_slice(&destination);
        frame.extend_from_slice(&[0, 68, 0, 67]);
        frame.extend_from_slice(&(8 + payload.len() as u16).to_be_bytes());
        frame.extend_from_slice(&[0, 0]);
        frame.extend_from_slice(payload);
        frame
    }

    fn detail(frame: &[u8]) -> String {
        read(frame).unwrap_err().detail
    }

    #[test]
    fn a_payload_is_found_behind_no_one_and_two_vlan_tags() {
        let tags = [[0x88, 0xa8, 0, 7], [0x81, 0, 0xe0, 20]];
        for (tags, vlan) in [(&tags[..0], None), (&tags[1..], Some(20)), (&tags[..], Some(20))] {
            let bytes = frame(tags, [10, 0, 0, 1], b"hello");
            let datagram = read(&bytes).unwrap();
            assert_eq!((datagram.payload, datagram.vlan, datagram.is_broadcast), (&b"hello"[..], vlan, false));
            assert_eq!(
                (datagram.source.to_string(), datagram.destination.to_string()),
                ("10.0.0.9:68".to_owned(), "10.0.0.1:67".to_owned())
            );
        }
    }

    #[test]
    fn what_pads_a_short_frame_is_not_payload() {
        let mut bytes = frame(&[], [10, 0, 0, 1], b"hello");
        bytes.extend_from_slice(&[0; 13]);
        assert_eq!(read(&bytes).unwrap().payload, b"hello");
    }

    #[test]
    fn a_broadcast_is_told_by_its_ip_address_or_its_hardware_address() {
        assert!(read(&frame(&[], [255, 255, 255, 255], b"")).unwrap().is_broadcast);
        let mut bytes = frame(&[], [10, 0, 0, 255], b"");
        bytes[..6].fill(0xff);
        assert!(read(&bytes).unwrap().is_broadcast);
    }

    #[test]
    fn a_fragment_is_refused_with_its_place() {
        let mut bytes = frame(&[], [10, 0, 0, 1], b"hello");
        bytes[20] = 0x20;
        assert!(detail(&bytes).starts_with("byte 20: a fragment"), "{}", detail(&bytes));
    }

    #[test]
    fn every_cut_of_a_frame_is_refused_and_none_panics() {
        let bytes = frame(&[[0x81, 0, 0, 20]], [10, 0, 0, 1], b"hello");
        for end in 0..bytes.len() {
            assert!(detail(&bytes[..end]).starts_with("byte "), "{end}");
        }
    }

    #[test]
    fn what_is_no_udp_over_ip_is_refused() {
        for (at, value) in [(12, 0x99), (14, 0x65), (23, 6), (39, 3)] {
            let mut bytes = frame(&[], [10, 0, 0, 1], b"hello");
            bytes[at] = value;
            assert_eq!(read(&bytes).unwrap_err().reason, Reason::InvalidValue, "byte {at}");
        }
    }
}
