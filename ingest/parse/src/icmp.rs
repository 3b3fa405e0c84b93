//! ICMP and ICMPv6 echo (RFC 792, RFC 4443 section 4): the packets of a probe, and who an answer belongs to.
//!
//! The payload names the probe, because the 16-bit sequence number of a busy prober comes round within seconds: the run that asked, then the
//! number of the probe.

/// Bytes of an echo message as `ping` sends it: a header of 8 and a payload of 56, so that both take the same time on a slow link.
pub const ECHO_BYTES: usize = 64;
const HEADER_BYTES: usize = 8;
const PROBE_BYTES: usize = 24;

/// Which ICMP is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// ICMP over IPv4.
    V4,
    /// ICMPv6.
    V6,
}

impl Family {
    const fn request_type(self) -> u8 {
        match self {
            Self::V4 => 8,
            Self::V6 => 128,
        }
    }

    const fn reply_type(self) -> u8 {
        match self {
            Self::V4 => 0,
            Self::V6 => 129,
        }
    }
}

/// What an echo request asks with and its reply brings back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Echo {
    /// Tells one asking process from another; an unprivileged socket gets its own from the kernel.
    pub identifier: u16,
    /// Tells one request of an identifier from another.
    pub sequence: u16,
    /// Which probe it is; `None` where the payload is cut off, as routers may in an error message.
    pub probe: Option<ProbeNumber>,
}

/// Names one probe of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeNumber {
    /// Drawn at random when the prober starts.
    pub run: u64,
    /// Counts the probes of the run.
    pub number: u64,
}

/// An echo request. The checksum is there for IPv4; the kernel fills in that of ICMPv6, which covers addresses.
pub fn request(family: Family, identifier: u16, sequence: u16, probe: ProbeNumber) -> [u8; ECHO_BYTES] {
    let mut packet = [0_u8; ECHO_BYTES];
    packet[0] = family.request_type();
    packet[4..6].copy_from_slice(&identifier.to_be_bytes());
    packet[6..8].copy_from_slice(&sequence.to_be_bytes());
    packet[8..16].copy_from_slice(&probe.run.to_be_bytes());
    packet[16..24].copy_from_slice(&probe.number.to_be_bytes());
    for (byte, value) in packet[PROBE_BYTES..].iter_mut().zip(0..) {
        *byte = value;
    }
    if family == Family::V4 {
        let checksum = checksum(&packet);
        packet[2..4].copy_from_slice(&checksum.to_be_bytes());
    }
    packet
}

/// Reads an echo reply that begins with its ICMP header. `None`: something else, or damaged.
pub fn reply(family: Family, packet: &[u8]) -> Option<Echo> {
    // The kernel has verified ICMPv6, but hands IPv4 to a raw socket before it looks at it.
    if family == Family::V4 && checksum(packet) != 0 {
        return None;
    }
    echo(family.reply_type(), packet)
}

/// Reads the beginning of an own request that came back inside an ICMP error.
pub fn returned_request(family: Family, packet: &[u8]) -> Option<Echo> {
    echo(family.request_type(), packet)
}

/// What follows the IPv4 header (RFC 791), which a raw socket shows and an unprivileged one does not.
pub fn after_ipv4_header(packet: &[u8]) -> Option<&[u8]> {
    let first = *packet.first()?;
    let header_bytes = usize::from(first & 0x0f) * 4;
    if first >> 4 == 4 && header_bytes >= 20 { packet.get(header_bytes..) } else { None }
}

/// Why a router or host says that a packet cannot get there; `None` for messages that do not mean so.
pub fn unreachable_reason(family: Family, kind: u8, code: u8) -> Option<&'static str> {
    match (family, kind, code) {
        (Family::V4, 3, 0) | (Family::V6, 1, 0) => Some("no route to the network"),
        (Family::V4, 3, 1) | (Family::V6, 1, 3) => Some("host unreachable"),
        (Family::V4, 3, 2) => Some("protocol unreachable"),
        (Family::V4, 3, 3) | (Family::V6, 1, 4) => Some("port unreachable"),
        (Family::V4, 3, 9 | 10 | 13) | (Family::V6, 1, 1) => Some("prohibited by a filter"),
        (Family::V4, 3, 4) => None,
        (Family::V4, 3, _) | (Family::V6, 1, _) => Some("destination unreachable"),
        (Family::V4, 11, _) | (Family::V6, 3, _) => Some("time to live exceeded on the way; look for a routing loop"),
        _ => None,
    }
}

