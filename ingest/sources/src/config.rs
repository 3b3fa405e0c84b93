//! `listeners` in the agent's config.

use std::net::{Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytesize::ByteSize;
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::BufferSize;

/// What a listener expects to receive.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Syslog messages, RFC 5424 or RFC 3164.
    Syslog,
    /// Alert updates from monitors.
    Alert,
    /// Copies of DHCP packets, from relays or mirrors.
    Dhcp,
    /// SNMP traps and informs of versions 1, 2c and 3.
    Snmp,
}

/// How it arrives.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Transport {
    /// One message a datagram.
    Udp,
    /// A stream of messages, framed as RFC 6587 says.
    Tcp,
    /// The same stream inside TLS (RFC 5425).
    Tls,
    /// rsyslog's reliable transport, inside TLS where `tls` is given: each message is answered.
    Relp,
}

impl Transport {
    /// Its word in config and log.
    pub fn word(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Relp => "relp",
        }
    }
}

/// `tls` of a listener: PEM files, read again when they change.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TlsConfig {
    /// The agent's certificate, and those between it and its root.
    pub certificate: PathBuf,
    /// Private key of the certificate.
    pub key: PathBuf,
    /// Roots of the certificates that senders show; without it they are not asked for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_ca: Option<PathBuf>,
    /// Refuse a sender that shows no certificate. One that is shown must be good in any case.
    #[serde(default)]
    pub require_client_certificate: bool,
}

impl TlsConfig {
    /// The same files, a relative path taken from `folder`.
    pub fn relative_to(&self, folder: &Path) -> Self {
        Self {
            certificate: folder.join(&self.certificate),
            key: folder.join(&self.key),
            client_ca: self.client_ca.as_ref().map(|path| folder.join(path)),
            ..self.clone()
        }
    }
}

/// `rate_limit` of a listener: how much one sender address may send. What is above it is refused and counted, so that one sender that loops
/// cannot take the place of all others.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimitConfig {
    /// Messages that are taken within any `messages_period`; 0: any number.
    #[serde(default)]
    pub messages: u64,
    /// Length of the sliding period that messages are counted over.
    #[serde(default = "default_rate_period", with = "humantime_serde")]
    pub messages_period: Duration,
    /// Bytes of payload that are taken within any `bytes_period`; 0: any number.
    #[serde(default)]
    pub bytes: ByteSize,
    /// Length of the sliding period that bytes are counted over.
    #[serde(default = "default_rate_period", with = "humantime_serde")]
    pub bytes_period: Duration,
    /// How long everything of a sender is refused once it went over a limit; 0: only what is above it.
    #[serde(default, with = "humantime_serde")]
    pub penalty: Duration,
    /// Networks that are never limited.
    #[serde(default)]
    pub allow: Vec<IpNet>,
}

impl Default for RateLimitConfig {
    /// Any amount.
    fn default() -> Self {
        Self {
            messages: 0,
            messages_period: default_rate_period(),
            bytes: ByteSize::b(0),
            bytes_period: default_rate_period(),
            penalty: Duration::ZERO,
            allow: Vec::new(),
        }
    }
}

impl RateLimitConfig {
    /// Whether it limits nothing.
    pub fn is_unlimited(&self) -> bool {
        self.messages == 0 && self.bytes.as_u64() == 0
    }
}

fn default_rate_period() -> Duration {
    Duration::from_secs(10)
}

/// `copies` of a listener: its senders tell the same to other agents too.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CopiesConfig {
    /// Name that the listeners of all these agents share.
    pub group: String,
    /// How many agents receive each message.
    #[serde(default = "default_copies_agents")]
    pub agents: u32,
}

fn default_copies_agents() -> u32 {
    2
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
    #[serde(default)]
    pub receive_buffer: BufferSize,
    /// Sockets and reader threads; the kernel spreads senders over them (UDP only).
    #[serde(default = "default_readers")]
    pub readers: usize,
    /// Longest message that is taken whole.
    #[serde(default = "default_max_message")]
    pub max_message: ByteSize,
    /// Do not take IPv4 on an IPv6 address.
    #[serde(default)]
    pub ipv6_only: bool,
    /// Certificates, for transport `tls`, and for `relp` where that is to be inside TLS.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsConfig>,
    /// How much one sender may send; left away: any amount.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_limit: Option<RateLimitConfig>,
    /// Which agents its senders tell the same; left away: no other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub copies: Option<CopiesConfig>,
    /// Networks that are heard; empty: all.
    #[serde(default)]
    pub allow: Vec<IpNet>,
    /// Networks that are not heard, though they be in `allow`.
    #[serde(default)]
    pub deny: Vec<IpNet>,
    /// Networks of proxies, whose connections begin with a PROXY header of version 2 that says who is behind them (TCP and TLS).
    #[serde(default)]
    pub proxies: Vec<IpNet>,
    /// Connections that one sender may hold open at once (TCP and TLS).
    #[serde(default = "default_connections_per_sender")]
    pub connections_per_sender: usize,
    /// Place of this listener's devices; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

fn default_transport() -> Transport {
    Transport::Udp
}

fn default_readers() -> usize {
    1
}

fn default_connections_per_sender() -> usize {
    256
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
            receive_buffer: BufferSize::Auto,
            readers: default_readers(),
            max_message: default_max_message(),
            ipv6_only: false,
            tls: None,
            rate_limit: None,
            copies: None,
            allow: Vec::new(),
            deny: Vec::new(),
            proxies: Vec::new(),
            connections_per_sender: default_connections_per_sender(),
            site: String::new(),
        }
    }

    /// The listeners of a config that names none.
    pub fn defaults() -> Vec<Self> {
        vec![
            Self::new("syslog-udp", Kind::Syslog, Transport::Udp, 5514),
            Self::new("syslog-tcp", Kind::Syslog, Transport::Tcp, 5514),
            Self::new("alert-udp", Kind::Alert, Transport::Udp, 5515),
            Self::new("dhcp-udp", Kind::Dhcp, Transport::Udp, 6767),
            Self::new("snmp-udp", Kind::Snmp, Transport::Udp, 1162),
        ]
    }

    /// `max_message` in bytes.
    pub fn max_message_bytes(&self) -> usize {
        usize::try_from(self.max_message.as_u64()).unwrap_or(usize::MAX)
    }
}
