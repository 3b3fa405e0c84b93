//! The broker: what it has stored, and what that cost it.

use std::fs;
use std::net::ToSocketAddrs;
use std::time::Duration;

use rdkafka::ClientConfig;
use rdkafka::admin::{AdminClient, AdminOptions, NewTopic, TopicReplication};
use rdkafka::client::DefaultClientContext;
use rdkafka::consumer::{BaseConsumer, Consumer};
use rdkafka::error::RDKafkaErrorCode;

use crate::Result;
use crate::process::Process;

/// As many as `schema apply` gives the agent's topic where there is one broker.
const PARTITIONS: i32 = 1;
const TIMEOUT: Duration = Duration::from_secs(10);

pub(crate) struct Broker {
    pub(crate) process: Process,
    config: ClientConfig,
    consumer: BaseConsumer,
}

impl Broker {
    pub(crate) fn connect(address: &str) -> Result<Self> {
        let mut config = ClientConfig::new();
        config.set("bootstrap.servers", address);
        let consumer = config.create()?;
        Ok(Self { process: Process::of(listener_of(address)?), config, consumer })
    }

    /// Makes a topic where it is missing.
    pub(crate) fn create(&self, topic: &str) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let admin: AdminClient<DefaultClientContext> = self.config.create()?;
        let new = NewTopic::new(topic, PARTITIONS, TopicReplication::Fixed(1));
        match runtime.block_on(admin.create_topics([&new], &AdminOptions::new()))?.pop() {
            Some(Err((name, code))) if code != RDKafkaErrorCode::TopicAlreadyExists => Err(format!("topic {name}: {code}").into()),
            _ => Ok(()),
        }
    }

    /// Records that were ever stored in a topic.
    pub(crate) fn stored(&self, topic: &str) -> Result<u64> {
        let mut stored = 0;
        for partition in 0..PARTITIONS {
            stored += u64::try_from(self.consumer.fetch_watermarks(topic, partition, TIMEOUT)?.1)?;
        }
        Ok(stored)
    }
}

/// The process that listens there: the kernel knows the socket's inode, and the process that has a link to it.
fn listener_of(address: &str) -> Result<u32> {
    let port = address.to_socket_addrs()?.next().ok_or("TOCSIN_TEST_KAFKA has no address")?.port();
    let sockets = fs::read_to_string("/proc/net/tcp")? + &fs::read_to_string("/proc/net/tcp6")?;
    let listening = |line: &&str| {
        let words: Vec<_> = line.split_whitespace().collect();
        words.get(1).is_some_and(|local| local.ends_with(&format!(":{port:04X}"))) && words.get(3) == Some(&"0A")
    };
    let line = sockets.lines().find(listening).ok_or("the broker of TOCSIN_TEST_KAFKA does not run on this machine")?;
    let socket = format!("socket:[{}]", line.split_whitespace().nth(9).unwrap_or_default());
    for process in fs::read_dir("/proc")?.flatten() {
        let Some(id) = process.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(mut files) = fs::read_dir(process.path().join("fd")) else { continue };
        if files.any(|file| file.is_ok_and(|file| fs::read_link(file.path()).is_ok_and(|link| link.as_os_str() == socket.as_str()))) {
            return Ok(id);
        }
    }
    Err("the broker of TOCSIN_TEST_KAFKA belongs to another user".into())
}
