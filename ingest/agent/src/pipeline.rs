//! Frame -> record: what a parser thread does.

use std::any::Any;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use tocsin_parse::{Format, Parsed, Refusal, dhcp};
use tocsin_publish::Records;
use tocsin_snmp::Outcome;
use tocsin_sources::{Batch, CopiesConfig, Frame, Kind, RateLimitConfig, Received, Replies};
use tocsin_telemetry::{Counters, Input, Senders};
use tocsin_wire::events::dhcp::Path;
use tocsin_wire::events::{Copies, Event};
use tocsin_wire::rejects::{Reason, Reject, Stage};
use tocsin_wire::{Body, Origin};
use tokio::sync::{mpsc, watch};

use crate::gaps::{ConfirmedGap, Gaps};
use crate::rate_limit::{RateLimit, Violation};
use crate::reject_limit::{RejectLimit, Summary, Verdict};
use crate::shared::Shared;

/// Records of one frame that carry its bytes. Of a list of updates the first does, and the next numbers are its others: a replay finds all. A line
/// and the event that it tells of both do, because they go to different topics.
fn raw_copies(format: Format) -> u32 {
    if format == Format::Alert { 1 } else { 2 }
}

/// Records are handed over with the batch that they came of, and sooner where they are so large.
const MAX_HELD_BYTES: usize = 256 * 1024;

/// Of what a panic said.
const MAX_PANIC_CHARACTERS: usize = 200;
/// Of the bytes that a parser failed on, in its log line; the reject has all.
const MAX_LOGGED_BYTES: usize = 128;

/// How a frame is read.
#[derive(Clone)]
pub(crate) enum Reading {
    /// As one message of this format.
    Message(Format),
    /// As an Ethernet frame with a DHCP packet, captured on this interface.
    CapturedDhcp(Arc<str>),
    /// As an SNMP notification, with what is known of its sender.
    Notification,
    /// Not at all: a parser with a defect.
    #[cfg(test)]
    Failing,
}

impl From<Kind> for Reading {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Syslog => Self::Message(Format::Syslog),
            Kind::Alert => Self::Message(Format::Alert),
            Kind::Dhcp => Self::Message(Format::Dhcp),
            Kind::Snmp => Self::Notification,
        }
    }
}

/// What a pipeline has made and not yet handed over. All of its memory is used again.
#[derive(Default)]
struct Out {
    records: Records,
    /// The last of them.
    event: Event,
}

/// Turns the frames of one listener into records. One thread a queue, so that the messages of one sender stay in order.
#[derive(Clone)]
pub(crate) struct Pipeline {
    shared: Shared,
    reading: Reading,
    /// How frames that want an answer get it.
    replies: Option<Replies>,
    listener_name: Arc<str>,
    site: Arc<str>,
    counters: Arc<Counters>,
    senders: Arc<Senders>,
    gaps: Arc<Gaps>,
    rate_limit: Option<Arc<RateLimit>>,
    reject_limit: Arc<RejectLimit>,
    /// The agents that the senders tell the same.
    copies: Option<Copies>,
}

impl Pipeline {
    pub(crate) fn new(shared: Shared, reading: Reading, input: &Input) -> Self {
        Self {
            shared,
            reading,
            replies: None,
            listener_name: input.counters.name().into(),
            site: input.site.as_str().into(),
            counters: Arc::clone(&input.counters),
            senders: Arc::clone(&input.senders),
            gaps: Arc::default(),
            rate_limit: None,
            reject_limit: Arc::default(),
            copies: None,
        }
    }

    /// The same for a listener whose senders tell other agents too.
    pub(crate) fn with_copies(self, config: Option<&CopiesConfig>) -> Self {
        Self { copies: config.map(|config| Copies { group: config.group.clone(), agents: config.agents }), ..self }
    }

    /// The same for a listener that limits what one sender may send.
    pub(crate) fn with_rate_limit(self, config: Option<&RateLimitConfig>) -> Self {
        Self { rate_limit: config.map(|config| Arc::new(RateLimit::new(config.clone()))), ..self }
    }

