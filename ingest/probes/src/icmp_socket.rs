//! One socket for all ICMP probes of a family that leave by the same address.
//!
//! Unprivileged where the system allows (`net.ipv4.ping_group_range`): the kernel then chooses the identifier and shows no one else's packets.
//! Otherwise raw, which needs CAP_NET_RAW and shows everybody's.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::fd::{AsRawFd, RawFd};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};
use tocsin_parse::icmp::{self, Echo, Family, ProbeNumber};

use crate::arrival::{self, Moment};

/// Replies of a thousand links that arrive at once, as after a cut.
const RECEIVE_BUFFER_BYTES: usize = 4 * 1024 * 1024;
/// More than any echo reply to this prober, with an IPv4 header.
const PACKET_BYTES: usize = 512;

// Who made an error of the error queue, include/uapi/linux/errqueue.h.
const SO_EE_ORIGIN_ICMP: u8 = 2;
const SO_EE_ORIGIN_ICMP6: u8 = 3;

/// See the module.
#[derive(Debug)]
pub(crate) struct IcmpSocket {
    socket: Socket,
    pub(crate) family: Family,
    pub(crate) source: Option<IpAddr>,
    identifier: u16,
    is_raw: bool,
}

/// What came in.
#[derive(Debug)]
pub(crate) enum Heard {
    /// An echo reply to a probe of some run.
    Reply { probe: ProbeNumber, at: Moment, bytes: usize },
    /// A probe cannot get there.
    Unreachable { echo: Echo, reason: &'static str },
    /// Something that concerns no probe.
    Other,
}

impl IcmpSocket {
    /// `identifier` is used where the kernel does not choose one.
    pub(crate) fn open(family: Family, source: Option<IpAddr>, identifier: u16) -> io::Result<Self> {
        let (domain, protocol) = match family {
            Family::V4 => (Domain::IPV4, Protocol::ICMPV4),
            Family::V6 => (Domain::IPV6, Protocol::ICMPV6),
        };
        let (socket, is_raw) = match Socket::new(domain, Type::DGRAM, Some(protocol)) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => (Socket::new(domain, Type::RAW, Some(protocol))?, true),
            other => (other?, false),
        };
        socket.set_nonblocking(true)?;
        setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
        match family {
            Family::V4 => setsockopt(&socket, sockopt::Ipv4RecvErr, &true)?,
            Family::V6 => setsockopt(&socket, sockopt::Ipv6RecvErr, &true)?,
        }
        if setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER_BYTES).is_err() {
            socket.set_recv_buffer_size(RECEIVE_BUFFER_BYTES)?;
        }
        let any = match family {
            Family::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Family::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        };
        // Also without a source: only then does an unprivileged socket have its identifier before the first packet.
        socket.bind(&SocketAddr::new(source.unwrap_or(any), 0).into())?;
        let bound = socket.local_addr()?.as_socket().map_or(0, |address| address.port());
        Ok(Self { socket, family, source, identifier: if is_raw { identifier } else { bound }, is_raw })
    }

    /// How it was opened, for the log.
    pub(crate) fn kind(&self) -> &'static str {
        if self.is_raw { "raw" } else { "unprivileged" }
    }

    /// Sends one echo request, and tells when.
    pub(crate) fn send(&self, target: SocketAddr, sequence: u16, probe: ProbeNumber) -> io::Result<Moment> {
        let packet = icmp::request(self.family, self.identifier, sequence, probe);
        let mut address = target;
        // A raw socket takes the port for a protocol.
        address.set_port(0);
        let address = address.into();
        let mut attempts = 0;
        loop {
            let sent = Moment::now();
            match self.socket.send_to(&packet, &address) {
                // The queue of the own interface is full: without IP_RECVERR the kernel would not even say so. The packet is lost like one that
                // is lost further on.
                Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => return Ok(sent),
                // What the network said about an earlier packet to somebody else is told at the next call, once.
                Err(_) if attempts < 2 => attempts += 1,
                result => return result.map(|_| sent),
            }
        }
    }

    /// Takes everything that is there.
    pub(crate) fn receive(&self, mut each: impl FnMut(Heard)) {
        let mut packet = [0_u8; PACKET_BYTES];
        loop {
            match arrival::receive(&self.socket, &mut packet) {
                Ok((bytes, at)) => each(self.reply(&packet[..bytes], at)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                // An error of an earlier packet, told once here and kept in the error queue.
                Err(_) => {}
            }
        }
        while let Ok((bytes, error)) = arrival::receive_error(&self.socket, &mut packet) {
            let unreachable = error.filter(|error| matches!(error.origin, SO_EE_ORIGIN_ICMP | SO_EE_ORIGIN_ICMP6)).and_then(|error| {
                let reason = icmp::unreachable_reason(self.family, error.kind, error.code)?;
                let echo = icmp::returned_request(self.family, &packet[..bytes])?;
                (echo.identifier == self.identifier).then_some(Heard::Unreachable { echo, reason })
            });
            each(unreachable.unwrap_or(Heard::Other));
        }
    }

    fn reply(&self, packet: &[u8], at: Moment) -> Heard {
        let message = if self.is_raw && self.family == Family::V4 { icmp::after_ipv4_header(packet) } else { Some(packet) };
        let probe = message.and_then(|message| icmp::reply(self.family, message)).and_then(|echo| echo.probe);
        probe.map_or(Heard::Other, |probe| Heard::Reply { probe, at, bytes: message.map_or(0, <[u8]>::len) })
    }
}

impl AsRawFd for IcmpSocket {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}
