//! Packets of 75 bytes at a rate, captured by the agent's ring and by tcpdump (libpcap as it comes) beside each other: `ONLY=capture make bench`. In a
//! network namespace of its own, so it needs root.
//!
//! MESSAGES and TURNS are those of a rate; RATES are packets a second, separated by commas, 0 as fast as the sender can.

use std::error::Error;
use std::io::{BufRead, BufReader, IoSlice, Read};
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use nix::errno::Errno;
use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{MsgFlags, MultiHeaders, sendmmsg};
use nix::sys::time::TimeValLike;
use tocsin_sources::{CaptureConfig, CaptureSource, QUEUE_BATCHES};
use tocsin_telemetry::Counters;
use tokio::sync::{mpsc, watch};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Where packets leave, and where they are captured.
const SENDING: &str = "bench-out";
const CAPTURED: &str = "bench-in";
const SENDER: &str = "198.51.100.1/24";
const RECEIVER: &str = "198.51.100.2";
/// Of Ethernet, IPv4 and UDP there are 42: packets of 75 bytes, to the port of a DHCP server, which the ring lets through.
const PAYLOAD: [u8; 33] = [0x2a; 33];
const PORT: u16 = 67;
/// Sent by one system call.
const BATCH: usize = 64;
const TICK: Duration = Duration::from_millis(1);
/// How long nothing may come before the rest counts as lost.
const PATIENCE: Duration = Duration::from_secs(2);

/// What became of the packets of one turn.
#[derive(Clone, Copy)]
struct Turn {
    rate: f64,
    ring_lost: u64,
    ring_cpu_us: f64,
    tcpdump_lost: u64,
}

fn main() -> Result<()> {
    if !nix::unistd::geteuid().is_root() {
        println!("capture: left out, a network namespace needs root");
        return Ok(());
    }
    let rates = setting("RATES", "")?;
    if rates.is_empty() {
        println!("capture: left out, RATES names no rate; ONLY=capture make bench has some");
        return Ok(());
    }
    let packets = setting("MESSAGES", "1000000")?.parse()?;
    let turns: usize = setting("TURNS", "3")?.parse()?;
    let rates: Vec<u64> = rates.split(',').map(str::parse).collect::<std::result::Result<_, _>>()?;
    unshare(CloneFlags::CLONE_NEWNET)?;
    connect()?;
    println!(
        "{packets} packets of {} bytes a turn, {turns} turns, the agent's ring (8 MiB) and tcpdump (-w /dev/null) at the same time",
        PAYLOAD.len() + 42
    );
    println!("{:>10} {:>12} {:>12} {:>16} {:>16} {:>14}", "rate", "reached/s", "ring: lost", "in turns", "ring: µs each", "tcpdump: lost");
    for rate in rates {
        let all = (0..turns).map(|_| turn(packets, rate)).collect::<Result<Vec<_>>>()?;
        let lost: u64 = all.iter().map(|turn| turn.ring_lost).sum();
        let lossy = all.iter().filter(|turn| turn.ring_lost > 0).count();
        println!(
            "{:>10} {:>12.0} {:>12} {:>16} {:>16.2} {:>14}",
            if rate == 0 { "full".to_owned() } else { rate.to_string() },
            median(all.iter().map(|turn| turn.rate)),
            lost,
            format!("{lossy} of {turns}"),
            median(all.iter().map(|turn| turn.ring_cpu_us)),
            all.iter().map(|turn| turn.tcpdump_lost).sum::<u64>(),
        );
    }
    Ok(())
}

/// A variable of the environment; make sets those that it was not given to nothing.
fn setting(name: &str, default: &str) -> Result<String> {
    Ok(std::env::var(name).ok().filter(|value| !value.is_empty()).unwrap_or_else(|| default.to_owned()))
}

/// Two interfaces that are the ends of one cable, and a neighbour that need not be asked for.
fn connect() -> Result<()> {
    let ip = |words: &str| -> Result<()> {
        let ended = Command::new("ip").args(words.split(' ')).status()?;
        if ended.success() { Ok(()) } else { Err(format!("ip {words}: {ended}").into()) }
    };
    ip(&format!("link add {SENDING} type veth peer name {CAPTURED}"))?;
    ip(&format!("address add {} dev {SENDING}", SENDER))?;
    ip(&format!("link set {SENDING} up"))?;
    ip(&format!("link set {CAPTURED} up"))?;
    ip(&format!("neighbour add {} lladdr 02:00:00:00:00:02 dev {SENDING}", RECEIVER))
}

