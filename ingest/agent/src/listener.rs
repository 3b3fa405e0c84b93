//! A running input: its sockets, its threads, and what a reload puts into them.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tocsin_probes::{LinkConfig, Sequences};
use tocsin_sources::{
    Batch, CaptureConfig, CaptureSource, ListenerConfig, Policy, QUEUE_BATCHES, TcpSource, Transport, UdpSource, now_unix_nanos,
};
use tocsin_telemetry::Input;
use tokio::runtime::Runtime;
use tokio::sync::{mpsc, watch};

use crate::error::StartError;
use crate::held::HeldSockets;
use crate::pipeline::{Pipeline, Reading};
use crate::probes;
use crate::reload::has_same_socket;
use crate::shared::Shared;

/// What a running input was started from.
pub(crate) enum Source {
    Listener(Box<ListenerConfig>),
    Capture(CaptureConfig),
    Probes(Vec<LinkConfig>),
}

/// A listener, a capture, or the prober.
pub(crate) struct RunningListener {
    pub(crate) source: Source,
    pub(crate) input: Input,
    /// Its sockets outlive the agent.
    pub(crate) is_held: bool,
    pub(crate) address: Option<SocketAddr>,
    /// What its parsers do; `None` where there are none.
    pipeline: Option<watch::Sender<Arc<Pipeline>>>,
    /// Whom it hears; `None` where there is no sender.
    policy: Option<watch::Sender<Policy>>,
    kernel: Option<Kernel>,
    stop: watch::Sender<bool>,
    readers: Vec<JoinHandle<()>>,
    parsers: Vec<JoinHandle<()>>,
    /// What accepts connections.
    acceptor: Option<tokio::task::JoinHandle<()>>,
}

/// A source whose counters are the kernel's.
enum Kernel {
    Udp(UdpSource),
    Capture(CaptureSource),
}

/// New settings for an input that stays.
pub(crate) struct Renewal {
    source: Source,
    pipeline: Option<Pipeline>,
    policy: Option<Policy>,
}

impl Renewal {
    /// Links that stay as they are.
    pub(crate) fn of_probes(links: &[LinkConfig]) -> Self {
        Self { source: Source::Probes(links.to_vec()), pipeline: None, policy: None }
    }
}

impl RunningListener {
    fn new(source: Source, input: Input, stop: watch::Sender<bool>) -> Self {
        Self {
            source,
            input,
            is_held: false,
            address: None,
            pipeline: None,
            policy: None,
            kernel: None,
            stop,
            readers: Vec::new(),
            parsers: Vec::new(),
            acceptor: None,
        }
    }

    /// Opens a listener's sockets and starts its readers and parsers.
    pub(crate) fn listen(
        runtime: &Runtime,
        config: &ListenerConfig,
        held: &HeldSockets,
        input: Input,
        shared: &Shared,
    ) -> Result<Self, StartError> {
        let (stop, stopped) = watch::channel(false);
        let (policy, policies) = watch::channel(Policy::load(config)?);
        let counters = Arc::clone(&input.counters);
        let pipeline = Pipeline::new(shared.clone(), config.kind.into(), &input)
            .with_copies(config.copies.as_ref())
            .with_rate_limit(config.rate_limit.as_ref());
        let mut listener = Self::new(Source::Listener(Box::new(config.clone())), input, stop);
        listener.policy = Some(policy);
        let sockets = held.of_listener(config)?;
        listener.is_held = !sockets.is_empty();
        match config.transport {
            Transport::Udp => {
                let source = if listener.is_held {
                    UdpSource::adopt(config, sockets, held.drops_seen(), policies, counters)?
                } else {
                    UdpSource::bind(config, policies, counters)?
                };
                let in_effect = listener.take(pipeline.answering_through(source.replies()));
                let queues = (0..source.readers()).map(|_| listener.parser(&in_effect)).collect::<Result<Vec<_>, _>>()?;
                listener.address = source.local_address();
                listener.readers = source.start(queues, &stopped)?;
                listener.kernel = Some(Kernel::Udp(source));
            }
            Transport::Tcp | Transport::Tls | Transport::Relp => {
                let _inside = runtime.enter();
                let source = TcpSource::bind(config, sockets.into_iter().next(), policies, counters)?;
                listener.address = source.local_address();
                // The parser ends when the last connection has, so joining the parser waits for the source too.
                let in_effect = listener.take(pipeline);
                let queue = listener.parser(&in_effect)?;
                listener.acceptor = Some(runtime.spawn(source.run(queue, stopped)));
            }
        }
        Ok(listener)
    }

