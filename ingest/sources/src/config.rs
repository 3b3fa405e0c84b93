//! `listeners` in the agent's config.

use std::net::{Ipv6Addr, SocketAddr};

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

/// What a listener expects to receive.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Syslog messages, RFC 5424 or RFC 3164.
    Syslog,
    /// Alert updates from monitors.
    Alert,
}

/// How it arrives.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// One message a datagram.
    Udp,
    /// A stream of messages, framed as RFC 6587 says.
    Tcp,
}

/// One entry of `listeners`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ListenerConfig {
    /// Unique name; metrics, events and the balance sheet carry it.
    pub name: String,
    /// What is received.
    pub kind: Kind,
    /// How it arrives.
    #[serde(default = "default_transport")]
    pub transport: Transport,
    /// Address and port; `[::]` means both families unless `ipv6_only`.
    pub listen: SocketAddr,
    /// Size of the kernel's receive buffer, per socket.
    #[serde(default = "default_receive_buffer")]
    pub receive_buffer: ByteSize,
    /// Sockets and reader threads; the kernel spreads senders over them (UDP only).
    #[serde(default = "default_readers")]
    pub readers: usize,
    /// Longest message that is taken whole.
    #[serde(default = "default_max_message")]
    pub max_message: ByteSize,
    /// Do not take IPv4 on an IPv6 address.
    #[serde(default)]
    pub ipv6_only: bool,
    /// Place of this listener's devices; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

fn default_transport() -> Transport {
    Transport::Udp
}

fn default_receive_buffer() -> ByteSize {
    ByteSize::mib(16)
}

fn default_readers() -> usize {
    1
}

fn default_max_message() -> ByteSize {
    ByteSize::kib(256)
}

impl ListenerConfig {
    /// A listener on all addresses with every optional key at its default.
    pub fn new(name: &str, kind: Kind, transport: Transport, port: u16) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            transport,
            listen: SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)),
            receive_buffer: default_receive_buffer(),
            readers: default_readers(),
            max_message: default_max_message(),
            ipv6_only: false,
            site: String::new(),
        }
    }

    /// The listeners of a config that names none.
    pub fn defaults() -> Vec<Self> {
        vec![
            Self::new("syslog-udp", Kind::Syslog, Transport::Udp, 5514),
            Self::new("syslog-tcp", Kind::Syslog, Transport::Tcp, 5514),
            Self::new("alert-udp", Kind::Alert, Transport::Udp, 5515),
        ]
    }

    /// `max_message` in bytes.
    pub fn max_message_bytes(&self) -> usize {
        usize::try_from(self.max_message.as_u64()).unwrap_or(usize::MAX)
    }
}