    /// The same, which answers through this where its frames want answers.
    pub(crate) fn answering_through(self, replies: Option<Replies>) -> Self {
        Self { replies, ..self }
    }

    /// The same in the place of another, with what that has learned about senders.
    pub(crate) fn in_place_of(self, before: &Self, limit: Option<&RateLimitConfig>) -> Self {
        let rate_limit = match &before.rate_limit {
            // It stays, so that it clears the alerts that it has raised.
            Some(known) => {
                known.allow(limit.cloned().unwrap_or_default());
                Some(Arc::clone(known))
            }
            None => limit.map(|config| Arc::new(RateLimit::new(config.clone()))),
        };
        let (gaps, reject_limit) = (Arc::clone(&before.gaps), Arc::clone(&before.reject_limit));
        Self { replies: before.replies.clone(), gaps, rate_limit, reject_limit, ..self }
    }

    /// Works until every source of the queue has ended and the queue is empty. Each batch goes through the pipeline that is in effect then.
    pub(crate) fn run(in_effect: &watch::Receiver<Arc<Self>>, mut queue: mpsc::Receiver<Batch>) {
        let mut out = Out::default();
        while let Some(batch) = queue.blocking_recv() {
            let pipeline = Arc::clone(&in_effect.borrow());
            pipeline.batch(batch, &mut out);
        }
    }

    /// Publishes the gaps in senders' numbers that are certain by now.
    pub(crate) fn tell_gaps(&self, now_unix_nanos: u64) {
        self.tell(|out| self.publish_gaps(self.gaps.expired(now_unix_nanos), out));
    }

    /// Publishes the gaps that are still open when nothing more will come.
    pub(crate) fn tell_last_gaps(&self) {
        self.tell(|out| self.publish_gaps(self.gaps.rest(), out));
    }

    /// Publishes what is new about senders over their limit; after the last batch that they are no longer watched.
    pub(crate) fn tell_rate_limited(&self, now_unix_nanos: u64, is_last: bool) {
        if let Some(rate_limit) = &self.rate_limit {
            let violations = if is_last { rate_limit.rest() } else { rate_limit.renewed(now_unix_nanos) };
            self.tell(|out| self.publish_violations(rate_limit, violations, now_unix_nanos, out));
        }
    }

    /// Publishes the summaries of rejects whose period is over.
    pub(crate) fn tell_rejects(&self, now_unix_nanos: u64) {
        self.tell(|out| self.publish_summaries(self.reject_limit.expired(now_unix_nanos), out));
    }

    /// Publishes the summaries that have begun when nothing more will come.
    pub(crate) fn tell_last_rejects(&self) {
        self.tell(|out| self.publish_summaries(self.reject_limit.rest(), out));
    }

    /// Publishes what did not come with a batch.
    fn tell(&self, publish: impl FnOnce(&mut Out)) {
        let mut out = Out::default();
        publish(&mut out);
        self.hand_over(&mut out);
    }

    fn batch(&self, mut batch: Batch, out: &mut Out) {
        let sizes = batch.iter().map(|received| (self.sender(received), kept_bytes(&received.frame).len()));
        self.senders.add(sizes, batch.last().map_or(0, |received| received.received_at_unix_nanos));
        let waiting: Vec<_> = batch.iter_mut().filter_map(|received| received.done.take()).collect();
        if let Some(rate_limit) = &self.rate_limit {
            self.limit(rate_limit, &mut batch, out);
        }
        for received in &batch {
            // What cannot be read must not take the listener with it. All that is shared is behind locks that take a panic.
            if let Err(panic) = catch_unwind(AssertUnwindSafe(|| self.frame(received, out))) {
                self.parser_failed(received, panic.as_ref(), out);
            }
        }
        self.hand_over(out);
        for done in waiting {
            // Whoever waited may have gone.
            let _ = done.send(());
        }
    }

