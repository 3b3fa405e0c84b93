//! `/metrics`: the listeners' counters in OpenMetrics text. They are read where they are counted, so the two cannot differ.

use std::fmt;
use std::sync::Arc;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;
use tocsin_wire::events::AgentStats;
use tocsin_wire::word;

use crate::certificates::CertificateCollector;
use crate::polled::PolledCollector;
use crate::{Counters, Health, Inputs, State, arrivals};

#[derive(Debug)]
struct InputCollector(Arc<Inputs>);

/// The inputs' counters as they are now, and those of them that run.
struct Listeners {
    all: Vec<Arc<Counters>>,
    running: Vec<Arc<Counters>>,
}

#[derive(Debug)]
struct ReloadCollector(Arc<Health>);

impl Collector for ReloadCollector {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut reloads = encoder.encode_descriptor("reloads", "Reloads of the config by result", None, MetricType::Counter)?;
        let counts = self.0.reloads();
        for (result, count) in [("applied", counts.applied), ("refused", counts.refused)] {
            ConstCounter::new(count).encode(reloads.encode_family(&[("result", result)])?)?;
        }
        let help = "1 while the last reload was applied; 0: it was refused, and the config before it is in effect";
        let last = encoder.encode_descriptor("last_reload_successful", help, None, MetricType::Gauge)?;
        ConstGauge::new(i64::from(counts.is_last_applied)).encode(last)
    }
}

type Field = fn(&AgentStats) -> u64;

/// Name without `tocsin_agent_` and `_total`, help, value.
const COUNTERS: [(&str, &str, Field); 9] = [
    ("received", "Datagrams or frames taken from the socket", |stats| stats.received),
    ("received_bytes", "Bytes of received payload", |stats| stats.received_bytes),
    ("kernel_dropped", "Datagrams the kernel dropped before they could be read", |stats| stats.kernel_dropped),
    ("events", "Events made from frames", |stats| stats.events),
    ("malformed", "Frames, or elements of one, that became a reject", |stats| stats.malformed),
    ("rate_limited", "Frames that a rate limit, an access list or the limit of rejects refused", |stats| stats.rate_limited),
    ("spooled", "Records that took the way over the disk spool", |stats| stats.spooled),
    ("published", "Records handed to the Kafka producer", |stats| stats.published),
    ("acked", "Records that Kafka acknowledged", |stats| stats.acked),
];

const GAUGES: [(&str, &str, Field); 3] = [
    ("buffer_bytes", "Receive-buffer use as the kernel charges it", |stats| stats.buffer_bytes),
    ("buffer_peak_bytes", "Highest receive-buffer use since the last report", |stats| stats.buffer_peak_bytes),
    ("buffer_limit_bytes", "Receive-buffer size as the kernel accounts it", |stats| stats.buffer_limit_bytes),
];

impl Collector for InputCollector {
    fn encode(&self, encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let inputs = self.0.all();
        let running = inputs.iter().filter(|input| input.is_running).map(|input| Arc::clone(&input.counters)).collect();
        Listeners { all: inputs.into_iter().map(|input| input.counters).collect(), running }.encode(encoder)
    }
}

