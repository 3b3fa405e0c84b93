//! `tocsin send`: traffic as devices would send it, recorded or made up. It is the project's load generator.
//!
//! It promises that what it reports as sent was taken by the kernel, and nothing more: UDP gives no receipt. `tocsin balance` tells
//! what became of it.

mod dhcp;
mod events_file;
mod exchange;
mod framing;
mod generate;
mod outbox;
mod pace;
mod publish;
mod target;
mod traffic;
mod trap;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use tocsin_kafka::Connection;

use crate::Failure;
use crate::kafka::KafkaArgs;
use events_file::{EventsFile, MAX_ROUNDS};
use framing::Framing;
use generate::Generator;
use outbox::Outbox;
use pace::Pace;
use publish::Topics;
use target::{Addresses, Target};
use traffic::Traffic;

const AFTER_HELP: &str = "\
Examples:
  tocsin send integration-tests/scenarios/burst-500/updates.jsonl          as it happened
  tocsin send burst.jsonl --rate 100 --target alert-udp=192.0.2.7:5515
  tocsin send mix.jsonl --rounds 20 --rate 30000                           twenty times, one after the other
  tocsin send --generate syslog-tcp --count 1000000 --sources 50           as fast as it goes
  tocsin send --generate dhcp-udp --count 200000 --sources 20000           20,000 clients: DISCOVER to ACK, renewals, rebinds

