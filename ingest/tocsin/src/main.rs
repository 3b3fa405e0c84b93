//! The `tocsin` binary: arguments, help and exit codes. What the commands do is in `tocsin-agent` and `tocsin-operate`.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{CommandFactory, Parser, Subcommand};
use clap_complete::CompleteEnv;
use signal_hook::consts::{SIGINT, SIGTERM};
use tocsin_agent::cli::AgentArgs;
use tocsin_operate::acknowledge::{AckArgs, NoteArgs, UnackArgs};
use tocsin_operate::ask::AskArgs;
use tocsin_operate::balance::BalanceArgs;
use tocsin_operate::buffers::BuffersArgs;
use tocsin_operate::devices::DevicesArgs;
use tocsin_operate::enforce::EnforceArgs;
use tocsin_operate::heartbeat::HeartbeatArgs;
use tocsin_operate::mibs::MibsArgs;
use tocsin_operate::parse::ParseArgs;
use tocsin_operate::quarantine::QuarantineArgs;
use tocsin_operate::report::ReportArgs;
use tocsin_operate::schema::SchemaArgs;
use tocsin_operate::send::SendArgs;
use tocsin_operate::size::SizeArgs;
use tocsin_operate::topics::TopicsArgs;
use tocsin_operate::trace::TraceArgs;
use tocsin_operate::watch_jobs::WatchJobsArgs;
use tocsin_operate::webhooks::WebhooksArgs;
use tocsin_operate::why::WhyArgs;
use tocsin_operate::{
    Failure, acknowledge, ask, balance, buffers, devices, enforce, heartbeat, mibs, parse, quarantine, report, schema, send, size, topics,
    trace, watch_jobs, webhooks, why,
};

/// Exit code of a command line that cannot be understood: `EX_USAGE` of sysexits.h.
const EXIT_USAGE: u8 = 64;

const EXAMPLES: &str = "\
Examples:
  tocsin schema apply --wait 60                            make Kafka's topics and ClickHouse's tables
  tocsin agent -c agent.yaml --check                       is this config usable?
  tocsin agent -c agent.yaml                               receive and publish until Ctrl-C
  tocsin send burst.jsonl                                  play an events file at its own times
  tocsin send --generate syslog-udp --count 10000 --rate 1000
  tocsin parse messages.log                                what would the agent make of these lines?
  tocsin topics save topics.jsonl                          what Kafka alone knows, for the night that all brokers are lost
  tocsin devices import register.csv --dry-run             who is registered: what would change?
  tocsin balance --wait 10                                 is everything that was sent also stored?
  tocsin buffers --burst 500 --size 600                    does a burst find room, and what is to be set?
  tocsin trace agent-1-18bd2f6a5c3e1a00-1042               where is this event, and when did it pass each hop?
  tocsin why 3f2a91c0                                      why is this alert as it is?
  tocsin ack 3f2a91c0 --for 2h                             I work on it: do not page it again
  tocsin ask --list                                        which questions are saved?
  tocsin report --month 2026-10                            the month on one page, to read and to print
  source <(COMPLETE=bash tocsin)                           let the shell complete all this; zsh and fish too

Every flag that names a server can stand in the environment: TOCSIN_KAFKA, TOCSIN_CLICKHOUSE and so on; `tocsin COMMAND --help`
shows the names. Exit codes: 0 done, 1 could not be done, 64 the command line or a file given to it is not usable.";

