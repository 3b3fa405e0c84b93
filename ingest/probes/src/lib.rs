//! Links -> probe results. One thread asks every link at its times, matches answers with questions, and tells of each probe exactly once.
//!
//! Pure parts: [`LinkConfig`], `schedule` (when who is asked), `flights` (what is under way), `outcome` (what a probe says). The packets are
//! those of `tocsin_parse::{icmp, dns}`. Everything else is I/O.

mod arrival;
mod config;
mod flights;
mod icmp_socket;
mod outcome;
mod prober;
mod resolver;
mod schedule;
mod single;

pub use config::{LinkConfig, Method, check_links};
pub use outcome::Probed;
pub use prober::{Prober, Sequences, StartError};
