//! Where Kafka is and how it is reached: every client begins here, so encryption and accounts are configured in one place.

use std::collections::BTreeMap;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;

/// How to reach Kafka.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Brokers to ask first, `host:port`, separated by commas.
    pub bootstrap_servers: String,
    /// Further options of librdkafka by their own names.
    pub options: BTreeMap<String, String>,
}

/// Kafka, or its client, did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// librdkafka refuses its configuration.
    #[error("{bootstrap_servers:?} is not a list of Kafka brokers, or an option is wrong: {reason}")]
    Config {
        /// Brokers as configured.
        bootstrap_servers: String,
        /// librdkafka's words.
        reason: String,
    },
    /// Kafka did not answer, or refused.
    #[error("Kafka at {bootstrap_servers}: {reason}")]
    Answer {
        /// Brokers as configured.
        bootstrap_servers: String,
        /// What was asked, and what came of it.
        reason: String,
    },
}

impl Connection {
    /// Brokers without encryption or account.
    pub fn new(bootstrap_servers: &str) -> Self {
        Self { bootstrap_servers: bootstrap_servers.to_owned(), options: BTreeMap::new() }
    }

    /// The configuration of a client of this name; what only this client wants is set on top.
    pub fn client(&self, client_id: &str) -> ClientConfig {
        let mut config = ClientConfig::new();
        config.set("client.id", client_id);
        for (name, value) in &self.options {
            config.set(name, value);
        }
        config.set("bootstrap.servers", &self.bootstrap_servers);
        config
    }

    /// The error of a client that could not be made.
    pub fn refused(&self, error: &KafkaError) -> Error {
        Error::Config { bootstrap_servers: self.bootstrap_servers.clone(), reason: error.to_string() }
    }

    /// The error of a question that was not answered as it should have been.
    pub fn unanswered(&self, reason: impl ToString) -> Error {
        Error::Answer { bootstrap_servers: self.bootstrap_servers.clone(), reason: reason.to_string() }
    }
}

/// Passes a log line of librdkafka on.
pub fn log(level: RDKafkaLogLevel, facility: &str, message: &str) {
    match level {
        RDKafkaLogLevel::Emerg | RDKafkaLogLevel::Alert | RDKafkaLogLevel::Critical | RDKafkaLogLevel::Error | RDKafkaLogLevel::Warning => {
            tracing::warn!(facility, detail = message, "Kafka client")
        }
        _ => tracing::debug!(facility, detail = message, "Kafka client"),
    }
}
