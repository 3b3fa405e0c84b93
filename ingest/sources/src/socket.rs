//! Opening sockets: both families on one, and a receive buffer as large as was asked for.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Protocol, Socket, Type};

use crate::growth::FIRST_BYTES;
use crate::{BufferSize, ListenerConfig, TlsError, Transport};

/// A listener's socket cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("listener {listener}: cannot listen on {address} ({transport}): {problem}")]
pub struct BindError {
    listener: String,
    address: SocketAddr,
    transport: &'static str,
    /// What is wrong and what to do.
    problem: String,
}

/// What was asked of the kernel for a receive buffer, and what it gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReceiveBuffer {
    pub(crate) asked_bytes: usize,
    /// Half of what the kernel answers, because it doubles the value for its own bookkeeping: a comparison with the answer itself would
    /// miss every cap between rmem_max and twice rmem_max.
    pub(crate) got_bytes: usize,
}

/// Opens and binds the socket of a listener.
pub(crate) fn bind(config: &ListenerConfig, address: SocketAddr, share_port: bool) -> Result<(Socket, ReceiveBuffer), BindError> {
    let result = match open(config, address, share_port) {
        Err(error) if is_without_ipv6(&error) && address.ip().is_unspecified() && !config.ipv6_only => {
            tracing::warn!(listener = config.name, "this machine has no IPv6; listening on IPv4 alone");
            open(config, SocketAddr::from((Ipv4Addr::UNSPECIFIED, address.port())), share_port)
        }
        other => other,
    };
    result.map_err(|error| BindError::after_bind(config, error))
}

impl BindError {
    pub(crate) fn after_bind(config: &ListenerConfig, error: io::Error) -> Self {
        Self::new(config, format!("{error}; {}", remedy(&error)))
    }

    pub(crate) fn without_certificate(config: &ListenerConfig, error: &TlsError) -> Self {
        Self::new(config, error.to_string())
    }

    pub(crate) fn inherited(config: &ListenerConfig, problem: String) -> Self {
        Self::new(config, format!("{problem}; give it one socket a reader, with FileDescriptorName={}", config.name))
    }

    fn new(config: &ListenerConfig, problem: String) -> Self {
        let transport = config.transport.word();
        Self { listener: config.name.clone(), address: config.listen, transport, problem }
    }
}

fn open(config: &ListenerConfig, address: SocketAddr, share_port: bool) -> io::Result<(Socket, ReceiveBuffer)> {
    let (kind, protocol) = match config.transport {
        Transport::Udp => (Type::DGRAM, Protocol::UDP),
        Transport::Tcp | Transport::Tls | Transport::Relp => (Type::STREAM, Protocol::TCP),
    };
    let socket = Socket::new(Domain::for_address(address), kind, Some(protocol))?;
    if address.is_ipv6() {
        socket.set_only_v6(config.ipv6_only)?;
    }
    match config.transport {
        // Never SO_REUSEADDR on UDP: a second agent could take the port and half of the messages.
        Transport::Udp => socket.set_reuse_port(share_port)?,
        Transport::Tcp | Transport::Tls | Transport::Relp => socket.set_reuse_address(true)?,
    }
    let receive_buffer = set_receive_buffer(&socket, config)?;
    socket.bind(&address.into())?;
    Ok((socket, receive_buffer))
}

/// Makes a socket that somebody else bound as one of ours.
pub(crate) fn adopt(config: &ListenerConfig, socket: &Socket) -> Result<ReceiveBuffer, BindError> {
    let adopt = || {
        socket.set_nonblocking(false)?;
        // What the service manager gave (ReceiveBuffer=) stays where it is more than we may ask for.
        let before_bytes = socket.recv_buffer_size()? / 2;
        let asked_bytes = asked_bytes(config).unwrap_or(before_bytes);
        if before_bytes >= asked_bytes {
            return Ok(ReceiveBuffer { asked_bytes, got_bytes: before_bytes });
        }
        let may_force = setsockopt(socket, sockopt::RcvBufForce, &asked_bytes).is_ok();
        Ok(ReceiveBuffer { asked_bytes, got_bytes: if may_force { socket.recv_buffer_size()? / 2 } else { before_bytes } })
    };
    adopt().map_err(|error| BindError::after_bind(config, error))
}

/// What to ask of the kernel; `None`: a connection's buffer is the kernel's own affair, which fits it to the way to the peer.
fn asked_bytes(config: &ListenerConfig) -> Option<usize> {
    match (config.receive_buffer, config.transport) {
        (BufferSize::Fixed(size), _) => Some(usize::try_from(size.as_u64()).unwrap_or(usize::MAX)),
        (BufferSize::Auto, Transport::Udp) => Some(FIRST_BYTES),
        (BufferSize::Auto, Transport::Tcp | Transport::Tls | Transport::Relp) => None,
    }
}

/// `SO_RCVBUFFORCE` passes `net.core.rmem_max` but needs CAP_NET_ADMIN; `SO_RCVBUF` is capped by it silently.
fn set_receive_buffer(socket: &Socket, config: &ListenerConfig) -> io::Result<ReceiveBuffer> {
    let Some(asked_bytes) = asked_bytes(config) else {
        let got_bytes = socket.recv_buffer_size()? / 2;
        return Ok(ReceiveBuffer { asked_bytes: got_bytes, got_bytes });
    };
    if setsockopt(socket, sockopt::RcvBufForce, &asked_bytes).is_err() {
        socket.set_recv_buffer_size(asked_bytes)?;
    }
    Ok(ReceiveBuffer { asked_bytes, got_bytes: socket.recv_buffer_size()? / 2 })
}

fn is_without_ipv6(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EAFNOSUPPORT | libc::EADDRNOTAVAIL))
}

fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::AddrInUse => "another process has the port: stop it (`ss -lnp` shows which), or change `listen`",
        io::ErrorKind::PermissionDenied => "ports below 1024 need CAP_NET_BIND_SERVICE: grant it, or change `listen`",
        io::ErrorKind::AddrNotAvailable => "this machine has no such address: change `listen`, or use [::] for all",
        _ => "check `listen` and the machine's network",
    }
}

impl ReceiveBuffer {
    /// One WARN when the kernel gave less than was asked for to each of `sockets`, with its `effect` and the line that changes it.
    pub(crate) fn warn_if_capped(self, listener: &str, sockets: usize, effect: &str) {
        if self.got_bytes < self.asked_bytes {
            tracing::warn!(
                listener,
                asked_bytes = self.asked_bytes,
                got_bytes = self.got_bytes,
                sockets,
                remedy = format!("sysctl -w net.core.rmem_max={}", self.asked_bytes),
                "the kernel capped the receive buffer; {effect}"
            );
        }
    }
}
