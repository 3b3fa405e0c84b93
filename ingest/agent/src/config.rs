//! The agent's config: one YAML file, every key optional, unknown keys refused.
//!
//! Each part's struct stands in the crate that uses it; this file puts them together and checks what only the whole can tell.

mod devices;
mod syntax;

use std::collections::HashSet;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};
use tocsin_host::HostConfig;
use tocsin_probes::resolvers::{GroupConfig, check_resolvers};
use tocsin_probes::{LinkConfig, check_links};
use tocsin_publish::{KafkaConfig, SpoolConfig};
use tocsin_snmp::SnmpConfig;
use tocsin_sources::{BufferSize, CaptureConfig, Certificates, Kind, ListenerConfig, RateLimitConfig, Transport};
use tocsin_telemetry::TelemetryConfig;

use crate::own;

pub use devices::DevicesConfig;

/// Longest name of an agent, listener or site: they are labels, not prose.
const MAX_NAME_BYTES: usize = 255;
/// What the kernel's signed 32-bit option can hold, halved because it doubles the value.
const MAX_RECEIVE_BUFFER: ByteSize = ByteSize::b(i32::MAX as u64 / 2);
/// What one connection may hold. A Kafka record has two copies of a message, as text and as received: above some 400 KiB, brokers and topics
/// must allow more than their usual 1 MB.
const MAX_MESSAGE: ByteSize = ByteSize::mib(16);
const MAX_READERS: usize = 64;
const MIN_RATE_PERIOD: Duration = Duration::from_millis(100);
const MAX_COPIES_AGENTS: u32 = 8;
const MAX_RATE_PERIOD: Duration = Duration::from_secs(60 * 60);
const MAX_PENALTY: Duration = Duration::from_secs(24 * 60 * 60);

/// The agent's config in effect.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Name of this agent, unique in the installation; empty: the host's name.
    pub agent_id: String,
    /// Place of the agent and its devices.
    pub site: String,
    /// Where records go.
    pub kafka: KafkaConfig,
    /// What waits on disk while Kafka is away.
    pub spool: SpoolConfig,
    /// What the agent says about itself.
    pub telemetry: TelemetryConfig,
    /// What is known about devices.
    pub devices: DevicesConfig,
    /// Whom to believe about SNMP, and what names things have.
    pub snmp: SnmpConfig,
    /// What is received; replaces the default listeners as a whole.
    pub listeners: Vec<ListenerConfig>,
    /// Interfaces whose DHCP packets are seen as they pass.
    pub captures: Vec<CaptureConfig>,
    /// What is probed.
    pub links: Vec<LinkConfig>,
    /// Resolvers that should answer alike, and what they are asked.
    pub resolvers: Vec<GroupConfig>,
    /// How the agent's own host is read; nothing: not at all.
    pub host: Option<HostConfig>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            agent_id: String::new(),
            site: String::new(),
            kafka: KafkaConfig::default(),
            spool: SpoolConfig::default(),
            telemetry: TelemetryConfig::default(),
            devices: DevicesConfig::default(),
            snmp: SnmpConfig::default(),
            listeners: ListenerConfig::defaults(),
            captures: Vec::new(),
            links: Vec::new(),
            resolvers: Vec::new(),
            host: None,
        }
    }
}

