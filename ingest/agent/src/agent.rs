//! Starting, running and stopping an agent.

use std::collections::{BTreeSet, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self as std_mpsc, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde_json::Value;
use tocsin_names::{Learned, Names};
use tocsin_probes::Sequences;
use tocsin_publish::{Publisher, Remainder};
use tocsin_snmp::Receiver;
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::{self as telemetry, CertificateFile, CertificateFiles, Health, Input, Inputs, PolledDevices};
use tocsin_wire::EventSource;
use tokio::runtime::Runtime;
use tokio::sync::watch;

use crate::aliases::Aliases;
use crate::error::StartError;
use crate::held::HeldSockets;
use crate::host::HostReading;
use crate::listener::{Renewal, RunningListener};
use crate::own;
use crate::places::Places;
use crate::reload::Plan;
use crate::resolvers::Resolvers;
use crate::shared::Shared;
use crate::shown::Shown;
use crate::snmp::Polling;
use crate::time_zones::TimeZones;
use crate::{Config, service_manager, shown, snmp, stats};

/// How long a stop waits for Kafka's acknowledgements before it leaves the rest to the spool.
const MAX_FLUSH: Duration = Duration::from_secs(10);
/// The same where datagrams wait in sockets that the service manager holds: the spool takes over sooner than their buffers fill.
const MAX_HELD_FLUSH: Duration = Duration::from_millis(250);
/// How long it then waits for the last report, which tells that everything else has been acknowledged.
const MAX_FINAL_FLUSH: Duration = Duration::from_secs(2);

/// A running agent.
pub struct Agent {
    runtime: Runtime,
    /// What is in effect.
    config: Config,
    /// The same as `/config` shows it.
    shown: watch::Sender<Value>,
    events: Arc<EventSource>,
    publisher: Arc<dyn Publisher>,
    snmp: Arc<Receiver>,
    inputs: Arc<Inputs>,
    certificates: Arc<CertificateFiles>,
    listeners: Vec<RunningListener>,
    probe_sequences: Sequences,
    /// What is polled, beside what is listened to.
    /// As it is in effect, for what asks devices.
    shared: watch::Sender<Shared>,
    polling: Polling,
    host: HostReading,
    resolvers: Resolvers,
    names: Names,
    learned: Arc<Learned>,
    held: HeldSockets,
    telemetry_address: SocketAddr,
}

/// What a running agent is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// To hand over what it has and end.
    Stop,
    /// To read its config again.
    Reload,
}

/// How an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Everything that was received is acknowledged by Kafka.
    pub is_all_acked: bool,
    /// What was left behind otherwise.
    pub remainder: Remainder,
}

/// What is ready to replace what runs.
#[derive(Default)]
struct Prepared {
    renewals: Vec<(usize, Renewal)>,
    started: Vec<RunningListener>,
}

