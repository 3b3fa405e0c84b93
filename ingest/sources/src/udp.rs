//! UDP: one or several sockets on one port, each with a thread that does nothing but read.

use std::io::IoSliceMut;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg};
use socket2::Socket;
use tocsin_telemetry::Listener;

use crate::meminfo::{self, ReceiveMemory, Unwrapped};
use crate::{Batch, BindError, Frame, ListenerConfig, Queue, Stop, now_unix_nanos, received_bytes, socket};

/// Datagrams one system call may bring: enough to make the call cheap, few enough that a batch is a short delay.
const BATCH_DATAGRAMS: usize = 64;
/// More than the largest payload of IPv4 (65,507) or IPv6 (65,527), so that the kernel never cuts a datagram.
const DATAGRAM_BYTES: usize = 65_536;
/// Stands in for a peer that the kernel did not tell, which it does for every datagram of an IP socket.
const UNKNOWN_PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), 0);
/// How often an idle reader looks whether it is to stop.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// How long a stopping reader goes on while datagrams keep coming.
const MAX_DRAIN: Duration = Duration::from_secs(2);

/// The sockets of one UDP listener.
#[derive(Debug)]
pub struct UdpSource {
    sockets: Vec<Arc<MeasuredSocket>>,
    counters: Arc<Listener>,
    max_message_bytes: usize,
}

#[derive(Debug)]
struct MeasuredSocket {
    socket: Socket,
    /// Asking the kernel and comparing with the answer before must not be interleaved by two threads.
    memory: Mutex<(Unwrapped, ReceiveMemory)>,
}

impl UdpSource {
    /// Opens `readers` sockets on one port.
    pub fn bind(config: &ListenerConfig, counters: Arc<Listener>) -> Result<Self, BindError> {
        let share_port = config.readers > 1;
        let mut address = config.listen;
        let mut sockets = Vec::with_capacity(config.readers);
        for _ in 0..config.readers {
            let (socket, receive_buffer) = socket::bind(config, address, share_port)?;
            if let Some(bound) = socket.local_addr().ok().and_then(|bound| bound.as_socket()) {
                address = bound;
            }
            if sockets.is_empty() {
                tracing::info!(
                    listener = config.name,
                    transport = "udp",
                    %address,
                    readers = config.readers,
                    receive_buffer_asked_bytes = receive_buffer.asked_bytes,
                    receive_buffer_got_bytes = receive_buffer.got_bytes,
                    "listening"
                );
                receive_buffer.warn_if_capped(&config.name);
            }
            sockets.push(Arc::new(MeasuredSocket { socket, memory: Mutex::default() }));
        }
        let source = Self { sockets, counters, max_message_bytes: config.max_message_bytes() };
        source.sample();
        Ok(source)
    }

    /// Where it is bound, also where port 0 was asked for.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.sockets.first()?.socket.local_addr().ok()?.as_socket()
    }

    /// Sockets, and so reader threads and queues.
    pub fn readers(&self) -> usize {
        self.sockets.len()
    }

    /// Asks the kernel for drops and buffer use and tells the counters.
    pub fn sample(&self) {
        let _ = sample(&self.sockets, None, &self.counters);
    }

    /// Starts one reader a socket; each pushes into its own queue, so that the messages of one sender stay in order.
    pub fn start(&self, queues: impl IntoIterator<Item = Queue>, stop: &Stop) -> std::io::Result<Vec<JoinHandle<()>>> {
        let readers = self.sockets.iter().enumerate().zip(queues).map(|((index, _), queue)| {
            let reader = Reader {
                sockets: self.sockets.clone(),
                index,
                counters: Arc::clone(&self.counters),
                max_message_bytes: self.max_message_bytes,
                queue,
                stop: stop.clone(),
            };
            thread::Builder::new().name(format!("read-{}", self.counters.name())).spawn(move || reader.run())
        });
        readers.collect()
    }
}

/// Asks the kernel about one socket, or about all, and tells the counters the sum over the listener. Returns the size of the buffers.
fn sample(sockets: &[Arc<MeasuredSocket>], only: Option<usize>, counters: &Listener) -> u64 {
    let mut used_bytes = 0;
    let mut limit_bytes = 0;
    for (index, socket) in sockets.iter().enumerate() {
        let mut memory = socket.memory.lock().unwrap_or_else(PoisonError::into_inner);
        if only.is_none_or(|only| only == index)
            && let Ok(now) = meminfo::receive_memory(&socket.socket)
        {
            counters.kernel_dropped(memory.0.growth(now.drops_modulo));
            memory.1 = now;
        }
        used_bytes += memory.1.used_bytes;
        limit_bytes += memory.1.limit_bytes;
    }
    counters.buffer_used(used_bytes, limit_bytes);
    limit_bytes
}

/// Lets datagrams gather while they come steadily: waking two threads for each one costs more than reading and parsing it.
#[derive(Debug, Default)]
struct Pause {
    last_batch: Option<Instant>,
}

