//! The agent: sources -> parse -> publish, wired from one config.
//!
//! ```text
//! socket -> reader thread -> bounded queue -> parser thread -> publisher -> Kafka
//!           (never parses)                    (never waits for Kafka)
//! ```

mod agent;
pub mod cli;
mod config;
mod gaps;
mod pipeline;
mod probes;
mod rate_limit;
mod secret;
mod snmp;
mod stats;

pub use agent::{Agent, Closing, StartError};
pub use config::{Config, ConfigError, DevicesConfig};
pub use secret::{Secret, SecretFile};
pub use snmp::config::{AuthConfig, AuthWord, LevelWord, PrivacyConfig, PrivacyWord, SnmpConfig, UserConfig};
pub use snmp::devices::{DeviceConfig, GaugeConfig, VersionWord};
