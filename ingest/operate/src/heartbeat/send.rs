//! `tocsin heartbeat send`.

use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};
use std::thread;
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;

use super::beat::{Beat, STORED};
use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};

/// A store that hangs is one that has no row.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);

const AFTER_HELP: &str = "\
A beat that ClickHouse does not show is sent again: that is no news to Alertmanager, so the outside receiver complains. It does not end by itself.
Exit codes: 64 the command line is not usable.";

/// `tocsin heartbeat send`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct SendArgs {
    /// An agent's listener for alert updates over UDP.
    #[arg(long, env = "TOCSIN_HEARTBEAT_AGENT", value_name = "HOST:PORT", default_value = "127.0.0.1:5515")]
    agent: String,

    /// What tells this heartbeat from others, for example of another site; it is the device of its alert.
    #[arg(long, env = "TOCSIN_HEARTBEAT_NAME", value_name = "NAME", default_value = "tocsin")]
    name: String,

    /// Time between two beats, where the last is stored by then.
    #[arg(long, value_name = "SECONDS", default_value_t = 15, value_parser = clap::value_parser!(u64).range(1..=600))]
    every: u64,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,
}

/// Beats until it is killed.
pub(super) fn run(args: &SendArgs) -> Result<(), Failure> {
    ClickHouse::new(&args.clickhouse)?;
    let mut trouble = Trouble::default();
    let mut beat = Beat::first(Timestamp::now().as_millisecond());
    loop {
        let sent = send(&args.agent, &beat.datagram(&args.name));
        thread::sleep(Duration::from_secs(args.every));
        match sent.and_then(|()| is_stored(&args.clickhouse, &beat, &args.name)) {
            Ok(()) => {
                trouble.end();
                beat = beat.next();
            }
            Err(reason) => trouble.begin(&reason),
        }
    }
}

/// From a socket of its own, to an address that is looked up each time: either may have changed since the last.
fn send(agent: &str, datagram: &str) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("cannot send to the agent at {agent}: {error}");
    let target = agent.to_socket_addrs().map_err(cannot)?.next().ok_or_else(|| format!("{agent} has no address"))?;
    let any: SocketAddr = if target.is_ipv6() { ([0_u16; 8], 0).into() } else { ([0_u8; 4], 0).into() };
    let socket = UdpSocket::bind(any).map_err(cannot)?;
    socket.send_to(datagram.as_bytes(), target).map_err(cannot)?;
    Ok(())
}

/// Reads the password anew: another one needs no restart.
fn is_stored(store: &ClickHouseArgs, beat: &Beat, name: &str) -> Result<(), String> {
    match ClickHouse::new(store).and_then(|store| store.ask_within(LONGEST_ANSWER, STORED, &beat.parameters(name))) {
        Ok(rows) if rows != "0" => Ok(()),
        Ok(_) => Err("the last beat is not in ClickHouse: agent, Kafka or the archive job does not pass it on".to_owned()),
        Err(failure) => Err(failure.to_string()),
    }
}

/// Says once that beats stand still, and once that they go on: the complaint itself is the outside receiver's.
#[derive(Default)]
struct Trouble(bool);

impl Trouble {
    fn begin(&mut self, reason: &str) {
        if !std::mem::replace(&mut self.0, true) {
            eprintln!("no beat: {reason}");
        }
    }

    fn end(&mut self) {
        if std::mem::take(&mut self.0) {
            eprintln!("beats go on");
        }
    }
}
