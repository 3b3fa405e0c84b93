//! `host` in the agent's config.

use std::time::Duration;

use serde::{Deserialize, Serialize};

const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Finding storage-slow forgets what was not read for 15 minutes.
const MAX_INTERVAL: Duration = Duration::from_secs(5 * 60);

/// How the agent's own host is read.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostConfig {
    /// From one reading to the next; figures are means over it.
    #[serde(with = "humantime_serde")]
    pub interval: Duration,
    /// Name of the device in its events; empty: the host's name.
    pub device: String,
    /// Place of the device; empty: that of its address, else the agent's `site`.
    pub site: String,
}

impl Default for HostConfig {
    fn default() -> Self {
        Self { interval: Duration::from_secs(30), device: String::new(), site: String::new() }
    }
}

impl HostConfig {
    /// What is wrong with the values, one sentence that names key and remedy.
    pub fn check(&self) -> Result<(), String> {
        if self.interval < MIN_INTERVAL || self.interval > MAX_INTERVAL {
            return Err(format!("host.interval is {:?}; use 1s to 5m", self.interval));
        }
        Ok(())
    }
}