    /// Opens a capture's ring and starts its reader and its parser.
    pub(crate) fn capture(config: &CaptureConfig, input: Input, shared: &Shared) -> Result<Self, StartError> {
        let (stop, stopped) = watch::channel(false);
        let source = CaptureSource::bind(config, Arc::clone(&input.counters))?;
        let pipeline = Pipeline::new(shared.clone(), captured(config), &input);
        let mut listener = Self::new(Source::Capture(config.clone()), input, stop);
        let in_effect = listener.take(pipeline);
        let queue = listener.parser(&in_effect)?;
        listener.readers.push(source.start(queue, &stopped)?);
        listener.kernel = Some(Kernel::Capture(source));
        Ok(listener)
    }

    /// Starts the thread that probes.
    pub(crate) fn probe(
        links: &[LinkConfig],
        sequences: &Sequences,
        input: Input,
        shared: watch::Receiver<Shared>,
    ) -> Result<Self, StartError> {
        let (stop, stopped) = watch::channel(false);
        let thread = probes::start(links, sequences, input.clone(), shared, &stopped)?;
        let mut prober = Self::new(Source::Probes(links.to_vec()), input, stop);
        prober.readers.push(thread);
        Ok(prober)
    }

    /// Takes what its parsers are to do.
    fn take(&mut self, pipeline: Pipeline) -> watch::Receiver<Arc<Pipeline>> {
        let (pipeline, in_effect) = watch::channel(Arc::new(pipeline));
        self.pipeline = Some(pipeline);
        in_effect
    }

    /// Starts a parser and returns its queue.
    fn parser(&mut self, in_effect: &watch::Receiver<Arc<Pipeline>>) -> io::Result<mpsc::Sender<Batch>> {
        let (queue, batches) = mpsc::channel(QUEUE_BATCHES);
        let in_effect = in_effect.clone();
        let thread = thread::Builder::new().name(format!("parse-{}", self.input.counters.name()));
        self.parsers.push(thread.spawn(move || Pipeline::run(&in_effect, batches))?);
        Ok(queue)
    }

    /// Whether this is that listener, on the same sockets.
    pub(crate) fn is_on_the_sockets_of(&self, config: &ListenerConfig) -> bool {
        matches!(&self.source, Source::Listener(running) if running.name == config.name && has_same_socket(running, config))
    }

    /// Whether this is that capture, with the same ring.
    pub(crate) fn is_on_the_ring_of(&self, config: &CaptureConfig) -> bool {
        matches!(&self.source, Source::Capture(running) if CaptureConfig { site: config.site.clone(), ..running.clone() } == *config)
    }

    /// Whether it probes just these links.
    pub(crate) fn is_probing(&self, links: &[LinkConfig]) -> bool {
        matches!(&self.source, Source::Probes(running) if running == links)
    }

    /// What a listener is to do from now on. Changes nothing yet.
    pub(crate) fn renewed(&self, config: &ListenerConfig, shared: &Shared) -> Result<Renewal, StartError> {
        let input = Input { site: config.site.clone(), ..self.input.clone() };
        let pipeline = Pipeline::new(shared.clone(), config.kind.into(), &input).with_copies(config.copies.as_ref());
        Ok(Renewal { source: Source::Listener(Box::new(config.clone())), pipeline: Some(pipeline), policy: Some(Policy::load(config)?) })
    }

