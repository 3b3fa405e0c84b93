//! The counters of each listener as events, once per interval. They are published like any event but count nowhere themselves: a balance
//! sheet that counted its own lines would never close.

use bytes::Bytes;
use tocsin_publish::{Publisher, Record};
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::Inputs;
use tocsin_wire::{Body, EventSource, Origin};

/// Publishes the counters of every input, also of those that a reload has removed.
pub(crate) fn report(events: &EventSource, publisher: &dyn Publisher, inputs: &Inputs) {
    for input in inputs.all() {
        let origin = Origin {
            listener: input.counters.name().into(),
            site: input.site.into(),
            received_at_unix_nanos: now_unix_nanos(),
            peer: None,
            raw: Bytes::new(),
        };
        let event = events.event(&origin, None, None, Body::AgentStats(input.counters.report()), |_| None);
        publisher.publish(Record::new(&event, None));
    }
}
