//! How a command reaches Kafka.

use std::path::PathBuf;

use clap::Args;
use tocsin_kafka::{Connection, Error};

use crate::Failure;

/// Where Kafka is and who asks.
#[derive(Args, Debug, Clone)]
pub struct KafkaArgs {
    /// Kafka brokers, separated by commas. [default: those of --kafka-config, else 127.0.0.1:9092; `send`: port 9092 of --host, moved by the port
    /// offset]
    #[arg(long = "kafka", env = "TOCSIN_KAFKA", value_name = "HOST:PORT")]
    pub bootstrap_servers: Option<String>,

    /// File that says how they are reached: encryption, login; like deploy/config/kafka.example.properties.
    #[arg(long = "kafka-config", env = "TOCSIN_KAFKA_CONFIG", value_name = "FILE")]
    pub config_file: Option<PathBuf>,
}

impl KafkaArgs {
    /// How to reach it.
    pub fn connection(&self) -> Result<Connection, Failure> {
        self.connection_or("127.0.0.1:9092")
    }

    /// How to reach it, at these brokers where no others are named.
    pub fn connection_or(&self, default: &str) -> Result<Connection, Failure> {
        let mut connection = self.config_file.as_deref().map_or_else(|| Ok(Connection::new("")), Connection::from_file)?;
        if let Some(named) = &self.bootstrap_servers {
            connection.bootstrap_servers.clone_from(named);
        } else if connection.bootstrap_servers.is_empty() {
            default.clone_into(&mut connection.bootstrap_servers);
        }
        Ok(connection)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::File { .. } => {
                Self::usage(error.to_string(), "deploy/config/kafka.example.properties shows what may stand in the file of --kafka-config")
            }
            Error::Config { .. } => Self::usage(error.to_string(), "write --kafka as HOST:PORT, separated by commas"),
            Error::Answer { .. } => Self::new(
                error.to_string(),
                "start Kafka (`make up`), make the topics (`tocsin schema apply`), or point --kafka at a broker",
            ),
            Error::Trouble { bootstrap_servers, trouble } => {
                Self::new(format!("Kafka at {bootstrap_servers}: {}", trouble.reason), trouble.remedy)
            }
        }
    }
}
