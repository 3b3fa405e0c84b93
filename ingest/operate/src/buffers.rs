//! `tocsin buffers`: what the receive buffers hold, what to set for a burst, and where something is lost on the way.
//!
//! A buffer is filled by what the kernel charges for a datagram, not by its payload; that is measured on this machine. A bigger one is no cure by itself:
//! what it holds also waits.

mod host;
mod listeners;
mod losses;
mod metrics;

use std::collections::BTreeMap;
use std::fs;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use tocsin_sources::Charge;
use tocsin_telemetry::TelemetryConfig;

use crate::{Failure, table};
use host::Host;
use listeners::{Burst, Holds, Listener};
use losses::Loss;
use metrics::Metrics;

/// Payloads that are always shown: a short line, an RFC 5424 line, an alert update, a full Ethernet frame, a jumbo frame.
const PAYLOADS_BYTES: [u64; 5] = [75, 200, 600, 1_400, 9_000];
/// The largest of a datagram of IPv4.
const MAX_PAYLOAD_BYTES: u64 = 65_507;
/// `receive_buffer` that is advised is a multiple of it.
const STEP_BYTES: u64 = 4_096;
const LONGEST_ANSWER: Duration = Duration::from_secs(5);

const AFTER_HELP: &str = "\
  tocsin buffers                                  this machine's kernel, and the agent at its default address
  tocsin buffers -c agent.yaml --burst 500 --size 600
The charge of a datagram is measured on loopback. A network card's driver may keep one in more memory: allow twice for a buffer that is to hold a burst
from the network. A buffer that is full is not only a loss that is near but a delay: `full after` says how long the last datagram waits at the speed at
which the agent was measured to read. `bridges` is how long a restart may take behind a socket that the service manager holds.
Exit codes: 0 shown, also without an agent; 1 the kernel could not be asked; 64 a flag or the config file is not usable.";

/// `tocsin buffers`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct BuffersArgs {
    /// Config of the agent, for its `telemetry.listen`.
    #[arg(short, long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// The running agent's metrics, where it is not that of the config or http://127.0.0.1:9464.
    #[arg(long, env = "TOCSIN_AGENT", value_name = "URL")]
    agent: Option<String>,

    /// Datagrams that come at once and shall not be lost: what is to be set?
    #[arg(long, value_name = "DATAGRAMS", value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    burst: Option<u64>,

    /// Payload of a datagram of the burst, and of listeners that have received nothing yet.
    #[arg(long, value_name = "BYTES", default_value_t = 600, value_parser = clap::value_parser!(u64).range(0..=MAX_PAYLOAD_BYTES))]
    size: u64,

    /// One object in place of tables, for programs.
    #[arg(long)]
    json: bool,
}

/// Everything that is known, as it is printed for programs.
#[derive(Debug, Serialize)]
struct Report {
    /// What a program without CAP_NET_ADMIN is given at most.
    rmem_max_bytes: u64,
    charges: Vec<Charged>,
    burst: Option<Advice>,
    agent: String,
    /// Why there is nothing of the agent; null where it answered.
    agent_problem: Option<String>,
    listeners: Vec<Listener>,
    losses: Vec<Loss>,
}

/// What one payload costs.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Charged {
    payload_bytes: u64,
    charged_bytes: u64,
    /// What `receive_buffer: 16MiB` on one socket holds.
    in_16_mib: u64,
}

/// What to set for a burst.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Advice {
    datagrams: u64,
    payload_bytes: u64,
    charged_bytes: u64,
    receive_buffer_bytes: u64,
    /// The command that lets the kernel give so much; null where it does already.
    mend: Option<String>,
}

impl Advice {
    fn new(burst: Burst, payload_bytes: u64, rmem_max_bytes: u64) -> Self {
        let receive_buffer_bytes = burst.charge.buffer_for(burst.datagrams).next_multiple_of(STEP_BYTES);
        let mend = (receive_buffer_bytes > rmem_max_bytes).then(|| format!("sysctl -w net.core.rmem_max={receive_buffer_bytes}"));
        Self { datagrams: burst.datagrams, payload_bytes, charged_bytes: burst.charge.bytes, receive_buffer_bytes, mend }
    }
}

/// Asks the kernel and the agent, and prints what they say.
pub fn run(args: &BuffersArgs) -> Result<(), Failure> {
    let agent = agent_url(args)?;
    let http = ureq::Agent::config_builder().timeout_global(Some(LONGEST_ANSWER)).build().new_agent();
    let report = report(args, agent.clone(), Metrics::ask(&http, &agent))?;
    if args.json {
        println!("{}", serde_json::json!(report));
    } else {
        print!("{}", report.text());
    }
    Ok(())
}

