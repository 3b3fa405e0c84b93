//! Starting, running and stopping an agent.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::mpsc::{self as std_mpsc, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tocsin_publish::{Publisher, Remainder};
use tocsin_sources::{
    BindError, CaptureConfig, CaptureError, CaptureSource, ListenerConfig, QUEUE_BATCHES, Stop, TcpSource, Transport, UdpSource,
    now_unix_nanos,
};
use tocsin_telemetry::{self as telemetry, Counters, Health, PolledDevices, Senders};
use tocsin_wire::EventSource;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};

use crate::Config;
use crate::held::{DropsFile, HeldSockets};
use crate::pipeline::{Pipeline, Reading, Shared};
use crate::{probes, service_manager, snmp, stats};

/// How long a stop waits for Kafka's acknowledgements before it leaves the rest to the spool.
const MAX_FLUSH: Duration = Duration::from_secs(10);
/// The same where datagrams wait in sockets that the service manager holds: the spool takes over sooner than their buffers fill.
const MAX_HELD_FLUSH: Duration = Duration::from_millis(250);
/// How long it then waits for the last report, which tells that everything else has been acknowledged.
const MAX_FINAL_FLUSH: Duration = Duration::from_secs(2);

/// The agent cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A listener's socket cannot be opened.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// An interface cannot be captured on.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The telemetry address cannot be opened.
    #[error("telemetry.listen {address}: {error}; stop the process that has the port (`ss -lntp` shows which), or change the key")]
    Telemetry {
        /// Configured address.
        address: SocketAddr,
        /// What the operating system said.
        error: io::Error,
    },
    /// Links cannot be probed.
    #[error(transparent)]
    Probes(#[from] tocsin_probes::StartError),
    /// What the config names cannot be read any more.
    #[error("{0}")]
    Config(String),
    /// The operating system gives no thread.
    #[error("cannot start a thread: {0}; raise the limit of processes (ulimit -u)")]
    Thread(#[from] io::Error),
}

/// A running agent.
pub struct Agent {
    runtime: Runtime,
    events: Arc<EventSource>,
    publisher: Arc<dyn Publisher>,
    listeners: Vec<RunningListener>,
    stop_sources: watch::Sender<bool>,
    /// What is polled, beside what is listened to.
    poller: Option<RunningPoller>,
    /// Where it stands what the kernel has dropped of sockets that outlive the agent.
    held: DropsFile,
    stats_interval: Duration,
    telemetry_address: SocketAddr,
}

struct RunningPoller {
    counters: Arc<Counters>,
    devices: Vec<tokio::task::JoinHandle<()>>,
}

struct RunningListener {
    site: String,
    /// Its sockets outlive the agent.
    is_held: bool,
    counters: Arc<Counters>,
    /// What watches the numbers of its senders; `None` where there is no sender that could number.
    pipeline: Option<Pipeline>,
    kernel: Option<Kernel>,
    address: Option<SocketAddr>,
    readers: Vec<JoinHandle<()>>,
    parsers: Vec<JoinHandle<()>>,
    /// What accepts connections.
    acceptor: Option<tokio::task::JoinHandle<()>>,
}

impl RunningListener {
    fn new(site: &str, counters: &Arc<Counters>) -> Self {
        Self {
            site: site.to_owned(),
            is_held: false,
            counters: Arc::clone(counters),
            pipeline: None,
            kernel: None,
            address: None,
            readers: Vec::new(),
            parsers: Vec::new(),
            acceptor: None,
        }
    }
}

impl RunningListener {
    fn udp(&self) -> Option<&UdpSource> {
        match &self.kernel {
            Some(Kernel::Udp(source)) => Some(source),
            _ => None,
        }
    }
}

/// A source whose counters are the kernel's.
enum Kernel {
    Udp(UdpSource),
    Capture(CaptureSource),
}

impl Kernel {
    fn sample(&self) {
        match self {
            Self::Udp(source) => source.sample(),
            Self::Capture(source) => source.sample(),
        }
    }
}

/// How an agent ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Closing {
    /// Everything that was received is acknowledged by Kafka.
    pub is_all_acked: bool,
    /// What was left behind otherwise.
    pub remainder: Remainder,
}