/// Tocsin takes in what a network says about itself, correlates it while it is news, and counts what it could not keep.
#[derive(Parser, Debug)]
#[command(name = "tocsin", version, after_help = EXAMPLES, arg_required_else_help = true, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Receive syslog, alert updates and SNMP notifications and publish them to Kafka.
    Agent(AgentArgs),
    /// Make Kafka's topics and ClickHouse's tables as the schema files say.
    Schema(SchemaArgs),
    /// Save what Kafka alone knows, and bring it back to brokers that have lost it.
    Topics(TopicsArgs),
    /// Send an events file, or generated traffic, as devices would.
    Send(SendArgs),
    /// Print what the agent would make of recorded messages.
    Parse(ParseArgs),
    /// Print the balance sheet: what was sent, and where every record of it is now.
    Balance(BalanceArgs),
    /// What the receive buffers hold, what to set for a burst, and where something is lost.
    Buffers(BuffersArgs),
    /// Say where an event is, and when it passed each hop on its way.
    Trace(TraceArgs),
    /// Say why an alert is as it is: its events, its rule, what holds it back, and each decision.
    Why(WhyArgs),
    /// Blocks of rows that ClickHouse refused: say why, or insert them.
    Quarantine(QuarantineArgs),
    /// Say who is registered on the network.
    Devices(DevicesArgs),
    /// Ask a saved question: who had this address, what happened around this time, what is new.
    Ask(AskArgs),
    /// Write a month as one HTML page: pages, worst devices, links, leases, noise, what was lost.
    Report(ReportArgs),
    /// Say that you work on an alert: it pages nobody again while it gets no worse.
    Ack(AckArgs),
    /// Say that nobody works on an alert any more: it pages again.
    Unack(UnackArgs),
    /// Write a note to an alert.
    Note(NoteArgs),
    /// Keep an ipset or nftables set in step with the registrations of devices.
    Enforce(EnforceArgs),
    /// Say how many cores, disks, partitions, tasks and shards a rate of events needs.
    Size(SizeArgs),
    /// Compile MIB modules into names for the agent.
    Mibs(MibsArgs),
    /// Tell Alertmanager when a stream job does not run, without passing through one.
    WatchJobs(WatchJobsArgs),
    /// Show all the time that an alert gets through to the pager, and complain where it does not.
    Heartbeat(HeartbeatArgs),
    /// Take acknowledgements over HTTP: from a link, PagerDuty or Opsgenie.
    Webhooks(WebhooksArgs),
}

fn main() -> ExitCode {
    // Answers a shell that asks what can follow, by the variable COMPLETE, and ends then.
    CompleteEnv::with_factory(Cli::command).complete();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version come this way too; they go to standard output and are no error. A closed pipe is nobody's error.
            let _ = answer.print();
            return if answer.use_stderr() { ExitCode::from(EXIT_USAGE) } else { ExitCode::SUCCESS };
        }
    };
    if !matches!(cli.command, Command::Agent(_))
        && let Err(error) = end_when_told()
    {
        eprintln!("SIGTERM and SIGINT cannot be heard: {error}");
        return ExitCode::FAILURE;
    }
    match cli.command {
        Command::Agent(args) => tocsin_agent::cli::run(args),
        Command::Schema(args) => exit_code(schema::run(&args)),
        Command::Topics(args) => exit_code(topics::run(&args)),
        Command::Send(args) => exit_code(send::run(&args)),
        Command::Parse(args) => exit_code(parse::run(&args)),
        Command::Balance(args) => exit_code(balance::run(&args)),
        Command::Buffers(args) => exit_code(buffers::run(&args)),
        Command::Trace(args) => exit_code(trace::run(&args)),
        Command::Why(args) => exit_code(why::run(&args)),
        Command::Quarantine(args) => exit_code(quarantine::run(&args)),
        Command::Devices(args) => exit_code(devices::run(&args)),
        Command::Ask(args) => exit_code(ask::run(&args)),
        Command::Report(args) => exit_code(report::run(&args)),
        Command::Ack(args) => exit_code(acknowledge::acknowledge(&args)),
        Command::Unack(args) => exit_code(acknowledge::unacknowledge(&args)),
        Command::Note(args) => exit_code(acknowledge::note(&args)),
        Command::Enforce(args) => exit_code(enforce::run(&args)),
        Command::Size(args) => {
            size::run(&args);
            ExitCode::SUCCESS
        }
        Command::Mibs(args) => exit_code(mibs::run(&args)),
        Command::WatchJobs(args) => exit_code(watch_jobs::run(&args)),
        Command::Heartbeat(args) => exit_code(heartbeat::run(&args)),
        Command::Webhooks(args) => exit_code(webhooks::run(&args)),
    }
}

/// Ends the process at SIGTERM and SIGINT, with the exit code that a shell would tell, where the kernel does not: the first process of a container has
/// no default actions (`pid_namespaces(7)`), and whoever stops the container would wait until it is killed.
fn end_when_told() -> std::io::Result<()> {
    if std::process::id() == 1 {
        for signal in [SIGTERM, SIGINT] {
            signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::new(AtomicBool::new(true)))?;
        }
    }
    Ok(())
}

/// Prints a failure, the only place that does.
fn exit_code(result: Result<(), Failure>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            failure.exit_code()
        }
    }
}
