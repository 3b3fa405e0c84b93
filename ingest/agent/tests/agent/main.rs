//! The whole agent with real sockets and a publisher in memory.

mod counterparts;
mod dhcp;
mod dhcp_counterparts;
mod gaps;
mod held;
mod host;
mod listeners;
mod names;
mod polling;
mod probes;
mod proxied;
mod reload;
mod relp;
mod resolvers;
mod running;
mod snmp;
mod snmp_reload;
mod tls;
