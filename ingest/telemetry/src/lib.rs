//! What the agent says about itself: counters, sampled logs, metrics, health, and a table of sources.
//!
//! Whatever moves has a counter, and a call that logs counts too: see [`Counters`]. Logs are sampled, counters never are.

mod arrivals;
mod certificates;
mod counters;
mod health;
mod http;
mod inputs;
mod metrics;
mod panics;
mod polled;
mod sampler;
mod senders;

use std::net::SocketAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

pub use arrivals::Arrivals;
pub use certificates::{CertificateFile, CertificateFiles};
pub use counters::{BufferUse, Counters, Ignored, Loss};
pub use health::{Health, Reloads};
pub use http::{Page, Server, State, bind};
pub use inputs::{Input, Inputs};
pub use panics::log_panics;
pub use polled::PolledDevices;
pub use senders::{Sender, Senders};

/// `telemetry` in the agent's config.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct TelemetryConfig {
    /// Address of `/metrics`, `/health` and `/sources`.
    pub listen: SocketAddr,
    /// How often the counters of each listener are published as an event.
    #[serde(with = "humantime_serde")]
    pub stats_interval: Duration,
}

impl Default for TelemetryConfig {
    fn default() -> Self {
        Self { listen: SocketAddr::from(([127, 0, 0, 1], 9464)), stats_interval: Duration::from_secs(1) }
    }
}
