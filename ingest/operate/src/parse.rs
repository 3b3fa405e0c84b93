//! `tocsin parse`: what the agent would make of recorded messages, without an agent or Kafka.
//!
//! Whoever needs the meaning of a message in another language asks this command: no format is read twice.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use tocsin_parse::{Format, Parsed, Refusal};
use tocsin_wire::events::Event;
use tocsin_wire::rejects::{Reject, Stage};
use tocsin_wire::{Body, EventSource, Origin, event_to_json};

use crate::Failure;

const AFTER_HELP: &str = "\
One line of the file is one message. Printed is one Event a line in protobuf's JSON form, or a Reject with its reason. A line of syslog is one
of these, and behind it the DHCP event that a server's line tells of.

Examples:
  tocsin parse messages.log
  journalctl -o short-iso | tocsin parse -
  tocsin parse --kind alert updates.txt | tocsin-rules test --events -";

const AGENT: &str = "tocsin-parse";

/// `tocsin parse`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ParseArgs {
    /// What the lines are.
    #[arg(long, value_name = "KIND", default_value = "syslog")]
    kind: Kind,

    /// When they were received, for times without a year; RFC 3339. Default: now.
    #[arg(long, value_name = "TIME")]
    received_at: Option<Timestamp>,

    /// The lines; - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum Kind {
    /// RFC 5424, RFC 3164 and what devices make of it.
    Syslog,
    /// Alert updates as JSON, XML or logfmt.
    Alert,
}

impl From<Kind> for Format {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Syslog => Self::Syslog,
            Kind::Alert => Self::Alert,
        }
    }
}

/// Reads the file and prints its events.
pub fn run(args: &ParseArgs) -> Result<(), Failure> {
    let received_at = args.received_at.unwrap_or_else(Timestamp::now);
    let received_at_unix_nanos = u64::try_from(received_at.as_nanosecond())
        .map_err(|_| Failure::usage(format!("--received-at {received_at} is before 1970"), "give a later time"))?;
    let output = BufWriter::new(io::stdout().lock());
    print_events(open(&args.file)?, args.kind.into(), received_at_unix_nanos, output).map_err(|error| {
        Failure::new(format!("{}: {error}", args.file.display()), "check that the file can be read and the output can be written")
    })
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Failure> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    let file = File::open(path).map_err(|error| {
        Failure::usage(format!("cannot read {}: {error}", path.display()), "give a file of messages, or - for standard input")
    })?;
    Ok(Box::new(BufReader::new(file)))
}

fn print_events(mut lines: impl BufRead, format: Format, received_at_unix_nanos: u64, mut output: impl Write) -> io::Result<()> {
    let source = EventSource::new(AGENT, received_at_unix_nanos);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line)? > 0 {
        let frame = line.strip_suffix(b"\n").unwrap_or(&line);
        let frame = frame.strip_suffix(b"\r").unwrap_or(frame);
        let origin = Origin { listener: "parse".into(), site: "".into(), received_at_unix_nanos, peer: None, raw: frame.to_vec().into() };
        let mut events = Vec::new();
        format.parse(frame, received_at_unix_nanos, |outcome| events.push(event(&source, &origin, outcome)));
        for event in events {
            let json = event_to_json(&event).map_err(io::Error::other)?;
            writeln!(output, "{json}")?;
        }
        line.clear();
    }
    output.flush()
}

fn event(source: &EventSource, origin: &Origin, outcome: Result<Parsed, Refusal>) -> Event {
    match outcome {
        Ok(parsed) => source.event(origin, parsed.device, parsed.event_time_unix_nanos, parsed.body, |_| None),
        Err(refusal) => {
            let reject = Reject {
                stage: Stage::Parse.into(),
                reason: refusal.reason.into(),
                detail: refusal.detail,
                original_bytes: u64::try_from(origin.raw.len()).unwrap_or(u64::MAX),
            };
            source.event(origin, None, None, Body::Reject(reject), |_| None)
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn printed(lines: &str, format: Format) -> Vec<Value> {
        let mut output = Vec::new();
        print_events(lines.as_bytes(), format, 1_795_176_000_000_000_000, &mut output).unwrap();
        output.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(|line| serde_json::from_slice(line).unwrap()).collect()
    }

    #[test]
    fn a_line_of_syslog_is_one_event_in_its_json_form() {
        let events = printed("<187>000123: sw1: Nov 20 11:59:59.001 UTC: %LINK-3-UPDOWN: down\r\n", Format::Syslog);
        assert_eq!(events.len(), 1);
        assert_eq!(events[0]["device"], "sw1");
        assert_eq!(
            events[0]["syslog"],
            json!({"facility": 23, "severity": 3, "appName": "LINK", "msgId": "UPDOWN", "message": "down", "sequence": "123"})
        );
    }

    #[test]
    fn what_is_refused_keeps_its_place_and_says_why() {
        let events = printed("<13>first\n\n<13>third", Format::Syslog);
        assert_eq!(events.len(), 3);
        assert_eq!(events[1]["reject"]["reason"], "REASON_EMPTY");
        assert_eq!(events[2]["syslog"]["message"], "third");
    }

    #[test]
    fn one_line_can_hold_several_alert_updates() {
        let update =
            |device: &str| json!({"action": "update", "source": "s", "device": device, "check": "c", "severity": "major", "summary": ""});
        let events = printed(&format!("[{},{}]", update("a"), update("b")), Format::Alert);
        assert_eq!(events.iter().map(|event| &event["device"]).collect::<Vec<_>>(), ["a", "b"]);
    }
}
