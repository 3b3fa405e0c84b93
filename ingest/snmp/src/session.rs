//! Asking one device, over UDP: requests, repetitions, and version 3's discovery of its engine.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::net::UdpSocket;
use tokio::time::timeout_at;

use crate::pdu::{CommunityMessage, Kind, Pdu};
use crate::usm::{Level, LocalKeys, User};
use crate::v3::{Context, Incoming, Outgoing, Scoped};
use crate::{Malformed, Oid};

const MAX_DATAGRAM_BYTES: usize = 65_536;
/// usmStats: counters that a report names.
const USM_STATS: [u32; 9] = [1, 3, 6, 1, 6, 3, 15, 1, 1];
const NOT_IN_TIME_WINDOWS: u32 = 2;
const UNKNOWN_ENGINE_IDS: u32 = 4;
/// error-status of RFC 3416.
pub(crate) const TOO_BIG: i64 = 1;
pub(crate) const NO_SUCH_NAME: i64 = 2;
/// A device may first tell its engine id and then its clock; one that reports more than that refuses the request.
const MAX_REPORTS: usize = 3;

/// Whom the device believes.
#[derive(Clone, PartialEq)]
pub(crate) enum Identity {
    Community { is_v1: bool, community: Vec<u8> },
    User(Arc<User>),
}

/// The device did not answer, or not usefully.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PollError {
    #[error("no answer within {0:?} and {1} repetitions; see whether the address is right and the community or user is allowed there")]
    Timeout(Duration, u32),
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the address {0} has no IP address")]
    Address(String),
    #[error("the device reports {0}; compare the user's protocols, passwords and level with the device's")]
    Report(&'static str),
    #[error("the user's keys do not allow its level; see snmp.users")]
    Level,
    #[error("the device answers with error-status {0}")]
    Status(i64),
}

/// An answer, with its bytes.
pub(crate) struct Answer {
    data: Vec<u8>,
    is_v3: bool,
}

impl Answer {
    /// Reads the PDU.
    pub(crate) fn pdu(&self) -> Result<Pdu<'_>, Malformed> {
        if self.is_v3 {
            return Scoped::read(&self.data)?.into_pdu().ok_or_else(|| Malformed::of("a trap in place of an answer"));
        }
        CommunityMessage::read_response(&self.data)
    }
}

/// What has been learned about a device's engine.
struct Engine {
    id: Vec<u8>,
    boots: u32,
    time: u32,
    learned: Instant,
    keys: LocalKeys,
}

/// A socket to one device.
pub(crate) struct Session {
    socket: UdpSocket,
    identity: Identity,
    engine: Option<Engine>,
    timeout: Duration,
    retries: u32,
    last_id: i32,
    salt: u64,
    buffer: Vec<u8>,
}

impl Session {
    /// Opens a socket. `first_id` and `salt` are to be other ones after a restart.
    pub(crate) async fn open(address: &str, identity: Identity, timeout: Duration, retries: u32, seed: u64) -> Result<Self, PollError> {
        let address = resolve(address).await?;
        let any: SocketAddr = if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
        let socket = UdpSocket::bind(any).await?;
        socket.connect(address).await?;
        let last_id = (seed & 0x3fff_ffff) as i32;
        Ok(Self { socket, identity, engine: None, timeout, retries, last_id, salt: seed, buffer: vec![0; MAX_DATAGRAM_BYTES] })
    }