fn turn(packets: u64, rate: u64) -> Result<Turn> {
    let counters = Arc::new(Counters::new("bench"));
    let config = CaptureConfig {
        name: "bench".to_owned(),
        interface: CAPTURED.to_owned(),
        receive_ring: ByteSize::mib(8),
        promiscuous: true,
        site: String::new(),
    };
    let source = CaptureSource::bind(&config, Arc::clone(&counters))?;
    let (queue, mut batches) = mpsc::channel(QUEUE_BATCHES);
    let (stop, stopped) = watch::channel(false);
    let taken = Arc::new(AtomicU64::new(0));
    let reader = source.start(queue, &stopped)?;
    let taking = Arc::clone(&taken);
    let taker = thread::spawn(move || {
        while let Some(batch) = batches.blocking_recv() {
            taking.fetch_add(batch.len() as u64, Ordering::Relaxed);
        }
    });
    let tcpdump = Tcpdump::start()?;
    let (cpu_before, sending_cpu) = (cpu()?, send(packets, rate)?);
    let (mut seen, mut since) = (0, Instant::now());
    while seen < packets && since.elapsed() < PATIENCE {
        thread::sleep(TICK);
        let now = taken.load(Ordering::Relaxed);
        if now > seen {
            (seen, since) = (now, Instant::now());
        }
    }
    stop.send_replace(true);
    reader.join().map_err(|_| "the reader has failed")?;
    taker.join().map_err(|_| "the taker has failed")?;
    let ring_cpu = cpu()? - cpu_before - sending_cpu.cpu;
    let seen = taken.load(Ordering::Relaxed);
    let dropped = counters.snapshot().kernel_dropped;
    if seen + dropped != packets {
        return Err(format!("{packets} sent, {seen} received and {dropped} dropped: the sheet does not close").into());
    }
    Ok(Turn {
        rate: packets as f64 / sending_cpu.took.as_secs_f64(),
        ring_lost: dropped,
        ring_cpu_us: ring_cpu.as_secs_f64() * 1e6 / seen.max(1) as f64,
        tcpdump_lost: tcpdump.lost()?,
    })
}

/// CPU time of this process, all threads.
fn cpu() -> Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok(Duration::from_micros((usage.user_time() + usage.system_time()).num_microseconds().try_into()?))
}

struct Sending {
    took: Duration,
    cpu: Duration,
}

fn send(packets: u64, rate: u64) -> Result<Sending> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0))?;
    socket.connect((RECEIVER, PORT))?;
    let mut headers = MultiHeaders::<()>::preallocate(BATCH, None);
    let slices = [[IoSlice::new(&PAYLOAD)]; BATCH];
    let thread_cpu = || getrusage(UsageWho::RUSAGE_THREAD).map(|usage| usage.user_time() + usage.system_time());
    let (cpu_before, began) = (thread_cpu()?, Instant::now());
    let mut sent = 0;
    while sent < packets {
        let due = if rate == 0 { packets } else { ((began.elapsed().as_secs_f64() * rate as f64) as u64).min(packets) };
        while sent < due {
            let count = (due - sent).min(BATCH as u64) as usize;
            match sendmmsg(socket.as_raw_fd(), &mut headers, &slices[..count], vec![None; count], [], MsgFlags::empty()) {
                Ok(results) => sent += results.count() as u64,
                Err(Errno::EINTR | Errno::ENOBUFS) => {}
                Err(error) => return Err(error.into()),
            }
        }
        if rate != 0 {
            thread::sleep(TICK);
        }
    }
    let cpu = (thread_cpu()? - cpu_before).num_microseconds().try_into()?;
    Ok(Sending { took: began.elapsed(), cpu: Duration::from_micros(cpu) })
}

/// As it comes: with the buffer of libpcap, writing what it sees to nowhere.
struct Tcpdump {
    child: Child,
    said: BufReader<ChildStderr>,
}

impl Tcpdump {
    fn start() -> Result<Self> {
        let mut child = Command::new("tcpdump")
            .args(["-i", CAPTURED, "-n", "-Z", "root", "-w", "/dev/null", "udp", "port", "67"])
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("tcpdump: {error}; apt-get install tcpdump"))?;
        let mut said = BufReader::new(child.stderr.take().ok_or("tcpdump says nothing")?);
        let mut line = String::new();
        while !line.contains("listening on") {
            line.clear();
            if said.read_line(&mut line)? == 0 {
                return Err("tcpdump has ended early".into());
            }
        }
        Ok(Self { child, said })
    }

    /// Ends it, and returns how many packets it says that the kernel dropped.
    fn lost(mut self) -> Result<u64> {
        Command::new("kill").args(["-INT", &self.child.id().to_string()]).status()?;
        let mut said = String::new();
        self.said.read_to_string(&mut said)?;
        self.child.wait()?;
        let dropped = said.lines().find_map(|line| line.strip_suffix(" packets dropped by kernel"));
        Ok(dropped.ok_or_else(|| format!("tcpdump tells no count: {said}"))?.parse()?)
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<_> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