/// `--agent`, else the config's `telemetry.listen`, else the default of both.
fn agent_url(args: &BuffersArgs) -> Result<String, Failure> {
    /// As much of the file as is wanted; the agent reads all of it.
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct ConfigFile {
        telemetry: TelemetryConfig,
    }
    if let Some(url) = &args.agent {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    let config = match &args.config {
        None => ConfigFile::default(),
        Some(path) => {
            let unusable = |error: String| Failure::usage(format!("{} {error}", path.display()), "run `tocsin agent --check` on it");
            let text = fs::read_to_string(path).map_err(|error| unusable(format!("cannot be read: {error}")))?;
            let is_empty = text.lines().all(|line| line.trim_start().is_empty() || line.trim_start().starts_with('#'));
            let read = || serde_saphyr::from_str(&text).map_err(|error| unusable(format!("is no config of an agent: {error}")));
            if is_empty { ConfigFile::default() } else { read()? }
        }
    };
    Ok(format!("http://{}", reachable(config.telemetry.listen)))
}

/// One that listens everywhere is reached on loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    match listen {
        SocketAddr::V4(address) if address.ip().is_unspecified() => ([127, 0, 0, 1], address.port()).into(),
        SocketAddr::V6(address) if address.ip().is_unspecified() => ([0, 0, 0, 0, 0, 0, 0, 1], address.port()).into(),
        other => other,
    }
}

fn report(args: &BuffersArgs, agent: String, metrics: Result<Metrics, String>) -> Result<Report, Failure> {
    let charge = |payload_bytes: u64| {
        Charge::measure(payload_bytes as usize).map_err(|error| {
            Failure::new(
                format!("cannot measure what a datagram of {payload_bytes} bytes is charged: {error}"),
                "allow this process UDP on the loopback interface, and have `lo` up",
            )
        })
    };
    let host = Host::read();
    let shown: BTreeMap<u64, Charge> =
        PAYLOADS_BYTES.into_iter().chain([args.size]).map(|bytes| Ok((bytes, charge(bytes)?))).collect::<Result<_, Failure>>()?;
    let charges = shown.iter().map(|(payload_bytes, charge)| Charged {
        payload_bytes: *payload_bytes,
        charged_bytes: charge.bytes,
        in_16_mib: charge.datagrams_in(2 * (16 << 20), 1),
    });
    let burst = args.burst.map(|datagrams| Burst { datagrams, charge: shown[&args.size] });
    let mut losses = losses::of_host(&host);
    let (listeners, agent_problem) = match metrics {
        Ok(metrics) => {
            let listeners = listeners::listeners(&metrics, args.size, burst, charge)?;
            losses.extend(losses::of_agent(&metrics, &listeners));
            (listeners, None)
        }
        Err(problem) => (Vec::new(), Some(problem)),
    };
    Ok(Report {
        rmem_max_bytes: host.rmem_max_bytes,
        charges: charges.collect(),
        burst: burst.map(|burst| Advice::new(burst, args.size, host.rmem_max_bytes)),
        agent,
        agent_problem,
        listeners,
        losses,
    })
}

impl Report {
    fn text(&self) -> String {
        let mut text = format!("A datagram on this machine's loopback (net.core.rmem_max is {} bytes):\n", self.rmem_max_bytes);
        let number = |select: fn(&Charged) -> u64| self.charges.iter().map(|charged| select(charged).to_string()).collect();
        text += &table::aligned(
            &[
                ("payload", number(|charged| charged.payload_bytes)),
                ("charged", number(|charged| charged.charged_bytes)),
                ("16 MiB holds", number(|charged| charged.in_16_mib)),
            ],
            0,
        );
        if let Some(advice) = &self.burst {
            let Advice { datagrams, payload_bytes, charged_bytes, receive_buffer_bytes, mend } = advice;
            text += &format!("\nA burst of {datagrams} datagrams of {payload_bytes} bytes is charged {charged_bytes} bytes each.\n");
            text += &format!("  in the config of the listener:  receive_buffer: {receive_buffer_bytes}\n");
            if let Some(mend) = mend {
                text += &format!("  for an agent without CAP_NET_ADMIN:  {mend}\n");
            }
        }
        text += &match &self.agent_problem {
            Some(problem) => format!("\n{problem}\nWhat stands here is of the kernel alone; --agent or -c says where the agent is.\n"),
            None => format!("\nListeners of the agent at {}:\n{}", self.agent, self.listeners_table()),
        };
        text += "\nLost, in the order of the way (by the kernel since it was started, by the agent since it was):\n";
        text + &self.losses_table()
    }

