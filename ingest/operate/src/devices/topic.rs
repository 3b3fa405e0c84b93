//! `devices-v1` at a real broker: read as a whole, written record by record.

use std::collections::BTreeMap;
use std::time::Duration;

use prost::Message;
use rdkafka::message::Message as _;
use tocsin_kafka::{Connection, Start, TopicReader, TopicWriter};
use tocsin_wire::registrations::Device;

use crate::Failure;

pub(crate) const TOPIC: &str = "devices-v1";
const CLIENT_ID: &str = "tocsin-devices";
const POLL_TIMEOUT: Duration = Duration::from_millis(100);

/// The topic of registered devices.
pub(crate) struct DevicesTopic {
    connection: Connection,
    name: String,
}

impl DevicesTopic {
    /// A topic, [`TOPIC`] but in tests; does not connect yet.
    pub(crate) fn new(connection: Connection, name: &str) -> Self {
        Self { connection, name: name.to_owned() }
    }

    /// Every registered device by its address.
    pub(crate) fn read(&self) -> Result<BTreeMap<String, Device>, Failure> {
        let mut reader = TopicReader::new(&self.connection, CLIENT_ID, &[], |_| ())?;
        reader.seek(&self.name, Start::Beginning)?;
        let mut devices = BTreeMap::new();
        while reader.left() > 0 {
            let Some(record) = reader.next(POLL_TIMEOUT)? else { continue };
            let mac = String::from_utf8_lossy(record.key().unwrap_or_default()).into_owned();
            match record.payload().map(Device::decode).transpose() {
                Ok(Some(device)) => drop(devices.insert(mac, device)),
                Ok(None) => drop(devices.remove(&mac)),
                Err(error) => {
                    return Err(Failure::new(
                        format!(
                            "topic {} of Kafka at {}: the record of {mac} is no device: {error}",
                            self.name, self.connection.bootstrap_servers
                        ),
                        "find out who else writes to the topic, or use the tocsin binary of the version that wrote it",
                    ));
                }
            }
        }
        Ok(devices)
    }

    /// Registers `set` and removes `removed`; returns when Kafka has acknowledged all.
    pub(crate) fn write(&self, set: &[Device], removed: &[String], now_unix_nanos: u64) -> Result<(), Failure> {
        let writer = TopicWriter::new(&self.connection, CLIENT_ID)?;
        for device in set {
            let device = Device { imported_at_unix_nanos: now_unix_nanos, ..device.clone() };
            writer.send(&self.name, device.mac.as_bytes(), Some(&device.encode_to_vec()))?;
        }
        for mac in removed {
            writer.send(&self.name, mac.as_bytes(), None)?;
        }
        Ok(writer.finish()?)
    }
}
