//! UDP: sockets on one port, and threads that do nothing but read them.

mod merge;
mod reader;
mod replies;

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::Socket;
use tocsin_telemetry::Counters;

use self::reader::Reader;
pub use self::replies::Replies;
use crate::growth::Growth;
use crate::meminfo::{self, ReceiveMemory, Unwrapped};
use crate::{BindError, BufferSize, DropsSeen, ListenerConfig, Policies, Queue, Stop, socket, spread};

/// The sockets of one UDP listener: one for each reader, or several where the kernel caps the receive buffer (see [`spread`]).
#[derive(Debug)]
pub struct UdpSource {
    /// The sockets of the first reader, then those of the next.
    sockets: Vec<Arc<MeasuredSocket>>,
    /// Sockets that one reader empties.
    lanes: usize,
    counters: Arc<Counters>,
    policies: Policies,
    /// Its buffers grow with their peaks.
    grows: bool,
}

#[derive(Debug)]
struct MeasuredSocket {
    socket: Socket,
    /// Asking the kernel and comparing with the answer before must not be interleaved by two threads.
    memory: Mutex<(Unwrapped, ReceiveMemory)>,
}

impl UdpSource {
    /// Opens the sockets of `readers` readers on one port.
    pub fn bind(config: &ListenerConfig, policies: Policies, counters: Arc<Counters>) -> Result<Self, BindError> {
        // The first socket of a reader that is alone does not share its port: nobody else may have it.
        let (first, receive_buffer) = socket::bind(config, config.listen, config.readers > 1)?;
        let address = first.local_addr().ok().and_then(|bound| bound.as_socket()).unwrap_or(config.listen);
        let lanes = spread::lanes(receive_buffer);
        tracing::info!(
            listener = config.name,
            transport = "udp",
            %address,
            readers = config.readers,
            sockets = config.readers * lanes,
            receive_buffer_asked_bytes = receive_buffer.asked_bytes,
            receive_buffer_got_bytes = receive_buffer.got_bytes * lanes,
            "listening"
        );
        receive_buffer.warn_if_capped(&config.name, lanes, "bursts larger than it are dropped (and counted)");
        Self::open(config, address, first, lanes, policies, counters)
    }

    /// Takes the sockets that the service manager holds, one a reader.
    pub fn adopt(
        config: &ListenerConfig,
        held: Vec<Socket>,
        seen: &DropsSeen,
        policies: Policies,
        counters: Arc<Counters>,
    ) -> Result<Self, BindError> {
        let mut buffers = Vec::with_capacity(held.len());
        for socket in &held {
            buffers.push(socket::adopt(config, socket)?);
        }
        if let Some(smallest) = buffers.iter().min_by_key(|buffer| buffer.got_bytes) {
            tracing::info!(
                listener = config.name,
                transport = "udp",
                address = %held[0].local_addr().ok().and_then(|bound| bound.as_socket()).unwrap_or(config.listen),
                readers = held.len(),
                sockets = held.len(),
                receive_buffer_asked_bytes = smallest.asked_bytes,
                receive_buffer_got_bytes = smallest.got_bytes,
                is_held = true,
                "listening"
            );
            smallest.warn_if_capped(
                &config.name,
                1,
                "bursts larger than it are dropped (and counted); set ReceiveBuffer= in the socket unit",
            );
        }
        // Those of one port; sockets on several ports are told apart by the sender already.
        if held.len() > 1 && held.iter().all(|socket| socket.reuse_port().unwrap_or(false)) {
            spread::by_sender(&held[0], held.len(), 1).map_err(|error| BindError::after_bind(config, error))?;
        }
        Self::measured(config, held, 1, seen, policies, counters)
    }

    /// What the kernel has said about drops of each socket.
    pub fn drops_seen(&self, seen: &mut DropsSeen) {
        for socket in &self.sockets {
            let memory = socket.memory.lock().unwrap_or_else(PoisonError::into_inner);
            seen.remember(&socket.socket, memory.1.drops_modulo);
        }
    }