    /// The same of a capture.
    pub(crate) fn renewed_capture(&self, config: &CaptureConfig, shared: &Shared) -> Renewal {
        let input = Input { site: config.site.clone(), ..self.input.clone() };
        let pipeline = Pipeline::new(shared.clone(), captured(config), &input);
        Renewal { source: Source::Capture(config.clone()), pipeline: Some(pipeline), policy: None }
    }

    /// Goes on with new settings. Sockets and threads stay; each thread looks before its next batch.
    pub(crate) fn renew(&mut self, renewal: Renewal) {
        let rate_limit = match &renewal.source {
            Source::Listener(config) => config.rate_limit.as_ref(),
            Source::Capture(_) | Source::Probes(_) => None,
        };
        if let (Some(pipeline), Some(renewed)) = (&self.pipeline, renewal.pipeline) {
            let before = Arc::clone(&pipeline.borrow());
            pipeline.send_replace(Arc::new(renewed.in_place_of(&before, rate_limit)));
        }
        if let (Some(in_effect), Some(policy)) = (&self.policy, renewal.policy) {
            in_effect.send_replace(policy);
        }
        match &renewal.source {
            Source::Listener(config) => self.input.site.clone_from(&config.site),
            Source::Capture(config) => self.input.site.clone_from(&config.site),
            Source::Probes(_) => {}
        }
        self.source = renewal.source;
    }

    /// Tells of threads that have ended before they were asked to.
    pub(crate) fn watch(&self) {
        let counters = &self.input.counters;
        for thread in self.readers.iter().chain(&self.parsers).filter(|thread| thread.is_finished()) {
            counters.failed(&format!("its thread {}", thread.thread().name().unwrap_or_default()));
        }
        if self.acceptor.as_ref().is_some_and(tokio::task::JoinHandle::is_finished) {
            counters.failed("its task that accepts connections");
        }
    }

    /// Asks the kernel for its counters, and publishes what has become certain.
    pub(crate) fn sample(&self, now_unix_nanos: u64) {
        if let Some(pipeline) = self.pipeline_in_effect() {
            pipeline.tell_gaps(now_unix_nanos);
            pipeline.tell_rate_limited(now_unix_nanos, false);
            pipeline.tell_rejects(now_unix_nanos);
        }
        match &self.kernel {
            Some(Kernel::Udp(source)) => source.sample(),
            Some(Kernel::Capture(source)) => source.sample(),
            None => {}
        }
    }

    /// Its sockets, where they outlive the agent and count drops.
    pub(crate) fn held_udp(&self) -> Option<&UdpSource> {
        match &self.kernel {
            Some(Kernel::Udp(source)) if self.is_held => Some(source),
            _ => None,
        }
    }

    /// Asks it to read what is left and end.
    pub(crate) fn stop(&self) {
        // Fails only when every thread has ended already.
        let _ = self.stop.send(true);
    }

    /// Waits until everything that it had received is published. [`Self::stop`] comes first.
    pub(crate) fn join(&mut self) {
        self.acceptor = None;
        for thread in self.readers.drain(..).chain(self.parsers.drain(..)) {
            if thread.join().is_err() {
                tracing::error!(listener = self.input.counters.name(), "a thread had failed; this is a defect, please report it");
            }
        }
        if let Some(pipeline) = self.pipeline_in_effect() {
            pipeline.tell_last_gaps();
            pipeline.tell_rate_limited(now_unix_nanos(), true);
            pipeline.tell_last_rejects();
        }
    }

    fn pipeline_in_effect(&self) -> Option<Arc<Pipeline>> {
        self.pipeline.as_ref().map(|pipeline| Arc::clone(&pipeline.borrow()))
    }
}

fn captured(config: &CaptureConfig) -> Reading {
    Reading::CapturedDhcp(config.interface.as_str().into())
}
