//! `tocsin heartbeat`: shows all the time that what a monitor says gets through to the pager and into the store.
//!
//! One side sends an alert update like any monitor's, and the next one when ClickHouse has the last. Alertmanager takes the alert to an outside
//! receiver: when one stays away, some part on the way has failed, whichever it is, and the receiver complains. The other side is such a receiver.

mod beat;
mod listen;
mod send;
mod silence;

use clap::{Args, Subcommand};

use crate::Failure;

const AFTER_HELP: &str = "\
A beat is an alert update of source `tocsin-heartbeat`: agent, Kafka, the alerts and paging jobs, Alertmanager, and the outside receiver that its
route names (deploy/alertmanager/production.yml). The next one is sent when the archive job has stored the last in ClickHouse.";

/// `tocsin heartbeat ...`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct HeartbeatArgs {
    #[command(subcommand)]
    side: Side,
}

#[derive(Subcommand, Debug)]
enum Side {
    /// Send beats to an agent, each when ClickHouse has the last.
    Send(send::SendArgs),
    /// Receive beats from Alertmanager, and complain when one stays away.
    Listen(listen::ListenArgs),
}

/// Sends or listens until it is stopped.
pub fn run(args: &HeartbeatArgs) -> Result<(), Failure> {
    match &args.side {
        Side::Send(args) => send::run(args),
        Side::Listen(args) => listen::run(args),
    }
}