    fn open(
        config: &ListenerConfig,
        address: SocketAddr,
        first: Socket,
        lanes: usize,
        policies: Policies,
        counters: Arc<Counters>,
    ) -> Result<Self, BindError> {
        let total = config.readers * lanes;
        let mut sockets = Vec::with_capacity(total);
        if lanes == 1 {
            sockets.push(first);
        } else {
            drop(first);
        }
        while sockets.len() < total {
            sockets.push(socket::bind(config, address, true)?.0);
        }
        if total > 1 {
            spread::by_sender(&sockets[0], config.readers, lanes).map_err(|error| BindError::after_bind(config, error))?;
        }
        Self::measured(config, sockets, lanes, &DropsSeen::default(), policies, counters)
    }

    fn measured(
        config: &ListenerConfig,
        sockets: Vec<Socket>,
        lanes: usize,
        seen: &DropsSeen,
        policies: Policies,
        counters: Arc<Counters>,
    ) -> Result<Self, BindError> {
        for socket in &sockets {
            setsockopt(socket, sockopt::ReceiveTimestampns, &true).map_err(|error| BindError::after_bind(config, error.into()))?;
        }
        let measured = |socket: Socket| {
            let memory = Mutex::new((Unwrapped::since(seen.of(&socket)), ReceiveMemory::default()));
            Arc::new(MeasuredSocket { socket, memory })
        };
        let sockets: Vec<_> = sockets.into_iter().map(measured).collect();
        counters.arrivals().sockets(sockets.len());
        let source = Self { sockets, lanes, counters, policies, grows: config.receive_buffer == BufferSize::Auto };
        source.sample();
        Ok(source)
    }

    /// Where it is bound, also where port 0 was asked for.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.sockets.first()?.socket.local_addr().ok()?.as_socket()
    }

    /// The way back to those who sent, from the address that they sent to.
    pub fn replies(&self) -> Option<Replies> {
        self.sockets.first().map(|socket| Replies::new(Arc::clone(socket)))
    }

    /// Reader threads, and so queues.
    pub fn readers(&self) -> usize {
        self.sockets.len() / self.lanes
    }

    /// Asks the kernel for drops and buffer use and tells the counters.
    pub fn sample(&self) {
        let _ = sample(&self.sockets, 0..self.sockets.len(), &self.counters);
    }

    /// Starts the readers; each pushes into its own queue, so that the messages of one sender stay in order.
    pub fn start(&self, queues: impl IntoIterator<Item = Queue>, stop: &Stop) -> std::io::Result<Vec<JoinHandle<()>>> {
        let readers = (0..self.readers()).zip(queues).map(|(number, queue)| {
            let reader = Reader {
                sockets: self.sockets.clone(),
                first: number * self.lanes,
                lanes: self.lanes,
                counters: Arc::clone(&self.counters),
                policies: self.policies.clone(),
                growth: self.grows.then(Growth::default),
                queue,
                stop: stop.clone(),
            };
            thread::Builder::new().name(format!("read-{}", self.counters.name())).spawn(move || reader.run())
        });
        readers.collect()
    }
}

/// What the kernel said of some of a listener's sockets: of the one that is most in use.
#[derive(Clone, Copy, Debug, Default)]
struct Sampled {
    used_bytes: u64,
    limit_bytes: u64,
    dropped: u64,
}

/// Asks the kernel about some of a listener's sockets and tells the counters the sum over all.
fn sample(sockets: &[Arc<MeasuredSocket>], some: Range<usize>, counters: &Counters) -> Sampled {
    let mut used_bytes = 0;
    let mut limit_bytes = 0;
    let mut sampled = Sampled::default();
    for (index, socket) in sockets.iter().enumerate() {
        let mut memory = socket.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if some.contains(&index)
            && let Ok(now) = meminfo::receive_memory(&socket.socket)
        {
            let dropped = memory.0.growth(now.drops_modulo);
            counters.kernel_dropped(dropped);
            memory.1 = now;
            sampled.used_bytes = sampled.used_bytes.max(now.used_bytes);
            sampled.limit_bytes = sampled.limit_bytes.max(now.limit_bytes);
            sampled.dropped += dropped;
        }
        used_bytes += memory.1.used_bytes;
        limit_bytes += memory.1.limit_bytes;
    }
    counters.buffer_used(used_bytes, limit_bytes);
    sampled
}

#[cfg(test)]
mod tests;
