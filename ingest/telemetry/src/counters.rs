//! The counters of one input (a listener, a capture, the prober, the poller): its side of the balance sheet.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tocsin_wire::events::AgentStats;
use tocsin_wire::rejects::{Reason, Stage};
use tocsin_wire::word;

use crate::Arrivals;
use crate::sampler::Sampler;

/// Why a record that had been received was given up. A healthy agent has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// Kafka did not take it in time and the spool has no room.
    SpoolFull,
    /// Kafka did not take it in time and the spool's disk failed.
    SpoolFailed,
    /// The spool's disk gave back something else than was written.
    SpoolDamaged,
    /// Kafka refused it for good; a reject record stands in its place.
    RefusedByBroker,
}

impl Loss {
    /// Every entry of the list, in the order of the enum.
    pub const ALL: [Self; 4] = [Self::SpoolFull, Self::SpoolFailed, Self::SpoolDamaged, Self::RefusedByBroker];

    /// The word for logs and metric labels.
    pub fn word(self) -> &'static str {
        match self {
            Self::SpoolFull => "spool_full",
            Self::SpoolFailed => "spool_failed",
            Self::SpoolDamaged => "spool_damaged",
            Self::RefusedByBroker => "refused_by_broker",
        }
    }
}

/// An answer to a probe that changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ignored {
    /// It came after the timeout: the probe counts as lost.
    Late,
    /// The probe was answered before.
    Duplicate,
}

impl Ignored {
    /// Every entry, in the order of the enum.
    pub const ALL: [Self; 2] = [Self::Late, Self::Duplicate];

    /// The word for metric labels.
    pub fn word(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Duplicate => "duplicate",
        }
    }
}

/// Use of the receive buffers of a listener's sockets, summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferUse {
    /// Charged against the buffers now.
    pub bytes: u64,
    /// Highest use seen.
    pub peak_bytes: u64,
    /// Size of the buffers as the kernel accounts it.
    pub limit_bytes: u64,
}

/// Counters of one input, cumulative since the agent's start; every method may be called from any thread.
#[derive(Debug, Default)]
pub struct Counters {
    name: String,
    received: AtomicU64,
    received_bytes: AtomicU64,
    kernel_dropped: AtomicU64,
    events: AtomicU64,
    malformed: AtomicU64,
    rate_limited: AtomicU64,
    not_allowed: AtomicU64,
    not_allowed_logs: Sampler,
    failure: OnceLock<String>,
    spooled: AtomicU64,
    published: AtomicU64,
    acked: AtomicU64,
    dropped: [AtomicU64; Loss::ALL.len()],
    drop_logs: [Sampler; Loss::ALL.len()],
    ignored: [AtomicU64; Ignored::ALL.len()],
    rejects: [AtomicU64; REASONS],
    reject_logs: [Sampler; REASONS],
    buffer_bytes: AtomicU64,
    buffer_peak_bytes: AtomicU64,
    buffer_limit_bytes: AtomicU64,
    arrivals: Arrivals,
    connections: AtomicU64,
    connections_opened: AtomicU64,
    connections_refused: AtomicU64,
    connection_logs: Sampler,
    answered: AtomicU64,
    reply_logs: Sampler,
}

/// One more than the highest number in the closed list.
const REASONS: usize = Reason::ParserFailed as usize + 1;

impl Counters {
    /// Counters at zero for the input of this name, which is `listener` in metrics, reports and tables.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Configured name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Frames were taken from the socket.
    pub fn received(&self, frames: u64, bytes: u64) {
        self.received.fetch_add(frames, Ordering::Relaxed);
        self.received_bytes.fetch_add(bytes, Ordering::Relaxed);
    }

    /// The kernel dropped datagrams before they could be read.
    pub fn kernel_dropped(&self, datagrams: u64) {
        self.kernel_dropped.fetch_add(datagrams, Ordering::Relaxed);
        if datagrams > 0 {
            self.arrivals.dropped(datagrams);
        }
    }

    /// How datagrams come to the listener.
    pub fn arrivals(&self) -> &Arrivals {
        &self.arrivals
    }

    /// Remembers how full the receive buffers are.
    pub fn buffer_used(&self, bytes: u64, limit_bytes: u64) {
        self.buffer_bytes.store(bytes, Ordering::Relaxed);
        self.buffer_peak_bytes.fetch_max(bytes, Ordering::Relaxed);
        self.buffer_limit_bytes.store(limit_bytes, Ordering::Relaxed);
    }

