//! Names under which the agent counts what it asks for itself, beside what its listeners are told. No listener has one of them.

/// Figures of the host.
pub(crate) const HOST: &str = "host";
/// Probes of links.
pub(crate) const PROBES: &str = "probes";
/// Answers of resolvers.
pub(crate) const RESOLVERS: &str = "resolvers";
/// Polls of devices.
pub(crate) const SNMP_POLLER: &str = "snmp-poller";