fn echo(kind: u8, packet: &[u8]) -> Option<Echo> {
    let header = packet.get(..HEADER_BYTES)?;
    if header[0] != kind || header[1] != 0 {
        return None;
    }
    let number = |at: usize| packet.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_be_bytes);
    let probe = number(8).zip(number(16)).map(|(run, number)| ProbeNumber { run, number });
    Some(Echo { identifier: u16::from_be_bytes([header[4], header[5]]), sequence: u16::from_be_bytes([header[6], header[7]]), probe })
}

/// The Internet checksum (RFC 1071); 0 over a message that carries its own.
fn checksum(bytes: &[u8]) -> u16 {
    let words = bytes.chunks(2).map(|pair| u64::from(u16::from_be_bytes([pair[0], pair.get(1).copied().unwrap_or(0)])));
    let mut sum: u64 = words.sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROBE: ProbeNumber = ProbeNumber { run: 0x0123_4567_89ab_cdef, number: 70_000 };

    fn reply_to(family: Family) -> [u8; ECHO_BYTES] {
        let mut packet = request(family, 0x1234, 7, PROBE);
        packet[0] = family.reply_type();
        packet[2..4].fill(0);
        let checksum = checksum(&packet);
        packet[2..4].copy_from_slice(&checksum.to_be_bytes());
        packet
    }

    #[test]
    fn a_reply_names_the_probe_that_asked() {
        for family in [Family::V4, Family::V6] {
            let echo = Echo { identifier: 0x1234, sequence: 7, probe: Some(PROBE) };
            assert_eq!(reply(family, &reply_to(family)), Some(echo), "{family:?}");
            assert_eq!(returned_request(family, &request(family, 0x1234, 7, PROBE)), Some(echo), "{family:?}");
        }
    }

    #[test]
    fn the_checksum_is_that_of_rfc_1071() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
        assert_eq!(checksum(&request(Family::V4, 1, 2, PROBE)), 0);
        assert_eq!(checksum(&[0xff]), !0xff00, "an odd last byte is the high one");
    }

    #[test]
    fn a_damaged_reply_a_request_and_a_stub_are_no_replies() {
        let mut damaged = reply_to(Family::V4);
        damaged[40] ^= 1;
        assert_eq!(reply(Family::V4, &damaged), None);
        assert_eq!(reply(Family::V4, &request(Family::V4, 1, 1, PROBE)), None);
        assert_eq!(reply(Family::V6, &[129, 0, 0]), None);
        assert_eq!(reply(Family::V4, &[]), None);
    }

    #[test]
    fn an_error_may_bring_back_no_more_than_eight_bytes() {
        let cut = &request(Family::V4, 9, 8, PROBE)[..8];
        assert_eq!(returned_request(Family::V4, cut), Some(Echo { identifier: 9, sequence: 8, probe: None }));
    }

    #[test]
    fn the_ipv4_header_is_as_long_as_it_says() {
        let mut packet = vec![0_u8; 24];
        packet[0] = 0x46;
        packet.extend(reply_to(Family::V4));
        assert_eq!(after_ipv4_header(&packet), Some(reply_to(Family::V4).as_slice()));
        assert_eq!(after_ipv4_header(&[0x4f; 20]), None, "announces 60 bytes");
        assert_eq!(after_ipv4_header(&[0x60; 40]), None, "IPv6");
    }

    #[test]
    fn a_packet_that_is_too_big_is_not_unreachable() {
        assert_eq!(unreachable_reason(Family::V4, 3, 1), Some("host unreachable"));
        assert_eq!(unreachable_reason(Family::V4, 3, 4), None);
        assert_eq!(unreachable_reason(Family::V6, 2, 0), None);
        assert!(unreachable_reason(Family::V6, 3, 0).is_some_and(|reason| reason.contains("loop")));
    }
}
