//! SNMP, versions 1 (RFC 1157), 2c (RFC 1901, 3416) and 3 (RFC 3412, 3414): notifications in, and the messages that a poller needs.
//!
//! [`Receiver`] turns one datagram into an event, a refusal, a reply, or several of them. [`names`] gives OIDs their names.

mod ber;
mod engines;
pub mod interfaces;
pub mod mib;
pub mod names;
mod oid;
pub mod pdu;
mod receive;
mod render;
mod repeats;
mod trap;
pub mod usm;
pub mod v3;
pub mod walk;

pub use ber::Malformed;
pub use engines::{EngineView, OwnEngine};
pub use oid::Oid;
pub use receive::{Outcome, Receiver};
pub use trap::identity_hash;
