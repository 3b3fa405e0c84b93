//! Addresses -> names of devices, for messages that carry none; and where devices stand, by the networks that they are in.
//!
//! Pure parts: `inventory` (a list of devices as text), `leases` (what DHCP says), `networks` (the longest prefix), and the order of sources in
//! [`Names`]. I/O: `inventory_file` (a file that is watched), `reverse_dns` (the system's resolver, on threads of its own).

mod inventory;
mod inventory_file;
mod leases;
mod names;
mod networks;
mod reverse_dns;

pub use inventory::{Entry, Inventory, entries};
pub use inventory_file::InventoryFile;
pub use names::{Learned, Names, Source};
pub use networks::Networks;

/// Whether a stranger's text is written as names of hosts are (RFC 1123, and `_`, which many have).
fn is_host_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}
