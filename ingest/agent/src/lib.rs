//! The agent: sources -> parse -> publish, wired from one config.
//!
//! ```text
//! socket -> reader thread -> bounded queue -> parser thread -> publisher -> Kafka
//!           (never parses)                    (never waits for Kafka)
//! ```

mod agent;
mod aliases;
pub mod cli;
mod config;
mod error;
mod gaps;
mod held;
mod host;
mod listener;
mod own;
mod pipeline;
mod places;
mod probes;
mod rate_limit;
mod reject_limit;
mod reload;
mod resolvers;
mod service_manager;
mod shared;
mod shown;
mod snmp;
mod stats;
mod task;
mod time_zones;

pub use agent::{Agent, Closing, Order};
pub use config::{Config, ConfigError, DevicesConfig};
pub use error::StartError;
pub use held::HeldSockets;
pub use reload::{Change, Plan};
