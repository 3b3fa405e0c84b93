//! What a syslog datagram costs from its socket to Kafka's acknowledgement: the agent, rsyslog 8 (imudp to omkafka) and a reader that throws everything
//! away, by turns on the same traffic: `ONLY=ingest make bench`, or `cargo bench -p tocsin --bench whole_path` with the broker of TOCSIN_TEST_KAFKA.
//!
//! MESSAGES and TURNS are those of a case; BESIDE is the path of another `tocsin` to compare with; CASES are some of the names in the first column.

mod broker;
mod process;
mod receivers;
mod traffic;

use std::error::Error;
use std::time::{Duration, Instant};

use self::broker::Broker;
use self::receivers::{Floor, Receiver, agent, rsyslog};
use self::traffic::Traffic;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How long nothing may be acknowledged before the rest counts as lost.
const PATIENCE: Duration = Duration::from_secs(5);

/// One kind of traffic.
struct Case {
    name: &'static str,
    bytes: usize,
    /// Messages a second; `None`: as fast as the sender can.
    rate: Option<u32>,
}

const CASES: [Case; 4] = [
    Case { name: "200-bytes-50000", bytes: 200, rate: Some(50_000) },
    Case { name: "200-bytes-full", bytes: 200, rate: None },
    Case { name: "75-bytes-50000", bytes: 75, rate: Some(50_000) },
    Case { name: "75-bytes-full", bytes: 75, rate: None },
];

/// What one receiver did with the messages of one turn.
#[derive(Clone, Copy)]
struct Turn {
    sent: u64,
    stored: u64,
    sending: Duration,
    cpu: Duration,
    broker_cpu: Duration,
}

fn main() -> Result<()> {
    let Some(kafka) = given("TOCSIN_TEST_KAFKA") else {
        println!("whole path: left out, TOCSIN_TEST_KAFKA names no broker; ONLY=ingest make bench starts one");
        return Ok(());
    };
    let messages = setting("MESSAGES", 400_000)?;
    let turns = setting("TURNS", 3)?;
    let only = given("CASES").unwrap_or_default();
    let broker = Broker::connect(&kafka)?;
    println!(
        "CPU of the receiver for a message from socket to acknowledgement, medians of {turns} turns of {messages} messages; lost over all turns"
    );
    println!(
        "{:<16} {:<10} {:>8} {:>8} {:>10} {:>9} {:>9} {:>10} {:>9}",
        "case", "receiver", "µs", "x floor", "x rsyslog", "broker µs", "sent/s", "lost", "peak MB"
    );
    for case in CASES.iter().filter(|case| only.is_empty() || only.split_whitespace().any(|name| name == case.name)) {
        measure(case, messages, turns as usize, &broker, &kafka)?;
    }
    Ok(())
}

fn setting(name: &str, default: u64) -> Result<u64> {
    given(name).map_or(Ok(default), |text| text.parse()).map_err(|error| format!("{name}: {error}").into())
}

/// A variable of the environment; make sets those that it was not given to nothing.
fn given(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn measure(case: &Case, messages: u64, turns: usize, broker: &Broker, kafka: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let mut receivers = vec![agent("agent", env!("CARGO_BIN_EXE_tocsin").as_ref(), kafka, folder.path())?];
    if let Some(other) = given("BESIDE") {
        receivers.push(agent("beside", other.as_ref(), kafka, folder.path())?);
    }
    receivers.push(rsyslog(broker, kafka, folder.path())?);
    let mut floor = Vec::new();
    let mut results = vec![Vec::new(); receivers.len()];
    // Code, connections and topics of each are warm before the first turn.
    for receiver in &mut receivers {
        turn(receiver, &mut Traffic::new(case.bytes, Some(20_000)), 20_000, broker)?;
    }
    for number in 0..turns {
        floor.push(Floor::turn(&mut Traffic::new(case.bytes, case.rate), messages)?);
        // Each begins a turn as often as the others: what comes later finds the machine and the broker busier.
        for place in 0..receivers.len() {
            let next = (number + place) % receivers.len();
            results[next].push(turn(&mut receivers[next], &mut Traffic::new(case.bytes, case.rate), messages, broker)?);
        }
    }
    let floor_us = median(floor.iter().map(|turn| turn.cpu.as_secs_f64() * 1e6 / turn.stored.max(1) as f64));
    let costs: Vec<_> = results.iter().map(|turns| median(turns.iter().map(|turn| micros_each(turn.cpu, turn)))).collect();
    let rsyslog_us = costs.last().copied().unwrap_or_default();
    row(case, "floor", floor_us, [floor_us, rsyslog_us], &floor, 0);
    for ((receiver, turns), cost) in receivers.iter().zip(&results).zip(&costs) {
        row(case, receiver.name, *cost, [floor_us, rsyslog_us], turns, receiver.process.peak_bytes()?);
    }
    Ok(())
}

/// Sends, and waits until everything that arrived is acknowledged.
fn turn(receiver: &mut Receiver, traffic: &mut Traffic, messages: u64, broker: &Broker) -> Result<Turn> {
    let stored_before = broker.stored(receiver.topic)?;
    let (cpu_before, broker_before) = (receiver.process.cpu()?, broker.process.cpu()?);
    let sending = traffic.send(receiver.port, messages)?;
    let (mut stored, mut since) = (0, Instant::now());
    while stored < messages && since.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(50));
        let now = broker.stored(receiver.topic)? - stored_before;
        if now > stored {
            (stored, since) = (now, Instant::now());
        }
    }
    let (cpu, broker_cpu) = (receiver.process.cpu()? - cpu_before, broker.process.cpu()? - broker_before);
    Ok(Turn { sent: messages, stored, sending, cpu, broker_cpu })
}

fn micros_each(time: Duration, turn: &Turn) -> f64 {
    time.as_secs_f64() * 1e6 / turn.stored.max(1) as f64
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

fn row(case: &Case, name: &str, cost: f64, [floor, rsyslog]: [f64; 2], turns: &[Turn], peak_bytes: u64) {
    let broker = median(turns.iter().map(|turn| micros_each(turn.broker_cpu, turn)));
    let rate = median(turns.iter().map(|turn| turn.sent as f64 / turn.sending.as_secs_f64()));
    let lost: u64 = turns.iter().map(|turn| turn.sent - turn.stored).sum();
    println!(
        "{:<16} {:<10} {:>8.2} {:>8.2} {:>10.2} {:>9.2} {:>9.0} {:>10} {:>9.0}",
        case.name,
        name,
        cost,
        cost / floor,
        cost / rsyslog,
        broker,
        rate,
        lost,
        peak_bytes as f64 / 1e6
    );
}
