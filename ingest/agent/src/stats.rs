//! The counters of each listener as events, once per interval. They are published like any event but count nowhere themselves: a balance
//! sheet that counted its own lines would never close.

use std::sync::Arc;

use bytes::Bytes;
use tocsin_publish::{Publisher, Record};
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::Counters;
use tocsin_wire::{Body, EventSource, Origin};

/// Publishes the counters of every listener.
pub(crate) fn report<'a>(
    events: &EventSource,
    publisher: &dyn Publisher,
    listeners: impl IntoIterator<Item = (&'a Arc<Counters>, &'a str)>,
) {
    for (counters, site) in listeners {
        let origin = Origin {
            listener: counters.name().into(),
            site: site.into(),
            received_at_unix_nanos: now_unix_nanos(),
            peer: None,
            raw: Bytes::new(),
        };
        let event = events.event(&origin, None, None, Body::AgentStats(counters.report()), |_| None);
        publisher.publish(Record::new(&event, None));
    }
}
