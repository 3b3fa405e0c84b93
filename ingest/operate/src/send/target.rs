//! The listeners that traffic can be sent to, by name.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};

use clap::ValueEnum;
use serde::Deserialize;

use crate::Failure;

/// Longest payload of one UDP datagram over IPv4: 65,535 less 20 bytes IP and 8 bytes UDP header.
pub const MAX_DATAGRAM_BYTES: usize = 65_507;

/// A listener of the agent's default config.
#[derive(ValueEnum, Deserialize, Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// Alert updates, one or several a datagram; port 5515.
    AlertUdp,
    /// Syslog, one message a datagram; port 5514.
    SyslogUdp,
    /// Syslog over a connection; port 5514.
    SyslogTcp,
    /// Copies of DHCP packets, one a datagram; port 6767.
    DhcpUdp,
    /// SNMP traps, one a datagram; port 1162. Played from files only.
    SnmpUdp,
}

impl Target {
    /// Name in events files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AlertUdp => "alert-udp",
            Self::SyslogUdp => "syslog-udp",
            Self::SyslogTcp => "syslog-tcp",
            Self::DhcpUdp => "dhcp-udp",
            Self::SnmpUdp => "snmp-udp",
        }
    }

    /// Does one payload travel in one datagram?
    pub fn is_datagram(self) -> bool {
        self != Self::SyslogTcp
    }

    fn default_port(self) -> u16 {
        match self {
            Self::AlertUdp => 5515,
            Self::SyslogUdp | Self::SyslogTcp => 5514,
            Self::DhcpUdp => 6767,
            Self::SnmpUdp => 1162,
        }
    }
}

/// Where each target is.
#[derive(Debug, Clone)]
pub struct Addresses {
    host: String,
    port_offset: u16,
    exceptions: BTreeMap<Target, String>,
}

impl Addresses {
    /// All targets at `host`, their default ports moved by `port_offset`, except those that `exceptions` place elsewhere.
    pub fn new(host: &str, port_offset: u16, exceptions: &[(Target, String)]) -> Self {
        Self { host: host.to_owned(), port_offset, exceptions: exceptions.iter().cloned().collect() }
    }

    /// Looks the target's address up.
    pub fn resolve(&self, target: Target) -> Result<SocketAddr, Failure> {
        let name = match self.exceptions.get(&target) {
            Some(address) => address.clone(),
            None => {
                let port = target.default_port().checked_add(self.port_offset).ok_or_else(|| {
                    Failure::usage(
                        format!("port offset {} puts {} beyond port 65535", self.port_offset, target.name()),
                        "give a smaller --port-offset",
                    )
                })?;
                let is_bare_ipv6 = self.host.contains(':') && !self.host.starts_with('[');
                if is_bare_ipv6 { format!("[{}]:{port}", self.host) } else { format!("{}:{port}", self.host) }
            }
        };
        let remedy = || "give --host an address or a name that resolves, and --target as NAME=HOST:PORT".to_owned();
        let unknown = |reason: String| Failure::usage(format!("{} at {name:?} has no address: {reason}", target.name()), remedy());
        name.to_socket_addrs().map_err(|error| unknown(error.to_string()))?.next().ok_or_else(|| unknown("no result".to_owned()))
    }
}

/// Reads `NAME=HOST:PORT`.
pub fn parse_exception(text: &str) -> Result<(Target, String), String> {
    let (name, address) = text.split_once('=').ok_or("write it as NAME=HOST:PORT, for example syslog-udp=127.0.0.1:514")?;
    let target =
        Target::from_str(name, false).map_err(|_| format!("{name:?} is none of alert-udp, syslog-udp, syslog-tcp, dhcp-udp, snmp-udp"))?;
    if !address.rsplit_once(':').is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok()) {
        return Err(format!("{address:?} is not HOST:PORT"));
    }
    Ok((target, address.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_default_listeners() {
        for target in Target::value_variants() {
            assert_eq!(target.to_possible_value().unwrap().get_name(), target.name());
            assert_eq!(serde_json::from_str::<Target>(&format!("{:?}", target.name())).unwrap(), *target);
        }
    }

    #[test]
    fn the_offset_moves_default_ports_and_leaves_exceptions_alone() {
        let exception = parse_exception("syslog-udp=[::1]:514").unwrap();
        let addresses = Addresses::new("127.0.0.1", 100, &[exception]);
        assert_eq!(addresses.resolve(Target::AlertUdp).unwrap().to_string(), "127.0.0.1:5615");
        assert_eq!(addresses.resolve(Target::SyslogUdp).unwrap().to_string(), "[::1]:514");
    }

    #[test]
    fn an_ipv6_host_needs_no_brackets() {
        for host in ["::1", "[::1]"] {
            assert_eq!(Addresses::new(host, 0, &[]).resolve(Target::SyslogTcp).unwrap().to_string(), "[::1]:5514");
        }
    }

    #[test]
    fn an_exception_that_cannot_be_read_is_refused() {
        for text in ["syslog-udp", "syslog=127.0.0.1:1", "syslog-udp=127.0.0.1", "syslog-udp=:514", "syslog-udp=h:99999"] {
            assert!(parse_exception(text).is_err(), "{text}");
        }
    }
}
