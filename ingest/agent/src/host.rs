//! The agent's own host in the agent: figures -> records. They count as a listener of their own, so that they stand on the balance sheet.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tocsin_host::{HostConfig, Reader, Reading, figures};
use tocsin_publish::Record;
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::{Counters, Inputs};
use tocsin_wire::events::Gauge;
use tocsin_wire::{Body, Origin};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::time::MissedTickBehavior;

use crate::own;
use crate::shared::Shared;
use crate::task::Tasks;

/// The task that reads the host, while the config asks for one; never two.
pub(crate) struct HostReading {
    shared: watch::Receiver<Shared>,
    tasks: Tasks<HostConfig>,
}

impl HostReading {
    /// Reads nothing yet.
    pub(crate) fn new(shared: watch::Receiver<Shared>) -> Self {
        Self { shared, tasks: Tasks::default() }
    }

    /// Reads as the config says; what stays as it was goes on.
    pub(crate) fn follow(&mut self, runtime: &Runtime, inputs: &Inputs, config: Option<&HostConfig>) {
        let planned: Vec<_> = config.cloned().into_iter().collect();
        self.tasks.keep(runtime, own::HOST, &planned);
        let Some(config) = self.tasks.new_of(&planned).pop() else { return };
        tracing::info!(device = config.device, interval = ?config.interval, "reading figures of this host");
        let site = if config.site.is_empty() { self.shared.borrow().site.to_string() } else { config.site.clone() };
        let telling = Telling { config: config.clone(), shared: self.shared.clone(), counters: inputs.begin(own::HOST, &site).counters };
        self.tasks.start(runtime, config, |stop| telling.run(stop));
    }

    /// The task has ended before it was asked to.
    pub(crate) fn has_failed(&self) -> bool {
        self.tasks.has_failed()
    }
}

struct Telling {
    config: HostConfig,
    shared: watch::Receiver<Shared>,
    counters: Arc<Counters>,
}

impl Telling {
    async fn run(self, mut stop: watch::Receiver<bool>) {
        let reader = Reader::default();
        let mut before: Option<(Reading, Instant)> = None;
        let mut ticks = tokio::time::interval(self.config.interval);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut is_readable = true;
        loop {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = stop.wait_for(|stops| *stops) => return,
            }
            let now = match reader.read() {
                Ok(reading) => (reading, Instant::now()),
                Err(error) => {
                    if std::mem::replace(&mut is_readable, false) {
                        tracing::warn!(%error, "this host's figures are missing; it is tried again, and told of when it can be read");
                    }
                    continue;
                }
            };
            if !std::mem::replace(&mut is_readable, true) {
                tracing::info!("this host can be read again");
            }
            if let Some((reading, at)) = &before {
                self.publish(figures(reading, &now.0, now.1 - *at));
            }
            before = Some(now);
        }
    }

    fn publish(&self, figures: Vec<Gauge>) {
        let origin = Origin {
            listener: self.counters.name().into(),
            site: self.config.site.as_str().into(),
            received_at_unix_nanos: now_unix_nanos(),
            peer: None,
            raw: Bytes::new(),
        };
        let shared = self.shared.borrow();
        for figure in figures {
            self.counters.received(1, 0);
            self.counters.event_made();
            let event = shared.asked(&origin, &self.config.device, None, None, Body::Gauge(figure));
            shared.publisher.publish(Record::new(&event, Some(Arc::clone(&self.counters))));
        }
    }
}