/// The config cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{path}: {error}; name a readable file with --config")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        error: std::io::Error,
    },
    /// It is not YAML, or has a key or value that is not known.
    #[error(
        "{path}: {problem}\nhelp: correct the line; sizes are written like 16MiB and durations like 5ms, and deploy/config/agent.example.yaml has every key"
    )]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line, column and key.
        problem: String,
    },
    /// Every value is well-formed, but they do not go together.
    #[error("{path}: {problem}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl Config {
    /// Reads and checks a file; without one, the defaults. The result is the config in effect: the agent has a name, and the spool's folder
    /// stands beside the config file.
    pub fn load(path: Option<&Path>) -> Result<Self, ConfigError> {
        let Some(path) = path else { return Self::default().into_effective(Path::new("defaults")) };
        let text = fs::read_to_string(path).map_err(|error| ConfigError::Read { path: path.to_owned(), error })?;
        let syntax =
            |error: Box<serde_saphyr::Error>| ConfigError::Syntax { path: path.to_owned(), problem: syntax::problem(&text, &error) };
        Self::parse(&text).map_err(syntax)?.into_effective(path)
    }

    /// Reads YAML without checking whether its values go together.
    pub fn parse(text: &str) -> Result<Self, Box<serde_saphyr::Error>> {
        let without_comments = text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'));
        // A file of comments is a config without keys, not a null.
        if without_comments { Ok(Self::default()) } else { serde_saphyr::from_str(text).map_err(Box::new) }
    }

    /// The config as YAML, every key included.
    pub fn to_yaml(&self) -> Result<String, serde_saphyr::SerializeError> {
        serde_saphyr::to_string(self)
    }

    fn into_effective(mut self, path: &Path) -> Result<Self, ConfigError> {
        let invalid = |problem| ConfigError::Invalid { path: path.to_owned(), problem };
        if self.agent_id.is_empty() {
            self.agent_id =
                host_name().ok_or_else(|| invalid("agent_id is not set and this machine has no host name; set agent_id".to_owned()))?;
        }
        if let Some(folder) = path.parent() {
            self.spool.dir = folder.join(&self.spool.dir);
            self.kafka.stand_beside(folder).map_err(|error| invalid(format!("kafka.config_file: {error}")))?;
            self.snmp.stand_beside(folder);
            self.devices.stand_beside(folder);
            for listener in &mut self.listeners {
                listener.tls = listener.tls.as_ref().map(|tls| tls.relative_to(folder));
            }
        }
        for listener in self.listeners.iter_mut().filter(|listener| listener.site.is_empty()) {
            listener.site.clone_from(&self.site);
        }
        for capture in self.captures.iter_mut().filter(|capture| capture.site.is_empty()) {
            capture.site.clone_from(&self.site);
        }
        for link in self.links.iter_mut().filter(|link| link.site.is_empty()) {
            link.site.clone_from(&self.site);
        }
        if let Some(host) = self.host.as_mut().filter(|host| host.device.is_empty()) {
            host.device = host_name().unwrap_or_else(|| self.agent_id.clone());
        }
        self.check().map_err(invalid)?;
        Ok(self)
    }

    /// What is wrong with the values, one sentence that names key and remedy.
    fn check(&self) -> Result<(), String> {
        check_name("agent_id", &self.agent_id)?;
        check_site("site", &self.site)?;
        self.devices.check()?;
        self.kafka.check()?;
        self.spool.check(&self.kafka)?;
        self.snmp.check()?;
        if self.telemetry.stats_interval < Duration::from_millis(100) || self.telemetry.stats_interval > Duration::from_secs(60) {
            return Err("telemetry.stats_interval is outside 100ms to 1m; 1s is right for nearly everybody".to_owned());
        }
        if self.listeners.is_empty() {
            return Err("listeners is an empty list, so nothing would be received; leave the key away for the defaults".to_owned());
        }
        let mut names = HashSet::<&str>::new();
        for listener in &self.listeners {
            let name = &listener.name;
            check_name("listeners[].name", name)?;
            if name == own::SNMP_POLLER && !self.snmp.devices.is_empty() {
                return Err(format!("a listener has the name {}, under which snmp.devices are counted; give it another", own::SNMP_POLLER));
            }
            if !names.insert(name) {
                return Err(format!("two listeners have the name {name}; give each its own"));
            }
            check_site(&format!("site of listener {name}"), &listener.site)?;
            check_listener(listener).map_err(|problem| format!("listener {name}: {problem}"))?;
        }
        for capture in &self.captures {
            let name = &capture.name;
            check_name("captures[].name", name)?;
            if !names.insert(name) {
                return Err(format!("two listeners or captures have the name {name}; give each its own"));
            }
            check_site(&format!("site of capture {name}"), &capture.site)?;
            capture.check().map_err(|problem| format!("capture {name}: {problem}"))?;
        }
        check_link_names(&self.links)?;
        check_links(&self.links)?;
        if !self.links.is_empty() && !names.insert(own::PROBES) {
            return Err(format!("a listener has the name {}, which probes count as; give it another", own::PROBES));
        }
        check_resolver_names(&self.resolvers)?;
        check_resolvers(&self.resolvers)?;
        if !self.resolvers.is_empty() && !names.insert(own::RESOLVERS) {
            return Err(format!("a listener has the name {}, which answers of resolvers count as; give it another", own::RESOLVERS));
        }
        if let Some(config) = &self.host {
            config.check()?;
            check_name("host.device", &config.device)?;
            check_site("host.site", &config.site)?;
            if !names.insert(own::HOST) {
                return Err(format!("a listener has the name {}, under which figures of the host are counted; give it another", own::HOST));
            }
        }
        check_ports(&self.listeners, self.telemetry.listen)
    }
}

