//! Events files: what devices once sent, one JSON object a line.
//!
//! ```json
//! {"offset_ms": 12, "to": "alert-udp", "payload": "{\"action\":\"update\", ... \"time\":\"{{now}}\"}"}
//! {"offset_ms": 13.5, "to": "syslog-tcp", "payload_base64": "AAEC", "framing": "none", "repeat": 3}
//! {"offset_ms": 15, "dhcp": {"type": "request", "state": "renewing", "mac": "02:00:00:00:00:01", "ip": "10.20.0.9"}}
//! {"offset_ms": 16, "trap": {"oid": "IF-MIB::linkDown", "varbinds": [{"oid": "IF-MIB::ifIndex.3", "type": "INTEGER", "value": 3}]}}
//! {"offset_ms": 20, "event": {"agentId": "probe-fra", "device": "gw1", "linkProbe": {"linkId": "fra-ams", "rttMs": 9.5}}}
//! ```
//! A line with `dhcp` is a DHCP packet for the listener `dhcp-udp`; [`super::dhcp`] has its fields.
//!
//! A line with `exchange` is what many clients do, one after the other: see [`super::exchange`]. Later lines may begin before it is through.
//!
//! A line with `event` is an event in protobuf's JSON form (see `schemas/golden/event`) that goes straight to its Kafka topic; this is how
//! polled counters and probes are played, which no datagram carries. Times, identity and numbers that it leaves out are filled in.
//!
//! `{{now}}` in a payload becomes the time of sending. Offsets count from the start and never go back; without one, a line is sent
//! with the line before it.

use std::fs;
use std::path::Path;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Deserialize;
use tocsin_wire::{event_from_json, events};

use super::dhcp;
use super::exchange::Exchange;
use super::framing::Framing;
use super::target::{MAX_DATAGRAM_BYTES, Target};
use super::trap::Trap;
use crate::Failure;

const NOW: &str = "{{now}}";
const LONGEST_NOW: &str = "2026-11-20T12:00:00.123456Z";
const MAX_MESSAGES: u64 = 50_000_000;
/// So often may a file be played.
pub const MAX_ROUNDS: u64 = 1_000_000_000;

/// An events file, read and validated as a whole.
#[derive(Debug)]
pub struct EventsFile {
    events: Vec<Event>,
    /// For each message of a round the event that it repeats.
    order: Vec<u32>,
    rounds: u64,
}

/// One line.
#[derive(Debug)]
pub struct Event {
    /// When to send it, after the start.
    pub offset: Duration,
    /// Where to; none for an event that goes to its Kafka topic.
    pub target: Option<Target>,
    /// How it is told apart in a TCP stream, where the line says.
    pub framing: Option<Framing>,
    /// What.
    pub payload: Payload,
}

/// Bytes, text with a place for the time of sending, or a finished event.
#[derive(Debug)]
pub enum Payload {
    /// Sent as they are.
    Bytes(Vec<u8>),
    /// The pieces of text between which the time of sending stands.
    WithNow(Vec<String>),
    /// An event for its Kafka topic, without what is filled in when it is sent.
    Event(Box<events::Event>),
}

impl Payload {
    /// The event, where it is one.
    pub fn event(&self) -> Option<&events::Event> {
        if let Self::Event(event) = self { Some(event) } else { None }
    }

