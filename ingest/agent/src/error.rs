//! Why an agent does not start.

use std::io;
use std::net::SocketAddr;

use tocsin_sources::{BindError, CaptureError};

/// The agent cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener's socket cannot be opened.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// An interface cannot be captured on.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The telemetry address cannot be opened.
    #[error("telemetry.listen {address}: {error}; stop the process that has the port (`ss -lntp` shows which), or change the key")]
    Telemetry {
        /// Configured address.
        address: SocketAddr,
        /// What the operating system said.
        error: io::Error,
    },
    /// Links cannot be probed.
    #[error(transparent)]
    Probes(#[from] tocsin_probes::StartError),
    /// What the config names cannot be read any more, or cannot be changed while the agent runs.
    #[error("{0}")]
    Config(String),
    /// The operating system gives no thread.
    #[error("cannot start a thread: {0}; raise the limit of processes (ulimit -u)")]
    Thread(#[from] io::Error),
}