    /// Frames were refused because their senders went over the listener's rate limit. A report counts those of [`Counters::not_allowed`] with them.
    pub fn rate_limited(&self, frames: u64) {
        self.rate_limited.fetch_add(frames, Ordering::Relaxed);
    }

    /// A datagram was thrown away because the listener's access list does not allow its sender.
    pub fn not_allowed(&self, peer: SocketAddr) {
        self.not_allowed.fetch_add(1, Ordering::Relaxed);
        if let Some(left_out) = self.not_allowed_logs.pass() {
            tracing::warn!(listener = self.name, %peer, left_out, "refused by the listener's allow and deny");
        }
    }

    /// Datagrams whose senders the access list does not allow.
    pub fn refused_senders(&self) -> u64 {
        self.not_allowed.load(Ordering::Relaxed)
    }

    /// A part of the input has ended before it was asked to: from now on it hears nothing, or nobody hears it.
    pub fn failed(&self, what: &str) {
        let failure = format!("listener {}: {what} has ended, the log says why; restart the agent and report the defect", self.name);
        if self.failure.set(failure).is_ok() {
            tracing::error!(listener = self.name, what, "a part of the agent has ended early; /health says so until it is restarted");
        }
    }

    /// What has ended, as a sentence; `None` while all is well.
    pub fn failure(&self) -> Option<&str> {
        self.failure.get().map(String::as_str)
    }

    /// A frame, or an element of one, became an event.
    pub fn event_made(&self) {
        self.events.fetch_add(1, Ordering::Relaxed);
    }

    /// A frame, or an element of one, became a reject record.
    pub fn rejected(&self, stage: Stage, reason: Reason, detail: &str, peer: Option<SocketAddr>) {
        self.malformed.fetch_add(1, Ordering::Relaxed);
        if let Some(count) = self.rejects.get(reason as usize) {
            count.fetch_add(1, Ordering::Relaxed);
        }
        if let Some(left_out) = self.reject_logs.get(reason as usize).and_then(Sampler::pass) {
            let (stage, reason, peer) = (word(stage), word(reason), peer.map(|peer| peer.to_string()).unwrap_or_default());
            tracing::warn!(listener = self.name, stage, reason, peer, left_out, detail, "rejected; the bytes are in rejects-v1");
        }
    }

    /// A record went to the disk spool.
    pub fn spooled(&self) {
        self.spooled.fetch_add(1, Ordering::Relaxed);
    }

    /// Records were handed to the Kafka producer.
    pub fn published(&self, records: u64) {
        self.published.fetch_add(records, Ordering::Relaxed);
    }

    /// Kafka acknowledged records.
    pub fn acked(&self, records: u64) {
        self.acked.fetch_add(records, Ordering::Relaxed);
    }

    /// A record was given up.
    pub fn dropped(&self, loss: Loss, detail: &str) {
        self.dropped[loss as usize].fetch_add(1, Ordering::Relaxed);
        if let Some(left_out) = self.drop_logs[loss as usize].pass() {
            tracing::error!(listener = self.name, reason = loss.word(), left_out, detail, "record dropped");
        }
    }