impl Pause {
    /// Short against everything a person or a page could notice.
    const DURATION: Duration = Duration::from_micros(300);
    /// Batches closer than this are steady traffic; a datagram on its own is passed on at once.
    const STEADY: Duration = Duration::from_millis(1);
    /// A smaller buffer must be emptied at once: the default one holds 166 datagrams, which a burst brings in less than a pause.
    const MIN_BUFFER_BYTES: u64 = 1024 * 1024;

    fn after(&mut self, datagrams: usize, buffer_bytes: u64) {
        let now = Instant::now();
        let is_steady = self.last_batch.is_some_and(|last| now.duration_since(last) < Self::STEADY);
        self.last_batch = Some(now);
        if is_steady && datagrams < BATCH_DATAGRAMS / 2 && buffer_bytes >= Self::MIN_BUFFER_BYTES {
            thread::sleep(Self::DURATION);
        }
    }
}

struct Reader {
    sockets: Vec<Arc<MeasuredSocket>>,
    index: usize,
    counters: Arc<Listener>,
    max_message_bytes: usize,
    queue: Queue,
    stop: Stop,
}

impl Reader {
    fn run(self) {
        let socket = &self.sockets[self.index].socket;
        // Failing to set it would only make a stop wait for the next datagram.
        let _ = socket.set_read_timeout(Some(STOP_CHECK));
        let mut buffers = vec![vec![0_u8; DATAGRAM_BYTES]; BATCH_DATAGRAMS];
        let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(BATCH_DATAGRAMS, None);
        let mut drain_until = None;
        let mut pause = Pause::default();
        loop {
            if drain_until.is_none() && *self.stop.borrow() {
                drain_until = Some(Instant::now() + MAX_DRAIN);
            }
            if drain_until.is_some_and(|deadline| Instant::now() > deadline) {
                break;
            }
            let wait = if drain_until.is_some() { MsgFlags::MSG_DONTWAIT } else { MsgFlags::MSG_WAITFORONE };
            match self.read(socket, &mut buffers, &mut headers, wait) {
                Ok(batch) => {
                    let datagrams = batch.frames.len();
                    let limit_bytes = sample(&self.sockets, Some(self.index), &self.counters);
                    if self.queue.blocking_send(batch).is_err() {
                        break;
                    }
                    pause.after(datagrams, limit_bytes / self.sockets.len() as u64);
                }
                Err(Errno::EAGAIN) if drain_until.is_some() => break,
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(error) => {
                    tracing::error!(listener = self.counters.name(), %error, "cannot read from the socket; trying again");
                    thread::sleep(STOP_CHECK);
                }
            }
        }
        let _ = sample(&self.sockets, Some(self.index), &self.counters);
    }

    /// Takes what is there, at least one datagram unless `wait` says not to wait. The payloads of a batch share one allocation.
    fn read(
        &self,
        socket: &Socket,
        buffers: &mut [Vec<u8>],
        headers: &mut MultiHeaders<SockaddrStorage>,
        wait: MsgFlags,
    ) -> Result<Batch, Errno> {
        let mut slices: Vec<_> = buffers.iter_mut().map(|buffer| [IoSliceMut::new(buffer)]).collect();
        let datagrams = recvmmsg(socket.as_raw_fd(), headers, slices.iter_mut(), wait, None)?;
        let received_at_unix_nanos = now_unix_nanos();

        let mut arena = BytesMut::new();
        let mut frames = Vec::with_capacity(BATCH_DATAGRAMS);
        let mut bytes = 0;
        for datagram in datagrams {
            let start = arena.len();
            datagram.iovs().for_each(|part| arena.extend_from_slice(part));
            let peer = datagram.address.as_ref().and_then(peer_address).unwrap_or(UNKNOWN_PEER);
            frames.push((peer, arena.len() - start));
        }
        let mut payloads = arena.freeze();
        let frames: Vec<_> = frames
            .into_iter()
            .map(|(peer, length)| {
                let mut payload = payloads.split_to(length);
                let frame = if length > self.max_message_bytes {
                    payload.truncate(self.max_message_bytes);
                    Frame::Oversize { beginning: payload, original_bytes: length as u64 }
                } else {
                    Frame::Message(payload)
                };
                bytes += received_bytes(&frame);
                (peer, frame)
            })
            .collect();
        self.counters.received(frames.len() as u64, bytes);
        Ok(Batch { received_at_unix_nanos, frames })
    }
}

/// The peer, an IPv4-mapped address as IPv4.
fn peer_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    if let Some(v4) = address.as_sockaddr_in() {
        return Some(SocketAddr::V4((*v4).into()));
    }
    let v6 = std::net::SocketAddrV6::from(*address.as_sockaddr_in6()?);
    Some(SocketAddr::new(v6.ip().to_canonical(), v6.port()))
}
