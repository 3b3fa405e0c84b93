//! Where Kafka is and how it is reached: every client begins here, so encryption and accounts are configured in one place.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use rdkafka::ClientConfig;
use rdkafka::config::RDKafkaLogLevel;
use rdkafka::error::KafkaError;

use crate::{Failures, Trouble};

/// How to reach Kafka.
#[derive(Clone, PartialEq, Eq)]
pub struct Connection {
    /// Brokers to ask first, `host:port`, separated by commas.
    pub bootstrap_servers: String,
    /// File with the certificates of the authorities to believe.
    pub authorities: Option<PathBuf>,
    /// File with the token of a login by OAUTHBEARER.
    pub token_file: Option<PathBuf>,
    /// Further options of librdkafka by their own names, secrets among them.
    pub options: BTreeMap<String, String>,
}

/// Without the options, which hold secrets.
impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("bootstrap_servers", &self.bootstrap_servers).finish_non_exhaustive()
    }
}

/// Kafka, or its client, did not do what was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// The file that says how Kafka is reached cannot be used.
    #[error("{}: {problem}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
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
    /// Kafka refused, or was not believed, and somebody must do something about it.
    #[error("Kafka at {bootstrap_servers}: {trouble}")]
    Trouble {
        /// Brokers as configured.
        bootstrap_servers: String,
        /// What is wrong and what to do.
        trouble: Trouble,
    },
}

impl Connection {
    /// Brokers without encryption or account.
    pub fn new(bootstrap_servers: &str) -> Self {
        Self { bootstrap_servers: bootstrap_servers.to_owned(), authorities: None, token_file: None, options: BTreeMap::new() }
    }

    /// The configuration of a client of this name; what only this client wants is set on top.
    pub fn client(&self, client_id: &str) -> ClientConfig {
        let mut config = ClientConfig::new();
        // A broker that hangs up on a client without TLS is told at this level only; [`log`] decides what people see.
        config.set_log_level(RDKafkaLogLevel::Info);
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

    /// The error of a question about `resource`: Kafka's refusal, or why no connection came about, or else librdkafka's words.
    pub fn failed(&self, resource: &str, error: &KafkaError, failures: &Failures) -> Error {
        match self.refusal(resource, error).or_else(|| failures.trouble(self)) {
            Some(trouble) => Error::Trouble { bootstrap_servers: self.bootstrap_servers.clone(), trouble },
            None => self.unanswered(format!("{resource}: {error}")),
        }
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
