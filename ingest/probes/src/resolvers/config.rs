//! `resolvers` in the agent's config.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tocsin_parse::dns::{Question, RecordType};

const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Findings about resolvers forget what was not asked for 15 minutes.
const MAX_INTERVAL: Duration = Duration::from_secs(5 * 60);
const MIN_TIMEOUT: Duration = Duration::from_millis(10);
/// Sockets that are open at once are at most as many as resolvers times questions.
const MAX_SERVERS: usize = 16;
const MAX_QUESTIONS: usize = 64;
const DNS_PORT: u16 = 53;

/// One entry of `resolvers`: some that should answer alike, and what they are asked.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GroupConfig {
    /// Unique name in the installation; events, tables and findings carry it.
    pub id: String,
    /// Who is asked.
    pub servers: Vec<ServerConfig>,
    /// What each of them is asked.
    pub questions: Vec<QuestionConfig>,
    /// From one asking to the next of the same question; questions are spread over it.
    #[serde(default = "default_interval", with = "humantime_serde")]
    pub interval: Duration,
    /// How long an answer may take, a second question over TCP included.
    #[serde(default = "default_timeout", with = "humantime_serde")]
    pub timeout: Duration,
    /// Place of the resolvers; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

/// A resolver.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ServerConfig {
    /// Name of the device in events and findings.
    pub id: String,
    /// Where it listens. A name would have to be resolved by whom it is about.
    pub address: IpAddr,
    /// Port.
    #[serde(default = "default_port")]
    pub port: u16,
}

/// A name, and the types of records that are asked for.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct QuestionConfig {
    /// Name to ask for.
    pub name: String,
    /// Types of records, one question each.
    #[serde(default = "default_types")]
    pub types: Vec<RecordType>,
    /// What has to be the same everywhere.
    #[serde(default)]
    pub compare: Compare,
}

/// What of an answer has to be the same everywhere.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compare {
    /// Code and records; of a start of authority the serial.
    #[default]
    Records,
    /// The code alone, for names that are answered differently on purpose: content networks, balancers.
    Code,
}

fn default_interval() -> Duration {
    Duration::from_secs(30)
}

fn default_timeout() -> Duration {
    Duration::from_secs(2)
}

fn default_types() -> Vec<RecordType> {
    vec![RecordType::A]
}

fn default_port() -> u16 {
    DNS_PORT
}

impl ServerConfig {
    pub(crate) fn socket_address(&self) -> SocketAddr {
        SocketAddr::new(self.address.to_canonical(), self.port)
    }
}

/// One question to a whole group.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupQuestion {
    pub(crate) name: String,
    pub(crate) record_type: RecordType,
    pub(crate) compare: Compare,
    pub(crate) packet: Question,
}

impl GroupConfig {
    /// Every name with every type, in the order of the config.
    pub fn questions(&self) -> Vec<GroupQuestion> {
        let each = self.questions.iter().flat_map(|question| question.types.iter().map(move |record_type| (question, *record_type)));
        each.filter_map(|(question, record_type)| {
            let packet = Question::new(&question.name, record_type).ok()?;
            Some(GroupQuestion { name: question.name.clone(), record_type, compare: question.compare, packet })
        })
        .collect()
    }

