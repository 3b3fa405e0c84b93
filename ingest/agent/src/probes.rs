//! Probe result -> record. Probes count as a listener of their own, so that they stand on the balance sheet like everything else.

use std::sync::Arc;
use std::thread::JoinHandle;

use tocsin_probes::{LinkConfig, Probed, Prober, Sequences, StartError};
use tocsin_publish::Record;
use tocsin_sources::Stop;
use tocsin_telemetry::Input;
use tocsin_wire::{Body, Origin};
use tokio::sync::watch;

use crate::shared::Shared;

/// Starts the thread that probes `links`; it publishes each result, which never waits for Kafka.
pub(crate) fn start(
    links: &[LinkConfig],
    sequences: &Sequences,
    input: Input,
    shared: watch::Receiver<Shared>,
    stop: &Stop,
) -> Result<JoinHandle<()>, StartError> {
    let prober = Prober::open(links, sequences, Arc::clone(&input.counters))?;
    let publishing =
        Publishing { envelopes: links.iter().map(|link| Envelope::new(link, shared.borrow().events.agent_id())).collect(), input, shared };
    Ok(prober.start(stop.clone(), move |probes| publishing.publish(probes))?)
}

/// What the envelopes of one link's events have in common.
struct Envelope {
    device: String,
    site: Arc<str>,
}

impl Envelope {
    fn new(link: &LinkConfig, agent_id: &str) -> Self {
        let device = if link.device.is_empty() { agent_id } else { &link.device };
        Self { device: device.to_owned(), site: link.site.as_str().into() }
    }
}

struct Publishing {
    envelopes: Vec<Envelope>,
    input: Input,
    shared: watch::Receiver<Shared>,
}

impl Publishing {
    fn publish(&self, probes: Vec<Probed>) {
        let Input { counters, senders, .. } = &self.input;
        counters.received(probes.len() as u64, probes.iter().map(|probed| probed.answer_bytes).sum());
        let answered = probes.iter().filter(|probed| !probed.body.lost);
        let answers = answered.filter_map(|probed| Some((probed.target?.ip(), probed.answer_bytes as usize)));
        senders.add(answers, probes.last().map_or(0, |probed| probed.finished_at_unix_nanos));
        let listener: Arc<str> = counters.name().into();
        let shared = self.shared.borrow();
        for Probed { link, target, sent_at_unix_nanos, finished_at_unix_nanos, body, raw, .. } in probes {
            let envelope = &self.envelopes[link];
            let origin = Origin {
                listener: Arc::clone(&listener),
                site: Arc::clone(&envelope.site),
                received_at_unix_nanos: finished_at_unix_nanos,
                peer: target,
                raw,
            };
            let body = Body::LinkProbe(body);
            // The target is the other end of the link; its device is known by name.
            let event = shared.asked(&origin, &envelope.device, None, Some(sent_at_unix_nanos), body);
            counters.event_made();
            shared.publisher.publish(Record::new(&event, Some(Arc::clone(counters))));
        }
    }
}