    fn parser_failed(&self, received: &Received, panic: &(dyn Any + Send), out: &mut Out) {
        let said = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str)).unwrap_or_default();
        let said: String = said.chars().take(MAX_PANIC_CHARACTERS).collect();
        let raw = match self.reading {
            Reading::Notification => blanked(kept_bytes(&received.frame), &self.shared.snmp.secrets(kept_bytes(&received.frame))),
            _ => kept_bytes(&received.frame).clone(),
        };
        let beginning = raw[..raw.len().min(MAX_LOGGED_BYTES)].escape_ascii();
        let detail = format!("the parser failed: {said}; this is a defect, please report it with these bytes, which begin {beginning}");
        let bytes = raw.len() as u64;
        let origin = self.origin(received.peer, received.received_at_unix_nanos, raw);
        self.reject(&origin, Stage::Parse, Refusal { reason: Reason::ParserFailed, detail }, bytes, out);
    }

    fn origin(&self, peer: impl Into<Option<SocketAddr>>, received_at_unix_nanos: u64, raw: Bytes) -> Origin {
        Origin { listener: Arc::clone(&self.listener_name), site: Arc::clone(&self.site), received_at_unix_nanos, peer: peer.into(), raw }
    }

    /// Takes out of a batch what its senders may not send.
    fn limit(&self, rate_limit: &RateLimit, batch: &mut Batch, out: &mut Out) {
        let Some(now_unix_nanos) = batch.last().map(|received| received.received_at_unix_nanos) else { return };
        let mut refused = Vec::new();
        let violations = rate_limit.judge(|judge| {
            batch.retain(|received| {
                let address = received.peer.ip();
                let is_taken = judge.takes(address, kept_bytes(&received.frame).len() as u64, received.received_at_unix_nanos);
                if !is_taken {
                    refused.push(address);
                }
                is_taken
            });
        });
        self.counters.rate_limited(refused.len() as u64);
        self.senders.rate_limited(refused.into_iter());
        self.publish_violations(rate_limit, violations, now_unix_nanos, out);
    }

    fn publish_violations(&self, rate_limit: &RateLimit, violations: Vec<Violation>, now_unix_nanos: u64, out: &mut Out) {
        for violation in violations {
            let origin = self.origin(SocketAddr::new(violation.address, 0), now_unix_nanos, Bytes::new());
            self.counters.event_made();
            let alert = Body::AlertUpdate(rate_limit.alert(&violation, self.counters.name()));
            self.publish(&origin, None, None, alert, out);
        }
    }

    fn sender(&self, received: &Received) -> IpAddr {
        match (&self.reading, &received.frame) {
            (Reading::CapturedDhcp(_), Frame::Message(frame)) => dhcp::source_of_captured(frame).unwrap_or(received.peer).ip(),
            _ => received.peer.ip(),
        }
    }

    fn frame(&self, Received { peer, received_at_unix_nanos, frame, .. }: &Received, out: &mut Out) {
        let raw = match (&self.reading, frame) {
            // What is read tells its secrets itself.
            (Reading::Notification, Frame::Oversize { beginning, .. }) => blanked(beginning, &self.shared.snmp.secrets(beginning)),
            _ => kept_bytes(frame).clone(),
        };
        let origin = self.origin(*peer, *received_at_unix_nanos, raw);
        match frame {
            Frame::Message(message) => match &self.reading {
                Reading::Message(format) => self.message(*format, origin, message, out),
                Reading::CapturedDhcp(interface) => {
                    let captured = dhcp::parse_captured(message, interface);
                    self.parsed(&Origin { peer: captured.source, ..origin }, captured.parsed, message.len(), out);
                }
                Reading::Notification => self.notification(origin, *peer, message, out),
                #[cfg(test)]
                Reading::Failing => panic!("no parser for {message:?}"),
            },
            Frame::Oversize { beginning, original_bytes } => {
                let detail = format!("{original_bytes} bytes, of which {} are kept; raise the listener's max_message", beginning.len());
                self.reject(&origin, Stage::Framing, Refusal { reason: Reason::Oversize, detail }, *original_bytes, out);
            }
            Frame::Truncated { beginning, announced_bytes } => {
                let detail = format!(
                    "the connection ended after {} of {announced_bytes} bytes; look for restarts of the sender, or a wrong count",
                    beginning.len()
                );
                self.reject(&origin, Stage::Framing, Refusal { reason: Reason::Truncated, detail }, beginning.len() as u64, out);
            }
            Frame::Refused { beginning, problem } => {
                let detail = format!("{problem}; let the sender speak what the listener's transport and proxies say, or change these");
                self.reject(&origin, Stage::Framing, Refusal { reason: Reason::Syntax, detail }, beginning.len() as u64, out);
            }
        }
    }

    fn message(&self, format: Format, mut origin: Origin, message: &Bytes, out: &mut Out) {
        let mut records = 0_u32;
        format.parse(message, origin.received_at_unix_nanos, |parsed| {
            records += 1;
            if records > raw_copies(format) {
                origin.raw.clear();
            }
            self.parsed(&origin, parsed, message.len(), out);
        });
    }

    /// A trap or inform. It is answered when its event is on its way, so that nobody is told of what could still be lost.
    fn notification(&self, mut origin: Origin, peer: SocketAddr, message: &Bytes, out: &mut Out) {
        let Outcome { parsed, reply, secrets } = self.shared.snmp.receive(message, peer.ip(), origin.received_at_unix_nanos);
        if !secrets.is_empty() {
            origin.raw = blanked(message, &secrets);
        }
        match parsed {
            Some(parsed) => {
                let parsed = parsed.map(|parsed| self.of_agent_address(parsed, origin.received_at_unix_nanos));
                self.parsed(&origin, parsed, message.len(), out);
                if reply.is_some() {
                    self.hand_over(out);
                }
            }
            None => self.counters.answered(),
        }
        if let (Some(reply), Some(replies)) = (reply, &self.replies)
            && let Err(error) = replies.send(peer, &reply)
        {
            self.counters.reply_failed(peer, &error);
        }
    }

    /// A trap that came through a proxy tells its device's address; that is whom it is about.
    fn of_agent_address(&self, mut parsed: Parsed, received_at_unix_nanos: u64) -> Parsed {
        if let Body::SnmpTrap(trap) = &parsed.body
            && let Ok(address) = trap.agent_address.parse::<IpAddr>()
        {
            let name = self.shared.names.of(address, received_at_unix_nanos);
            parsed.device = Some(name.unwrap_or_else(|| address.to_string()));
        }
        parsed
    }

    fn parsed(&self, origin: &Origin, parsed: Result<Parsed, Refusal>, original_bytes: usize, out: &mut Out) {
        match parsed {
            Ok(mut parsed) => {
                self.shared.time_zones.correct(&mut parsed, origin.peer.map(|peer| peer.ip()));
                let gaps = self.gaps.see(origin, &parsed);
                self.counters.event_made();
                self.write_event(origin, parsed.device, parsed.event_time_unix_nanos, parsed.body, &mut out.event);
                out.event.copies.clone_from(&self.copies);
                self.publish_event(out);
                self.publish_gaps(gaps, out);
            }
            Err(refusal) => self.reject(origin, Stage::Parse, refusal, original_bytes as u64, out),
        }
    }

    fn publish_gaps(&self, gaps: Vec<ConfirmedGap>, out: &mut Out) {
        for ConfirmedGap { after, body } in gaps {
            self.counters.event_made();
            self.publish(&after.origin, after.device.clone(), after.event_time_unix_nanos, body, out);
        }
    }

    fn reject(&self, origin: &Origin, stage: Stage, refusal: Refusal, original_bytes: u64, out: &mut Out) {
        if let Some(peer) = origin.peer {
            let sender = peer.ip();
            match self.reject_limit.judge(sender, stage, refusal.reason, original_bytes, origin.received_at_unix_nanos) {
                Verdict::Kept => {}
                // Its record, and its place on the balance sheet, is the summary.
                Verdict::Summarised => return,
                Verdict::Counted => {
                    self.counters.rate_limited(1);
                    return self.senders.rate_limited(std::iter::once(sender));
                }
            }
        }
        self.publish_reject(origin, None, stage, refusal, original_bytes, out);
    }

    fn publish_summaries(&self, summaries: Vec<Summary>, out: &mut Out) {
        for summary in summaries {
            let Summary { sender, stage, reason, bytes, first_unix_nanos, last_unix_nanos, .. } = summary;
            let peer = sender.map(|address| SocketAddr::new(address, 0));
            let origin = self.origin(peer, last_unix_nanos, Bytes::new());
            self.publish_reject(&origin, Some(first_unix_nanos), stage, Refusal::new(reason, summary.detail()), bytes, out);
        }
    }

    fn publish_reject(
        &self,
        origin: &Origin,
        event_time_unix_nanos: Option<u64>,
        stage: Stage,
        refusal: Refusal,
        original_bytes: u64,
        out: &mut Out,
    ) {
        self.counters.rejected(stage, refusal.reason, &refusal.detail, origin.peer);
        let reject = Reject { stage: stage.into(), reason: refusal.reason.into(), detail: refusal.detail, original_bytes };
        self.publish(origin, None, event_time_unix_nanos, Body::Reject(reject), out);
    }

    /// An event of the agent's own words about a sender.
    fn publish(&self, origin: &Origin, device: Option<String>, event_time_unix_nanos: Option<u64>, body: Body, out: &mut Out) {
        self.write_event(origin, device, event_time_unix_nanos, body, &mut out.event);
        self.publish_event(out);
    }

    fn write_event(&self, origin: &Origin, device: Option<String>, event_time_unix_nanos: Option<u64>, body: Body, event: &mut Event) {
        if let Body::Dhcp(dhcp) = &body {
            self.shared.names.see(dhcp, origin.received_at_unix_nanos);
        }
        let name_of = |ip: IpAddr| self.shared.names.of(ip, origin.received_at_unix_nanos);
        let device = device.or_else(|| relay_name(&body, name_of));
        let place = self.shared.places.of(&body, origin.peer);
        self.shared.events.write_event(event, origin, device, event_time_unix_nanos, body, name_of);
        if let Some(site) = place.site {
            event.site = site;
        }
        event.role = place.role.unwrap_or_default();
        if let Some(name) = self.shared.aliases.of(&event.device) {
            event.device = name;
        }
        if let Some(Body::Dhcp(dhcp)) = &mut event.body
            && dhcp.path() == Path::ServerLog
            && dhcp.server.is_empty()
        {
            dhcp.server.clone_from(&event.device);
        }
    }

    fn publish_event(&self, out: &mut Out) {
        out.records.push(&out.event);
        if out.records.bytes() >= MAX_HELD_BYTES {
            self.hand_over(out);
        }
    }

    /// What was published is the publisher's from here on.
    fn hand_over(&self, out: &mut Out) {
        if !out.records.is_empty() {
            self.shared.publisher.publish_all(&out.records, Some(&self.counters));
            out.records.clear();
            // The received bytes are the reader's, who uses them again too.
            out.event.raw = Bytes::new();
        }
    }
}