fn host_name() -> Option<String> {
    nix::unistd::gethostname().ok().and_then(|name| name.into_string().ok()).filter(|name| !name.is_empty())
}

fn check_name(key: &str, name: &str) -> Result<(), String> {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
    if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.bytes().all(is_allowed) {
        return Err(format!("{key} is {name:?}; use 1 to {MAX_NAME_BYTES} letters, digits, or any of -_.:"));
    }
    Ok(())
}

fn check_site(key: &str, site: &str) -> Result<(), String> {
    if site.len() > MAX_NAME_BYTES { Err(format!("{key} is longer than {MAX_NAME_BYTES} bytes; shorten it")) } else { Ok(()) }
}

fn check_link_names(links: &[LinkConfig]) -> Result<(), String> {
    for link in links {
        check_name("links[].id", &link.id)?;
        for (key, text) in
            [("site", &link.site), ("remote_site", &link.remote_site), ("device", &link.device), ("interface", &link.interface)]
        {
            check_site(&format!("{key} of link {}", link.id), text)?;
        }
    }
    Ok(())
}

fn check_resolver_names(groups: &[GroupConfig]) -> Result<(), String> {
    for group in groups {
        check_name("resolvers[].id", &group.id)?;
        check_site(&format!("site of resolvers {}", group.id), &group.site)?;
        for server in &group.servers {
            check_name(&format!("servers[].id of resolvers {}", group.id), &server.id)?;
        }
    }
    Ok(())
}

fn check_listener(listener: &ListenerConfig) -> Result<(), String> {
    if let BufferSize::Fixed(size) = listener.receive_buffer
        && size > MAX_RECEIVE_BUFFER
    {
        return Err(format!("receive_buffer is {size}; the kernel takes at most {MAX_RECEIVE_BUFFER}"));
    }
    if listener.max_message < ByteSize::b(64) || listener.max_message > MAX_MESSAGE {
        return Err(format!("max_message is {}; use 64 B to {MAX_MESSAGE}", listener.max_message));
    }
    if listener.readers == 0 || listener.readers > MAX_READERS {
        return Err(format!("readers is {}; use 1 to {MAX_READERS}", listener.readers));
    }
    if listener.readers > 1 && listener.transport != Transport::Udp {
        return Err("readers is for UDP; TCP connections are spread over all cores anyway, remove the key".to_owned());
    }
    if listener.kind == Kind::Dhcp && listener.transport != Transport::Udp {
        return Err("kind dhcp is for UDP; remove transport".to_owned());
    }
    if listener.kind == Kind::Snmp && listener.transport != Transport::Udp {
        return Err("kind is snmp and transport is not udp; SNMP comes in datagrams, remove transport".to_owned());
    }
    if listener.ipv6_only && listener.listen.is_ipv4() {
        return Err(format!("ipv6_only is set and listen is {}, an IPv4 address; remove one of the two", listener.listen));
    }
    if !listener.proxies.is_empty() && listener.transport == Transport::Udp {
        return Err("proxies is for tcp and tls: a datagram has no PROXY header that would be read; remove the key".to_owned());
    }
    if listener.connections_per_sender == 0 {
        return Err("connections_per_sender is 0, so that nobody could connect; use 1 or more".to_owned());
    }
    if let Some(copies) = &listener.copies {
        check_name("copies.group", &copies.group)?;
        if copies.agents < 2 || copies.agents > MAX_COPIES_AGENTS {
            return Err(format!("copies.agents is {}; say how many agents receive each message, 2 to {MAX_COPIES_AGENTS}", copies.agents));
        }
    }
    if let Some(limit) = &listener.rate_limit {
        check_rate_limit(limit, listener.max_message)?;
    }
    check_tls(listener)
}

