//! Every case of `testdata/`, whole results compared; and that no input makes a parser panic. A new case is a new entry, not new code.

// The cases stand in files; what they are about reads none.
#![allow(clippy::disallowed_methods)]

use std::collections::BTreeMap;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tocsin_parse::framing::{Decoder, Frame};
use tocsin_parse::{Format, Parsed, Refusal};
use tocsin_wire::alerts::Severity;
use tocsin_wire::events::alert_update::Action;
use tocsin_wire::events::{AlertUpdate, Syslog};
use tocsin_wire::rejects::Reason;
use tocsin_wire::{Body, word};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SyslogCase {
    name: String,
    #[serde(default)]
    frame: String,
    frame_hex: Option<String>,
    #[serde(default = "usual_reception")]
    received_at: Timestamp,
    expect: Option<ExpectedSyslog>,
    refused: Option<String>,
}

#[derive(Debug, Default, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct ExpectedSyslog {
    device: Option<String>,
    time: Option<Timestamp>,
    facility: u32,
    severity: u32,
    app_name: String,
    proc_id: String,
    msg_id: String,
    structured_data: BTreeMap<String, String>,
    message: String,
    sequence: Option<u64>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AlertCase {
    name: String,
    frame: String,
    expect: Vec<ExpectedUpdate>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(default, deny_unknown_fields)]
struct ExpectedUpdate {
    action: String,
    device: Option<String>,
    time: Option<Timestamp>,
    source: String,
    check: String,
    severity: String,
    summary: String,
    labels: BTreeMap<String, String>,
    refused: Option<String>,
}

impl Default for ExpectedUpdate {
    fn default() -> Self {
        Self {
            action: word(Action::Update),
            severity: word(Severity::Indeterminate),
            device: None,
            time: None,
            source: String::new(),
            check: String::new(),
            summary: String::new(),
            labels: BTreeMap::new(),
            refused: None,
        }
    }
}

fn usual_reception() -> Timestamp {
    "2026-11-20T12:00:00Z".parse().unwrap()
}

fn cases<T: DeserializeOwned>(file: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(file);
    serde_saphyr::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The cases of syslog.yaml and of each vendor in `testdata/syslog/`, with the name of their file.
fn syslog_cases() -> Vec<(String, SyslogCase)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/syslog");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let files = files.into_iter().map(|file| format!("syslog/{file}")).chain(["syslog.yaml".to_owned()]);
    files.flat_map(|file| cases::<SyslogCase>(&file).into_iter().map(move |case| (file.clone(), case))).collect()
}

fn unix_nanos(time: Timestamp) -> u64 {
    u64::try_from(time.as_nanosecond()).unwrap()
}