/// The device of a DHCP packet that came through a relay: the relay's name, else its address. It is known better by the address that it gives
/// itself than by the one that it sends from.
fn relay_name(body: &Body, name_of: impl FnOnce(IpAddr) -> Option<String>) -> Option<String> {
    let Body::Dhcp(dhcp) = body else { return None };
    if dhcp.path() == Path::ServerLog {
        return None;
    }
    let relay: IpAddr = dhcp.relay.parse().ok()?;
    Some(name_of(relay).unwrap_or_else(|| dhcp.relay.clone()))
}

/// The bytes with stars in place of secrets, as long as before, so that they can still be read as a message.
fn blanked(message: &Bytes, secrets: &[Range<usize>]) -> Bytes {
    let mut bytes = message.to_vec();
    for secret in secrets {
        if let Some(secret) = bytes.get_mut(secret.clone()) {
            secret.fill(b'*');
        }
    }
    bytes.into()
}

/// The bytes of a frame that travel with its event.
fn kept_bytes(frame: &Frame) -> &Bytes {
    match frame {
        Frame::Message(bytes)
        | Frame::Oversize { beginning: bytes, .. }
        | Frame::Truncated { beginning: bytes, .. }
        | Frame::Refused { beginning: bytes, .. } => bytes,
    }
}

#[cfg(test)]
mod tests;
