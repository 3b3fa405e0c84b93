//! What a probe says, as the body of an event. Pure.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use tocsin_parse::dns::Answer;
use tocsin_wire::events::LinkProbe;
use tocsin_wire::events::link_probe::{self, LossReason};

use crate::LinkConfig;
use crate::config::Method;
use crate::flights::Departure;

/// One finished probe.
#[derive(Clone, Debug, PartialEq)]
pub struct Probed {
    /// Index of the link in the config.
    pub link: usize,
    /// Address asked; `None` where the target's name could not be looked up.
    pub target: Option<SocketAddr>,
    /// When it was sent, or should have been, Unix nanoseconds.
    pub sent_at_unix_nanos: u64,
    /// When the answer arrived, or was given up, Unix nanoseconds.
    pub finished_at_unix_nanos: u64,
    /// The result.
    pub body: LinkProbe,
    /// A DNS answer as received; empty for the other methods, whose answers say nothing but that they are there.
    pub raw: Bytes,
    /// Bytes of the answer.
    pub answer_bytes: u64,
}

/// How a probe ended.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// An answer came in time.
    Answered { rtt: Duration, answer: Option<Answer>, raw: Bytes, bytes: u64 },
    /// None came, or none could.
    Lost { reason: LossReason, detail: String },
}

impl Outcome {
    pub(crate) fn of_error(error: &io::Error) -> Self {
        let (reason, detail) = loss_of(error);
        Self::Lost { reason, detail }
    }

    pub(crate) fn timeout() -> Self {
        Self::Lost { reason: LossReason::Timeout, detail: String::new() }
    }

    pub(crate) fn not_sent(detail: impl Into<String>) -> Self {
        Self::Lost { reason: LossReason::NotSent, detail: detail.into() }
    }
}

/// What a failed call of the system means, and what to do.
pub(crate) fn loss_of(error: &io::Error) -> (LossReason, String) {
    let reason = match error.raw_os_error() {
        Some(libc::ECONNREFUSED | libc::ECONNRESET) => LossReason::Refused,
        Some(libc::ENETUNREACH | libc::EHOSTUNREACH | libc::EHOSTDOWN | libc::ENETDOWN) => LossReason::Unreachable,
        Some(libc::ETIMEDOUT) => LossReason::Timeout,
        _ => LossReason::NotSent,
    };
    let remedy = match error.raw_os_error() {
        Some(libc::EMFILE | libc::ENFILE) => "; raise the limit of open files (ulimit -n, LimitNOFILE)",
        Some(libc::EADDRNOTAVAIL) => "; this machine has no such address now, check the link's source",
        Some(libc::EPERM) => "; a packet filter of this machine forbids it",
        _ => "",
    };
    (reason, format!("{error}{remedy}"))
}

/// Makes the result of a probe.
pub(crate) fn probed(link: &LinkConfig, departure: &Departure, finished_at_unix_nanos: u64, outcome: Outcome) -> Probed {
    let mut probe = LinkProbe {
        link_id: link.id.clone(),
        method: link_probe::Method::from(link.method).into(),
        target: target_text(link, departure.target),
        remote_site: link.remote_site.clone(),
        interface: link.interface.clone(),
        sequence: departure.sequence,
        interval_ms: milliseconds(link.interval),
        timeout_ms: milliseconds(link.timeout),
        query_name: link.query_name.clone(),
        ..LinkProbe::default()
    };
    let (mut kept, mut answer_bytes) = (Bytes::new(), 0);
    match outcome {
        Outcome::Answered { rtt, answer, raw, bytes } => {
            (kept, answer_bytes) = (raw, bytes);
            probe.rtt_ms = Some(rtt.as_secs_f64() * 1000.0);
            if let Some(answer) = answer {
                probe.answer_code = answer.code;
                probe.answer = answer.records.join(",");
                probe.detail = answer.flaw.to_owned();
            }
        }
        Outcome::Lost { reason, detail } => {
            probe.lost = true;
            probe.loss_reason = reason.into();
            probe.detail = detail;
        }
    }
    Probed {
        link: departure.link,
        target: departure.target,
        sent_at_unix_nanos: departure.at_unix_nanos,
        finished_at_unix_nanos,
        body: probe,
        raw: kept,
        answer_bytes,
    }
}

fn target_text(link: &LinkConfig, target: Option<SocketAddr>) -> String {
    match target {
        Some(address) if link.method == Method::Icmp => address.ip().to_string(),
        Some(address) => address.to_string(),
        None => link.target.clone(),
    }
}

/// As events carry it.
pub(crate) fn milliseconds(duration: Duration) -> u32 {
    u32::try_from(duration.as_millis()).unwrap_or(u32::MAX)
}
