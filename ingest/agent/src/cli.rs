//! `tocsin agent`: the command's flags and its exit codes.

use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, SystemTime};

use clap::Args;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use tocsin_publish::TopicPublishers;
use tocsin_telemetry::{Health, log_panics};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::shown::Shown;
use crate::{Agent, Closing, Config, HeldSockets, Order, Plan, service_manager};

const AFTER_HELP: &str = "\
Examples:
  tocsin agent --dump > agent.yaml         a config to begin with: every key at its default
  tocsin agent -c agent.yaml --check       is it usable?
  tocsin agent -c new.yaml --check --running    what would a reload change?
  RUST_LOG=debug tocsin agent -c agent.yaml

Logs go to standard error. SIGTERM or Ctrl-C stops it after what was received is handed over: at once, or after about 12 s while Kafka is
away. SIGHUP reads the config again, without closing a socket that stays. Exit codes: 0 stopped, 1 could not start or go on, 64 the config is
not usable. Of --check --running: 0 a reload takes it all, 2 something needs a restart, 1 refused, or no agent answers, 64 not usable.";

/// Receive syslog, alert updates and SNMP notifications and publish them to Kafka.
#[derive(Args, Debug, Default)]
#[command(after_help = AFTER_HELP)]
pub struct AgentArgs {
    /// Config file (YAML). Without it, every key has its default.
    #[arg(short, long, env = "TOCSIN_CONFIG", value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Read the config, say whether it is usable, and exit without opening a socket.
    #[arg(long)]
    pub check: bool,

    /// With --check: say what a reload would change of the running agent, which is asked at telemetry.listen of the file, or at ADDRESS.
    #[arg(long, requires = "check", value_name = "ADDRESS", num_args = 0..=1)]
    pub running: Option<Option<SocketAddr>>,

    /// Print the config that is in effect, defaults included, as YAML, and exit.
    #[arg(long, conflicts_with = "check")]
    pub dump: bool,
}

/// The config is not usable: `EX_USAGE` of sysexits.h, as everywhere in `tocsin`.
const EXIT_CONFIG: u8 = 64;

/// A reload would leave something as it is.
const EXIT_RESTART: u8 = 2;

/// Runs the agent until SIGTERM or SIGINT. Exit codes: 0 stopped cleanly, 1 could not go on, 64 the config is not usable.
pub fn run(args: AgentArgs) -> ExitCode {
    let config = match Config::load(args.config.as_deref()) {
        Ok(config) => config,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::from(EXIT_CONFIG);
        }
    };
    let name = args.config.as_deref().map_or("defaults".to_owned(), |path| path.display().to_string());
    if args.check {
        println!("{name}: ok, {} listeners", config.listeners.len());
        return args.running.map_or(ExitCode::SUCCESS, |address| compare(&config, address.unwrap_or(config.telemetry.listen)));
    }
    if args.dump {
        return dump(&config);
    }
    start_logging();
    log_panics();
    match run_until_signal(&config, args.config.as_deref()) {
        Ok(code) => code,
        Err(error) => {
            tracing::error!(%error, "the agent cannot start");
            ExitCode::FAILURE
        }
    }
}

/// Says what a reload would change, without doing it.
fn compare(wanted: &Config, agent: SocketAddr) -> ExitCode {
    let plan = Shown::of_agent_at(agent).and_then(|shown| {
        let is_held = |name: &str| shown.held.iter().any(|held| held == name);
        Plan::between(&shown.config, wanted, is_held).map_err(|problem| format!("a reload would be refused: {problem}"))
    });
    let plan = match plan {
        Ok(plan) => plan,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::FAILURE;
        }
    };
    for (what, changes) in [("a reload changes", &plan.applied), ("a restart is needed for", &plan.waiting)] {
        println!("{what}{}", if changes.is_empty() { " nothing" } else { "" });
        changes.iter().for_each(|change| println!("  {change}"));
    }
    println!("secrets, and files that the config names, are read anew by each reload; they are not compared");
    if plan.waiting.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(EXIT_RESTART) }
}

