//! One RELP session: each message is answered once its record has been handed to the publisher, so that the sender keeps what we do not have.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use tocsin_parse::relp::{Command, Decoder, Request};
use tocsin_telemetry::Counters;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::connection::{Connection, DRAIN_QUIET};
use crate::{Frame, Queue, Received, Stop, now_unix_nanos, received_bytes};

/// Room that is made for one read; what is read together is answered together, whatever window the sender keeps.
const READ_BYTES: usize = 64 * 1024;
/// Of what is no RELP; more of it tells nobody more.
const MAX_REFUSED_BYTES: usize = 1_024;
const OFFER: &str = "200 OK\nrelp_version=0\nrelp_software=tocsin\ncommands=syslog";

/// Reads one peer's requests and answers them.
pub(crate) struct Session {
    pub(crate) peer: SocketAddr,
    pub(crate) decoder: Decoder,
    pub(crate) counters: Arc<Counters>,
    pub(crate) queue: Queue,
}

impl Session {
    /// In place of a connection that has read nothing yet.
    pub(crate) fn of(Connection { peer, counters, queue, .. }: Connection, max_message_bytes: usize) -> Self {
        Self { peer, decoder: Decoder::new(max_message_bytes), counters, queue }
    }

    /// Until the peer has ended, or until `stop`: what is not answered by then the peer sends to the next agent.
    pub(crate) async fn run(mut self, mut stream: impl AsyncRead + AsyncWrite + Unpin, mut stop: Stop) {
        self.counters.connection_opened();
        let result = self.serve(&mut stream, &mut stop).await;
        // A word to a peer that may be gone.
        let _ = timeout(DRAIN_QUIET, stream.write_all(b"0 serverclose 0\n")).await;
        let _ = timeout(DRAIN_QUIET, stream.shutdown()).await;
        self.counters.connection_closed(self.peer, result.as_ref().err());
    }

    async fn serve(&mut self, stream: &mut (impl AsyncRead + AsyncWrite + Unpin), stop: &mut Stop) -> io::Result<()> {
        loop {
            let mut requests = Vec::new();
            let end = loop {
                match self.decoder.next_request() {
                    Ok(Some(request)) => requests.push(request),
                    Ok(None) => break None,
                    Err(problem) => break Some(problem),
                }
            };
            let is_closed = requests.iter().any(|request| request.command == Command::Close);
            self.answer(stream, requests).await?;
            if let Some(problem) = end {
                let mut beginning = self.decoder.buffer().split().freeze();
                beginning.truncate(MAX_REFUSED_BYTES);
                self.push(vec![Frame::Refused { beginning, problem }]).await?;
            }
            if is_closed || end.is_some() {
                return Ok(());
            }
            self.decoder.buffer().reserve(READ_BYTES);
            let read = tokio::select! {
                read = stream.read_buf(self.decoder.buffer()) => read?,
                _ = stop.wait_for(|stop| *stop) => return Ok(()),
            };
            if read == 0 {
                return Ok(());
            }
        }
    }

    /// Hands over the messages, waits until they have been, and answers all.
    async fn answer(&self, stream: &mut (impl AsyncWrite + Unpin), requests: Vec<Request>) -> io::Result<()> {
        let mut answers = String::new();
        let mut frames = Vec::new();
        for Request { transaction, command } in requests {
            let text = match command {
                Command::Open => OFFER,
                Command::Syslog(frame) => {
                    frames.push(frame);
                    "200 OK"
                }
                Command::Close => "",
                Command::Unknown => "500 unknown command",
            };
            let separator = if text.is_empty() { "" } else { " " };
            answers += &format!("{transaction} rsp {}{separator}{text}\n", text.len());
        }
        self.push(frames).await?;
        stream.write_all(answers.as_bytes()).await
    }

    /// Hands over frames and waits until the parser has made records of them. An error: it has ended, and nothing may be answered.
    async fn push(&self, frames: Vec<Frame>) -> io::Result<()> {
        if frames.is_empty() {
            return Ok(());
        }
        self.counters.received(frames.len() as u64, frames.iter().map(received_bytes).sum());
        let (done, handed_over) = oneshot::channel();
        let received_at_unix_nanos = now_unix_nanos();
        let received = |frame| Received { peer: self.peer, received_at_unix_nanos, frame, done: None };
        let mut batch: Vec<_> = frames.into_iter().map(received).collect();
        if let Some(last) = batch.last_mut() {
            last.done = Some(done);
        }
        let ended = |_| io::Error::other("the parser of this listener has ended");
        self.queue.send(batch).await.map_err(|_| io::Error::other("the parser of this listener has ended"))?;
        handed_over.await.map_err(ended)
    }
}
