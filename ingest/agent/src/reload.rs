//! What becomes of a running agent when it is given another config. Pure: the plan of a reload, and how it reads.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::Value;
use tocsin_sources::{CaptureConfig, ListenerConfig};

use crate::Config;
use crate::config::Place;

/// A key whose value is another one. Secrets are not told, and so not compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// For example `listeners[syslog-udp].max_message`.
    pub key: String,
    /// `None`: it is new.
    from: Option<String>,
    /// `None`: it goes.
    to: Option<String>,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) => write!(f, "{}: {from} -> {to}", self.key),
            (None, Some(to)) => write!(f, "{}: new: {to}", self.key),
            (Some(from), None) => write!(f, "{}: goes, was {from}", self.key),
            (None, None) => write!(f, "{}", self.key),
        }
    }
}

/// What a reload does.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The config that will be in effect.
    pub(crate) effective: Config,
    /// What it changes.
    pub applied: Vec<Change>,
    /// What was asked for and is not in effect before a restart.
    pub waiting: Vec<Change>,
}

impl Plan {
    /// From the config in effect to another. `is_held` tells whether the service manager holds the sockets of a listener.
    ///
    /// # Errors
    ///
    /// Where a new listener wants the port of one that runs.
    pub fn between(running: &Config, wanted: &Config, is_held: impl Fn(&str) -> bool) -> Result<Self, String> {
        let mut effective = wanted.clone();
        // The promises about records and their numbers rest on these.
        effective.agent_id.clone_from(&running.agent_id);
        effective.kafka = running.kafka.clone();
        effective.spool = running.spool.clone();
        effective.telemetry = running.telemetry.clone();
        effective.snmp.engine_id.clone_from(&running.snmp.engine_id);
        for listener in &mut effective.listeners {
            if let Some(old) = running.listeners.iter().find(|old| old.name == listener.name) {
                keep_sockets(old, listener, is_held(&old.name));
            }
        }
        for capture in &mut effective.captures {
            if let Some(old) = running.captures.iter().find(|old| old.name == capture.name && old.interface == capture.interface) {
                *capture = CaptureConfig { site: std::mem::take(&mut capture.site), ..old.clone() };
            }
        }
        check_ports(running, &effective, &is_held)?;
        Ok(Self { applied: changes(running, &effective), waiting: changes(&effective, wanted), effective })
    }
}

/// Whether two entries of one listener mean the same sockets.
pub(crate) fn has_same_socket(one: &ListenerConfig, other: &ListenerConfig) -> bool {
    let key =
        |listener: &ListenerConfig| (listener.transport, listener.listen, listener.ipv6_only, listener.readers, listener.receive_buffer);
    key(one) == key(other)
}

/// Puts the keys of the sockets back, unless others can be opened beside them: on another port, where the agent opened these itself.
fn keep_sockets(old: &ListenerConfig, new: &mut ListenerConfig, is_held: bool) {
    let is_same_address = old.transport == new.transport && old.listen == new.listen;
    if !(is_held || is_same_address || Place::of(old).collides(&Place::of(new))) {
        return;
    }
    if old.transport != new.transport {
        new.tls.clone_from(&old.tls);
    }
    *new = ListenerConfig {
        transport: old.transport,
        listen: old.listen,
        ipv6_only: old.ipv6_only,
        readers: old.readers,
        receive_buffer: old.receive_buffer,
        ..new.clone()
    };
}

/// A socket is opened before another is closed, so that nothing is missed; two cannot have one port meanwhile.
fn check_ports(running: &Config, effective: &Config, is_held: impl Fn(&str) -> bool) -> Result<(), String> {
    for new in &effective.listeners {
        let stays = |old: &ListenerConfig| old.name == new.name && has_same_socket(old, new);
        if is_held(&new.name) || running.listeners.iter().any(stays) {
            continue;
        }
        let other = running.listeners.iter().filter(|old| !is_held(&old.name)).find(|old| Place::of(old).collides(&Place::of(new)));
        if let Some(old) = other {
            return Err(format!(
                "listener {} wants {}, where listener {} is open until the reload is done; reload without {0} first and then with it, or \
                 restart the agent",
                new.name, new.listen, old.name
            ));
        }
    }
    Ok(())
}

/// Keys by which two configs differ, in the order of the alphabet. An entry of a list that is in one alone is one change.
fn changes(from: &Config, to: &Config) -> Vec<Change> {
    let (from, to) = (flat(from), flat(to));
    let has = |keys: &BTreeMap<String, String>, entry: &str| keys.keys().any(|key| key.starts_with(entry));
    let mut changes = BTreeMap::new();
    for key in from.keys().chain(to.keys()).filter(|key| from.get(*key) != to.get(*key)) {
        let change = match entry_of(key) {
            Some(entry) if !has(&from, entry) => Change { key: entry.to_owned(), from: None, to: Some(summary(&to, entry)) },
            Some(entry) if !has(&to, entry) => Change { key: entry.to_owned(), from: Some(summary(&from, entry)), to: None },
            _ => Change { key: key.clone(), from: from.get(key).cloned(), to: to.get(key).cloned() },
        };
        changes.insert(change.key.clone(), change);
    }
    changes.into_values().collect()
}

/// The part of a path that names an entry of a list.
fn entry_of(key: &str) -> Option<&str> {
    key.find(']').map(|end| &key[..=end])
}

/// What somebody knows an entry by.
fn summary(keys: &BTreeMap<String, String>, entry: &str) -> String {
    let values = ["kind", "transport", "listen", "interface", "method", "target", "address"];
    values.iter().filter_map(|key| keys.get(&format!("{entry}.{key}")).map(String::as_str)).collect::<Vec<_>>().join(" ")
}

/// Every key that has a value, by its path; entries of a list by their name. As a dump has them: without secrets.
fn flat(config: &Config) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    // A config that can be read can be written.
    flatten(String::new(), &serde_json::to_value(config).unwrap_or_default(), &mut keys);
    keys
}

fn flatten(path: String, value: &Value, keys: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                flatten(if path.is_empty() { key.clone() } else { format!("{path}.{key}") }, value, keys);
            }
        }
        Value::Array(entries) if entries.iter().any(|entry| name_of(entry).is_some()) => {
            for (index, entry) in entries.iter().enumerate() {
                let name = name_of(entry).unwrap_or_default();
                // Several SNMP users may have one name.
                let before = entries[..index].iter().filter(|other| name_of(other) == Some(name)).count();
                let place = if before == 0 { format!("{path}[{name}]") } else { format!("{path}[{name}, {}]", before + 1) };
                flatten(place, entry, keys);
            }
        }
        Value::Null => {}
        Value::String(text) => {
            keys.insert(path, text.clone());
        }
        other => {
            keys.insert(path, other.to_string());
        }
    }
}

/// What tells an entry of a list from the others.
fn name_of(entry: &Value) -> Option<&str> {
    entry.get("name").or_else(|| entry.get("id")).and_then(Value::as_str)
}

#[cfg(test)]
mod tests;
