//! The thread that probes.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::AsRawFd;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytes::Bytes;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use socket2::Socket;
use tocsin_parse::dns::Question;
use tocsin_parse::icmp::{Family, ProbeNumber};
use tocsin_telemetry::{Counters, Ignored};
use tocsin_wire::events::link_probe::LossReason;
use tokio::sync::watch;

use crate::arrival::{self, Moment};
use crate::config::{LinkConfig, Method};
use crate::flights::{Arrival, Departure, Flight, Flights, IcmpSequences};
use crate::icmp_socket::{Heard, IcmpSocket};
use crate::lookup::{Resolver, Target};
use crate::outcome::{self, Outcome, Probed};
use crate::schedule::Schedule;
use crate::single;

/// How often an idle prober looks whether it is to stop, and whether a name has been looked up.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// How long a stopping prober waits for answers.
const MAX_DRAIN: Duration = Duration::from_secs(2);
/// Largest DNS answer over UDP.
const MAX_ANSWER_BYTES: usize = 65_536;
const EVENTS: usize = 1024;

/// The prober cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// Neither kind of ICMP socket is allowed.
    #[error(
        "link {link}: ICMP is not allowed to this process: {error}; allow its group with `sysctl -w net.ipv4.ping_group_range=\"{group} {group}\"` \
         (also for IPv6), or grant CAP_NET_RAW with `setcap cap_net_raw+ep {program}`, or probe by method tcp"
    )]
    NotAllowed {
        /// The first link that needs it.
        link: String,
        /// What the operating system said.
        error: io::Error,
        /// Group of this process.
        group: u32,
        /// This program's file.
        program: String,
    },
    /// The operating system gives no thread or no file descriptor.
    #[error("cannot start the prober: {0}; raise the limits of processes (ulimit -u) and open files (ulimit -n)")]
    System(#[from] io::Error),
}

/// Probes links. See [`Prober::start`].
#[derive(Debug)]
pub struct Prober {
    poll: Poll,
    links: Vec<Link>,
    schedule: Schedule,
    lookups: Schedule,
    /// Links with a name, in the order of `lookups`.
    named: Vec<usize>,
    resolver: Resolver,
    flights: Flights<Ticket>,
    sequences: IcmpSequences,
    icmp: Vec<IcmpSocket>,
    /// Marks the payloads of this run.
    run: u64,
    counters: Arc<Counters>,
    finished: Vec<Probed>,
}

/// How many probes each link has had in this run of the agent, by its id.
#[derive(Debug, Default)]
pub struct Sequences(Mutex<HashMap<String, Arc<AtomicU64>>>);

impl Sequences {
    fn of(&self, link: &str) -> Arc<AtomicU64> {
        Arc::clone(self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(link.to_owned()).or_default())
    }
}

#[derive(Debug)]
struct Link {
    config: LinkConfig,
    target: Target,
    question: Option<Question>,
    is_looked_up: bool,
    /// Number of its last probe; goes on over reloads.
    last_sequence: Arc<AtomicU64>,
}

/// What a method needs to recognise its answer.
#[derive(Debug)]
enum Ticket {
    Icmp { sequence: u16 },
    Tcp(Socket),
    Dns { socket: Socket, id: u16 },
}

impl Prober {
    /// Opens what all probes share. `links` must have passed [`crate::check_links`].
    pub fn open(links: &[LinkConfig], sequences: &Sequences, counters: Arc<Counters>) -> Result<Self, StartError> {
        let now = Instant::now();
        let named: Vec<_> = (0..links.len()).filter(|link| links[*link].target_ip().is_none()).collect();
        let mut prober = Self {
            poll: Poll::new()?,
            schedule: Schedule::new(links.iter().map(|link| (link.id.as_str(), link.interval)), now),
            lookups: Schedule::new(named.iter().map(|link| (links[*link].id.as_str(), links[*link].resolve_interval)), now),
            links: links.iter().map(|link| Link::new(link, sequences.of(&link.id))).collect(),
            named,
            resolver: Resolver::start()?,
            flights: Flights::default(),
            sequences: IcmpSequences::default(),
            icmp: Vec::new(),
            // The standard library's seed is the system's randomness.
            run: RandomState::new().hash_one(now),
            counters,
            finished: Vec::new(),
        };
        prober.check_icmp_is_allowed()?;
        for link in 0..prober.links.len() {
            prober.look_up(link);
        }
        Ok(prober)
    }