    /// Where the device is.
    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.socket.peer_addr().ok()
    }

    pub(crate) fn is_v1(&self) -> bool {
        matches!(self.identity, Identity::Community { is_v1: true, .. })
    }

    /// Sends a request until it is answered. `max_repetitions` is for GetBulk.
    pub(crate) async fn request(&mut self, kind: Kind, oids: &[Oid], max_repetitions: u32) -> Result<Answer, PollError> {
        if matches!(self.identity, Identity::User(_)) && self.engine.is_none() {
            self.discover().await?;
        }
        let mut reports = 0;
        let mut attempt = 0;
        loop {
            let id = self.next_id();
            let mut pdu = Pdu::request(kind, id, oids);
            if kind == Kind::GetBulk {
                pdu.error_index = max_repetitions.into();
            }
            let message = self.message(id, &pdu.write())?;
            match self.exchange(&message, id).await? {
                Some(Reply::Answer(answer)) => return Ok(answer),
                Some(Reply::Report { number, .. }) if number == NOT_IN_TIME_WINDOWS && reports < MAX_REPORTS => reports += 1,
                Some(Reply::Report { number, .. }) => {
                    // A device that was replaced or reset has another engine id.
                    self.engine = None;
                    if number != UNKNOWN_ENGINE_IDS || reports >= MAX_REPORTS {
                        return Err(PollError::Report(report_name(number)));
                    }
                    reports += 1;
                    self.discover().await?;
                }
                None if attempt < self.retries => attempt += 1,
                None => {
                    self.engine = None;
                    return Err(PollError::Timeout(self.timeout, self.retries));
                }
            }
        }
    }

    /// RFC 3414 4: an empty request is answered with a report that has the engine id and clock.
    async fn discover(&mut self) -> Result<(), PollError> {
        for _ in 0..=self.retries {
            let id = self.next_id();
            let pdu = Pdu::request(Kind::Get, id, &[]).write();
            let context = Context { engine_id: b"", name: b"" };
            let question = Outgoing {
                msg_id: id,
                is_reportable: true,
                level: Level::NoAuthNoPriv,
                engine_id: b"",
                boots: 0,
                time: 0,
                user: b"",
                context,
                pdu: &pdu,
            };
            let message = question.write(&LocalKeys::default(), 0).ok_or(PollError::Level)?;
            match self.exchange(&message, id).await? {
                Some(Reply::Report { number: UNKNOWN_ENGINE_IDS, .. }) if self.engine.is_some() => return Ok(()),
                Some(Reply::Report { number, .. }) => return Err(PollError::Report(report_name(number))),
                Some(Reply::Answer(_)) | None => {}
            }
        }
        Err(PollError::Timeout(self.timeout, self.retries))
    }

    fn message(&mut self, id: i32, pdu: &[u8]) -> Result<Vec<u8>, PollError> {
        self.salt = self.salt.wrapping_add(1);
        match (&self.identity, &self.engine) {
            (Identity::Community { is_v1, community }, _) => Ok(CommunityMessage::write(*is_v1, community, pdu)),
            (Identity::User(user), Some(engine)) => {
                let elapsed = u32::try_from(engine.learned.elapsed().as_secs()).unwrap_or(u32::MAX);
                let outgoing = Outgoing {
                    msg_id: id,
                    is_reportable: true,
                    level: user.max_level(),
                    engine_id: &engine.id,
                    boots: engine.boots,
                    time: engine.time.saturating_add(elapsed),
                    user: user.name.as_bytes(),
                    context: Context { engine_id: &engine.id, name: b"" },
                    pdu,
                };
                outgoing.write(&engine.keys, self.salt).ok_or(PollError::Level)
            }
            (Identity::User(_), None) => Err(PollError::Level),
        }
    }

    /// Sends once and waits for the reply to it; others, late or forged, are passed over. `None`: nothing came in time.
    async fn exchange(&mut self, message: &[u8], id: i32) -> Result<Option<Reply>, PollError> {
        let deadline = tokio::time::Instant::now() + self.timeout;
        // What an earlier datagram met (nobody listens) is told with a later call; the device may be there again.
        if self.socket.send(message).await.is_err() {
            self.socket.send(message).await?;
        }
        loop {
            match timeout_at(deadline, self.socket.recv(&mut self.buffer)).await {
                Err(_) => return Ok(None),
                Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                    // Nobody listens now; a device that restarts will, perhaps before the time is over.
                    tokio::time::sleep_until(deadline).await;
                    return Ok(None);
                }
                Ok(Err(error)) => return Err(error.into()),
                Ok(Ok(length)) => {
                    let frame = std::mem::take(&mut self.buffer);
                    let reply = self.reply(&frame[..length.min(frame.len())], id);
                    self.buffer = frame;
                    if reply.is_some() {
                        return Ok(reply);
                    }
                }
            }
        }
    }

    fn reply(&mut self, frame: &[u8], id: i32) -> Option<Reply> {
        match &self.identity {
            Identity::Community { .. } => {
                let pdu = CommunityMessage::read_response(frame).ok()?;
                let is_ours = pdu.request_id == id && pdu.kind == Kind::Response;
                is_ours.then(|| Reply::Answer(Answer { data: frame.to_vec(), is_v3: false }))
            }
            Identity::User(user) => {
                let user = Arc::clone(user);
                self.v3_reply(frame, id, &user)
            }
        }
    }

    fn v3_reply(&mut self, frame: &[u8], id: i32, user: &User) -> Option<Reply> {
        let message = Incoming::read_response(frame).ok().filter(|message| message.msg_id == id)?;
        let known = self.engine.as_ref().filter(|engine| engine.id == message.engine_id);
        let is_authentic = message.level > Level::NoAuthNoPriv && known.is_some_and(|engine| message.is_authentic(frame, &engine.keys));
        if message.level > Level::NoAuthNoPriv && !is_authentic {
            return None;
        }
        let keys = known.map(|engine| engine.keys.clone()).unwrap_or_default();
        let data = message.plain_data(&keys)?.into_owned();
        let pdu = Scoped::read(&data).ok()?.into_pdu()?;
        if pdu.kind == Kind::Report {
            let number =
                pdu.varbinds.first().and_then(|varbind| varbind.oid.arcs().strip_prefix(&USM_STATS)?.first().copied()).unwrap_or(0);
            // An authentic report tells the clock; before there is an engine, any does, and what it says shows in the next exchange.
            if is_authentic || (self.engine.is_none() && number == UNKNOWN_ENGINE_IDS) {
                self.learn(&message, user);
            }
            return Some(Reply::Report { number });
        }
        // An answer must be as well protected as the request was.
        if pdu.kind != Kind::Response || pdu.request_id != id || message.level != user.max_level() {
            return None;
        }
        if is_authentic {
            self.learn(&message, user);
        }
        Some(Reply::Answer(Answer { data, is_v3: true }))
    }

    fn learn(&mut self, message: &Incoming<'_>, user: &User) {
        let keys = match self.engine.take() {
            Some(engine) if engine.id == message.engine_id => engine.keys,
            _ => user.localize(message.engine_id),
        };
        let (boots, time) = (message.boots, message.time);
        self.engine = Some(Engine { id: message.engine_id.to_vec(), boots, time, learned: Instant::now(), keys });
    }

    fn next_id(&mut self) -> i32 {
        self.last_id = (self.last_id & 0x3fff_ffff) + 1;
        self.last_id
    }
}

enum Reply {
    Answer(Answer),
    Report { number: u32 },
}

fn report_name(number: u32) -> &'static str {
    match number {
        1 => "usmStatsUnsupportedSecLevels",
        NOT_IN_TIME_WINDOWS => "usmStatsNotInTimeWindows",
        3 => "usmStatsUnknownUserNames",
        UNKNOWN_ENGINE_IDS => "usmStatsUnknownEngineIDs",
        5 => "usmStatsWrongDigests",
        6 => "usmStatsDecryptionErrors",
        _ => "something that RFC 3414 does not know",
    }
}

/// An address, with or without port 161, or a name.
async fn resolve(text: &str) -> Result<SocketAddr, PollError> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let bare = text.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = bare.parse() {
        return Ok(SocketAddr::new(ip, 161));
    }
    let name = if text.contains(':') { text.to_owned() } else { format!("{text}:161") };
    let found = tokio::net::lookup_host(&name).await?.next();
    found.ok_or(PollError::Address(name))
}
