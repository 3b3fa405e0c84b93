//! The agent's own host -> figures: disks, processors, memory and load, out of /proc, for servers without an snmpd.
//!
//! Pure parts: [`HostConfig`], and `figures` (what two readings say together). [`Reader`] is the I/O.

mod config;
mod figures;
mod reader;

pub use config::HostConfig;
pub use figures::{Reading, figures};
pub use reader::{ReadError, Reader};