    /// Starts the thread. It tells of each probe exactly once, in batches, and once `stop` is true waits up to 2 s for answers; what is then
    /// still under way is told as not sent, because nobody can say what became of it.
    pub fn start(mut self, stop: watch::Receiver<bool>, mut tell: impl FnMut(Vec<Probed>) + Send + 'static) -> io::Result<JoinHandle<()>> {
        let kinds: Vec<_> = self.icmp.iter().map(|socket| format!("{:?} {}", socket.family, socket.kind())).collect();
        tracing::info!(links = self.links.len(), icmp_sockets = kinds.join(", "), "probing");
        thread::Builder::new().name("probe".to_owned()).spawn(move || self.run(&stop, &mut tell))
    }

    fn run(&mut self, stop: &watch::Receiver<bool>, tell: &mut impl FnMut(Vec<Probed>)) {
        let mut events = Events::with_capacity(EVENTS);
        let mut drain_until = None;
        loop {
            if drain_until.is_none() && *stop.borrow() {
                drain_until = Some(Instant::now() + MAX_DRAIN);
            }
            // Taken before the sockets are read: what has arrived by now is read before a timeout by now is declared.
            let now = Instant::now();
            if let Err(error) = self.poll.poll(&mut events, Some(self.wait(now, drain_until.is_some())))
                && error.kind() != io::ErrorKind::Interrupted
            {
                tracing::error!(%error, "cannot wait for answers; trying again");
                thread::sleep(STOP_CHECK);
            }
            let polled = Moment::now();
            for event in &events {
                self.ready(event.token(), polled);
            }
            self.expire(now);
            self.update_names(now);
            if drain_until.is_none() {
                while let Some(link) = self.schedule.due(Instant::now()) {
                    self.probe(link);
                }
            } else if self.flights.is_settled() || drain_until.is_some_and(|deadline| now > deadline) {
                self.abandon();
                tell(std::mem::take(&mut self.finished));
                return;
            }
            if !self.finished.is_empty() {
                tell(std::mem::take(&mut self.finished));
            }
        }
    }

    fn wait(&self, now: Instant, is_draining: bool) -> Duration {
        let next_probe = self.schedule.next_at().filter(|_| !is_draining);
        let next = [next_probe, self.flights.next_deadline()].into_iter().flatten().min();
        next.map_or(STOP_CHECK, |at| at.saturating_duration_since(now).min(STOP_CHECK))
    }

    /// Sends one probe of a link.
    fn probe(&mut self, link: usize) {
        let Link { config, target, .. } = &self.links[link];
        let target = match target {
            // Its first probe comes after its first lookup.
            Target::Unknown => return,
            Target::Known(target) => Ok(*target),
            Target::Failed(problem) => Err(problem.clone()),
        };
        let (method, source, timeout) = (config.method, config.source, config.timeout);
        let sequence = self.links[link].last_sequence.fetch_add(1, Ordering::Relaxed) + 1;
        let departure =
            |target, sent: Moment| Departure { link, sequence, target, at: sent.instant, at_unix_nanos: sent.unix_nanos, timeout };
        let target = match target {
            Ok(target) => target,
            Err(problem) => return self.not_sent(&departure(None, Moment::now()), Outcome::not_sent(problem)),
        };
        let number = self.flights.new_number();
        let sent = match method {
            Method::Icmp => self.send_echo(number, target, source),
            Method::Tcp => self.begin_connection(number, target, source),
            Method::Dns => self.send_query(link, number, target, source),
        };
        match sent {
            Ok((ticket, sent)) => self.flights.depart(number, departure(Some(target), sent), ticket),
            Err(error) => self.not_sent(&departure(Some(target), Moment::now()), Outcome::of_error(&error)),
        }
    }

    fn send_echo(&mut self, number: u64, target: SocketAddr, source: Option<IpAddr>) -> io::Result<(Ticket, Moment)> {
        let socket = self.icmp_socket(if target.is_ipv4() { Family::V4 } else { Family::V6 }, source)?;
        let sequence = self.sequences.take(number).ok_or_else(|| io::Error::other("65,536 ICMP probes are under way"))?;
        let sent = self.icmp[socket].send(target, sequence, ProbeNumber { run: self.run, number });
        if sent.is_err() {
            self.sequences.release(sequence);
        }
        Ok((Ticket::Icmp { sequence }, sent?))
    }

    fn begin_connection(&self, number: u64, target: SocketAddr, source: Option<IpAddr>) -> io::Result<(Ticket, Moment)> {
        let (socket, sent) = single::connect(target, source)?;
        self.watch(&socket, token(number), Interest::WRITABLE)?;
        Ok((Ticket::Tcp(socket), sent))
    }