impl Listeners {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let snapshots: Vec<_> = self.all.iter().map(|listener| (listener.name(), listener.snapshot())).collect();
        for (name, help, field) in COUNTERS {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
            for (listener, stats) in &snapshots {
                ConstCounter::new(field(stats)).encode(metric.encode_family(&[("listener", *listener)])?)?;
            }
        }
        for (name, help, field) in GAUGES {
            let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
            for (listener, stats) in &snapshots {
                ConstGauge::new(gauge(field(stats))).encode(metric.encode_family(&[("listener", *listener)])?)?;
            }
        }
        self.encode_by_reason(&mut encoder)?;
        self.encode_connections(&mut encoder)?;
        self.encode_refused_and_failed(&mut encoder)?;
        self.encode_answers(&mut encoder)?;
        arrivals::encode(&self.all, &mut encoder)
    }

    fn encode_by_reason(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut rejects = encoder.encode_descriptor("rejects", "Reject records by reason", None, MetricType::Counter)?;
        for listener in &self.all {
            for (reason, count) in listener.rejects() {
                let labels = [("listener", listener.name().to_owned()), ("reason", word(reason))];
                ConstCounter::new(count).encode(rejects.encode_family(&labels)?)?;
            }
        }
        let mut ignored =
            encoder.encode_descriptor("ignored", "Answers to probes that came late or once more", None, MetricType::Counter)?;
        for listener in &self.all {
            for (why, count) in listener.ignored_answers() {
                let labels = [("listener", listener.name()), ("reason", why.word())];
                ConstCounter::new(count).encode(ignored.encode_family(&labels)?)?;
            }
        }
        let mut dropped =
            encoder.encode_descriptor("dropped", "Records given up, by reason; 0 in a healthy agent", None, MetricType::Counter)?;
        for listener in &self.all {
            for (loss, count) in listener.losses() {
                let labels = [("listener", listener.name()), ("reason", loss.word())];
                ConstCounter::new(count).encode(dropped.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }

    fn encode_connections(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let mut open = encoder.encode_descriptor("connections", "Open TCP connections", None, MetricType::Gauge)?;
        for listener in &self.all {
            ConstGauge::new(gauge(listener.connections().0)).encode(open.encode_family(&[("listener", listener.name())])?)?;
        }
        let mut opened = encoder.encode_descriptor("connections_opened", "TCP connections accepted", None, MetricType::Counter)?;
        for listener in &self.all {
            ConstCounter::new(listener.connections().1).encode(opened.encode_family(&[("listener", listener.name())])?)?;
        }
        let help = "Connections not taken: too many, or no TLS handshake";
        let mut refused = encoder.encode_descriptor("connections_refused", help, None, MetricType::Counter)?;
        for listener in &self.all {
            ConstCounter::new(listener.connections_refused()).encode(refused.encode_family(&[("listener", listener.name())])?)?;
        }
        Ok(())
    }

    fn encode_refused_and_failed(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let help = "Datagrams whose senders the listener's allow and deny do not let through; part of rate_limited";
        let mut refused = encoder.encode_descriptor("not_allowed", help, None, MetricType::Counter)?;
        for listener in &self.all {
            ConstCounter::new(listener.refused_senders()).encode(refused.encode_family(&[("listener", listener.name())])?)?;
        }
        let help = "1 while every thread of the listener runs; 0: restart the agent";
        let mut up = encoder.encode_descriptor("listener_up", help, None, MetricType::Gauge)?;
        for listener in &self.running {
            ConstGauge::new(i64::from(listener.failure().is_none())).encode(up.encode_family(&[("listener", listener.name())])?)?;
        }
        Ok(())
    }

    fn encode_answers(&self, encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        let help = "Frames that carried nothing to keep and were only answered: SNMPv3 questions for the engine id or clock";
        let mut answered = encoder.encode_descriptor("answered", help, None, MetricType::Counter)?;
        for listener in &self.all {
            ConstCounter::new(listener.answers()).encode(answered.encode_family(&[("listener", listener.name())])?)?;
        }
        Ok(())
    }
}

/// The encoder's gauges are signed.
fn gauge(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A registry that reads these listeners.
pub(crate) fn registry(state: &State) -> Registry {
    let mut registry = Registry::with_prefix("tocsin_agent");
    registry.register_collector(Box::new(InputCollector(Arc::clone(&state.inputs))));
    registry.register_collector(Box::new(ReloadCollector(Arc::clone(&state.health))));
    registry.register_collector(Box::new(PolledCollector(Arc::clone(&state.polled))));
    registry.register_collector(Box::new(CertificateCollector(Arc::clone(&state.certificates))));
    registry
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CertificateFiles, PolledDevices};
    use tocsin_wire::rejects::{Reason, Stage};

    /// The whole answer is compared, so that a renamed, lost or never-incremented counter shows.
    #[test]
    fn the_text_holds_every_counter_of_every_listener() {
        let inputs = Inputs::default();
        let listener = inputs.begin("syslog-udp", "").counters;
        listener.received(3, 300);
        listener.kernel_dropped(4);
        listener.event_made();
        listener.rejected(Stage::Parse, Reason::NotText, "detail", None);
        listener.spooled();
        listener.published(1);
        listener.acked(1);
        listener.dropped(crate::Loss::SpoolFull, "detail");
        listener.buffer_used(5, 6);
        listener.connection_opened();
        listener.connection_refused("detail");
        listener.answered();
        listener.not_allowed(([192, 0, 2, 1], 1).into());
        listener.failed("parse-syslog-udp");
        listener.arrivals().sockets(2);
        listener.arrivals().read(2_000_000, [(1_500_000, 75), (2_000_000, 200)].into_iter());
        listener.arrivals().drained(64, std::time::Duration::from_millis(250));
        let health = Health::new(std::time::Duration::from_secs(1));
        health.reload_refused("detail".to_owned());
        let devices = PolledDevices::default();
        devices.answered("sw1", std::time::Duration::from_millis(1_500));
        devices.failed("sw2", "detail");

        let state = State {
            inputs: Arc::new(inputs),
            health: Arc::new(health),
            polled: Arc::new(devices),
            certificates: Arc::<CertificateFiles>::default(),
            pages: Vec::new(),
        };
        let mut text = String::new();
        prometheus_client::encoding::text::encode(&mut text, &registry(&state)).unwrap();
        let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
        assert_eq!(
            samples,
            [
                r#"tocsin_agent_received_total{listener="syslog-udp"} 3"#,
                r#"tocsin_agent_received_bytes_total{listener="syslog-udp"} 300"#,
                r#"tocsin_agent_kernel_dropped_total{listener="syslog-udp"} 4"#,
                r#"tocsin_agent_events_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_malformed_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_rate_limited_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_spooled_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_published_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_acked_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_buffer_bytes{listener="syslog-udp"} 5"#,
                r#"tocsin_agent_buffer_peak_bytes{listener="syslog-udp"} 5"#,
                r#"tocsin_agent_buffer_limit_bytes{listener="syslog-udp"} 6"#,
                r#"tocsin_agent_rejects_total{listener="syslog-udp",reason="not_text"} 1"#,
                r#"tocsin_agent_dropped_total{listener="syslog-udp",reason="spool_full"} 1"#,
                r#"tocsin_agent_dropped_total{listener="syslog-udp",reason="spool_failed"} 0"#,
                r#"tocsin_agent_dropped_total{listener="syslog-udp",reason="spool_damaged"} 0"#,
                r#"tocsin_agent_dropped_total{listener="syslog-udp",reason="refused_by_broker"} 0"#,
                r#"tocsin_agent_connections{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_connections_opened_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_connections_refused_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_not_allowed_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_listener_up{listener="syslog-udp"} 0"#,
                r#"tocsin_agent_answered_total{listener="syslog-udp"} 1"#,
                r#"tocsin_agent_sockets{listener="syslog-udp"} 2"#,
                r#"tocsin_agent_largest_datagram_bytes{listener="syslog-udp"} 200"#,
                r#"tocsin_agent_peak_datagrams_per_second{listener="syslog-udp"} 60"#,
                r#"tocsin_agent_drained_total{listener="syslog-udp"} 64"#,
                r#"tocsin_agent_drain_seconds_total{listener="syslog-udp"} 0.25"#,
                r#"tocsin_agent_socket_residency_seconds_sum{listener="syslog-udp"} 0.0005"#,
                r#"tocsin_agent_socket_residency_seconds_count{listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.0001",listener="syslog-udp"} 1"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.0003",listener="syslog-udp"} 1"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.001",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.003",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.01",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.03",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.1",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="0.3",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="1.0",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="3.0",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="10.0",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_socket_residency_seconds_bucket{le="+Inf",listener="syslog-udp"} 2"#,
                r#"tocsin_agent_reloads_total{result="applied"} 0"#,
                r#"tocsin_agent_reloads_total{result="refused"} 1"#,
                "tocsin_agent_last_reload_successful 0",
                r#"tocsin_agent_polls_total{device="sw1",result="answered"} 1"#,
                r#"tocsin_agent_polls_total{device="sw1",result="failed"} 0"#,
                r#"tocsin_agent_polls_total{device="sw2",result="answered"} 0"#,
                r#"tocsin_agent_polls_total{device="sw2",result="failed"} 1"#,
                r#"tocsin_agent_polled_device_up{device="sw1"} 1"#,
                r#"tocsin_agent_polled_device_up{device="sw2"} 0"#,
                r#"tocsin_agent_poll_duration_seconds{device="sw1"} 1.5"#,
                r#"tocsin_agent_poll_duration_seconds{device="sw2"} 0.0"#,
            ]
        );
    }
}
