//! SNMP in the agent: whom to believe, how notifications are answered, and polled figures -> records.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use tocsin_publish::Record;
use tocsin_snmp::names::Names;
use tocsin_snmp::{OwnEngine, Polled, Poller, Receiver};
use tocsin_sources::{Stop, now_unix_nanos};
use tocsin_telemetry::{Counters, Page, PolledDevices};
use tocsin_wire::Origin;
use tokio::task::JoinHandle;

use crate::Config;
use crate::pipeline::Shared;

/// Name under which polls are counted.
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

/// Starts a task for each of `snmp.devices`. Must be called inside a tokio runtime.
pub(crate) fn poll(
    config: &Config,
    names: &Names,
    shared: Shared,
    counters: &Arc<Counters>,
    devices: &Arc<PolledDevices>,
    stop: &Stop,
) -> Result<Vec<JoinHandle<()>>, String> {
    let started_at_unix_nanos = shared.events.boot_id();
    let counters = Arc::clone(counters);
    let poller =
        Poller { sink: Arc::new(move |polled| publish(&shared, &counters, polled)), devices: Arc::clone(devices), started_at_unix_nanos };
    let users = config.snmp.users()?;
    let tasks = config.snmp.devices.iter().map(|device| poller.start(device, &users, names, stop.clone()));
    let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
    tracing::info!(devices = tasks.len(), "polling by SNMP");
    Ok(tasks)
}

fn publish(shared: &Shared, counters: &Arc<Counters>, polled: Polled<'_>) {
    let origin = Origin {
        listener: counters.name().into(),
        site: polled.device.site.as_str().into(),
        received_at_unix_nanos: now_unix_nanos(),
        peer: polled.peer,
        raw: Bytes::new(),
    };
    for body in polled.bodies {
        counters.received(1, 0);
        counters.event_made();
        let event = shared.events.event(&origin, Some(polled.device.name.clone()), None, body, |_| None);
        shared.publisher.publish(Record::new(&event, Some(Arc::clone(counters))));
    }
}
