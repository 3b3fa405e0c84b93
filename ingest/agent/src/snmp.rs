//! SNMP in the agent: whom to believe, how notifications are answered, and polled figures -> records.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::json;
use tocsin_names::Learned;
use tocsin_publish::Record;
use tocsin_snmp::names::Names;
use tocsin_snmp::{OwnEngine, Plan, Polled, Poller, Receiver};
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::{Counters, Inputs, Page, PolledDevices};
use tocsin_wire::Origin;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::Config;
use crate::own;
use crate::shared::Shared;
use crate::task::Tasks;

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

/// The same receiver, which believes whom this config names.
pub(crate) fn believing(receiver: &Receiver, config: &Config, names: &Arc<Names>) -> Result<Receiver, String> {
    Ok(receiver.believing(config.snmp.communities()?, config.snmp.users()?, Arc::clone(names)))
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

/// What is asked of each of `snmp.devices`.
pub(crate) fn plans(config: &Config, names: &Names) -> Result<Vec<Plan>, String> {
    let users = config.snmp.users()?;
    config.snmp.devices.iter().map(|device| Plan::new(device, &users, names)).collect()
}

/// The tasks that poll, one a device.
pub(crate) struct Polling {
    shared: watch::Receiver<Shared>,
    devices: Arc<PolledDevices>,
    learned: Arc<Learned>,
    tasks: Tasks<Plan>,
}

impl Polling {
    /// Polls nothing yet.
    pub(crate) fn new(shared: watch::Receiver<Shared>, devices: &Arc<PolledDevices>, learned: &Arc<Learned>) -> Self {
        Self { shared, devices: Arc::clone(devices), learned: Arc::clone(learned), tasks: Tasks::default() }
    }

    /// Polls as planned: what is asked as before goes on, and knows the figures of the last poll.
    pub(crate) fn follow(&mut self, runtime: &Runtime, inputs: &Inputs, plans: &[Plan]) {
        let ended = self.tasks.keep(runtime, own::SNMP_POLLER, plans);
        if !ended.is_empty() {
            // Those that stay are known again with their next poll.
            self.learned.forget_polled();
        }
        ended.iter().for_each(|plan| self.devices.remove(plan.device()));
        let new = self.tasks.new_of(plans);
        if new.is_empty() {
            return;
        }
        tracing::info!(devices = new.len(), "polling by SNMP");
        let (shared, counters, learned) = (self.shared.clone(), inputs.begin(own::SNMP_POLLER, "").counters, Arc::clone(&self.learned));
        let started_at_unix_nanos = shared.borrow().events.boot_id();
        let sink = Arc::new(move |polled: Polled<'_>| {
            if let Some(peer) = polled.peer {
                learned.polled(peer.ip(), polled.name);
            }
            publish(&shared.borrow(), &counters, polled);
        });
        let poller = Poller { sink, devices: Arc::clone(&self.devices), started_at_unix_nanos };
        for plan in new {
            self.tasks.start(runtime, plan.clone(), |stop| poller.start(plan, stop));
        }
    }

    /// A task has ended before it was asked to.
    pub(crate) fn has_failed(&self) -> bool {
        self.tasks.has_failed()
    }
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
        let event = shared.asked(&origin, polled.name, polled.peer.map(|peer| peer.ip()), None, body);
        shared.publisher.publish(Record::new(&event, Some(Arc::clone(counters))));
    }
}
