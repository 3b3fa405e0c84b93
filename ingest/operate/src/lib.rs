//! What people ask of a running system, one module a subcommand of `tocsin`.
//!
//! Each module has a clap struct with the flags and a `run` that does the work, prints for people and returns a [`Failure`] that
//! says what, where, why and what to do. Nothing here keeps running: the agent is `tocsin-agent`.

pub mod acknowledge;
pub mod ask;
pub mod balance;
pub mod buffers;
pub mod devices;
pub mod enforce;
pub mod heartbeat;
pub mod mibs;
pub mod parse;
pub mod quarantine;
pub mod report;
pub mod schema;
pub mod send;
pub mod size;
pub mod topics;
pub mod trace;
pub mod watch_jobs;
pub mod webhooks;
pub mod why;

mod clickhouse;
mod complete;
mod connection;
mod failure;
mod https;
mod kafka;
mod table;

pub use failure::Failure;
