//! The whole agent with real sockets and a publisher in memory.

mod dhcp;
mod listeners;
mod running;
mod tls;
