//! `links` in the agent's config.

use std::collections::HashSet;
use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tocsin_parse::dns::{Question, RecordType};
use tocsin_wire::events::link_probe;

const MIN_TIME: Duration = Duration::from_millis(10);
const MAX_INTERVAL: Duration = Duration::from_secs(3600);
const MAX_TIMEOUT: Duration = Duration::from_secs(60);
/// ICMP has 16 bits to tell probes apart; half of them leaves room for duplicates that are still awaited.
const MAX_ICMP_UNDER_WAY: u128 = 32_768;
const DNS_PORT: u16 = 53;

/// How a link is probed.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// ICMP or ICMPv6 echo.
    Icmp,
    /// Time to establish a TCP connection.
    Tcp,
    /// Time to the answer of a DNS query over UDP.
    Dns,
}

impl From<Method> for link_probe::Method {
    fn from(method: Method) -> Self {
        match method {
            Method::Icmp => Self::Icmp,
            Method::Tcp => Self::Tcp,
            Method::Dns => Self::Dns,
        }
    }
}

/// One entry of `links`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LinkConfig {
    /// Unique name; events, tables and findings carry it.
    pub id: String,
    /// How it is probed.
    pub method: Method,
    /// Address or name at the other end.
    pub target: String,
    /// Port at the other end: needed for TCP, 53 for DNS where it is not given.
    #[serde(default)]
    pub port: Option<u16>,
    /// Time between probes.
    #[serde(default = "default_time", with = "humantime_serde")]
    pub interval: Duration,
    /// An answer that comes later counts as lost.
    #[serde(default = "default_time", with = "humantime_serde")]
    pub timeout: Duration,
    /// Address to probe from; `None`: the system's choice.
    #[serde(default)]
    pub source: Option<IpAddr>,
    /// How often a name is looked up again.
    #[serde(default = "default_resolve_interval", with = "humantime_serde")]
    pub resolve_interval: Duration,
    /// Name to ask for (DNS only).
    #[serde(default)]
    pub query_name: String,
    /// Type of record to ask for (DNS only).
    #[serde(default)]
    pub query_type: RecordType,
    /// Device that the link leaves through, as its own messages name it; empty: the agent.
    #[serde(default)]
    pub device: String,
    /// Interface of that device, as SNMP names it.
    #[serde(default)]
    pub interface: String,
    /// Place at the other end.
    #[serde(default)]
    pub remote_site: String,
    /// Place at this end; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

fn default_time() -> Duration {
    Duration::from_secs(1)
}

fn default_resolve_interval() -> Duration {
    Duration::from_secs(60)
}

impl LinkConfig {
    /// Port asked at; 0 for ICMP, which has none.
    pub fn target_port(&self) -> u16 {
        self.port.unwrap_or(if self.method == Method::Dns { DNS_PORT } else { 0 })
    }

    /// The target where it is an address. A name is anything else, also an address with a zone, which only the system can read.
    pub fn target_ip(&self) -> Option<IpAddr> {
        self.target.parse().ok().map(|ip: IpAddr| ip.to_canonical())
    }

    /// The question of a DNS probe.
    pub(crate) fn question(&self) -> Option<Question> {
        Question::new(&self.query_name, self.query_type).ok()
    }

    /// What is wrong with the values, one sentence that names key and remedy.
    fn check(&self) -> Result<(), String> {
        if self.target.is_empty() || self.target.contains(char::is_whitespace) {
            return Err(format!("target is {:?}; give one address or name", self.target));
        }
        self.check_times()?;
        match (self.method, self.port) {
            (Method::Icmp, Some(_)) => return Err("port is for tcp and dns; ICMP has none, remove the key".to_owned()),
            (Method::Tcp, None) => return Err("port is missing; give the one that the target listens on".to_owned()),
            (_, Some(0)) => return Err("port is 0; use 1 to 65535".to_owned()),
            _ => {}
        }
        if let (Some(source), Some(target)) = (self.source, self.target_ip())
            && source.to_canonical().is_ipv4() != target.is_ipv4()
        {
            return Err(format!("source {source} and target {target} are of different families; use two IPv4 or two IPv6 addresses"));
        }
        self.check_query()
    }

    fn check_times(&self) -> Result<(), String> {
        if self.interval < MIN_TIME || self.interval > MAX_INTERVAL {
            return Err(format!("interval is {:?}; use 10ms to 1h, 1s is right for nearly everybody", self.interval));
        }
        if self.timeout < MIN_TIME || self.timeout > MAX_TIMEOUT {
            return Err(format!("timeout is {:?}; use 10ms to 1m", self.timeout));
        }
        if self.resolve_interval < Duration::from_secs(1) {
            return Err(format!("resolve_interval is {:?}; use 1s or more, resolvers are shared with others", self.resolve_interval));
        }
        Ok(())
    }

