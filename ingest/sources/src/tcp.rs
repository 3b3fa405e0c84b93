//! TCP, TLS and RELP: one listening socket, one task a connection.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use socket2::{SockRef, Socket, TcpKeepalive};
use tocsin_parse::framing::Decoder;
use tocsin_telemetry::Counters;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, timeout_at};

use crate::admission::{Admission, Place};
use crate::connection::{Connection, DRAIN_QUIET};
use crate::proxied::{self, WithoutHeader};
use crate::relp::Session;
use crate::{BindError, Certificates, Frame, ListenerConfig, Policies, Queue, Stop, Transport, socket};

/// Open connections of one listener; each may hold `max_message` bytes of an unfinished frame.
const MAX_CONNECTIONS: usize = 4096;
/// Connections the kernel completes before they are accepted.
const BACKLOG: i32 = 1024;
/// Syslog senders may be silent for hours, so an idle connection is not closed; a dead peer is found by probes.
const KEEPALIVE: Duration = Duration::from_secs(60);
/// Each handshake looks at the certificates' files; this is for those who replace them and watch the log.
const CERTIFICATE_CHECK: Duration = Duration::from_secs(5);

/// The listening socket of one TCP or TLS listener.
#[derive(Debug)]
pub struct TcpSource {
    listener: TcpListener,
    counters: Arc<Counters>,
    /// Every message is answered.
    is_relp: bool,
    policies: Policies,
    admission: Admission,
}

impl TcpSource {
    /// Opens the socket, or takes the one that the service manager holds. Must be called inside a tokio runtime.
    pub fn bind(config: &ListenerConfig, held: Option<Socket>, policies: Policies, counters: Arc<Counters>) -> Result<Self, BindError> {
        let is_held = held.is_some();
        let (socket, receive_buffer) = match held {
            None => socket::bind(config, config.listen, false)?,
            Some(socket) => {
                let receive_buffer = socket::adopt(config, &socket)?;
                (socket, receive_buffer)
            }
        };
        let listener = Self::listen(socket).map_err(|error| BindError::after_bind(config, error))?;
        tracing::info!(
            listener = config.name,
            transport = config.transport.word(),
            address = %listener.local_addr().unwrap_or(config.listen),
            receive_buffer_asked_bytes = receive_buffer.asked_bytes,
            receive_buffer_got_bytes = receive_buffer.got_bytes,
            is_held,
            "listening"
        );
        receive_buffer.warn_if_capped(&config.name, 1, "senders wait once it is full, so nothing is lost by it");
        Ok(Self {
            listener,
            admission: Admission::new(policies.clone(), Arc::clone(&counters)),
            is_relp: config.transport == Transport::Relp,
            policies,
            counters,
        })
    }

