//! SNMP, versions 1 (RFC 1157), 2c (RFC 1901, 3416) and 3 (RFC 3412, 3414): notifications in, and devices polled.
//!
//! [`Receiver`] turns one datagram into an event, a refusal, a reply, or several of them. [`Poller`] asks devices for their figures. [`names`]
//! gives OIDs their names, and [`mib`] makes tables of them.

mod ber;
mod communities;
mod config;
mod devices;
mod engines;
pub mod interfaces;
mod keys;
pub mod mib;
pub mod names;
mod oid;
pub mod pdu;
mod poller;
mod receive;
mod render;
mod repeats;
mod secret;
mod session;
mod trap;
pub mod usm;
pub mod v3;
pub mod walk;

pub use ber::Malformed;
pub use config::{AuthConfig, AuthWord, LevelWord, PrivacyConfig, PrivacyWord, SnmpConfig, UserConfig};
pub use devices::{DeviceConfig, GaugeConfig, VersionWord};
pub use engines::{EngineView, OwnEngine};
pub use oid::Oid;
pub use poller::{Plan, Polled, Poller};
pub use receive::{Outcome, Receiver};
pub use secret::Secret;
pub use trap::identity_hash;