    fn check_query(&self) -> Result<(), String> {
        let has_query = !self.query_name.is_empty();
        match self.method {
            Method::Dns if !has_query => Err("query_name is missing; give the name that the resolver is to be asked for".to_owned()),
            Method::Dns => Question::new(&self.query_name, self.query_type)
                .map(|_| ())
                .map_err(|bad| format!("query_name {:?} {}; correct it", self.query_name, bad.text())),
            _ if has_query || self.query_type != RecordType::default() => {
                Err("query_name and query_type are for method dns; remove them, or change the method".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// What is wrong with a list of links, one sentence that names link, key and remedy.
pub fn check_links(links: &[LinkConfig]) -> Result<(), String> {
    let mut ids = HashSet::new();
    for link in links {
        if !ids.insert(&link.id) {
            return Err(format!("two links have the id {}; give each its own", link.id));
        }
        link.check().map_err(|problem| format!("link {}: {problem}", link.id))?;
    }
    let icmp = links.iter().filter(|link| link.method == Method::Icmp);
    let under_way: u128 = icmp.map(|link| link.timeout.as_nanos().div_ceil(link.interval.as_nanos())).sum();
    if under_way > MAX_ICMP_UNDER_WAY {
        return Err(format!(
            "links: {under_way} ICMP probes could be under way at once and {MAX_ICMP_UNDER_WAY} can be told apart; \
             make timeouts shorter or intervals longer, or use a second agent"
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link() -> LinkConfig {
        LinkConfig {
            id: "fra1-ams1".to_owned(),
            method: Method::Icmp,
            target: "192.0.2.1".to_owned(),
            port: None,
            interval: default_time(),
            timeout: default_time(),
            source: None,
            resolve_interval: default_resolve_interval(),
            query_name: String::new(),
            query_type: RecordType::A,
            device: String::new(),
            interface: String::new(),
            remote_site: String::new(),
            site: String::new(),
        }
    }

    #[track_caller]
    fn refused(link: LinkConfig, parts: &[&str]) {
        let problem = check_links(&[link]).unwrap_err();
        for part in ["link fra1-ams1"].iter().chain(parts) {
            assert!(problem.contains(part), "{part:?} is missing in: {problem}");
        }
    }

    #[test]
    fn values_that_cannot_work_are_refused_with_a_remedy() {
        refused(LinkConfig { target: String::new(), ..link() }, &["target", "address or name"]);
        refused(LinkConfig { interval: Duration::ZERO, ..link() }, &["interval", "10ms"]);
        refused(LinkConfig { timeout: Duration::from_secs(61), ..link() }, &["timeout", "1m"]);
        refused(LinkConfig { resolve_interval: Duration::ZERO, ..link() }, &["resolve_interval", "1s"]);
        refused(LinkConfig { port: Some(80), ..link() }, &["port", "remove"]);
        refused(LinkConfig { method: Method::Tcp, ..link() }, &["port", "missing"]);
        refused(LinkConfig { method: Method::Tcp, port: Some(0), ..link() }, &["port", "65535"]);
        refused(LinkConfig { source: Some("2001:db8::1".parse().unwrap()), ..link() }, &["source", "families"]);
        refused(LinkConfig { method: Method::Dns, ..link() }, &["query_name", "missing"]);
        refused(LinkConfig { method: Method::Dns, query_name: "a..b".to_owned(), ..link() }, &["query_name", "two dots"]);
        refused(LinkConfig { query_type: RecordType::Mx, ..link() }, &["query_type", "method dns"]);
    }

    #[test]
    fn two_links_of_one_id_are_refused() {
        assert!(check_links(&[link(), link()]).unwrap_err().contains("two links have the id fra1-ams1"));
    }

    #[test]
    fn more_probes_under_way_than_icmp_can_tell_apart_are_refused() {
        let busy = |id: u32| LinkConfig { id: id.to_string(), interval: MIN_TIME, timeout: MAX_TIMEOUT, ..link() };
        check_links(&(0..5).map(busy).collect::<Vec<_>>()).unwrap();
        let problem = check_links(&(0..6).map(busy).collect::<Vec<_>>()).unwrap_err();
        assert!(problem.contains("36000") && problem.contains("shorter"), "{problem}");
    }

    #[test]
    fn a_timeout_may_be_longer_than_the_interval() {
        check_links(&[LinkConfig { interval: Duration::from_millis(200), timeout: Duration::from_secs(5), ..link() }]).unwrap();
    }

    #[test]
    fn dns_has_a_port_and_a_mapped_target_is_ipv4() {
        let dns = LinkConfig { method: Method::Dns, query_name: "example.com".to_owned(), target: "::ffff:192.0.2.1".to_owned(), ..link() };
        assert_eq!((dns.target_port(), dns.target_ip()), (53, Some("192.0.2.1".parse().unwrap())));
        check_links(&[LinkConfig { source: Some("192.0.2.2".parse().unwrap()), ..dns }]).unwrap();
    }
}
