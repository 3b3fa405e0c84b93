//! One question to one resolver: over UDP, and over TCP where the answer did not fit (RFC 7766).

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use tocsin_parse::dns::{Answer, Question};
use tocsin_wire::events::dns_answer::Transport;
use tocsin_wire::events::link_probe::LossReason;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UdpSocket};
use tokio::time::{Instant, timeout_at};

use crate::outcome::loss_of;

/// More than was offered to be taken.
const DATAGRAM_BYTES: usize = 4096;

/// What came back.
#[derive(Debug)]
pub(crate) enum Reply {
    /// An answer, after `rtt`, over `transport` at last. `detail` says what is wrong with it.
    Answered { answer: Answer, raw: Bytes, transport: Transport, rtt: Duration, detail: String },
    /// None.
    Lost { reason: LossReason, detail: String },
}

impl Reply {
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Answered { answer, .. } => Some(answer),
            Self::Lost { .. } => None,
        }
    }

    fn of_error(error: &io::Error) -> Self {
        let (reason, detail) = loss_of(error);
        Self::Lost { reason, detail: if reason == LossReason::Timeout { String::new() } else { detail } }
    }
}

/// Asks, and waits for no longer than `timeout` in all.
pub(crate) async fn ask(server: SocketAddr, question: &Question, timeout: Duration) -> Reply {
    let begun = Instant::now();
    let until = begun + timeout;
    let (mut answer, mut raw) = match in_time(until, over_udp(server, question)).await {
        Ok(answered) => answered,
        Err(error) => return Reply::of_error(&error),
    };
    let (mut transport, mut detail) = (Transport::Udp, answer.flaw.to_owned());
    if answer.is_truncated {
        match in_time(until, over_tcp(server, question)).await {
            Ok(whole) => {
                (answer, raw) = whole;
                (transport, detail) = (Transport::Tcp, answer.flaw.to_owned());
            }
            Err(error) => detail = format!("truncated, and over TCP: {error}"),
        }
    }
    Reply::Answered { answer, raw, transport, rtt: begun.elapsed(), detail }
}

async fn in_time<T>(until: Instant, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
    timeout_at(until, work).await.unwrap_or_else(|_| Err(io::Error::from_raw_os_error(libc::ETIMEDOUT)))
}

async fn over_udp(server: SocketAddr, question: &Question) -> io::Result<(Answer, Bytes)> {
    let any = if server.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    // A port of its own and an id that nobody knows, against answers of strangers (RFC 5452).
    let socket = UdpSocket::bind(SocketAddr::new(any, 0)).await?;
    socket.connect(server).await?;
    let id = unforeseeable_id();
    socket.send(&question.query(id)).await?;
    let mut packet = vec![0; DATAGRAM_BYTES];
    loop {
        let length = socket.recv(&mut packet).await?;
        if let Some(answer) = question.answer(id, &packet[..length]) {
            packet.truncate(length);
            return Ok((answer, packet.into()));
        }
    }
}

async fn over_tcp(server: SocketAddr, question: &Question) -> io::Result<(Answer, Bytes)> {
    let mut stream = TcpStream::connect(server).await?;
    let id = unforeseeable_id();
    let query = question.query(id);
    let length = u16::try_from(query.len()).map_err(io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes(), query.as_slice()].concat()).await?;
    let mut packet = vec![0; usize::from(stream.read_u16().await?)];
    stream.read_exact(&mut packet).await?;
    let answer = question.answer(id, &packet).ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "what came is no answer"))?;
    Ok((answer, packet.into()))
}

/// The standard library seeds its maps so that nobody can foresee them.
fn unforeseeable_id() -> u16 {
    let [high, low, ..] = RandomState::new().build_hasher().finish().to_be_bytes();
    u16::from_be_bytes([high, low])
}
