//! Connections of strangers: so many at once, each for so long. Whatever a caller sends or does not send, it holds no more than that.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Sleep, sleep};

use crate::Failure;

const MOST_CONNECTIONS: usize = 64;
/// After an error of accept, for example too many open files.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves HTTP at `--listen` until it is stopped; connections last `longest` at most. `router` is asked for within the runtime, so that it may spawn.
pub(crate) fn serve(listen: SocketAddr, longest: Duration, router: impl FnOnce() -> Router) -> Result<(), Failure> {
    let cannot = |what: &str, error: io::Error| Failure::new(format!("{what}: {error}"), "choose another --listen address");
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|error| cannot("cannot start", error))?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen).await.map_err(|error| cannot(&format!("cannot listen at {listen}"), error))?;
        println!("listening at http://{listen}");
        axum::serve(BoundedListener::new(listener, longest), router()).await.map_err(|error| cannot("stopped", error))
    })
}

/// Accepts a connection when there is room for it.
pub(crate) struct BoundedListener {
    listener: TcpListener,
    room: Arc<Semaphore>,
    longest: Duration,
}

impl BoundedListener {
    /// Connections last `longest` at most.
    pub(crate) fn new(listener: TcpListener, longest: Duration) -> Self {
        Self { listener, room: Arc::new(Semaphore::new(MOST_CONNECTIONS)), longest }
    }
}

impl Listener for BoundedListener {
    type Io = BoundedStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (BoundedStream, SocketAddr) {
        loop {
            let Ok(room) = Arc::clone(&self.room).acquire_owned().await else { continue };
            match self.listener.accept().await {
                Ok((stream, address)) => {
                    return (BoundedStream { stream, end: Box::pin(sleep(self.longest)), _room: room }, address);
                }
                Err(_) => sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

/// A connection until its end.
pub(crate) struct BoundedStream {
    stream: TcpStream,
    end: Pin<Box<Sleep>>,
    _room: OwnedSemaphorePermit,
}

impl AsyncRead for BoundedStream {
    fn poll_read(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &[u8]) -> Poll<io::Result<usize>> {
        if self.end.as_mut().poll(context).is_ready() {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        Pin::new(&mut self.stream).poll_write(context, buffer)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
