//! TCP: one task a connection, frames cut as RFC 6587 says.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, TcpKeepalive};
use tocsin_parse::framing::Decoder;
use tocsin_telemetry::Listener;
use tokio::io::AsyncReadExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::{Batch, BindError, Frame, ListenerConfig, Queue, Received, Stop, now_unix_nanos, received_bytes, socket};

/// Open connections of one listener; each may hold `max_message` bytes of an unfinished frame.
const MAX_CONNECTIONS: usize = 4096;
/// Connections the kernel completes before they are accepted.
const BACKLOG: i32 = 1024;
/// Room that is made for one read.
const READ_BYTES: usize = 16 * 1024;
/// Syslog senders may be silent for hours, so an idle connection is not closed; a dead peer is found by probes.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// How long a stopping connection goes on while bytes keep coming.
const MAX_DRAIN: Duration = Duration::from_secs(2);
/// What is left in the kernel's buffer is there at once; a peer that is quiet this long has said all it had.
const DRAIN_QUIET: Duration = Duration::from_millis(50);

/// The listening socket of one TCP listener.
#[derive(Debug)]
pub struct TcpSource {
    listener: TcpListener,
    counters: Arc<Listener>,
    max_message_bytes: usize,
}

impl TcpSource {
    /// Opens the socket. Must be called inside a tokio runtime.
    pub fn bind(config: &ListenerConfig, counters: Arc<Listener>) -> Result<Self, BindError> {
        let (socket, receive_buffer) = socket::bind(config, config.listen, false)?;
        let listener = Self::listen(socket).map_err(|error| BindError::after_bind(config, error))?;
        tracing::info!(
            listener = config.name,
            transport = "tcp",
            address = %listener.local_addr().unwrap_or(config.listen),
            receive_buffer_asked_bytes = receive_buffer.asked_bytes,
            receive_buffer_got_bytes = receive_buffer.got_bytes,
            "listening"
        );
        Ok(Self { listener, counters, max_message_bytes: config.max_message_bytes() })
    }

    fn listen(socket: socket2::Socket) -> io::Result<TcpListener> {
        socket.listen(BACKLOG)?;
        socket.set_nonblocking(true)?;
        TcpListener::from_std(socket.into())
    }

    /// Where it is bound, also where port 0 was asked for.
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.listener.local_addr().ok()
    }

    /// Accepts until `stop`, then ends when every connection has been read to its end.
    pub async fn run(self, queue: Queue, mut stop: Stop) {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let mut connections = JoinSet::new();
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
            };
            match accepted {
                Ok((stream, peer)) => self.take(stream, peer, &permits, &mut connections, &queue, &stop),
                Err(error) => {
                    self.counters.connection_refused(&format!("cannot accept: {error}; raise the limit of open files (ulimit -n)"));
                    tokio::time::sleep(DRAIN_QUIET).await;
                }
            }
            while connections.try_join_next().is_some() {}
        }
        // Connections that the kernel completed and nobody accepted yet may have bytes waiting.
        while let Ok(Ok((stream, peer))) = timeout_at(Instant::now(), self.listener.accept()).await {
            self.take(stream, peer, &permits, &mut connections, &queue, &stop);
        }
        while connections.join_next().await.is_some() {}
    }

    fn take(
        &self,
        stream: TcpStream,
        peer: SocketAddr,
        permits: &Arc<Semaphore>,
        connections: &mut JoinSet<()>,
        queue: &Queue,
        stop: &Stop,
    ) {
        let Ok(permit) = Arc::clone(permits).try_acquire_owned() else {
            self.counters.connection_refused(&format!("{peer} closed: {MAX_CONNECTIONS} connections are open, which is the limit"));
            return;
        };
        // Without probes a dead peer holds its connection until the next restart; nothing is lost by it.
        let _ = SockRef::from(&stream).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 4));
        let connection = Connection {
            stream,
            peer: SocketAddr::new(peer.ip().to_canonical(), peer.port()),
            decoder: Decoder::new(self.max_message_bytes),
            counters: Arc::clone(&self.counters),
            queue: queue.clone(),
        };
        let stop = stop.clone();
        connections.spawn(async move {
            connection.run(stop).await;
            drop(permit);
        });
    }
}

struct Connection {
    stream: TcpStream,
    peer: SocketAddr,
    decoder: Decoder,
    counters: Arc<Listener>,
    queue: Queue,
}

impl Connection {
    async fn run(mut self, mut stop: Stop) {
        self.counters.connection_opened();
        let result = tokio::select! {
            result = self.read_until_end() => result,
            _ = stop.wait_for(|stop| *stop) => Ok(false),
        };
        let result = match result {
            Ok(false) => self.drain().await,
            other => other,
        };
        let last = self.decoder.finish();
        self.push(last.into_iter().collect()).await;
        self.counters.connection_closed(self.peer, result.as_ref().err());
    }

    /// Reads until the peer has ended.
    async fn read_until_end(&mut self) -> io::Result<bool> {
        while self.read().await? {}
        Ok(true)
    }

    /// Reads what is left in the kernel's buffer.
    async fn drain(&mut self) -> io::Result<bool> {
        let deadline = Instant::now() + MAX_DRAIN;
        while Instant::now() < deadline {
            match timeout_at(Instant::now() + DRAIN_QUIET, self.read()).await {
                Ok(Ok(true)) => {}
                Ok(other) => return other,
                Err(_quiet) => break,
            }
        }
        Ok(true)
    }

    /// One read; false at the end of the stream. Cancelling it loses nothing: bytes are in the decoder or still in the kernel, and frames
    /// are pushed before anything else is awaited.
    async fn read(&mut self) -> io::Result<bool> {
        self.push_ready_frames().await;
        self.decoder.buffer().reserve(READ_BYTES);
        Ok(self.stream.read_buf(self.decoder.buffer()).await? > 0)
    }

    async fn push_ready_frames(&mut self) {
        // A permit first: once a frame has left the decoder, nothing may be awaited before it is in the queue.
        let Ok(permit) = self.queue.clone().reserve_owned().await else { return };
        let frames: Vec<_> = std::iter::from_fn(|| self.decoder.next_frame()).collect();
        if !frames.is_empty() {
            permit.send(self.batch(frames));
        }
    }

    async fn push(&mut self, last: Vec<Frame>) {
        self.push_ready_frames().await;
        if !last.is_empty() {
            let batch = self.batch(last);
            // The queue ends only after every source has.
            let _ = self.queue.send(batch).await;
        }
    }

    fn batch(&self, frames: Vec<Frame>) -> Batch {
        self.counters.received(frames.len() as u64, frames.iter().map(received_bytes).sum());
        let received_at_unix_nanos = now_unix_nanos();
        frames.into_iter().map(|frame| Received { peer: self.peer, received_at_unix_nanos, frame }).collect()
    }
}