    /// Appends the bytes of a datagram or frame; `now` is the time of sending, RFC 3339.
    pub fn write(&self, now: &str, payload: &mut Vec<u8>) {
        match self {
            Self::Bytes(bytes) => payload.extend_from_slice(bytes),
            Self::WithNow(pieces) => payload.extend_from_slice(pieces.join(now).as_bytes()),
            Self::Event(_) => {}
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    offset_ms: Option<f64>,
    to: Option<Target>,
    event: Option<serde_json::Value>,
    payload: Option<String>,
    payload_base64: Option<String>,
    dhcp: Option<dhcp::Packet>,
    trap: Option<Trap>,
    exchange: Option<Exchange>,
    framing: Option<Framing>,
    #[serde(default = "once")]
    repeat: u32,
}

fn once() -> u32 {
    1
}

impl EventsFile {
    /// Reads a file that is played `rounds` times, [`MAX_ROUNDS`] at most; the error names the line and the reason.
    pub fn read(path: &Path, default_framing: Framing, rounds: u64) -> Result<Self, Failure> {
        let text = fs::read_to_string(path).map_err(|error| {
            Failure::usage(format!("cannot read {}: {error}", path.display()), "give the path of an events file (.jsonl)")
        })?;
        Self::parse(&text, default_framing).map(|file| Self { rounds, ..file }).map_err(|(line, reason)| {
            Failure::usage(
                format!("{}:{line}: {reason}", path.display()),
                r#"a line is {"offset_ms": 12, "to": "alert-udp"|"syslog-udp"|"syslog-tcp"|"dhcp-udp"|"snmp-udp", "payload": "text"} or has "payload_base64"; "repeat" and "framing" are optional; or {"offset_ms": 12, "dhcp": {"type": "discover", "mac": "02:00:00:00:00:01"}}, {"offset_ms": 12, "trap": {"oid": "IF-MIB::linkDown"}} or {"offset_ms": 12, "event": {"agentId": ...}}"#,
            )
        })
    }

    fn parse(text: &str, default_framing: Framing) -> Result<Self, (usize, String)> {
        let mut file = Self { events: Vec::new(), order: Vec::new(), rounds: 1 };
        let mut previous = Duration::ZERO;
        for (index, text) in text.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let at = |reason: String| (index + 1, reason);
            let line: Line = serde_json::from_str(text).map_err(|error| at(json_reason(&error)))?;
            if let Some(exchange) = &line.exchange {
                previous = file.play(exchange, &line, previous).map_err(at)?;
                continue;
            }
            let repeat = line.repeat;
            let event = event(line, previous, default_framing).map_err(at)?;
            previous = event.offset;
            if file.round_len() + u64::from(repeat) > MAX_MESSAGES {
                return Err(at(format!("the file holds more than {MAX_MESSAGES} messages; use --generate for load")));
            }
            file.order.extend(std::iter::repeat_n(file.events.len() as u32, repeat as usize));
            file.events.push(event);
        }
        let events = &file.events;
        file.order.sort_by_key(|event| events[*event as usize].offset);
        if file.order.is_empty() { Err((1, "the file has no event".to_owned())) } else { Ok(file) }
    }

    /// Adds the packets of an exchange, and tells when it begins.
    fn play(&mut self, exchange: &Exchange, line: &Line, previous: Duration) -> Result<Duration, String> {
        let has_another = line.event.is_some() || line.dhcp.is_some() || line.trap.is_some();
        if has_another || line.to.is_some() || line.payload.is_some() || line.payload_base64.is_some() {
            return Err("an exchange makes its own packets for dhcp-udp: it has no to, event, dhcp, trap or payload".to_owned());
        }
        let start = offset(line.offset_ms, previous)?;
        for (after, packet) in exchange.packets()? {
            self.order.push(self.events.len() as u32);
            let payload = Payload::Bytes(packet);
            self.events.push(Event { offset: start + after, target: Some(Target::DhcpUdp), framing: None, payload });
        }
        Ok(start)
    }

    /// Number of messages, repetitions and rounds included.
    pub fn len(&self) -> u64 {
        self.round_len() * self.rounds
    }

    /// The line that message `index` (from 0) comes from.
    pub fn event(&self, index: u64) -> &Event {
        &self.events[self.order[(index % self.round_len()) as usize] as usize]
    }

    /// When message `index` wants to be sent, after the start: a round begins with the last message of the round before it.
    pub fn own_time(&self, index: u64) -> Duration {
        let round = self.event(self.round_len() - 1).offset;
        round * (index / self.round_len()) as u32 + self.event(index).offset
    }

    fn round_len(&self) -> u64 {
        self.order.len() as u64
    }

    /// Whether any line is an event for its Kafka topic.
    pub fn has_events(&self) -> bool {
        self.events.iter().any(|event| event.target.is_none())
    }

    /// Every target of the file, once.
    pub fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<Target> = self.events.iter().filter_map(|event| event.target).collect();
        targets.sort();
        targets.dedup();
        targets
    }
}

