//! One connection: a byte stream whose frames are cut as RFC 6587 says, plain or inside TLS.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tocsin_parse::framing::Decoder;
use tocsin_telemetry::Counters;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::{Instant, timeout, timeout_at};

use crate::{Batch, Frame, Queue, Received, Stop, now_unix_nanos, received_bytes};

/// Room that is made for one read.
const READ_BYTES: usize = 16 * 1024;
/// How long a stopping connection goes on while bytes keep coming.
const MAX_DRAIN: Duration = Duration::from_secs(2);
/// What is left in the kernel's buffer is there at once; a peer that is quiet this long has said all it had.
pub(crate) const DRAIN_QUIET: Duration = Duration::from_millis(50);

/// Reads one peer's stream into a queue.
pub(crate) struct Connection {
    pub(crate) peer: SocketAddr,
    pub(crate) decoder: Decoder,
    pub(crate) counters: Arc<Counters>,
    pub(crate) queue: Queue,
}

impl Connection {
    /// Reads until the peer has ended, or until `stop` and what had arrived by then.
    pub(crate) async fn run(mut self, mut stream: impl AsyncRead + AsyncWrite + Unpin, mut stop: Stop) {
        self.counters.connection_opened();
        let result = tokio::select! {
            result = self.read_until_end(&mut stream) => result,
            _ = stop.wait_for(|stop| *stop) => Ok(false),
        };
        let result = match result {
            Ok(false) => self.drain(&mut stream).await,
            other => other,
        };
        let last = self.decoder.finish();
        self.push_last(last).await;
        // TLS wants a last word (RFC 5425 4.4); a peer that is gone does not hear it.
        let _ = timeout(DRAIN_QUIET, stream.shutdown()).await;
        self.counters.connection_closed(self.peer, result.as_ref().err());
    }

    /// Reads until the peer has ended.
    async fn read_until_end(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<bool> {
        while self.read(stream).await? {}
        Ok(true)
    }

    /// Reads what is left in the kernel's buffer.
    async fn drain(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<bool> {
        let deadline = Instant::now() + MAX_DRAIN;
        while Instant::now() < deadline {
            match timeout_at(Instant::now() + DRAIN_QUIET, self.read(stream)).await {
                Ok(Ok(true)) => {}
                Ok(other) => return other,
                Err(_quiet) => break,
            }
        }
        Ok(true)
    }

    /// One read; false at the end of the stream. Cancelling it loses nothing: bytes are in the decoder or still in the kernel, and frames
    /// are pushed before anything else is awaited.
    async fn read(&mut self, stream: &mut (impl AsyncRead + Unpin)) -> io::Result<bool> {
        self.push_ready_frames().await;
        self.decoder.buffer().reserve(READ_BYTES);
        Ok(stream.read_buf(self.decoder.buffer()).await? > 0)
    }

    async fn push_ready_frames(&mut self) {
        // A permit first: once a frame has left the decoder, nothing may be awaited before it is in the queue.
        let Ok(permit) = self.queue.clone().reserve_owned().await else { return };
        let frames: Vec<_> = std::iter::from_fn(|| self.decoder.next_frame()).collect();
        if !frames.is_empty() {
            permit.send(self.batch(frames));
        }
    }

    async fn push_last(&mut self, last: Option<Frame>) {
        self.push_ready_frames().await;
        if let Some(last) = last {
            self.send(last).await;
        }
    }

    /// Hands over one frame that the decoder did not make.
    pub(crate) async fn send(&self, frame: Frame) {
        // The queue ends only after every source has.
        let _ = self.queue.send(self.batch(vec![frame])).await;
    }

    fn batch(&self, frames: Vec<Frame>) -> Batch {
        self.counters.received(frames.len() as u64, frames.iter().map(received_bytes).sum());
        let received_at_unix_nanos = now_unix_nanos();
        frames.into_iter().map(|frame| Received { peer: self.peer, received_at_unix_nanos, frame, done: None }).collect()
    }
}