    fn send_query(&self, link: usize, number: u64, target: SocketAddr, source: Option<IpAddr>) -> io::Result<(Ticket, Moment)> {
        let question = self.links[link].question.as_ref().ok_or_else(|| io::Error::other("the query's name cannot be sent"))?;
        // Whoever wants to forge an answer must guess it.
        let id = RandomState::new().hash_one(number) as u16;
        let (socket, sent) = single::ask(target, source, &question.query(id))?;
        self.watch(&socket, token(number), Interest::READABLE)?;
        Ok((Ticket::Dns { socket, id }, sent))
    }

    fn watch(&self, socket: &impl AsRawFd, token: Token, interest: Interest) -> io::Result<()> {
        self.poll.registry().register(&mut SourceFd(&socket.as_raw_fd()), token, interest)
    }

    /// The socket for a family and a source; opened when it is needed first, and tried again while the source is not an address of this machine.
    fn icmp_socket(&mut self, family: Family, source: Option<IpAddr>) -> io::Result<usize> {
        let open = self.icmp.iter().position(|socket| socket.family == family && socket.source == source);
        if let Some(index) = open {
            return Ok(index);
        }
        let socket = IcmpSocket::open(family, source, self.run as u16)?;
        self.watch(&socket, icmp_token(self.icmp.len()), Interest::READABLE)?;
        self.icmp.push(socket);
        Ok(self.icmp.len() - 1)
    }

    /// Opens the ICMP sockets that will be needed. Only a missing permission is an error: an address may come later.
    fn check_icmp_is_allowed(&mut self) -> Result<(), StartError> {
        for link in 0..self.links.len() {
            let config = &self.links[link].config;
            let Some(ip) = (config.method == Method::Icmp).then(|| config.target_ip().or(config.source)) else { continue };
            let family = if ip.is_none_or(|ip| ip.is_ipv4()) { Family::V4 } else { Family::V6 };
            match self.icmp_socket(family, config.source) {
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    return Err(StartError::NotAllowed {
                        link: self.links[link].config.id.clone(),
                        error,
                        group: nix::unistd::getegid().as_raw(),
                        program: std::env::current_exe().map_or("tocsin".to_owned(), |path| path.display().to_string()),
                    });
                }
                Err(error) => tracing::warn!(link = self.links[link].config.id, %error, "cannot probe now; trying again with each probe"),
                Ok(_) => {}
            }
        }
        Ok(())
    }

    /// A socket has something to say.
    fn ready(&mut self, token: Token, polled: Moment) {
        if let Some(socket) = icmp_index(token).filter(|index| *index < self.icmp.len()) {
            return self.hear_icmp(socket);
        }
        let number = token.0 as u64;
        let Some(flight) = self.flights.get(number) else { return };
        let departure = flight.departure;
        let outcome = match &flight.ticket {
            Ticket::Icmp { .. } => None,
            Ticket::Tcp(socket) => connection_outcome(socket, &departure, polled),
            Ticket::Dns { socket, id } => {
                self.links[departure.link].question.as_ref().and_then(|question| dns_outcome(socket, *id, question, &departure))
            }
        };
        if let Some((outcome, at_unix_nanos)) = outcome {
            self.flights.remove(number);
            self.finish(&departure, at_unix_nanos, outcome);
        }
    }

    fn hear_icmp(&mut self, socket: usize) {
        let mut heard = Vec::new();
        self.icmp[socket].receive(|one| heard.push(one));
        for one in heard {
            match one {
                Heard::Reply { probe, at, bytes } if probe.run == self.run => {
                    self.echo_arrived(probe.number, at, |rtt| Outcome::Answered {
                        rtt,
                        answer: None,
                        raw: Bytes::new(),
                        bytes: bytes as u64,
                    });
                }
                Heard::Unreachable { echo, reason } => {
                    let number = echo.probe.filter(|probe| probe.run == self.run).map(|probe| probe.number);
                    if let Some(number) = number.or_else(|| self.sequences.number(echo.sequence)) {
                        let outcome = |_| Outcome::Lost { reason: LossReason::Unreachable, detail: reason.to_owned() };
                        self.echo_arrived(number, Moment::now(), outcome);
                    }
                }
                // A raw socket shows the packets of others.
                Heard::Reply { .. } | Heard::Other => {}
            }
        }
    }

    fn echo_arrived(&mut self, number: u64, at: Moment, outcome: impl FnOnce(Duration) -> Outcome) {
        match self.flights.arrive(number) {
            Arrival::First(departure) => {
                let rtt = at.instant.saturating_duration_since(departure.at);
                let outcome = if rtt > departure.timeout {
                    self.counters.ignored(Ignored::Late);
                    Outcome::timeout()
                } else {
                    outcome(rtt)
                };
                self.finish(&departure, at.unix_nanos, outcome);
            }
            Arrival::Duplicate => self.counters.ignored(Ignored::Duplicate),
            Arrival::Late => self.counters.ignored(Ignored::Late),
        }
    }

    fn expire(&mut self, now: Instant) {
        while let Some((Flight { departure, ticket, .. }, is_answered)) = self.flights.expire(now) {
            if let Ticket::Icmp { sequence } = ticket {
                self.sequences.release(sequence);
            }
            if !is_answered {
                self.finish(&departure, Moment::now().unix_nanos, Outcome::timeout());
            }
        }
    }

    /// Tells of what is still under way at the end.
    fn abandon(&mut self) {
        for Flight { departure, .. } in self.flights.abandon() {
            let outcome = Outcome::not_sent("the agent stopped before the answer came or the timeout was over");
            self.finish(&departure, Moment::now().unix_nanos, outcome);
        }
    }

    fn not_sent(&mut self, departure: &Departure, outcome: Outcome) {
        self.finish(departure, departure.at_unix_nanos, outcome);
    }

    fn finish(&mut self, departure: &Departure, at_unix_nanos: u64, outcome: Outcome) {
        self.finished.push(outcome::probed(&self.links[departure.link].config, departure, at_unix_nanos, outcome));
    }

    fn update_names(&mut self, now: Instant) {
        while let Some(index) = self.lookups.due(now) {
            self.look_up(self.named[index]);
        }
        while let Some((link, lookup)) = self.resolver.next() {
            let Link { config, target, is_looked_up, .. } = &mut self.links[link];
            *is_looked_up = false;
            let before = target.clone();
            if let Err(problem) = &lookup {
                tracing::debug!(link = config.id, problem, "lookup failed");
            }
            target.update(lookup, |address| config.source.is_none_or(|source| source.to_canonical().is_ipv4() == address.is_ipv4()));
            if *target != before {
                tracing::info!(link = config.id, ?target, "target looked up");
            }
        }
    }

    fn look_up(&mut self, link: usize) {
        let Link { config, is_looked_up, .. } = &mut self.links[link];
        // One at a time: a resolver that hangs must not gather a queue.
        if config.target_ip().is_none() && !std::mem::replace(is_looked_up, true) {
            self.resolver.ask(link, &config.target, config.target_port());
        }
    }
}