impl Agent {
    /// Opens every socket and starts every thread.
    pub fn start(config: &Config, publisher: Arc<dyn Publisher>, health: Arc<Health>, held: HeldSockets) -> Result<Self, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("tokio").enable_all().build()?;
        let events = Arc::new(EventSource::new(&config.agent_id, now_unix_nanos()));
        let mib_names = Arc::new(config.snmp.names().map_err(StartError::Config)?);
        let snmp = Arc::new(snmp::receiver(config, &mib_names, events.boot_id()).map_err(StartError::Config)?);
        let (inputs, polled) = (Arc::new(Inputs::default()), Arc::new(PolledDevices::default()));
        let certificates = Arc::new(CertificateFiles::default());
        let learned = Arc::<Learned>::default();
        let shared = Shared {
            events: Arc::clone(&events),
            publisher: Arc::clone(&publisher),
            names: Names::default(),
            places: Arc::default(),
            site: Arc::default(),
            aliases: Arc::default(),
            time_zones: Arc::default(),
            snmp: Arc::clone(&snmp),
        };
        let shared = watch::Sender::new(shared);
        let nothing = Config { listeners: Vec::new(), ..Config::default() };
        let mut agent = Self {
            runtime,
            config: nothing,
            shown: watch::Sender::default(),
            events,
            publisher,
            snmp: Arc::clone(&snmp),
            inputs: Arc::clone(&inputs),
            certificates: Arc::clone(&certificates),
            listeners: Vec::new(),
            probe_sequences: Sequences::default(),
            polling: Polling::new(shared.subscribe(), &polled, &learned),
            host: HostReading::new(shared.subscribe()),
            resolvers: Resolvers::new(shared.subscribe()),
            shared,
            names: Names::default(),
            learned,
            held,
            telemetry_address: config.telemetry.listen,
        };
        agent.bring_into_effect(config.clone())?;
        let pages = vec![snmp::engines_page(snmp), shown::page(agent.shown.subscribe())];
        let state = telemetry::State { polled, inputs, certificates, health: Arc::clone(&health), pages };
        agent.telemetry_address = serve_telemetry(&agent.runtime, config.telemetry.listen, state)?;
        health.sockets_open();
        Ok(agent)
    }

    /// Goes over to another config without closing a socket that stays. What needs a restart stays as it is, and is told of.
    ///
    /// # Errors
    ///
    /// Where something new cannot be started: then nothing has changed.
    pub fn reload(&mut self, wanted: &Config) -> Result<Plan, StartError> {
        let is_held = |name: &str| self.listeners.iter().any(|listener| listener.is_held && listener.input.counters.name() == name);
        let plan = Plan::between(&self.config, wanted, is_held).map_err(StartError::Config)?;
        self.publisher.renew_login().map_err(|error| StartError::Config(format!("Kafka's login cannot be read again: {error}")))?;
        self.bring_into_effect(plan.effective.clone())?;
        Ok(plan)
    }

    /// Every input since the start.
    pub fn inputs(&self) -> Vec<Input> {
        self.inputs.all()
    }

    /// Where a listener is bound, also where port 0 was asked for.
    pub fn address(&self, listener: &str) -> Option<SocketAddr> {
        self.listeners.iter().find(|running| running.input.counters.name() == listener)?.address
    }

    /// Where `/metrics`, `/health` and `/sources` are.
    pub fn telemetry_address(&self) -> SocketAddr {
        self.telemetry_address
    }

    /// Starts what is new, gives new settings to what stays, and only then ends what is gone. Where something cannot be started, everything goes
    /// on as it was.
    fn bring_into_effect(&mut self, config: Config) -> Result<(), StartError> {
        let names = config.devices.names(Arc::clone(&self.learned)).map_err(StartError::Config)?;
        let mib_names = Arc::new(config.snmp.names().map_err(StartError::Config)?);
        let snmp = snmp::believing(&self.snmp, &config, &mib_names).map_err(StartError::Config)?;
        let polls = snmp::plans(&config, &mib_names).map_err(StartError::Config)?;
        let certificate_files = certificate_files(&config).map_err(StartError::Config)?;
        let shared = Shared {
            events: Arc::clone(&self.events),
            publisher: Arc::clone(&self.publisher),
            places: Arc::new(Places::new(&config.devices, names.clone())),
            site: config.site.as_str().into(),
            names: names.clone(),
            aliases: Arc::new(Aliases::from(&config.devices.aliases)),
            time_zones: Arc::new(TimeZones::of(&config.devices.time_zones).map_err(StartError::Config)?),
            snmp: Arc::new(snmp),
        };
        let mut prepared = Prepared::default();
        if let Err(error) = self.prepare(&config, &shared, &mut prepared) {
            end(&mut prepared.started);
            self.end_inputs_beside(&self.config);
            return Err(error);
        }
        self.shared.send_replace(shared);
        let mut gone = self.take_over(prepared);
        end(&mut gone);
        gone.iter().filter_map(RunningListener::held_udp).for_each(|source| self.held.given_back(source));
        self.polling.follow(&self.runtime, &self.inputs, &polls);
        self.host.follow(&self.runtime, &self.inputs, config.host.as_ref());
        self.resolvers.follow(&self.runtime, &self.inputs, &config.resolvers);
        self.end_inputs_beside(&config);
        self.held.warn_of_others(&config.listeners);
        self.certificates.replace(certificate_files);
        self.names = names;
        self.config = config;
        self.show();
        Ok(())
    }

    /// No input runs that a config does not name.
    fn end_inputs_beside(&self, config: &Config) {
        for input in self.inputs.all().iter().filter(|input| !is_input_of(config, input.counters.name())) {
            self.inputs.end(input.counters.name());
        }
    }

    /// Opens and starts what is new, and makes ready what is to change.
    fn prepare(&self, config: &Config, shared: &Shared, prepared: &mut Prepared) -> Result<(), StartError> {
        let index_of = |is_it: &dyn Fn(&RunningListener) -> bool| self.listeners.iter().position(is_it);
        for listener in &config.listeners {
            match index_of(&|running| running.is_on_the_sockets_of(listener)) {
                Some(index) => prepared.renewals.push((index, self.listeners[index].renewed(listener, shared)?)),
                None => {
                    let input = self.inputs.begin(&listener.name, &listener.site);
                    prepared.started.push(RunningListener::listen(&self.runtime, listener, &self.held, input, shared)?);
                }
            }
        }
        for capture in &config.captures {
            match index_of(&|running| running.is_on_the_ring_of(capture)) {
                Some(index) => prepared.renewals.push((index, self.listeners[index].renewed_capture(capture, shared))),
                None => {
                    let input = self.inputs.begin(&capture.name, &capture.site);
                    prepared.started.push(RunningListener::capture(capture, input, shared)?);
                }
            }
        }
        if config.links.is_empty() {
            return Ok(());
        }
        match index_of(&|running| running.is_probing(&config.links)) {
            Some(index) => prepared.renewals.push((index, Renewal::of_probes(&config.links))),
            None => {
                let input = self.inputs.begin(own::PROBES, &config.site);
                let sequences = &self.probe_sequences;
                prepared.started.push(RunningListener::probe(&config.links, sequences, input, self.shared.subscribe())?);
            }
        }
        Ok(())
    }

    /// Puts what was made ready in its place, and returns what has none any more.
    fn take_over(&mut self, prepared: Prepared) -> Vec<RunningListener> {
        let mut renewals: HashMap<_, _> = prepared.renewals.into_iter().collect();
        let mut gone = Vec::new();
        for (index, mut listener) in std::mem::take(&mut self.listeners).into_iter().enumerate() {
            match renewals.remove(&index) {
                Some(renewal) => {
                    listener.renew(renewal);
                    self.inputs.begin(listener.input.counters.name(), &listener.input.site);
                    self.listeners.push(listener);
                }
                None => gone.push(listener),
            }
        }
        self.listeners.extend(prepared.started);
        gone
    }

    /// Shows what is in effect from now on.
    fn show(&self) {
        let held = self.listeners.iter().filter(|listener| listener.is_held).map(|listener| listener.input.counters.name().to_owned());
        // What could be read as a config can be written.
        let shown = serde_json::to_value(Shown { config: self.config.clone(), held: held.collect() }).unwrap_or_default();
        self.shown.send_replace(shown);
    }

    /// Reports counters once per interval until there is an order. `None`: the publisher cannot go on.
    pub fn run(&self, orders: &std_mpsc::Receiver<Order>) -> Option<Order> {
        let mut next_report = Instant::now() + self.config.telemetry.stats_interval;
        loop {
            match orders.recv_timeout(next_report.saturating_duration_since(Instant::now())) {
                Err(RecvTimeoutError::Timeout) => {
                    next_report = Instant::now() + self.config.telemetry.stats_interval;
                    self.report();
                    service_manager::alive();
                }
                Ok(order) => return Some(order),
                Err(RecvTimeoutError::Disconnected) => return Some(Order::Stop),
            }
            if self.publisher.fatal_error().is_some() {
                return None;
            }
        }
    }

    /// Samples the kernel's counters and publishes what has become certain, and a report for each input.
    pub fn report(&self) {
        self.renew_inventory();
        let now = now_unix_nanos();
        for listener in &self.listeners {
            listener.watch();
            listener.sample(now);
        }
        if self.polling.has_failed() {
            self.inputs.begin(own::SNMP_POLLER, "").counters.failed("its task that polls a device");
        }
        if self.host.has_failed() {
            self.inputs.begin(own::HOST, "").counters.failed("its task that reads the host");
        }
        if self.resolvers.has_failed() {
            self.inputs.begin(own::RESOLVERS, "").counters.failed("its task that asks resolvers");
        }
        self.held.remember(self.listeners.iter().filter_map(RunningListener::held_udp));
        stats::report(&self.events, self.publisher.as_ref(), &self.inputs);
    }

    /// Reads the inventory again where its file has changed.
    fn renew_inventory(&self) {
        let Some(file) = self.names.inventory() else { return };
        match file.renew() {
            None => {}
            Some(Ok(named)) => tracing::info!(file = %file.path().display(), named, "the inventory has changed; its names are in force"),
            Some(Err(problem)) => tracing::warn!(problem, "the inventory cannot be used; what it said before stays in force"),
        }
    }

    /// Stops in the order of the data's way: sockets are read empty, queues are parsed empty, Kafka acknowledges, and only then do the last
    /// reports tell so.
    pub fn drain(mut self) -> Closing {
        tracing::info!("stopping: reading what is left in the sockets");
        end(&mut self.listeners);
        self.polling.follow(&self.runtime, &self.inputs, &[]);
        self.host.follow(&self.runtime, &self.inputs, None);
        self.resolvers.follow(&self.runtime, &self.inputs, &[]);
        tracing::info!(max_seconds = MAX_FLUSH.as_secs(), "stopping: waiting for Kafka to acknowledge");
        let is_held = self.listeners.iter().any(|listener| listener.is_held);
        let is_flushed = self.publisher.flush(if is_held { MAX_HELD_FLUSH } else { MAX_FLUSH });
        self.report();
        let is_all_acked = self.publisher.flush(if is_held { MAX_HELD_FLUSH } else { MAX_FINAL_FLUSH }) && is_flushed;
        let remainder = self.publisher.close();
        self.runtime.shutdown_background();
        Closing { is_all_acked, remainder }
    }
}