/// When a line begins; without an offset, with the line before it.
fn offset(offset_ms: Option<f64>, previous: Duration) -> Result<Duration, String> {
    let Some(ms) = offset_ms else { return Ok(previous) };
    let offset = Duration::try_from_secs_f64(ms / 1000.0).map_err(|_| format!("offset_ms {ms} is not a time after the start"))?;
    if offset < previous {
        return Err(format!(
            "offset_ms {} is before that of the line above ({}); order the lines by time",
            offset.as_millis(),
            previous.as_millis()
        ));
    }
    Ok(offset)
}

fn event(line: Line, previous: Duration, default_framing: Framing) -> Result<Event, String> {
    let offset = offset(line.offset_ms, previous)?;
    if line.repeat == 0 {
        return Err("repeat must be at least 1".to_owned());
    }
    if let Some(json) = &line.event {
        let has_more = line.dhcp.is_some() || line.trap.is_some() || line.payload.is_some() || line.payload_base64.is_some();
        if has_more || line.to.is_some() || line.framing.is_some() {
            return Err("an event goes to its Kafka topic: it has no to, payload or framing".to_owned());
        }
        return Ok(Event { offset, target: None, framing: None, payload: Payload::Event(Box::new(finished_event(json)?)) });
    }
    if let Some(trap) = &line.trap {
        let has_more = line.dhcp.is_some() || line.payload.is_some() || line.payload_base64.is_some() || line.framing.is_some();
        if has_more || line.to.is_some_and(|to| to != Target::SnmpUdp) {
            return Err("trap is the payload of a line to snmp-udp; remove to and payload".to_owned());
        }
        return Ok(Event { offset, target: Some(Target::SnmpUdp), framing: None, payload: Payload::Bytes(trap.bytes()?) });
    }
    let to = line.to.or(line.dhcp.as_ref().map(|_| Target::DhcpUdp)).ok_or("has neither to (a listener) nor event, dhcp or trap")?;
    if let Some(packet) = &line.dhcp {
        if to != Target::DhcpUdp || line.payload.is_some() || line.payload_base64.is_some() {
            return Err("dhcp is the payload of a line to dhcp-udp; remove to and payload".to_owned());
        }
        return Ok(Event { offset, target: Some(to), framing: None, payload: Payload::Bytes(packet.bytes()?) });
    }
    if line.framing.is_some() && to.is_datagram() {
        return Err(format!("framing has no meaning for {}: a datagram is one message", to.name()));
    }
    let payload = match (line.payload, line.payload_base64) {
        (Some(text), None) if text.contains(NOW) => Payload::WithNow(text.split(NOW).map(str::to_owned).collect()),
        (Some(text), None) => Payload::Bytes(text.into_bytes()),
        (None, Some(text)) => Payload::Bytes(BASE64.decode(text).map_err(|error| format!("payload_base64 is not base64: {error}"))?),
        (Some(_), Some(_)) => return Err("has both payload and payload_base64; keep one".to_owned()),
        (None, None) => return Err("has neither payload nor payload_base64".to_owned()),
    };
    let mut sample = Vec::new();
    payload.write(LONGEST_NOW, &mut sample);
    if to.is_datagram() && sample.len() > MAX_DATAGRAM_BYTES {
        return Err(format!("the payload has {} bytes and a datagram holds {MAX_DATAGRAM_BYTES}", sample.len()));
    }
    if !to.is_datagram() && line.framing.unwrap_or(default_framing) == Framing::Newline && sample.contains(&b'\n') {
        return Err("the payload has a line break, which newline framing reads as its end; use octet-counting or none".to_owned());
    }
    Ok(Event { offset, target: Some(to), framing: line.framing, payload })
}

/// An event as it stands in the file; who it is from and what it says cannot be filled in.
fn finished_event(json: &serde_json::Value) -> Result<events::Event, String> {
    let event = event_from_json(json).map_err(|error| format!("event is not an Event of schemas/proto: {error}"))?;
    if event.agent_id.is_empty() || event.device.is_empty() || event.body.is_none() {
        return Err("event needs agentId, device and a body such as linkProbe".to_owned());
    }
    Ok(event)
}

/// serde_json counts lines within one line of the file; only the column helps.
fn json_reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let reason = text.rsplit_once(" at line ").map_or(text.as_str(), |(reason, _)| reason);
    format!("column {}: {reason}", error.column())
}

#[cfg(test)]
mod tests;