fn check_rate_limit(limit: &RateLimitConfig, max_message: ByteSize) -> Result<(), String> {
    if limit.is_unlimited() {
        return Err("rate_limit limits nothing; give messages or bytes, or remove the key".to_owned());
    }
    if limit.bytes > ByteSize::b(0) && limit.bytes < max_message {
        return Err(format!(
            "rate_limit.bytes is {}, less than max_message ({max_message}); a message of that length could never pass: raise it, or lower max_message",
            limit.bytes
        ));
    }
    for (key, period) in [("messages_period", limit.messages_period), ("bytes_period", limit.bytes_period)] {
        if period < MIN_RATE_PERIOD || period > MAX_RATE_PERIOD {
            return Err(format!("rate_limit.{key} is {period:?}; use 100ms to 1h"));
        }
    }
    if limit.penalty > MAX_PENALTY {
        return Err(format!("rate_limit.penalty is {:?}; use at most 24h", limit.penalty));
    }
    Ok(())
}

fn check_tls(listener: &ListenerConfig) -> Result<(), String> {
    let Some(tls) = &listener.tls else {
        return match listener.transport {
            Transport::Tls => Err("transport is tls and tls is missing; add tls: {certificate: FILE, key: FILE}, both PEM".to_owned()),
            _ => Ok(()),
        };
    };
    if !matches!(listener.transport, Transport::Tls | Transport::Relp) {
        return Err("tls is set and transport is neither tls nor relp; set transport: tls, or remove the key".to_owned());
    }
    if tls.require_client_certificate && tls.client_ca.is_none() {
        return Err("tls.require_client_certificate is true and tls.client_ca is missing; name the authorities that senders' certificates come from".to_owned());
    }
    Certificates::load(&listener.name, tls).map_err(|error| error.to_string())?;
    Ok(())
}

/// Refuses two sockets that would want the same port. Port 0 asks the kernel for a free one.
fn check_ports(listeners: &[ListenerConfig], telemetry: SocketAddr) -> Result<(), String> {
    let telemetry = ("telemetry.listen".to_owned(), Place { is_stream: true, address: telemetry, ipv6_only: false });
    let of_listener = |listener: &ListenerConfig| (format!("listener {}", listener.name), Place::of(listener));
    let sockets: Vec<_> = listeners.iter().map(of_listener).chain([telemetry]).collect();
    for (index, (name, place)) in sockets.iter().enumerate() {
        if let Some((other_name, other)) = sockets[index + 1..].iter().find(|(_, other)| place.collides(other)) {
            let (address, other) = (place.address, other.address);
            return Err(format!("{name} ({address}) and {other_name} ({other}) want the same port; change one of them"));
        }
    }
    Ok(())
}

/// Where a socket is bound.
pub(crate) struct Place {
    is_stream: bool,
    address: SocketAddr,
    ipv6_only: bool,
}

impl Place {
    pub(crate) fn of(listener: &ListenerConfig) -> Self {
        Self { is_stream: listener.transport != Transport::Udp, address: listener.listen, ipv6_only: listener.ipv6_only }
    }

    /// Whether two sockets cannot be open at once.
    pub(crate) fn collides(&self, other: &Self) -> bool {
        self.is_stream == other.is_stream
            && self.address.port() == other.address.port()
            && self.address.port() != 0
            && (self.covers(other.address.ip()) || other.covers(self.address.ip()))
    }

    /// Whether it also receives what is sent to `ip`.
    fn covers(&self, ip: IpAddr) -> bool {
        match self.address.ip() {
            IpAddr::V6(any) if any.is_unspecified() => ip.is_ipv6() || !self.ipv6_only,
            IpAddr::V4(any) if any.is_unspecified() => ip.is_ipv4(),
            one => one.to_canonical() == ip.to_canonical(),
        }
    }
}

#[cfg(test)]
mod tests;
