//! Links -> probe results. One thread asks every link at its times, matches answers with questions, and tells of each probe exactly once.
//!
//! Pure parts: [`LinkConfig`], `schedule` (when who is asked), `flights` (what is under way), `outcome` (what a probe says). The packets are
//! those of `tocsin_parse::{icmp, dns}`. Everything else is I/O.
//!
//! [`resolvers`] asks groups of DNS resolvers the same questions and compares what they answer, on the caller's runtime.

mod arrival;
mod config;
mod flights;
mod icmp_socket;
mod lookup;
mod outcome;
mod prober;
pub mod resolvers;
mod schedule;
mod single;

pub use config::{LinkConfig, Method, check_links};
pub use outcome::Probed;
pub use prober::{Prober, Sequences, StartError};