/// Reads the sockets of some inputs empty, all at once, and waits until everything is published.
fn end(listeners: &mut [RunningListener]) {
    listeners.iter().for_each(RunningListener::stop);
    listeners.iter_mut().for_each(RunningListener::join);
}

/// Whether a config has an input of this name.
fn is_input_of(config: &Config, name: &str) -> bool {
    config.listeners.iter().any(|listener| listener.name == name)
        || config.captures.iter().any(|capture| capture.name == name)
        || (name == own::PROBES && !config.links.is_empty())
        || (name == own::SNMP_POLLER && !config.snmp.devices.is_empty())
        || (name == own::HOST && config.host.is_some())
        || (name == own::RESOLVERS && !config.resolvers.is_empty())
}

/// What the listeners and Kafka's client show and believe.
fn certificate_files(config: &Config) -> Result<BTreeSet<CertificateFile>, String> {
    let (shown, believed) = config.kafka.certificate_files().map_err(|error| format!("kafka.config_file: {error}"))?;
    let mut files: BTreeSet<_> = shown.into_iter().map(CertificateFile::Shown).chain(believed.map(CertificateFile::Believed)).collect();
    for tls in config.listeners.iter().filter_map(|listener| listener.tls.as_ref()) {
        files.insert(CertificateFile::Shown(tls.certificate.clone()));
        files.extend(tls.client_ca.clone().map(CertificateFile::Believed));
    }
    Ok(files)
}

fn serve_telemetry(runtime: &Runtime, address: SocketAddr, state: telemetry::State) -> Result<SocketAddr, StartError> {
    let telemetry_error = |error| StartError::Telemetry { address, error };
    let _inside = runtime.enter();
    let server = telemetry::bind(address).map_err(telemetry_error)?;
    let address = server.local_address().map_err(telemetry_error)?;
    tracing::info!(%address, "telemetry: /metrics /health /sources /snmp-engines /config");
    runtime.spawn(async move {
        if let Err(error) = server.serve(state).await {
            tracing::error!(%error, "telemetry ended");
        }
    });
    Ok(address)
}