Further keys of a line: \"payload_base64\" in place of \"payload\", \"repeat\": N, \"framing\" as --framing.
A line {\"offset_ms\": 12, \"dhcp\": {\"type\": \"discover\", \"mac\": \"02:00:00:00:00:01\"}} is a DHCP packet for dhcp-udp. type: discover offer request
decline ack nak release inform. Of a request, state: selecting init_reboot renewing rebinding. Further: ip server relay circuit_id remote_id
hostname lease_seconds renewal_seconds rebinding_seconds router prefix_length vendor_class fingerprint message xid elapsed_seconds broadcast.
A line {\"offset_ms\": 12, \"trap\": {\"oid\": \"IF-MIB::linkDown\", \"varbinds\": [{\"oid\", \"type\", \"value\"}, ...]}} is a trap for
snmp-udp, sent as version 2c.
A line {\"offset_ms\": 12, \"exchange\": {\"messages\": [\"discover\", \"offer\", \"select\", \"ack\"], \"mac\": .., \"ip\": .., \"server\": .., \"clients\": 500}} is
what many clients do, one after the other. Further: relay router circuit_id remote_id xid lease_seconds prefix_length every_ms gap_ms.
A line {\"offset_ms\": 12, \"event\": {...}} is an event in protobuf's JSON form and goes straight to its Kafka topic: counters, gauges, probes.";

/// `tocsin send ...`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct SendArgs {
    /// Events file, one JSON object a line: {"offset_ms": 12, "to": "alert-udp", "payload": "text"}. Played at its own times unless
    /// --rate or --full-speed says otherwise.
    #[arg(value_name = "FILE.jsonl", conflicts_with = "generate")]
    file: Option<PathBuf>,

    /// Play the file so often, one round after the other.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "file", value_parser = clap::value_parser!(u64).range(1..=MAX_ROUNDS))]
    rounds: u64,

    /// Make up traffic for this listener: RFC 5424 syslog or alert updates, each numbered "seq=000001" and counting, or DHCP. At full speed
    /// unless --rate says otherwise.
    #[arg(long, value_name = "TARGET")]
    generate: Option<Target>,

    /// Generated messages.
    #[arg(long, value_name = "N", default_value_t = 1000, requires = "generate", value_parser = clap::value_parser!(u64).range(1..))]
    count: u64,

    /// Bytes of each generated payload; DHCP packets have the size that they have.
    #[arg(long, value_name = "BYTES", default_value_t = 200, requires = "generate")]
    size: usize,

    /// Device names in the generated messages, used in turn: gen-0001, gen-0002 ... For DHCP, clients.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "generate", value_parser = clap::value_parser!(u32).range(1..))]
    sources: u32,

    /// Makes the generated traffic reproducible.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "generate")]
    seed: u64,

    /// Messages a second; those of one millisecond leave together.
    #[arg(long, value_name = "N", value_parser = parse_rate, conflicts_with = "full_speed")]
    rate: Option<f64>,

    /// As fast as the kernel takes them.
    #[arg(long)]
    full_speed: bool,

    /// How messages are told apart over TCP.
    #[arg(long, value_name = "FRAMING", default_value = "octet-counting")]
    framing: Framing,

    /// Host of the listeners.
    #[arg(long, env = "TOCSIN_HOST", value_name = "HOST", default_value = "127.0.0.1")]
    host: String,

    /// Added to the default ports 5514 (syslog), 5515 (alert updates) and 1162 (SNMP).
    #[arg(long, env = "TOCSIN_PORT_OFFSET", value_name = "N", default_value_t = 0)]
    port_offset: u16,

    /// Needed for lines that are events.
    #[command(flatten)]
    kafka: KafkaArgs,

    /// Another address for one listener; can be repeated.
    #[arg(long, value_name = "NAME=HOST:PORT", value_parser = target::parse_exception)]
    target: Vec<(Target, String)>,

    /// Go on when nobody receives the datagrams, and count those that came back. The exit code still tells.
    #[arg(long)]
    keep_going: bool,
}

impl SendArgs {
    fn kafka(&self) -> Result<Connection, Failure> {
        self.kafka.connection_or(&format!("{}:{}", self.host, 9092_u32 + u32::from(self.port_offset)))
    }
}

/// Sends, shows progress on standard error, and prints one line for each listener that was sent to.
pub fn run(args: &SendArgs) -> Result<(), Failure> {
    let traffic = match (&args.file, args.generate) {
        (Some(path), _) => Traffic::Recorded(EventsFile::read(path, args.framing, args.rounds)?),
        (None, Some(target)) => Traffic::Generated(Generator::new(target, args.count, args.size, args.sources, args.seed)?),
        (None, None) => return Err(Failure::usage("nothing to send", "give an events file or --generate TARGET")),
    };
    let pace = match (args.rate, args.full_speed || args.generate.is_some()) {
        (Some(rate), _) => Pace::PerSecond(rate),
        (None, true) => Pace::FullSpeed,
        (None, false) => Pace::OwnTimes,
    };
    let addresses = Addresses::new(&args.host, args.port_offset, &args.target);
    let mut outbox = Outbox::open(&traffic.targets(), &addresses, args.keep_going)?;
    let mut topics = if traffic.has_events() { Some(Topics::open(&args.kafka()?)?) } else { None };

    let start = Instant::now();
    let played = play(&traffic, pace, args.framing, &mut outbox, &mut topics, start);
    let refused = summarize(&outbox, start.elapsed());
    topics.iter().for_each(Topics::summarize);
    played?;
    match refused {
        0 => Ok(()),
        refused => {
            Err(Failure::new(format!("{refused} datagrams or more came back: nobody listened"), "see whether the agent was down meanwhile"))
        }
    }
}

/// Sends every message when it is due; messages that are due together leave together.
fn play(
    traffic: &Traffic,
    pace: Pace,
    framing: Framing,
    outbox: &mut Outbox,
    topics: &mut Option<Topics>,
    start: Instant,
) -> Result<(), Failure> {
    let mut progress = Progress::new(start, traffic.len());
    let mut clock = Clock::new();
    let mut payload = Vec::new();
    for index in 0..traffic.len() {
        let due = start + pace.due(index, || traffic.own_time(index));
        let now = Instant::now();
        if due > now {
            outbox.flush()?;
            sleep_until(due, || progress.tell(outbox));
        } else if index % 1024 == 0 {
            progress.tell(outbox);
        }
        if let (Some(event), Some(topics)) = (traffic.event(index), topics.as_mut()) {
            topics.publish(event)?;
        } else if let Some(target) = traffic.target(index) {
            payload.clear();
            traffic.write_payload(index, clock.rfc3339(now.max(due)), &mut payload);
            outbox.push(target, traffic.framing(index).unwrap_or(framing), &payload)?;
        }
    }
    outbox.finish()?;
    topics.as_mut().map_or(Ok(()), Topics::finish)
}

fn sleep_until(due: Instant, mut each_second: impl FnMut()) {
    loop {
        let left = due.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_secs(1)));
        each_second();
    }
}

/// The time as text, written anew at most once a millisecond: at full speed formatting it would cost more than sending.
struct Clock {
    text: String,
    written: Option<Instant>,
}

impl Clock {
    fn new() -> Self {
        Self { text: String::new(), written: None }
    }

    fn rfc3339(&mut self, now: Instant) -> &str {
        if self.written.is_none_or(|written| now.duration_since(written) >= Duration::from_millis(1)) {
            self.text = format!("{:.6}", jiff::Timestamp::now());
            self.written = Some(now);
        }
        &self.text
    }
}

/// One line a second on standard error, from the second second on.
struct Progress {
    start: Instant,
    next: Duration,
    total: u64,
}

impl Progress {
    fn new(start: Instant, total: u64) -> Self {
        Self { start, next: Duration::from_secs(2), total }
    }

    fn tell(&mut self, outbox: &Outbox) {
        let elapsed = self.start.elapsed();
        if elapsed >= self.next {
            let sent = outbox.messages();
            eprintln!(
                "{sent} of {} sent in {:.0} s, {:.0} a second",
                self.total,
                elapsed.as_secs_f64(),
                sent as f64 / elapsed.as_secs_f64()
            );
            self.next = elapsed + Duration::from_secs(1);
        }
    }
}

/// Prints what went to each listener and returns how many datagrams came back.
fn summarize(outbox: &Outbox, elapsed: Duration) -> u64 {
    let seconds = elapsed.as_secs_f64();
    let mut refused = 0;
    for (target, link) in outbox.links() {
        let unit = if target.is_datagram() { "datagrams" } else { "frames" };
        println!(
            "sent {} {unit} ({} bytes) to {} {} in {seconds:.2} s, {:.0} a second",
            link.messages,
            link.bytes,
            target.name(),
            link.address,
            link.messages as f64 / seconds.max(1e-9)
        );
        refused += link.refused;
    }
    refused
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate.is_finite() && rate >= 0.001 => Ok(rate),
        _ => Err("must be a number of messages a second, at least 0.001".to_owned()),
    }
}