fn dump(config: &Config) -> ExitCode {
    match config.to_yaml() {
        Ok(yaml) => {
            print!("{yaml}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: cannot write the config as YAML: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Logs go to stderr, one line a record, data as fields. `RUST_LOG` chooses what is logged; INFO without it.
fn start_logging() {
    let chosen = std::env::var("RUST_LOG").ok().and_then(|text| text.parse::<Targets>().ok());
    let filter = chosen.unwrap_or_else(|| Targets::new().with_default(LevelFilter::INFO));
    let lines = tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(false).with_target(false);
    tracing_subscriber::registry().with(lines).with(filter).init();
}

fn run_until_signal(config: &Config, path: Option<&Path>) -> Result<ExitCode, Box<dyn std::error::Error>> {
    // Before anything else, so that a signal during the start is not lost.
    let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
    let (order, orders) = mpsc::channel();
    thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            tracing::info!(signal = signal_hook::low_level::signal_name(signal), "signal received");
            // Fails when the agent is already stopping.
            let _ = order.send(if signal == SIGHUP { Order::Reload } else { Order::Stop });
        }
    })?;

    let health = Arc::new(Health::new(config.telemetry.stats_interval));
    let publisher = Arc::new(TopicPublishers::start(&config.kafka, &config.spool, &health)?);
    // After the publisher: it makes the spool's folder.
    let held = HeldSockets::from_environment(&config.spool.dir)?;
    let mut agent = Agent::start(config, publisher, Arc::clone(&health), held)?;
    service_manager::ready();
    tracing::info!(agent_id = config.agent_id, kafka = config.kafka.bootstrap_servers, "started");
    if is_before_this_program(SystemTime::now()) {
        tracing::warn!(
            "the clock of this host is wrong, it is before 2026: what arrives now is stored under that time, where retention deletes it and \
             dashboards do not look. Let NTP set the clock, and start the agent after it (systemd: After=time-sync.target)"
        );
    }

    let was_asked = loop {
        match agent.run(&orders) {
            Some(Order::Reload) => reload(&mut agent, path, &health),
            Some(Order::Stop) => break true,
            None => break false,
        }
    };
    service_manager::stopping();
    let closing = agent.drain();
    log_closing(&closing);
    Ok(if was_asked { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads the config again. One that cannot be used is refused with the words of a start, and the one before goes on.
fn reload(agent: &mut Agent, path: Option<&Path>, health: &Health) {
    service_manager::reloading();
    let reloaded = Config::load(path).map_err(|error| error.to_string());
    match reloaded.and_then(|config| agent.reload(&config).map_err(|error| error.to_string())) {
        Ok(plan) => {
            for change in &plan.applied {
                tracing::info!(%change, "reload");
            }
            for change in &plan.waiting {
                tracing::warn!(%change, "this needs a restart of the agent, and stays as it is until then");
            }
            tracing::info!(changes = plan.applied.len(), waiting = plan.waiting.len(), "reloaded; secrets and files were read anew");
            health.reload_applied(plan.waiting.into_iter().map(|change| change.key).collect());
        }
        Err(problem) => {
            tracing::error!(problem, "reload failed; the config before it is in effect");
            health.reload_refused(problem);
        }
    }
    service_manager::ready();
}

/// A host without a clock of its own wakes up in 1970, or on the day of its last shutdown or of its firmware, until NTP has answered.
fn is_before_this_program(now: SystemTime) -> bool {
    const START_OF_2026: Duration = Duration::from_secs(1_767_225_600);
    now < SystemTime::UNIX_EPOCH + START_OF_2026
}

fn log_closing(closing: &Closing) {
    let Closing { is_all_acked, remainder } = *closing;
    if remainder.lost_records > 0 {
        tracing::error!(lost_records = remainder.lost_records, "stopped; records were dropped, the log above says why");
    } else if is_all_acked {
        tracing::info!("stopped; everything received is acknowledged");
    } else {
        tracing::warn!(
            spooled_bytes = remainder.spooled_bytes,
            "stopped; what Kafka did not acknowledge is in the spool and is sent at the next start"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_clock_that_stands_before_this_program_is_called_wrong() {
        assert!(is_before_this_program(SystemTime::UNIX_EPOCH));
        assert!(is_before_this_program(SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_599)));
        assert!(!is_before_this_program(SystemTime::UNIX_EPOCH + Duration::from_secs(1_767_225_600)));
        assert!(!is_before_this_program(SystemTime::now()));
    }
}
