//! Sockets of one probe: a TCP connection, or one DNS query over UDP.

use std::io;
use std::net::{IpAddr, SocketAddr};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};

use crate::arrival::Moment;

/// Begins to connect, and tells when it did. The socket becomes writable when it is connected or has failed.
pub(crate) fn connect(target: SocketAddr, source: Option<IpAddr>) -> io::Result<(Socket, Moment)> {
    let socket = open(target, source, Type::STREAM, Protocol::TCP)?;
    let sent = Moment::now();
    match socket.connect(&target.into()) {
        Err(error) if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok((socket, sent)),
        result => result.map(|()| (socket, sent)),
    }
}

/// Whether a connection that was begun is established; `WouldBlock` where it is neither that nor failed.
pub(crate) fn established(socket: &Socket) -> io::Result<()> {
    match socket.take_error()? {
        Some(error) => Err(error),
        None => match socket.peer_addr() {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Err(io::ErrorKind::WouldBlock.into()),
            result => result.map(|_| ()),
        },
    }
}

/// Sends one datagram from a port of its own, and tells when. The socket becomes readable when there is an answer, or the network has said something.
pub(crate) fn ask(target: SocketAddr, source: Option<IpAddr>, query: &[u8]) -> io::Result<(Socket, Moment)> {
    let socket = open(target, source, Type::DGRAM, Protocol::UDP)?;
    setsockopt(&socket, sockopt::ReceiveTimestampns, &true)?;
    if target.is_ipv4() {
        setsockopt(&socket, sockopt::Ipv4RecvErr, &true)?;
    } else {
        setsockopt(&socket, sockopt::Ipv6RecvErr, &true)?;
    }
    socket.connect(&target.into())?;
    let sent = Moment::now();
    match socket.send(query) {
        // The queue of the own interface is full: lost like a datagram that is lost further on.
        Err(error) if error.raw_os_error() == Some(libc::ENOBUFS) => Ok((socket, sent)),
        result => result.map(|_| (socket, sent)),
    }
}

fn open(target: SocketAddr, source: Option<IpAddr>, kind: Type, protocol: Protocol) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(target), kind, Some(protocol))?;
    socket.set_nonblocking(true)?;
    if let Some(source) = source {
        socket.bind(&SocketAddr::new(source, 0).into())?;
    }
    Ok(socket)
}
