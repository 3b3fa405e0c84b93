//! `kafka` and `spool` in the agent's config.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};
use tocsin_kafka::{Connection, Error};

/// `kafka` in the agent's config.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct KafkaConfig {
    /// Brokers to ask first, `host:port`, separated by commas; those of `config_file` go before.
    pub bootstrap_servers: String,
    /// How Kafka is reached: encryption, login. Relative to the agent's config file.
    pub config_file: Option<PathBuf>,
    /// `none`, `lz4` or `snappy`.
    pub compression: Compression,
    /// How far the moments lie apart at which alert updates and DHCP go; of lines and traps twice as far, of samples ten times.
    #[serde(with = "humantime_serde")]
    pub linger: Duration,
    /// Records in memory that Kafka has not acknowledged; above it they go to the spool.
    pub queue_size: ByteSize,
    /// Further options of librdkafka by their own names.
    pub options: BTreeMap<String, String>,
}

/// Codecs that are compiled in.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Compression {
    /// As they are.
    None,
    /// The best of speed and size for text.
    Lz4,
    /// Fewer bytes than lz4 for more CPU, here and at every reader.
    Zstd,
    /// For consumers that lack both.
    Snappy,
}

/// `spool` in the agent's config.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SpoolConfig {
    /// Folder of the spool's files; relative to the config file's folder. One agent a folder.
    pub dir: PathBuf,
    /// Disk that the spool may use; 0 switches it off. At least twice `kafka.queue_size`, because so much is set aside for what Kafka has not
    /// acknowledged at a stop.
    pub max_size: ByteSize,
    /// How often what was written is forced to the disk: what a power cut can take.
    #[serde(with = "humantime_serde")]
    pub sync_interval: Duration,
}

impl Default for KafkaConfig {
    fn default() -> Self {
        Self {
            bootstrap_servers: "127.0.0.1:9092".to_owned(),
            config_file: None,
            compression: Compression::Lz4,
            linger: Duration::from_millis(40),
            queue_size: ByteSize::mib(64),
            options: BTreeMap::new(),
        }
    }
}

impl Default for SpoolConfig {
    fn default() -> Self {
        Self { dir: PathBuf::from("spool"), max_size: ByteSize::gib(1), sync_interval: Duration::from_secs(1) }
    }
}

impl SpoolConfig {
    /// What is wrong beside this producer, one sentence.
    pub fn check(&self, kafka: &KafkaConfig) -> Result<(), String> {
        let (max_size, queue_size) = (self.max_size, kafka.queue_size);
        if max_size.as_u64() > 0 && max_size.as_u64() / 2 < queue_size.as_u64() {
            return Err(format!(
                "spool.max_size is {max_size}, less than twice kafka.queue_size ({queue_size}): what Kafka has not acknowledged at a stop must find room; \
                 raise one, lower the other, or set spool.max_size: 0 to go without"
            ));
        }
        if !(Duration::from_millis(10)..=Duration::from_secs(60)).contains(&self.sync_interval) {
            return Err(
                "spool.sync_interval must be 10ms to 1m: shorter keeps the disk busy, longer is what the kernel does by itself".to_owned()
            );
        }
        Ok(())
    }
}

/// Options of librdkafka that the promises of this crate rest on.
const RESERVED_OPTIONS: [(&str, &str); 10] = [
    ("bootstrap.servers", "use kafka.bootstrap_servers"),
    ("metadata.broker.list", "use kafka.bootstrap_servers"),
    ("compression.codec", "use kafka.compression"),
    ("compression.type", "use kafka.compression"),
    ("linger.ms", "use kafka.linger"),
    ("queue.buffering.max.ms", "use kafka.linger"),
    ("enable.idempotence", "it is always true, so that Kafka stores a record once"),
    ("acks", "it is always all, so that an acknowledged record survives a broker"),
    ("message.timeout.ms", "it is always 0, so that no record is given up in silence"),
    ("delivery.timeout.ms", "it is always 0, so that no record is given up in silence"),
];

impl KafkaConfig {
    /// Makes the path of `config_file` one beside the agent's own, and the brokers that it names those in effect.
    pub fn stand_beside(&mut self, folder: &Path) -> Result<(), Error> {
        if let Some(file) = &mut self.config_file {
            *file = folder.join(&*file);
            let named = Connection::from_file(file)?.bootstrap_servers;
            if !named.is_empty() {
                self.bootstrap_servers = named;
            }
        }
        Ok(())
    }

    /// How to reach Kafka.
    pub(crate) fn connection(&self) -> Result<Connection, Error> {
        let mut connection = self.config_file.as_deref().map_or_else(|| Ok(Connection::new("")), Connection::from_file)?;
        connection.bootstrap_servers.clone_from(&self.bootstrap_servers);
        connection.options.extend(self.options.clone());
        Ok(connection)
    }

    /// Files with the certificate that brokers are shown, and with the authorities that they are believed by.
    pub fn certificate_files(&self) -> Result<(Option<PathBuf>, Option<PathBuf>), Error> {
        let connection = self.connection()?;
        Ok((connection.options.get("ssl.certificate.location").map(PathBuf::from), connection.authorities))
    }

    /// What is wrong with the options, one sentence.
    pub fn check(&self) -> Result<(), String> {
        if self.bootstrap_servers.trim().is_empty() {
            return Err("kafka.bootstrap_servers is empty; name at least one broker as host:port".to_owned());
        }
        if self.queue_size.as_u64() == 0 {
            return Err("kafka.queue_size is 0; a producer without a queue cannot send, use 64MiB".to_owned());
        }
        if let Some(name) = self.options.keys().find(|name| ["sasl.", "ssl.", "security."].iter().any(|prefix| name.starts_with(prefix))) {
            return Err(format!("kafka.options must not set {name}: how Kafka is reached stands in the file of kafka.config_file"));
        }
        match RESERVED_OPTIONS.iter().find(|(name, _)| self.options.contains_key(*name)) {
            Some((name, why)) => Err(format!("kafka.options must not set {name}: {why}")),
            None => Ok(()),
        }
    }

    pub(crate) fn codec(&self) -> &'static str {
        match self.compression {
            Compression::None => "none",
            Compression::Lz4 => "lz4",
            Compression::Zstd => "zstd",
            Compression::Snappy => "snappy",
        }
    }
}