impl Link {
    fn new(config: &LinkConfig, last_sequence: Arc<AtomicU64>) -> Self {
        let target = config.target_ip().map_or(Target::Unknown, |ip| Target::Known(SocketAddr::new(ip, config.target_port())));
        let question = if config.method == Method::Dns { config.question() } else { None };
        let config = LinkConfig { source: config.source.map(|source| source.to_canonical()), ..config.clone() };
        Self { config, target, question, is_looked_up: false, last_sequence }
    }
}

/// What became of a connection, and when; `None` where nothing did yet.
fn connection_outcome(socket: &Socket, departure: &Departure, polled: Moment) -> Option<(Outcome, u64)> {
    let outcome = match single::established(socket) {
        Ok(()) => in_time(departure, polled, |rtt| Outcome::Answered { rtt, answer: None, raw: Bytes::new(), bytes: 0 }),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
        Err(error) => Outcome::of_error(&error),
    };
    Some((outcome, polled.unix_nanos))
}

/// What became of a query, and when; `None` where nothing did yet. A datagram that does not answer it is passed over.
fn dns_outcome(socket: &Socket, id: u16, question: &Question, departure: &Departure) -> Option<(Outcome, u64)> {
    let mut packet = vec![0_u8; MAX_ANSWER_BYTES];
    loop {
        match arrival::receive(socket, &mut packet) {
            Ok((bytes, at)) => {
                let Some(answer) = question.answer(id, &packet[..bytes]) else { continue };
                let raw = Bytes::copy_from_slice(&packet[..bytes]);
                let answered = |rtt| Outcome::Answered { rtt, answer: Some(answer), raw, bytes: bytes as u64 };
                return Some((in_time(departure, at, answered), at.unix_nanos));
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
            Err(error) => return Some((Outcome::of_error(&error), Moment::now().unix_nanos)),
        }
    }
}

/// An answer, unless it came after the timeout.
fn in_time(departure: &Departure, at: Moment, answered: impl FnOnce(Duration) -> Outcome) -> Outcome {
    let rtt = at.instant.saturating_duration_since(departure.at);
    if rtt > departure.timeout { Outcome::timeout() } else { answered(rtt) }
}

/// Probes count up from 1, the ICMP sockets down from the top.
fn token(number: u64) -> Token {
    Token(number as usize)
}

fn icmp_token(index: usize) -> Token {
    Token(usize::MAX - 1 - index)
}

fn icmp_index(token: Token) -> Option<usize> {
    (usize::MAX - 1).checked_sub(token.0)
}
