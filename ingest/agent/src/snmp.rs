//! SNMP in the agent: whom to believe, and how notifications are answered.

pub(crate) mod config;
pub(crate) mod devices;
pub(crate) mod poller;
mod session;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::json;
use tocsin_snmp::names::Names;
use tocsin_snmp::{OwnEngine, Receiver};
use tocsin_telemetry::Page;

use crate::Config;

/// Listener of what is polled: its side of the balance sheet.
pub(crate) const POLLER: &str = "snmp-poller";

/// A receiver for all listeners of kind `snmp`: an engine is known to all of them.
pub(crate) fn receiver(config: &Config, names: &Arc<Names>, started_at_unix_nanos: u64) -> Result<Receiver, String> {
    let own = OwnEngine::new(&config.snmp.own_engine_id()?, &config.agent_id, started_at_unix_nanos);
    let users = config.snmp.users()?;
    tracing::info!(
        engine_id = own.id_hex(),
        users = users.len(),
        names = names.len(),
        "SNMP: informs are to be addressed to this engine id"
    );
    Ok(Receiver::new(config.snmp.communities()?, users, own, Arc::clone(names), started_at_unix_nanos))
}

/// `/snmp-engines`: our own engine, and every engine that has sent.
pub(crate) fn engines_page(receiver: Arc<Receiver>) -> Page {
    let content = move || {
        let engines: Vec<_> = receiver
            .engines()
            .into_iter()
            .map(|engine| {
                json!({
                    "engine_id": engine.engine_id, "boots": engine.boots, "time_seconds": engine.time, "last_user": engine.last_user,
                    "last_source_ip": engine.last_peer, "first_seen_unix_nanos": engine.first_seen_unix_nanos,
                    "last_seen_unix_nanos": engine.last_seen_unix_nanos, "accepted": engine.accepted, "refused": engine.refused,
                })
            })
            .collect();
        json!({"own_engine_id": receiver.own_engine().id_hex(), "engines": engines})
    };
    Page { path: "/snmp-engines", content: Box::new(content) }
}
