//! Gaps in senders' own numbers as events, beside the messages that showed them.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tocsin_parse::Parsed;
use tocsin_parse::sequence::{Gap, Sequences};
use tocsin_wire::events::{SequenceGap, Syslog};
use tocsin_wire::{Body, Origin};

/// What the envelope of a gap takes from the message after it.
#[derive(Debug)]
pub(crate) struct MessageAfter {
    pub(crate) origin: Origin,
    pub(crate) device: Option<String>,
    pub(crate) event_time_unix_nanos: Option<u64>,
}

/// A gap that is certain.
pub(crate) struct ConfirmedGap {
    pub(crate) after: Arc<MessageAfter>,
    pub(crate) body: Body,
}

/// The numbers of one listener's senders.
#[derive(Debug, Default)]
pub(crate) struct Gaps(Mutex<Sequences<Arc<MessageAfter>>>);

impl Gaps {
    /// Takes a message's number, if it has one, and returns the gaps that are certain now.
    pub(crate) fn see(&self, origin: &Origin, parsed: &Parsed) -> Vec<ConfirmedGap> {
        let Body::Syslog(Syslog { sequence: Some(number), .. }) = parsed.body else { return Vec::new() };
        let Some(peer) = origin.peer else { return Vec::new() };
        let message_after = || {
            let (origin, device) = (origin.clone(), parsed.device.clone());
            Arc::new(MessageAfter { origin, device, event_time_unix_nanos: parsed.event_time_unix_nanos })
        };
        let sender = (peer.ip().to_canonical(), parsed.device.clone().unwrap_or_default());
        let mut confirmed = Vec::new();
        self.lock()
            .see(sender, number, origin.received_at_unix_nanos, message_after, |gap, after| confirmed.push(ConfirmedGap::new(gap, after)));
        confirmed
    }

    /// The gaps that have been open for long enough.
    pub(crate) fn expired(&self, now_unix_nanos: u64) -> Vec<ConfirmedGap> {
        let mut confirmed = Vec::new();
        self.lock().expire(now_unix_nanos, |gap, after| confirmed.push(ConfirmedGap::new(gap, after)));
        confirmed
    }

    /// The gaps that are still open when nothing more will come.
    pub(crate) fn rest(&self) -> Vec<ConfirmedGap> {
        let mut confirmed = Vec::new();
        self.lock().finish(|gap, after| confirmed.push(ConfirmedGap::new(gap, after)));
        confirmed
    }

    fn lock(&self) -> MutexGuard<'_, Sequences<Arc<MessageAfter>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ConfirmedGap {
    fn new(gap: Gap, after: Arc<MessageAfter>) -> Self {
        let Gap { last_before, first_after, missing } = gap;
        Self { after, body: Body::SequenceGap(SequenceGap { last_before, first_after, missing }) }
    }
}