fn time(nanos: Option<u64>) -> Option<Timestamp> {
    nanos.map(|nanos| Timestamp::from_nanosecond(i128::from(nanos)).unwrap())
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    hex.as_bytes().chunks(2).map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

fn frame(case: &SyslogCase) -> Vec<u8> {
    case.frame_hex.as_deref().map_or_else(|| case.frame.clone().into_bytes(), bytes_of_hex)
}

fn parse(format: Format, frame: &[u8], received_at: Timestamp) -> Vec<Result<Parsed, Refusal>> {
    let mut results = Vec::new();
    format.parse(frame, unix_nanos(received_at), |result| results.push(result));
    results
}

fn seen_syslog(parsed: Parsed) -> ExpectedSyslog {
    let Body::Syslog(Syslog { facility, severity, app_name, proc_id, msg_id, structured_data, message, sequence }) = parsed.body else {
        panic!("no syslog: {parsed:?}")
    };
    ExpectedSyslog {
        device: parsed.device,
        time: time(parsed.event_time_unix_nanos),
        facility,
        severity,
        app_name,
        proc_id,
        msg_id,
        structured_data,
        message,
        sequence,
    }
}

fn seen_update(result: Result<Parsed, Refusal>) -> ExpectedUpdate {
    let parsed = match result {
        Ok(parsed) => parsed,
        Err(refusal) => return ExpectedUpdate { refused: Some(word(refusal.reason)), ..ExpectedUpdate::default() },
    };
    let Body::AlertUpdate(update) = parsed.body else { panic!("no alert update: {parsed:?}") };
    let (action, severity) = (word(update.action()), word(update.severity()));
    let AlertUpdate { source, check, summary, labels, .. } = update;
    ExpectedUpdate {
        action,
        severity,
        device: parsed.device,
        time: time(parsed.event_time_unix_nanos),
        source,
        check,
        summary,
        labels,
        refused: None,
    }
}

#[test]
fn every_syslog_case_gives_what_it_says() {
    let cases = syslog_cases();
    assert!(cases.len() > 370, "{}", cases.len());
    let mut wrong = Vec::new();
    for (file, case) in cases {
        let mut results = parse(Format::Syslog, &frame(&case), case.received_at);
        // A line of a DHCP server is a DHCP event besides: tests/dhcp.rs.
        results.retain(|result| !matches!(result, Ok(Parsed { body: Body::Dhcp(_), .. })));
        assert_eq!(results.len(), 1, "{file}: {}", case.name);
        let (seen, expected) = match results.remove(0) {
            Ok(parsed) => (format!("{:#?}", Some(seen_syslog(parsed))), format!("{:#?}", case.expect)),
            Err(refusal) => (word(refusal.reason), case.refused.unwrap_or_default()),
        };
        if seen != expected {
            wrong.push(format!("{file}: {}\nseen {seen}\nexpected {expected}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} cases are wrong:\n{}", wrong.len(), wrong.join("\n\n"));
}

#[test]
fn every_alert_case_gives_what_it_says() {
    for case in cases::<AlertCase>("alert.yaml") {
        let seen: Vec<_> = parse(Format::Alert, case.frame.as_bytes(), usual_reception()).into_iter().map(seen_update).collect();
        assert_eq!(seen, case.expect, "{}", case.name);
    }
}

#[test]
fn a_refusal_says_what_to_do() {
    for case in cases::<AlertCase>("alert.yaml") {
        for refusal in parse(Format::Alert, case.frame.as_bytes(), usual_reception()).into_iter().filter_map(Result::err) {
            assert!(refusal.detail.len() > 20, "{}: {}", case.name, refusal.detail);
        }
    }
}

#[test]
fn a_datagram_full_of_elements_that_are_no_updates_is_one_reject() {
    let frame = format!("[{}0]", "0,".repeat(32_000));
    let results = parse(Format::Alert, frame.as_bytes(), usual_reception());
    let [Err(refusal)] = results.as_slice() else { panic!("{} results", results.len()) };
    assert_eq!(refusal.reason, Reason::Syntax);
    assert!(refusal.detail.starts_with("32001 of 32001 elements are no updates; the first: element 1 "), "{}", refusal.detail);
}

/// A small generator (xorshift64*), so that the mutations are the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound.max(1)
    }
}

/// Flips, inserts, removes, doubles and splices, with a liking for the bytes that mean something.
fn mutate(frame: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    const TELLING: &[u8] = b"<>[]{}\"'\\=:% -\0\n\xff\xc3\xef\xbb\xbf09";
    let mut bytes = frame.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            1 if at < bytes.len() => bytes[at] = TELLING[random.below(TELLING.len())],
            2 => bytes.insert(at, TELLING[random.below(TELLING.len())]),
            3 => bytes.truncate(at),
            4 => drop(bytes.drain(..at.min(bytes.len()))),
            _ => bytes.extend_from_slice(&other[random.below(other.len() + 1)..]),
        }
    }
    bytes
}

#[test]
fn no_mutation_of_the_cases_makes_a_parser_panic_or_answer_nothing() {
    let mut corpus: Vec<Vec<u8>> = syslog_cases().iter().map(|(_, case)| frame(case)).collect();
    corpus.extend(cases::<AlertCase>("alert.yaml").into_iter().map(|case| case.frame.into_bytes()));
    let mut random = Random(0x7061_7273_6572_7321);
    for round in 0..400_usize {
        for frame in &corpus {
            let bytes = mutate(frame, &corpus[random.below(corpus.len())], &mut random);
            for format in [Format::Syslog, Format::Alert] {
                assert!(!parse(format, &bytes, usual_reception()).is_empty(), "round {round}: {bytes:?}");
            }
        }
    }
}

#[test]
fn no_stream_makes_the_framing_panic_and_its_frames_do_not_depend_on_how_it_was_cut() {
    let corpus: Vec<Vec<u8>> = syslog_cases().iter().map(|(_, case)| frame(case)).collect();
    let mut random = Random(0x6672_616d_696e_6721);
    for _ in 0..2_000 {
        let mut stream = Vec::new();
        for _ in 0..8 {
            let frame = mutate(&corpus[random.below(corpus.len())], b"\n", &mut random);
            if random.below(2) == 0 {
                stream.extend_from_slice(format!("{} ", frame.len()).as_bytes());
            }
            stream.extend_from_slice(&frame);
            stream.push(b'\n');
        }
        let whole = frames(&stream, stream.len());
        assert!(!whole.is_empty());
        assert_eq!(frames(&stream, 1 + random.below(40)), whole, "{stream:?}");
    }
}

fn frames(stream: &[u8], piece_bytes: usize) -> Vec<Frame> {
    let mut decoder = Decoder::new(64);
    let mut frames = Vec::new();
    for piece in stream.chunks(piece_bytes) {
        decoder.buffer().extend_from_slice(piece);
        frames.extend(std::iter::from_fn(|| decoder.next_frame()));
    }
    frames.extend(decoder.finish());
    frames
}
