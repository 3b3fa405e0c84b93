//! What travels with records through librdkafka.

use std::sync::Arc;

use tocsin_telemetry::Counters;

use crate::spool::SegmentFile;
use crate::{Topic, spool};

/// One with all that were handed over together.
pub(crate) struct Delivery {
    pub(crate) topic: Topic,
    pub(crate) counters: Option<Arc<Counters>>,
    /// Keeps the spool's file of these records until they are acknowledged.
    pub(crate) segment: Option<Arc<SegmentFile>>,
}

impl Delivery {
    /// What a record costs in the producer's queue: as much as in the spool, to which it may come back.
    pub(crate) fn bytes(&self, key: &[u8], payload: &[u8]) -> u64 {
        (spool::overhead_bytes(self.counters.as_deref()) + key.len() + payload.len()) as u64
    }
}
