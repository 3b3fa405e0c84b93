//! `snmp.devices` in the agent's config.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::interfaces::Reading;
use crate::names::Names;
use crate::secret::Secret;
use crate::session::Identity;
use crate::usm::User;

const MIN_INTERVAL: Duration = Duration::from_secs(1);
const MAX_REPETITIONS: u32 = 1_000;

/// Version of SNMP.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VersionWord {
    /// Version 1: no 64-bit counters, one row at a time.
    V1,
    /// Version 2 with a community.
    V2c,
    /// Version 3 with a user.
    V3,
}

/// A device that is polled.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    /// Name of the device in its events; empty: its sysName.
    #[serde(default)]
    pub name: String,
    /// IP address or host name, with a port where it is not 161.
    pub address: String,
    /// Version of SNMP.
    #[serde(default = "default_version")]
    pub version: VersionWord,
    /// Community for versions 1 and 2c.
    #[serde(default = "default_community")]
    pub community: Secret,
    /// A user of `snmp.users` for version 3.
    #[serde(default)]
    pub user: String,
    /// From the beginning of one poll to that of the next.
    #[serde(default = "default_interval", with = "humantime_serde")]
    pub interval: Duration,
    /// How long an answer may take.
    #[serde(default = "default_timeout", with = "humantime_serde")]
    pub timeout: Duration,
    /// How often a request is repeated.
    #[serde(default = "default_retries")]
    pub retries: u32,
    /// Rows that are asked for at once.
    #[serde(default = "default_repetitions")]
    pub max_repetitions: u32,
    /// Interfaces by name or alias, `*` for anything; an empty list: none.
    #[serde(default = "default_interfaces")]
    pub interfaces: Vec<String>,
    /// Further figures.
    #[serde(default)]
    pub gauges: Vec<GaugeConfig>,
    /// Place of the device; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

/// A figure that is polled.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct GaugeConfig {
    /// Its name in events.
    pub name: String,
    /// OID or name of an instance, or of a column, whose instances are then all polled.
    pub oid: String,
    /// A column that names the instances of `oid`; empty: they are told by their numbers.
    #[serde(default)]
    pub instance_oid: String,
    /// What it must not exceed, in `unit`.
    #[serde(default)]
    pub limit: Option<f64>,
    /// Object that tells the limit, before `scale`.
    #[serde(default)]
    pub limit_oid: String,
    /// Unit of the value after `scale`.
    #[serde(default)]
    pub unit: String,
    /// What the polled number is multiplied by.
    #[serde(default = "default_scale")]
    pub scale: f64,
}

fn default_version() -> VersionWord {
    VersionWord::V2c
}

fn default_community() -> Secret {
    Secret::Text("public".to_owned())
}

fn default_interval() -> Duration {
    Duration::from_secs(60)
}

fn default_timeout() -> Duration {
    Duration::from_secs(2)
}

fn default_retries() -> u32 {
    2
}

fn default_repetitions() -> u32 {
    20
}

fn default_interfaces() -> Vec<String> {
    vec!["*".to_owned()]
}

fn default_scale() -> f64 {
    1.0
}

impl DeviceConfig {
    /// What it is called where people look after polls: its name, else where it is asked.
    pub(crate) fn label(&self) -> &str {
        if self.name.is_empty() { &self.address } else { &self.name }
    }

    pub(crate) fn stand_beside(&mut self, folder: &Path) {
        self.community.stand_beside(folder);
    }

    /// What is wrong with the values; `users` are the names of `snmp.users`.
    pub(crate) fn check(&self, users: &[&str], names: &Names) -> Result<(), String> {
        let device = format!("snmp.devices: {:?}", self.label());
        if self.address.is_empty() {
            return Err(format!("{device} has no address; give an IP address or a host name"));
        }
        match self.version {
            VersionWord::V3 if self.user.is_empty() => {
                return Err(format!("{device} is polled by v3 and has no user; name one of snmp.users"));
            }
            VersionWord::V3 if !users.contains(&self.user.as_str()) => {
                return Err(format!("{device}: user {:?} is not in snmp.users; add it there", self.user));
            }
            VersionWord::V3 => {}
            _ if !self.user.is_empty() => return Err(format!("{device} has a user, which only v3 knows; set version: v3, or remove user")),
            _ => drop(self.community.read(&format!("community of {device}"))?),
        }
        if self.interval < MIN_INTERVAL || self.timeout.is_zero() || self.timeout > self.interval {
            return Err(format!(
                "{device}: interval {:?}, timeout {:?}; use at least 1s, and a timeout within it",
                self.interval, self.timeout
            ));
        }
        if self.max_repetitions == 0 || self.max_repetitions > MAX_REPETITIONS {
            return Err(format!("{device}: max_repetitions is {}; use 1 to {MAX_REPETITIONS}", self.max_repetitions));
        }
        for gauge in &self.gauges {
            let wrong = |problem: String| format!("{device}, gauge {:?}: {problem}", gauge.name);
            names.oid(&gauge.oid).map_err(wrong)?;
            for other in [&gauge.limit_oid, &gauge.instance_oid].into_iter().filter(|oid| !oid.is_empty()) {
                names.oid(other).map_err(wrong)?;
            }
            if gauge.name.is_empty() || !gauge.scale.is_finite() || gauge.limit.is_some_and(|limit| !limit.is_finite()) {
                return Err(wrong("a gauge needs a name and finite numbers".to_owned()));
            }
        }
        Ok(())
    }

    pub(crate) fn identity(&self, users: &[User]) -> Result<Identity, String> {
        match self.version {
            VersionWord::V3 => {
                let user = users.iter().find(|user| user.name == self.user);
                user.map(|user| Identity::User(Arc::new(user.clone()))).ok_or_else(|| format!("user {:?} is not in snmp.users", self.user))
            }
            version => {
                let community = self.community.read(&format!("snmp.devices: community of {}", self.label()))?;
                Ok(Identity::Community { is_v1: version == VersionWord::V1, community })
            }
        }
    }
}

/// Whether a pattern with `*` fits the interface's name or alias.
pub(crate) fn matches(pattern: &str, reading: &Reading) -> bool {
    fits(pattern, &reading.name) || (!reading.alias.is_empty() && fits(pattern, &reading.alias))
}

fn fits(pattern: &str, text: &str) -> bool {
    let Some((before, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(text) = text.strip_prefix(before) else { return false };
    rest.is_empty() || text.char_indices().map(|(at, _)| at).chain([text.len()]).any(|at| fits(rest, &text[at..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_anything() {
        for (pattern, text, expected) in [
            ("*", "", true),
            ("ge-*", "ge-0/0/1", true),
            ("ge-*", "xe-0/0/1", false),
            ("*/1", "ge-0/0/1", true),
            ("g*0/1", "ge-0/0/1", true),
            ("lo", "lo0", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }
}