    /// An answer to a probe was ignored.
    pub fn ignored(&self, why: Ignored) {
        self.ignored[why as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// Ignored answers by reason, those that happened.
    pub fn ignored_answers(&self) -> impl Iterator<Item = (Ignored, u64)> + '_ {
        let counts = Ignored::ALL.into_iter().zip(&self.ignored).map(|(why, count)| (why, count.load(Ordering::Relaxed)));
        counts.filter(|(_, count)| *count > 0)
    }

    /// A connection was accepted.
    pub fn connection_opened(&self) {
        self.connections.fetch_add(1, Ordering::Relaxed);
        self.connections_opened.fetch_add(1, Ordering::Relaxed);
    }

    /// A connection ended; `error` where it did not end well.
    pub fn connection_closed(&self, peer: SocketAddr, error: Option<&std::io::Error>) {
        self.connections.fetch_sub(1, Ordering::Relaxed);
        if let (Some(error), Some(left_out)) = (error, error.and_then(|_| self.connection_logs.pass())) {
            tracing::warn!(listener = self.name, %peer, %error, left_out, "connection broken; what had arrived is kept");
        }
    }

    /// A connection could not be taken.
    pub fn connection_refused(&self, detail: &str) {
        self.connections_refused.fetch_add(1, Ordering::Relaxed);
        if let Some(left_out) = self.connection_logs.pass() {
            tracing::warn!(listener = self.name, left_out, detail, "connection refused");
        }
    }

    /// Open connections, and all that were ever opened.
    pub fn connections(&self) -> (u64, u64) {
        (self.connections.load(Ordering::Relaxed), self.connections_opened.load(Ordering::Relaxed))
    }

    /// Connections that could not be taken: too many, or no TLS handshake.
    pub fn connections_refused(&self) -> u64 {
        self.connections_refused.load(Ordering::Relaxed)
    }

    /// A frame carried nothing to keep and was only answered.
    pub fn answered(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// Frames that were only answered.
    pub fn answers(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// An answer could not be sent; the peer will ask again.
    pub fn reply_failed(&self, peer: SocketAddr, error: &std::io::Error) {
        if let Some(left_out) = self.reply_logs.pass() {
            tracing::warn!(listener = self.name, %peer, %error, left_out, "cannot answer; the sender will repeat what it sent");
        }
    }

    /// Rejects by reason, those that happened.
    pub fn rejects(&self) -> impl Iterator<Item = (Reason, u64)> + '_ {
        self.rejects.iter().zip(0..).filter_map(|(count, number)| {
            let count = count.load(Ordering::Relaxed);
            Reason::try_from(number).ok().filter(|_| count > 0).map(|reason| (reason, count))
        })
    }

    /// Given-up records by reason.
    pub fn losses(&self) -> impl Iterator<Item = (Loss, u64)> + '_ {
        Loss::ALL.into_iter().zip(&self.dropped).map(|(loss, count)| (loss, count.load(Ordering::Relaxed)))
    }

    /// The counters now, as the agent publishes them. Counters late on a record's way are read first, so that no equation of the balance
    /// sheet shows more behind than before.
    pub fn snapshot(&self) -> AgentStats {
        let load = |counter: &AtomicU64| counter.load(Ordering::Acquire);
        let acked = load(&self.acked);
        let dropped = self.losses().map(|(_, count)| count).sum();
        let published = load(&self.published);
        let spooled = load(&self.spooled);
        let (malformed, events) = (load(&self.malformed), load(&self.events));
        AgentStats {
            acked,
            dropped,
            published,
            spooled,
            malformed,
            events,
            rate_limited: load(&self.rate_limited) + load(&self.not_allowed),
            received: load(&self.received),
            received_bytes: load(&self.received_bytes),
            kernel_dropped: load(&self.kernel_dropped),
            buffer_bytes: load(&self.buffer_bytes),
            buffer_peak_bytes: load(&self.buffer_peak_bytes),
            buffer_limit_bytes: load(&self.buffer_limit_bytes),
        }
    }

    /// Like [`Counters::snapshot`], and begins a new period for the peak of buffer use.
    pub fn report(&self) -> AgentStats {
        let stats = self.snapshot();
        self.buffer_peak_bytes.store(stats.buffer_bytes, Ordering::Relaxed);
        stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reject_is_counted_as_malformed_and_by_its_reason() {
        let counters = Counters::new("l");
        counters.rejected(Stage::Parse, Reason::Empty, "detail", None);
        counters.rejected(Stage::Parse, Reason::Undecodable, "detail", None);
        assert_eq!(counters.snapshot().malformed, 2);
        assert_eq!(counters.rejects().collect::<Vec<_>>(), [(Reason::Empty, 1), (Reason::Undecodable, 1)]);
    }

    #[test]
    fn a_report_begins_a_new_period_for_the_peak() {
        let counters = Counters::new("l");
        counters.buffer_used(500, 1000);
        counters.buffer_used(20, 1000);
        assert_eq!(counters.report().buffer_peak_bytes, 500);
        assert_eq!(counters.report().buffer_peak_bytes, 20);
    }

    #[test]
    fn losses_add_up_to_dropped() {
        let counters = Counters::new("l");
        Loss::ALL.into_iter().for_each(|loss| counters.dropped(loss, "detail"));
        assert_eq!(counters.snapshot().dropped, Loss::ALL.len() as u64);
    }
}