impl Agent {
    /// Opens every socket and starts every thread. `counters` comes from [`Agent::counters`].
    pub fn start(
        config: &Config,
        counters: &[Arc<Counters>],
        publisher: Arc<dyn Publisher>,
        health: Arc<Health>,
        mut held: HeldSockets,
    ) -> Result<Self, StartError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).thread_name("tokio").enable_all().build()?;
        let events = Arc::new(EventSource::new(&config.agent_id, now_unix_nanos()));
        let names = config.devices.names.iter().map(|(ip, name)| (ip.to_canonical(), name.clone())).collect::<HashMap<_, _>>();
        let mib_names = Arc::new(config.snmp.names().map_err(StartError::Config)?);
        let snmp = Arc::new(snmp::receiver(config, &mib_names, events.boot_id()).map_err(StartError::Config)?);
        let shared =
            Shared { events: Arc::clone(&events), publisher: Arc::clone(&publisher), names: Arc::new(names), snmp: Arc::clone(&snmp) };
        let (stop_sources, stop) = watch::channel(false);

        let mut listeners = Vec::new();
        let mut pages = Vec::new();
        for (listener_config, counters) in config.listeners.iter().zip(counters) {
            let senders = Arc::new(Senders::default());
            pages.push((Arc::clone(counters), Arc::clone(&senders)));
            let pipeline = Pipeline::new(shared.clone(), listener_config.kind.into(), &listener_config.site, Arc::clone(counters), senders)
                .with_readers(listener_config.readers)
                .with_rate_limit(listener_config.rate_limit.as_ref());
            listeners.push(start_listener(&runtime, listener_config, &mut held, counters, pipeline, &stop)?);
        }
        let held = held.all_taken();
        for (capture, counters) in config.captures.iter().zip(counters.iter().skip(config.listeners.len())) {
            let senders = Arc::new(Senders::default());
            pages.push((Arc::clone(counters), Arc::clone(&senders)));
            let reading = Reading::CapturedDhcp(capture.interface.as_str().into());
            let pipeline = Pipeline::new(shared.clone(), reading, &capture.site, Arc::clone(counters), senders);
            listeners.push(start_capture(capture, counters, pipeline, &stop)?);
        }
        if let Some(counters) = counters.iter().find(|counters| counters.name() == probes::LISTENER && !config.links.is_empty()) {
            let senders = Arc::new(Senders::default());
            pages.push((Arc::clone(counters), Arc::clone(&senders)));
            let mut prober = RunningListener::new(&config.site, counters);
            prober.readers.push(probes::start(&config.links, counters, senders, shared.clone(), &stop)?);
            listeners.push(prober);
        }
        let polled = Arc::new(PolledDevices::default());
        let poller = counters.iter().find(|counters| counters.name() == snmp::POLLER).filter(|_| !config.snmp.devices.is_empty());
        let poller = poller.map(|counters| {
            let _inside = runtime.enter();
            let devices = snmp::poll(config, &mib_names, shared, counters, &polled, &stop).map_err(StartError::Config)?;
            Ok::<_, StartError>(RunningPoller { counters: Arc::clone(counters), devices })
        });
        let poller = poller.transpose()?;
        pages.extend(poller.iter().map(|poller| (Arc::clone(&poller.counters), Arc::new(Senders::default()))));
        let state = telemetry::State { polled, listeners: pages, health: Arc::clone(&health), pages: vec![snmp::engines_page(snmp)] };
        let telemetry_address = serve_telemetry(&runtime, config.telemetry.listen, state)?;
        health.sockets_open();
        Ok(Self {
            runtime,
            events,
            publisher,
            listeners,
            stop_sources,
            poller,
            held,
            stats_interval: config.telemetry.stats_interval,
            telemetry_address,
        })
    }

    /// Counters that start at zero for each listener and each capture of a config, in its order, then for the probes and the poller.
    pub fn counters(config: &Config) -> Vec<Arc<Counters>> {
        let listeners = config.listeners.iter().map(|listener| listener.name.as_str());
        let captures = config.captures.iter().map(|capture| capture.name.as_str());
        let probes = (!config.links.is_empty()).then_some(probes::LISTENER);
        let poller = (!config.snmp.devices.is_empty()).then_some(snmp::POLLER);
        listeners.chain(captures).chain(probes).chain(poller).map(|name| Arc::new(Counters::new(name))).collect()
    }

    /// Where a listener is bound, also where port 0 was asked for.
    pub fn address(&self, listener: &str) -> Option<SocketAddr> {
        self.listeners.iter().find(|running| running.counters.name() == listener)?.address
    }

    /// Where `/metrics`, `/health` and `/sources` are.
    pub fn telemetry_address(&self) -> SocketAddr {
        self.telemetry_address
    }

    /// Reports counters once per interval until `stop` is sent, or its sender is gone, or the publisher cannot go on. True when it was asked
    /// to stop.
    pub fn run(&self, stop: &std_mpsc::Receiver<()>) -> bool {
        loop {
            match stop.recv_timeout(self.stats_interval) {
                Err(RecvTimeoutError::Timeout) => {
                    self.report();
                    service_manager::alive();
                }
                Ok(()) | Err(RecvTimeoutError::Disconnected) => return true,
            }
            if self.publisher.fatal_error().is_some() {
                return false;
            }
        }
    }

    /// Tells of threads that have ended before they were asked to.
    fn watch(&self) {
        for listener in &self.listeners {
            for thread in listener.readers.iter().chain(&listener.parsers).filter(|thread| thread.is_finished()) {
                listener.counters.failed(&format!("its thread {}", thread.thread().name().unwrap_or_default()));
            }
            if listener.acceptor.as_ref().is_some_and(tokio::task::JoinHandle::is_finished) {
                listener.counters.failed("its task that accepts connections");
            }
        }
        for poller in self.poller.iter().filter(|poller| poller.devices.iter().any(tokio::task::JoinHandle::is_finished)) {
            poller.counters.failed("its task that polls a device");
        }
    }

    /// Samples the kernel's counters and publishes what has become certain, and a report for each listener.
    pub fn report(&self) {
        self.watch();
        let now = now_unix_nanos();
        for pipeline in self.listeners.iter().filter_map(|listener| listener.pipeline.as_ref()) {
            pipeline.tell_gaps(now);
            pipeline.tell_rate_limited(now, false);
        }
        self.listeners.iter().filter_map(|listener| listener.kernel.as_ref()).for_each(Kernel::sample);
        self.held.remember(self.listeners.iter().filter(|listener| listener.is_held).filter_map(RunningListener::udp));
        let listeners = self.listeners.iter().map(|listener| (&listener.counters, listener.site.as_str()));
        let poller = self.poller.iter().map(|poller| (&poller.counters, ""));
        stats::report(&self.events, self.publisher.as_ref(), listeners.chain(poller));
    }

    /// Stops in the order of the data's way: sockets are read empty, queues are parsed empty, Kafka acknowledges, and only then do the last
    /// reports tell so.
    pub fn drain(mut self) -> Closing {
        tracing::info!("stopping: reading what is left in the sockets");
        // Fails only when every source has ended already.
        let _ = self.stop_sources.send(true);
        for listener in &mut self.listeners {
            listener.acceptor = None;
            for thread in listener.readers.drain(..).chain(listener.parsers.drain(..)) {
                if thread.join().is_err() {
                    tracing::error!(listener = listener.counters.name(), "a thread had failed; this is a defect, please report it");
                }
            }
            if let Some(pipeline) = &listener.pipeline {
                pipeline.tell_last_gaps();
                pipeline.tell_rate_limited(now_unix_nanos(), true);
            }
        }
        for device in self.poller.iter_mut().flat_map(|poller| poller.devices.drain(..)) {
            if self.runtime.block_on(device).is_err() {
                tracing::error!(listener = snmp::POLLER, "a task had failed; this is a defect, please report it");
            }
        }
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

/// Opens a listener's sockets and starts its readers and parsers.
fn start_listener(
    runtime: &Runtime,
    config: &ListenerConfig,
    held: &mut HeldSockets,
    counters: &Arc<Counters>,
    mut pipeline: Pipeline,
    stop: &Stop,
) -> Result<RunningListener, StartError> {
    let mut listener = RunningListener::new(&config.site, counters);
    listener.pipeline = Some(pipeline.clone());
    let sockets = held.take(config)?;
    listener.is_held = !sockets.is_empty();
    match config.transport {
        Transport::Udp => {
            let source = if listener.is_held {
                UdpSource::adopt(config, sockets, held.drops_seen(), Arc::clone(counters))?
            } else {
                UdpSource::bind(config, Arc::clone(counters))?
            };
            pipeline.answer_through(source.replies());
            let mut queues = Vec::new();
            for _ in 0..source.readers() {
                let (queue, parser) = start_parser(pipeline.clone(), &config.name)?;
                queues.push(queue);
                listener.parsers.push(parser);
            }
            listener.address = source.local_address();
            listener.readers = source.start(queues, stop)?;
            listener.kernel = Some(Kernel::Udp(source));
        }
        Transport::Tcp | Transport::Tls | Transport::Relp => {
            let _inside = runtime.enter();
            let source = TcpSource::bind(config, sockets.into_iter().next(), Arc::clone(counters))?;
            let (queue, parser) = start_parser(pipeline.clone(), &config.name)?;
            listener.address = source.local_address();
            listener.parsers.push(parser);
            // The parser ends when the last connection has, so joining the parser waits for the source too.
            listener.acceptor = Some(runtime.spawn(source.run(queue, stop.clone())));
        }
    }
    Ok(listener)
}

/// Opens a capture's ring and starts its reader and its parser.
fn start_capture(config: &CaptureConfig, counters: &Arc<Counters>, pipeline: Pipeline, stop: &Stop) -> Result<RunningListener, StartError> {
    let mut listener = RunningListener::new(&config.site, counters);
    let source = CaptureSource::bind(config, Arc::clone(counters))?;
    let (queue, parser) = start_parser(pipeline, &config.name)?;
    listener.parsers.push(parser);
    listener.readers.push(source.start(queue, stop)?);
    listener.kernel = Some(Kernel::Capture(source));
    Ok(listener)
}

fn start_parser(pipeline: Pipeline, name: &str) -> io::Result<(mpsc::Sender<tocsin_sources::Batch>, JoinHandle<()>)> {
    let (queue, batches) = mpsc::channel(QUEUE_BATCHES);
    let parser = thread::Builder::new().name(format!("parse-{name}")).spawn(move || pipeline.run(batches))?;
    Ok((queue, parser))
}

fn serve_telemetry(runtime: &Runtime, address: SocketAddr, state: telemetry::State) -> Result<SocketAddr, StartError> {
    let telemetry_error = |error| StartError::Telemetry { address, error };
    let _inside = runtime.enter();
    let server = telemetry::bind(address).map_err(telemetry_error)?;
    let address = server.local_address().map_err(telemetry_error)?;
    tracing::info!(%address, "telemetry: /metrics /health /sources /snmp-engines");
    runtime.spawn(async move {
        if let Err(error) = server.serve(state).await {
            tracing::error!(%error, "telemetry ended");
        }
    });
    Ok(address)
}