    fn listen(socket: Socket) -> io::Result<TcpListener> {
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
        let mut certificate_check = interval(CERTIFICATE_CHECK);
        loop {
            let accepted = tokio::select! {
                accepted = self.listener.accept() => accepted,
                _ = stop.wait_for(|stop| *stop) => break,
                _ = certificate_check.tick() => {
                    self.policies.borrow().certificates.as_ref().map(|certificates| certificates.refresh());
                    continue;
                }
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
        let peer = SocketAddr::new(peer.ip().to_canonical(), peer.port());
        // Who is behind a proxy is admitted once that is known.
        let policy = self.policies.borrow().clone();
        let is_proxy = policy.is_proxy(peer.ip());
        let place = if is_proxy { None } else { self.admission.admit(peer) };
        if !is_proxy && place.is_none() {
            return;
        }
        let Ok(permit) = Arc::clone(permits).try_acquire_owned() else {
            self.counters.connection_refused(&format!("{peer} closed: {MAX_CONNECTIONS} connections are open, which is the limit"));
            return;
        };
        // Without probes a dead peer holds its connection until the next restart; nothing is lost by it.
        let _ = SockRef::from(&stream).set_tcp_keepalive(&TcpKeepalive::new().with_time(KEEPALIVE).with_interval(KEEPALIVE / 4));
        let max_message_bytes = policy.max_message_bytes;
        let mut connection =
            Connection { peer, decoder: Decoder::new(max_message_bytes), counters: Arc::clone(&self.counters), queue: queue.clone() };
        let relp_max_message_bytes = self.is_relp.then_some(max_message_bytes);
        let certificates = policy.certificates;
        let (policies, admission, mut stop) = (self.policies.clone(), self.admission.clone(), stop.clone());
        let mut stream = stream;
        connections.spawn(async move {
            let _permit = permit;
            let place = match place {
                Some(place) => Some(place),
                None => behind_proxy(&mut stream, &mut connection, &admission, &mut stop).await,
            };
            let Some(_place) = place else { return };
            let (end, ended) = watch::channel(false);
            let sender = connection.peer.ip();
            let session = async {
                match certificates {
                    None => serve(connection, relp_max_message_bytes, stream, ended).await,
                    Some(certificates) => inside_tls(&certificates, stream, connection, relp_max_message_bytes, ended).await,
                }
            };
            tokio::join!(session, end_in_time(end, sender, stop, policies));
        });
    }
}

/// Reads who is behind the proxy and makes it the peer of the connection, which then needs a place of its own. A connection without a header becomes a
/// reject with what had arrived; one that says nothing, as a proxy does that only looks whether the port is open, has nothing to keep.
async fn behind_proxy(stream: &mut TcpStream, connection: &mut Connection, admission: &Admission, stop: &mut Stop) -> Option<Place> {
    let source = tokio::select! {
        source = proxied::source(stream) => source,
        _ = stop.wait_for(|stop| *stop) => return None,
    };
    match source {
        Ok(source) => {
            connection.peer = source.unwrap_or(connection.peer);
            admission.admit(connection.peer)
        }
        Err(WithoutHeader { beginning, problem }) if beginning.is_empty() => {
            connection.counters.connection_refused(&format!("{}: {problem}", connection.peer));
            None
        }
        Err(WithoutHeader { beginning, problem }) => {
            connection.send(Frame::Refused { beginning, problem }).await;
            None
        }
    }
}

/// Asks a connection to end at a stop, or with a policy that no longer lets its sender in; returns once it has ended.
async fn end_in_time(end: watch::Sender<bool>, sender: IpAddr, mut stop: Stop, mut policies: Policies) {
    tokio::select! {
        _ = stop.wait_for(|stop| *stop) => {}
        _ = policies.wait_for(|policy| !policy.admits(sender)) => {}
        () = end.closed() => return,
    }
    end.send_replace(true);
}

/// The connection: a RELP session where the longest message of one is given, else frames.
async fn serve(connection: Connection, relp_max_message_bytes: Option<usize>, stream: impl AsyncRead + AsyncWrite + Unpin, stop: Stop) {
    match relp_max_message_bytes {
        Some(max_message_bytes) => Session::of(connection, max_message_bytes).run(stream, stop).await,
        None => connection.run(stream, stop).await,
    }
}

/// The handshake, then the connection. A peer whose handshake is not done at a stop has sent nothing yet.
async fn inside_tls(
    certificates: &Certificates,
    stream: TcpStream,
    connection: Connection,
    relp_max_message_bytes: Option<usize>,
    mut stop: Stop,
) {
    let secured = tokio::select! {
        secured = certificates.handshake(stream, connection.peer) => secured,
        _ = stop.wait_for(|stop| *stop) => return,
    };
    match secured {
        Ok(stream) => serve(connection, relp_max_message_bytes, stream, stop).await,
        Err(problem) => connection.counters.connection_refused(&problem),
    }
}

#[cfg(test)]
mod tests {
    use bytesize::ByteSize;

    use super::*;
    use crate::{BufferSize, Kind};

    /// A size that every kernel gives without a right: below the usual net.core.rmem_max of 208 KiB.
    #[tokio::test]
    async fn connections_have_the_receive_buffer_that_was_asked_for() {
        let config = ListenerConfig {
            listen: ([127, 0, 0, 1], 0).into(),
            receive_buffer: BufferSize::Fixed(ByteSize::kib(96)),
            ..ListenerConfig::new("tcp", Kind::Syslog, Transport::Tcp, 0)
        };
        let (_policy, policies) = watch::channel(crate::Policy::load(&config).unwrap());
        let source = TcpSource::bind(&config, None, policies, Arc::new(Counters::new("tcp"))).unwrap();
        let _sender = TcpStream::connect(source.local_address().unwrap()).await.unwrap();
        let (connection, _) = source.listener.accept().await.unwrap();
        for socket in [SockRef::from(&source.listener), SockRef::from(&connection)] {
            // The kernel answers with twice the size, for its own bookkeeping.
            assert_eq!(socket.recv_buffer_size().unwrap(), 2 * 96 * 1024);
        }
    }
}
