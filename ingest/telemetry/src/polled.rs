//! Devices that are polled: whether they answer.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

/// What is known of each polled device. A change of state is logged once.
#[derive(Debug, Default)]
pub struct PolledDevices(Mutex<BTreeMap<String, Device>>);

#[derive(Debug, Default)]
struct Device {
    /// None before the first poll.
    is_answering: Option<bool>,
    answered: u64,
    failed: u64,
    last_duration: Duration,
    /// Gauges that the device does not have, told of once.
    missing: Vec<String>,
}

impl PolledDevices {
    /// A device is going to be polled.
    pub fn add(&self, device: &str) {
        self.lock().entry(device.to_owned()).or_default();
    }

    /// A device is polled no more.
    pub fn remove(&self, device: &str) {
        self.lock().remove(device);
    }

    /// A poll was answered as a whole.
    pub fn answered(&self, device: &str, duration: Duration) {
        let mut devices = self.lock();
        let state = devices.entry(device.to_owned()).or_default();
        state.answered += 1;
        state.last_duration = duration;
        if state.is_answering.replace(true) == Some(false) {
            tracing::info!(device, "the device answers again");
        }
    }

    /// A poll was not answered, or not as a whole.
    pub fn failed(&self, device: &str, detail: &str) {
        let mut devices = self.lock();
        let state = devices.entry(device.to_owned()).or_default();
        state.failed += 1;
        if state.is_answering.replace(false) != Some(false) {
            tracing::warn!(device, detail, "the device cannot be polled; it is tried again, and told of when it answers");
        }
    }

    /// The device has no such gauge.
    pub fn missing(&self, device: &str, gauge: &str, oid: &str) {
        let mut devices = self.lock();
        let state = devices.entry(device.to_owned()).or_default();
        if !state.missing.iter().any(|known| known == gauge) {
            state.missing.push(gauge.to_owned());
            tracing::warn!(device, gauge, oid, "the device has no number there; correct the gauge's oid in snmp.devices");
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Device>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The devices as metrics.
#[derive(Debug)]
pub(crate) struct PolledCollector(pub(crate) Arc<PolledDevices>);

impl Collector for PolledCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let devices = self.0.lock();
        if devices.is_empty() {
            return Ok(());
        }
        let mut polls = encoder.encode_descriptor("polls", "Polls of a device by result", None, MetricType::Counter)?;
        for (device, state) in devices.iter() {
            for (result, count) in [("answered", state.answered), ("failed", state.failed)] {
                ConstCounter::new(count).encode(polls.encode_family(&[("device", device.as_str()), ("result", result)])?)?;
            }
        }
        let mut up = encoder.encode_descriptor("polled_device_up", "1 while a device answers its polls", None, MetricType::Gauge)?;
        for (device, state) in devices.iter() {
            let value = i64::from(state.is_answering == Some(true));
            ConstGauge::new(value).encode(up.encode_family(&[("device", device.as_str())])?)?;
        }
        let help = "Time that the last answered poll of a device took";
        let mut duration = encoder.encode_descriptor("poll_duration_seconds", help, None, MetricType::Gauge)?;
        for (device, state) in devices.iter() {
            ConstGauge::new(state.last_duration.as_secs_f64()).encode(duration.encode_family(&[("device", device.as_str())])?)?;
        }
        Ok(())
    }
}
