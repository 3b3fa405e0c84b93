//! How a command reaches Kafka.

use clap::Args;
use tocsin_kafka::{Connection, Error};

use crate::Failure;

/// Where Kafka is.
#[derive(Args, Debug, Clone)]
pub struct KafkaArgs {
    /// Kafka brokers, separated by commas. [default: 127.0.0.1:9092; `send`: port 9092 of --host, moved by the port offset]
    #[arg(long = "kafka", env = "TOCSIN_KAFKA", value_name = "HOST:PORT")]
    pub bootstrap_servers: Option<String>,
}

impl KafkaArgs {
    /// How to reach it.
    pub fn connection(&self) -> Connection {
        self.connection_or("127.0.0.1:9092")
    }

    /// How to reach it, at these brokers where no others are named.
    pub fn connection_or(&self, default: &str) -> Connection {
        Connection::new(self.bootstrap_servers.as_deref().unwrap_or(default))
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::Config { .. } => Self::usage(error.to_string(), "write --kafka as HOST:PORT, separated by commas"),
            Error::Answer { .. } => Self::new(
                error.to_string(),
                "start Kafka (`make up`), make the topics (`tocsin schema apply`), or point --kafka at a broker",
            ),
        }
    }
}