    /// What is wrong with the values, one sentence that names key and remedy.
    fn check(&self) -> Result<(), String> {
        if self.servers.is_empty() || self.servers.len() > MAX_SERVERS {
            return Err(format!("servers has {} entries; give 1 to {MAX_SERVERS} that should answer alike", self.servers.len()));
        }
        let mut ids = HashSet::new();
        for server in &self.servers {
            if !ids.insert(&server.id) {
                return Err(format!("two servers have the id {}; give each its own", server.id));
            }
            if server.port == 0 {
                return Err(format!("port of server {} is 0; use 1 to 65535", server.id));
            }
        }
        for question in &self.questions {
            Question::new(&question.name, RecordType::A)
                .map_err(|bad| format!("question {:?} {}; correct it", question.name, bad.text()))?;
        }
        let questions: usize = self.questions.iter().map(|question| question.types.len()).sum();
        if questions == 0 || questions > MAX_QUESTIONS {
            return Err(format!("questions are {questions}, each type counted; ask 1 to {MAX_QUESTIONS}, and the rest in a second group"));
        }
        if self.interval < MIN_INTERVAL || self.interval > MAX_INTERVAL {
            return Err(format!("interval is {:?}; use 1s to 5m", self.interval));
        }
        if self.timeout < MIN_TIMEOUT || self.timeout > self.interval {
            return Err(format!("timeout is {:?}; use 10ms up to the interval", self.timeout));
        }
        Ok(())
    }
}

/// What is wrong with a list of groups, one sentence that names group, key and remedy.
pub fn check_resolvers(groups: &[GroupConfig]) -> Result<(), String> {
    let mut ids = HashSet::new();
    for group in groups {
        if !ids.insert(&group.id) {
            return Err(format!("two groups of resolvers have the id {}; give each its own", group.id));
        }
        group.check().map_err(|problem| format!("resolvers {}: {problem}", group.id))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(id: &str) -> ServerConfig {
        ServerConfig { id: id.to_owned(), address: "192.0.2.53".parse().unwrap(), port: DNS_PORT }
    }

    fn asking(name: &str, types: &[RecordType]) -> QuestionConfig {
        QuestionConfig { name: name.to_owned(), types: types.to_vec(), compare: Compare::Records }
    }

    fn group() -> GroupConfig {
        GroupConfig {
            id: "fra1".to_owned(),
            servers: vec![server("ns1"), server("ns2")],
            questions: vec![asking("example.com", &[RecordType::A, RecordType::Soa]), asking("example.org", &[RecordType::Aaaa])],
            interval: default_interval(),
            timeout: default_timeout(),
            site: String::new(),
        }
    }

    #[track_caller]
    fn refused(group: GroupConfig, parts: &[&str]) {
        let problem = check_resolvers(&[group]).unwrap_err();
        for part in ["resolvers fra1"].iter().chain(parts) {
            assert!(problem.contains(part), "{part:?} is missing in: {problem}");
        }
    }

    #[test]
    fn each_name_is_asked_for_with_each_of_its_types() {
        check_resolvers(&[group()]).unwrap();
        let asked: Vec<_> = group().questions().into_iter().map(|question| (question.name, question.record_type)).collect();
        let expected = [("example.com", RecordType::A), ("example.com", RecordType::Soa), ("example.org", RecordType::Aaaa)];
        assert_eq!(asked, expected.map(|(name, record_type)| (name.to_owned(), record_type)));
    }

    #[test]
    fn values_that_cannot_work_are_refused_with_a_remedy() {
        refused(GroupConfig { servers: Vec::new(), ..group() }, &["servers", "1 to 16"]);
        refused(GroupConfig { servers: vec![server("ns1"), server("ns1")], ..group() }, &["two servers", "ns1"]);
        refused(GroupConfig { servers: vec![ServerConfig { port: 0, ..server("ns1") }], ..group() }, &["port", "65535"]);
        refused(GroupConfig { questions: Vec::new(), ..group() }, &["questions", "1 to 64"]);
        refused(GroupConfig { questions: vec![asking("a..b", &[RecordType::A])], ..group() }, &["a..b", "two dots"]);
        refused(GroupConfig { questions: vec![asking("a", &[RecordType::A; 65])], ..group() }, &["65", "second group"]);
        refused(GroupConfig { interval: Duration::from_millis(999), ..group() }, &["interval", "1s"]);
        refused(GroupConfig { timeout: Duration::from_secs(31), ..group() }, &["timeout", "interval"]);
        assert!(check_resolvers(&[group(), group()]).unwrap_err().contains("two groups of resolvers have the id fra1"));
    }
}
