//! Clients of Kafka: how it is reached ([`Connection`]), topics read without a group ([`TopicReader`]), and records written by a command
//! ([`TopicWriter`]). The agent's producer, which never waits, is in `tocsin-publish`.
//!
//! One policy for what goes wrong: librdkafka connects again by itself, so a broker that is away is waited for, at most [`MAX_SILENCE`] where
//! somebody waits for an answer. What it cannot mend (no permission, no such topic) is an [`Error`] at once.

mod config_file;
mod connection;
mod extents;
mod login;
mod reader;
mod trouble;
mod writer;

use std::time::Duration;

pub use connection::{Connection, Error, log};
pub use reader::{Start, TopicReader};
pub use trouble::{Failures, Trouble};
pub use writer::TopicWriter;

/// How long Kafka may be silent while an answer of it is waited for.
pub const MAX_SILENCE: Duration = Duration::from_secs(30);