    /// A line a listener, and one more for its largest datagram where that is not the mean.
    fn listeners_table(&self) -> String {
        let mut rows: Vec<(&Listener, &Holds)> = Vec::new();
        for listener in &self.listeners {
            rows.push((listener, &listener.mean));
            rows.extend(listener.largest.iter().filter(|largest| **largest != listener.mean).map(|largest| (listener, largest)));
        }
        let cells = |select: &dyn Fn(&Listener, &Holds) -> String| rows.iter().map(|(listener, holds)| select(listener, holds)).collect();
        let or_dash = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
        let milliseconds = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1} ms"));
        let mut columns = vec![
            ("listener", cells(&|listener, _| listener.listener.clone())),
            ("sockets", cells(&|listener, _| listener.sockets.to_string())),
            ("buffer", cells(&|listener, _| listener.buffer_bytes.to_string())),
            ("payload", cells(&|_, holds| holds.payload_bytes.to_string())),
            ("largest burst", cells(&|_, holds| holds.datagrams.to_string())),
            ("peak/s", cells(&|listener, _| or_dash(listener.peak_per_second))),
            ("bridges", cells(&|_, holds| milliseconds(holds.milliseconds_of_peak))),
            ("read/s", cells(&|listener, _| or_dash(listener.drained_per_second))),
            ("full after", cells(&|_, holds| milliseconds(holds.full_buffer_milliseconds))),
            ("dropped", cells(&|listener, _| listener.kernel_dropped.to_string())),
        ];
        if self.burst.is_some() {
            let word = |listener: &Listener| match &listener.named_burst {
                Some(burst) if burst.is_taken => "taken".to_owned(),
                Some(burst) => format!("only {}", burst.holds_datagrams),
                None => "-".to_owned(),
            };
            columns.push(("the burst", cells(&|listener, _| word(listener))));
        }
        table::aligned(&columns, 1)
    }

    /// What is 0 needs no mending.
    fn losses_table(&self) -> String {
        let cells = |select: fn(&Loss) -> String| self.losses.iter().map(select).collect();
        table::aligned(
            &[
                ("place", cells(|loss| loss.place.to_owned())),
                ("lost", cells(|loss| loss.lost.to_string())),
                ("what", cells(|loss| loss.what.clone())),
                ("mended by", cells(|loss| if loss.lost > 0 { loss.mend.clone() } else { String::new() })),
            ],
            4,
        )
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: BuffersArgs,
    }

    fn args(words: &[&str]) -> BuffersArgs {
        Line::parse_from([&["buffers"], words].concat()).args
    }

    #[test]
    fn without_an_agent_the_kernel_is_shown_and_it_is_said() {
        let report =
            report(&args(&["--size", "300"]), "http://a".to_owned(), Err("the agent at http://a does not answer".to_owned())).unwrap();
        assert_eq!(report.charges.iter().map(|charged| charged.payload_bytes).collect::<Vec<_>>(), [75, 200, 300, 600, 1_400, 9_000]);
        let text = report.text();
        assert!(text.contains("does not answer") && text.contains("of the kernel alone") && text.contains("softnet"), "{text}");
    }

    #[test]
    fn advice_names_the_sysctl_only_where_the_kernel_gives_less() {
        let burst = Burst { datagrams: 500, charge: Charge { bytes: 1_280 } };
        let advice = Advice::new(burst, 600, 212_992);
        assert_eq!((advice.receive_buffer_bytes, advice.mend.as_deref()), (323_584, Some("sysctl -w net.core.rmem_max=323584")));
        assert_eq!(Advice::new(burst, 600, 4 << 20).mend, None);
    }

    #[test]
    fn the_agent_is_where_its_config_says() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("agent.yaml");
        let url = |text: &str| {
            fs::write(&path, text).unwrap();
            agent_url(&args(&["-c", path.to_str().unwrap()]))
        };
        assert_eq!(url("# nothing\n").unwrap(), "http://127.0.0.1:9464");
        assert_eq!(url("site: a\ntelemetry: {listen: '0.0.0.0:1234'}\n").unwrap(), "http://127.0.0.1:1234");
        assert_eq!(url("telemetry: {listen: '[::]:1234'}\n").unwrap(), "http://[::1]:1234");
        assert!(url("telemetry: 5\n").is_err());
        assert_eq!(agent_url(&args(&["--agent", "http://b:1/"])).unwrap(), "http://b:1");
    }

    #[test]
    fn a_program_reads_the_same_as_a_person() {
        let metrics = || {
            let listener = "{listener=\"alert-udp\"}";
            let text = format!(
                "tocsin_agent_sockets{listener} 1\ntocsin_agent_buffer_limit_bytes{listener} 425984\ntocsin_agent_kernel_dropped_total{listener} 7\n"
            );
            Metrics::read(&text)
        };
        let report = report(&args(&["--burst", "500"]), "http://a".to_owned(), Ok(metrics().unwrap())).unwrap();
        let json = serde_json::json!(report);
        assert_eq!((&json["agent_problem"], &json["listeners"][0]["named_burst"]["is_taken"]), (&serde_json::Value::Null, &false.into()));
        let text = report.text();
        assert!(text.contains("alert-udp") && text.contains("only ") && text.contains("of alert-udp would have held them"), "{text}");
    }
}
