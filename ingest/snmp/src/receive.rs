//! One datagram at the port for notifications: an event, a refusal, an answer.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tocsin_wire::Body;
use tocsin_wire::events::SnmpTrap;
use tocsin_wire::events::snmp_trap::Version;
use tocsin_wire::rejects::Reason;

use super::ber::{self, Reader};
use super::communities::Communities;
use super::engines::{EngineView, Engines, OwnEngine};
use super::keys::Keys;
use super::names::Names;
use super::oid::Oid;
use super::pdu::{AnyPdu, CommunityMessage, Kind, Message, Pdu, write_pdu};
use super::repeats::Repeats;
use super::trap::{self, identity_hash};
use super::usm::{Level, LocalKeys, User};
use super::v3::{self, Context, Incoming, Outgoing, Scoped};
use tocsin_parse::{Parsed, Refusal};

/// What one datagram gave.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The event or refusal; none for a message that only asked for our engine id or clock, and for an inform that was received before and
    /// whose sender did not get the answer.
    pub parsed: Option<Result<Parsed, Refusal>>,
    /// What to send back to where the datagram came from, after the event is safe.
    pub reply: Option<Vec<u8>>,
    /// Places in the datagram that hold a secret, to be blanked before the bytes are kept.
    pub secrets: Vec<Range<usize>>,
}

impl Outcome {
    fn refused(reason: Reason, detail: impl Into<String>) -> Self {
        Self { parsed: Some(Err(Refusal::new(reason, detail))), ..Self::default() }
    }
}

/// Whom to believe, and what has been learned about the senders. May be shared by threads.
pub struct Receiver {
    communities: Communities,
    users: Vec<User>,
    own: OwnEngine,
    names: Arc<Names>,
    keys: Keys,
    learned: Arc<Learned>,
}

/// What outlives a change of those who are believed.
struct Learned {
    engines: Mutex<Engines>,
    repeats: Mutex<Repeats>,
    reports: [AtomicU64; Report::ALL.len()],
    salt: AtomicU64,
}

/// RFC 3414 5, usmStats: the last but one number of the counter.
#[derive(Clone, Copy)]
enum Report {
    UnsupportedSecLevels = 1,
    NotInTimeWindows,
    UnknownUserNames,
    UnknownEngineIds,
    WrongDigests,
    DecryptionErrors,
}

impl Report {
    const ALL: [Self; 6] = [
        Self::UnsupportedSecLevels,
        Self::NotInTimeWindows,
        Self::UnknownUserNames,
        Self::UnknownEngineIds,
        Self::WrongDigests,
        Self::DecryptionErrors,
    ];
}

/// A message that was not believed: the report that its sender gets if it may have one, and the refusal, if it is one.
struct Disbelief {
    report: Report,
    refusal: Option<Refusal>,
    /// User whose key authenticates the report.
    keys: Option<Arc<LocalKeys>>,
}

impl Disbelief {
    fn new(report: Report, reason: Reason, detail: String) -> Self {
        Self { report, refusal: Some(Refusal::new(reason, detail)), keys: None }
    }
}

impl Receiver {
    /// A receiver that believes these communities and users.
    pub fn new(communities: Vec<Vec<u8>>, users: Vec<User>, own: OwnEngine, names: Arc<Names>, salt: u64) -> Self {
        Self {
            communities: Communities::new(communities),
            users,
            own,
            names,
            keys: Keys::default(),
            learned: Arc::new(Learned {
                engines: Mutex::default(),
                repeats: Mutex::default(),
                reports: Default::default(),
                salt: AtomicU64::new(salt),
            }),
        }
    }

    /// The same engine with the same memory, which believes others: a replay stays one, and an inform that was answered is not taken twice.
    pub fn believing(&self, communities: Vec<Vec<u8>>, users: Vec<User>, names: Arc<Names>) -> Self {
        Self {
            communities: Communities::new(communities),
            users,
            own: self.own.clone(),
            names,
            keys: Keys::default(),
            learned: Arc::clone(&self.learned),
        }
    }

    /// The engine that informs are addressed to.
    pub fn own_engine(&self) -> &OwnEngine {
        &self.own
    }

    /// Every engine that has sent.
    pub fn engines(&self) -> Vec<EngineView> {
        self.lock_engines().views()
    }

    /// Places in bytes that were not read which may hold a secret.
    pub fn secrets(&self, frame: &[u8]) -> Vec<Range<usize>> {
        self.communities.places(frame)
    }

    /// Reads one datagram from `peer`.
    pub fn receive(&self, frame: &[u8], peer: IpAddr, now_unix_nanos: u64) -> Outcome {
        let mut outcome = self.read(frame, peer, now_unix_nanos);
        if matches!(outcome.parsed, Some(Err(_))) {
            outcome.secrets.extend(self.secrets(frame));
        }
        outcome
    }

    fn read(&self, frame: &[u8], peer: IpAddr, now_unix_nanos: u64) -> Outcome {
        let malformed = |error: super::Malformed| Outcome { parsed: Some(Err(error.refusal(frame.len()))), ..Outcome::default() };
        if frame.is_empty() {
            return Outcome::refused(Reason::Empty, "an empty datagram; see what sends to this port");
        }
        match Message::read(frame) {
            Ok(Message::Community(message)) => self.community_message(frame, &message, peer, now_unix_nanos),
            Ok(Message::V3(fields)) => match Incoming::read(fields) {
                Ok(message) => self.v3_message(frame, &message, peer, now_unix_nanos),
                Err(error) => malformed(error),
            },
            Err(error) => malformed(error),
        }
    }

    fn community_message(&self, frame: &[u8], message: &CommunityMessage<'_>, peer: IpAddr, now_unix_nanos: u64) -> Outcome {
        let mut secrets: Vec<_> =
            v3::offset(frame, message.community).map(|start| start..start + message.community.len()).into_iter().collect();
        let mut outcome = if self.communities.accepts(message.community) {
            self.community_pdu(frame, message, &mut secrets, peer, now_unix_nanos)
        } else {
            let detail = format!(
                "its community (hash {}, {} bytes) is none of snmp.communities; add it there, or correct the sender",
                identity_hash(message.community),
                message.community.len()
            );
            Outcome::refused(Reason::CommunityNotAllowed, detail)
        };
        outcome.secrets = secrets;
        outcome
    }

    fn community_pdu(
        &self,
        frame: &[u8],
        message: &CommunityMessage<'_>,
        secrets: &mut Vec<Range<usize>>,
        peer: IpAddr,
        now_unix_nanos: u64,
    ) -> Outcome {
        let mut reply = None;
        let mut is_repeat = false;
        let body = match AnyPdu::read(&mut Reader::new(message.pdu)) {
            Err(error) => Err(error.refusal(frame.len())),
            Ok(AnyPdu::TrapV1(trap)) if message.version == Version::V1 => trap::of_v1(&trap, &self.names, frame, secrets),
            Ok(AnyPdu::Other(pdu)) if message.version == Version::V2c && is_notification(pdu.kind) => {
                reply = (pdu.kind == Kind::Inform).then(|| CommunityMessage::write(false, message.community, &acknowledgement(&pdu)));
                let body = trap::of_v2(&pdu.varbinds, &self.names, frame, secrets);
                is_repeat = body.is_ok() && self.is_repeat(peer, message.community, &pdu, now_unix_nanos);
                body.map(|body| SnmpTrap { version: Version::V2c.into(), is_inform: pdu.kind == Kind::Inform, ..body })
            }
            Ok(other) => Err(not_a_notification(&other)),
        };
        let body = body.map(|body| SnmpTrap { user_or_community_hash: identity_hash(message.community), ..body });
        // What cannot be stored is not acknowledged.
        let reply = reply.filter(|_| body.is_ok());
        Outcome { parsed: (!is_repeat).then(|| body.map(parsed)), reply, secrets: Vec::new() }
    }

    fn is_repeat(&self, peer: IpAddr, identity: &[u8], pdu: &Pdu<'_>, now_unix_nanos: u64) -> bool {
        let mut repeats = self.learned.repeats.lock().unwrap_or_else(PoisonError::into_inner);
        pdu.kind == Kind::Inform && repeats.is_repeat(peer, identity, pdu.request_id, pdu.varbind_bytes, now_unix_nanos)
    }

    fn v3_message(&self, frame: &[u8], message: &Incoming<'_>, peer: IpAddr, now_unix_nanos: u64) -> Outcome {
        let outcome = self.v3_outcome(frame, message, peer, now_unix_nanos);
        if let Some(parsed) = &outcome.parsed
            && message.engine_id != self.own.id
            && !message.engine_id.is_empty()
        {
            self.lock_engines().seen(message.engine_id, message.user, peer, parsed.is_ok(), now_unix_nanos);
        }
        outcome
    }

    fn v3_outcome(&self, frame: &[u8], message: &Incoming<'_>, peer: IpAddr, now_unix_nanos: u64) -> Outcome {
        let (keys, data) = match self.believe(frame, message, now_unix_nanos) {
            Ok(believed) => believed,
            Err(disbelief) => {
                let reply = if message.is_reportable { self.report(message, &disbelief, 0, now_unix_nanos) } else { None };
                return Outcome { parsed: disbelief.refusal.map(Err), reply, secrets: Vec::new() };
            }
        };
        let scoped = match Scoped::read(&data) {
            Ok(scoped) => scoped,
            Err(error) => return Outcome { parsed: Some(Err(error.refusal(data.len()))), ..Outcome::default() },
        };
        let pdu = match &scoped.pdu {
            AnyPdu::Other(pdu) if is_notification(pdu.kind) => pdu,
            other => return Outcome { parsed: Some(Err(not_a_notification(other))), ..Outcome::default() },
        };
        if pdu.kind == Kind::Inform && message.engine_id != self.own.id {
            // The sender takes another engine for the receiver of its informs; it is told ours and comes again.
            let disbelief = Disbelief { report: Report::UnknownEngineIds, refusal: None, keys: None };
            return Outcome { reply: self.report(message, &disbelief, pdu.request_id, now_unix_nanos), ..Outcome::default() };
        }
        let body = trap::of_v2(&pdu.varbinds, &self.names, frame, &mut Vec::new()).map(|body| SnmpTrap {
            version: Version::V3.into(),
            is_inform: pdu.kind == Kind::Inform,
            user_or_community_hash: identity_hash(message.user),
            engine_id: super::render::hex(message.engine_id),
            security_level: message.level.name().to_owned(),
            ..body
        });
        let reply =
            (pdu.kind == Kind::Inform && body.is_ok()).then(|| self.acknowledge(message, &scoped, pdu, &keys, now_unix_nanos)).flatten();
        let is_repeat = body.is_ok() && self.is_repeat(peer, message.user, pdu, now_unix_nanos);
        Outcome { parsed: (!is_repeat).then(|| body.map(parsed)), reply, secrets: Vec::new() }
    }

    /// RFC 3414 3.2: whose message it is, whether its keys are right and its time is now.
    fn believe<'a>(
        &self,
        frame: &[u8],
        message: &Incoming<'a>,
        now_unix_nanos: u64,
    ) -> Result<(Arc<LocalKeys>, std::borrow::Cow<'a, [u8]>), Disbelief> {
        if message.engine_id.is_empty() {
            // RFC 3414 4: a question for our engine id, or a trap that nobody can check.
            let refusal = Refusal::new(Reason::InvalidValue, "no engine id, and not a question for ours; a trap needs its sender's");
            return Err(Disbelief { report: Report::UnknownEngineIds, refusal: (!message.is_reportable).then_some(refusal), keys: None });
        }
        let user = || format!("user {:?} of engine {}", String::from_utf8_lossy(message.user), super::render::hex(message.engine_id));
        let candidates = self.candidates(message);
        if candidates.is_empty() {
            return Err(self.unknown_user(message, &user()));
        }
        let allowed: Vec<_> =
            candidates.iter().filter(|(_, known)| message.level <= known.max_level() && message.level >= known.min_level).collect();
        if allowed.is_empty() {
            let (_, known) = candidates[0];
            let detail = format!(
                "{}: the message is {}, configured are {} to {}; correct the sender, or min_level or keys in snmp.users",
                user(),
                message.level.name(),
                known.min_level.name(),
                known.max_level().name()
            );
            return Err(Disbelief::new(Report::UnsupportedSecLevels, Reason::SecurityLevel, detail));
        }
        if message.level == Level::NoAuthNoPriv {
            let keys = Arc::<LocalKeys>::default();
            let data = message.plain_data(&keys).unwrap_or_default();
            return Ok((keys, data));
        }
        let is_authentic = |keys: &LocalKeys| message.is_authentic(frame, keys);
        let keys = allowed.iter().find_map(|(index, known)| self.keys.find(*index, known, message.engine_id, is_authentic));
        let Some(keys) = keys else {
            let detail = format!("{}: the digest is not that of the user's key; compare auth protocol and password", user());
            return Err(Disbelief::new(Report::WrongDigests, Reason::AuthenticationFailed, detail));
        };
        self.check_time(message, &keys, &user, now_unix_nanos)?;
        match message.plain_data(&keys) {
            Some(data) => Ok((keys, data)),
            None => {
                let detail = format!("{}: decrypting gives no SNMP; compare privacy protocol and password", user());
                Err(Disbelief::new(Report::DecryptionErrors, Reason::DecryptionFailed, detail))
            }
        }
    }

    /// Users of that name, those of just this engine first.
    fn candidates(&self, message: &Incoming<'_>) -> Vec<(usize, &User)> {
        let named = || self.users.iter().enumerate().filter(|(_, user)| user.name.as_bytes() == message.user);
        let of_engine = named().filter(|(_, user)| user.engine_id.as_deref() == Some(message.engine_id));
        of_engine.chain(named().filter(|(_, user)| user.engine_id.is_none())).collect()
    }

    fn unknown_user(&self, message: &Incoming<'_>, user: &str) -> Disbelief {
        let is_known_elsewhere = self.users.iter().any(|known| known.name.as_bytes() == message.user);
        let detail = if is_known_elsewhere {
            format!("{user}: snmp.users has the user for other engine ids only; add this engine_id, or leave engine_id away for all")
        } else {
            format!("{user} is not in snmp.users; add it with its protocols and passwords, or correct the sender")
        };
        Disbelief::new(Report::UnknownUserNames, Reason::UnknownUser, detail)
    }

    fn check_time(
        &self,
        message: &Incoming<'_>,
        keys: &Arc<LocalKeys>,
        user: &dyn Fn() -> String,
        now_unix_nanos: u64,
    ) -> Result<(), Disbelief> {
        let problem = if message.engine_id == self.own.id {
            if self.own.is_in_window(message.boots, message.time, now_unix_nanos) {
                return Ok(());
            }
            // RFC 3414 4: boots and time 0 ask for our clock.
            let is_question = message.boots == 0 && message.time == 0;
            (!is_question)
                .then(|| format!("boots {} time {} are not ours; the sender is told and sends again", message.boots, message.time))
        } else {
            match self.lock_engines().check_clock(message.engine_id, message.boots, message.time, now_unix_nanos) {
                Ok(()) => return Ok(()),
                Err(problem) => Some(format!("{problem}; a replay, or a device whose boots are not kept over a restart")),
            }
        };
        let refusal = problem.map(|problem| Refusal::new(Reason::NotInTimeWindow, format!("{}: {problem}", user())));
        Err(Disbelief { report: Report::NotInTimeWindows, refusal, keys: Some(Arc::clone(keys)) })
    }

    /// RFC 3412 7.1.1: an answer with our engine id and clock and the counter that says what was wrong.
    fn report(&self, message: &Incoming<'_>, disbelief: &Disbelief, request_id: i32, now_unix_nanos: u64) -> Option<Vec<u8>> {
        let count = self.learned.reports[disbelief.report as usize - 1].fetch_add(1, Ordering::Relaxed) + 1;
        let counter = Oid::new(&[1, 3, 6, 1, 6, 3, 15, 1, 1, disbelief.report as u32, 0]);
        let varbind = ber::write(ber::SEQUENCE, &[&counter.write(), &ber::write_number(0x41, (count & 0xffff_ffff).into())]);
        let pdu = write_pdu(Kind::Report, request_id, 0, 0, &varbind);
        let level = if disbelief.keys.is_some() { Level::AuthNoPriv } else { Level::NoAuthNoPriv };
        let keys = disbelief.keys.clone().unwrap_or_default();
        self.answer(message, level, &keys, Context { engine_id: &self.own.id, name: b"" }, &pdu, now_unix_nanos)
    }

    fn acknowledge(
        &self,
        message: &Incoming<'_>,
        scoped: &Scoped<'_>,
        pdu: &Pdu<'_>,
        keys: &LocalKeys,
        now_unix_nanos: u64,
    ) -> Option<Vec<u8>> {
        self.answer(message, message.level, keys, scoped.context, &acknowledgement(pdu), now_unix_nanos)
    }

    fn answer(
        &self,
        message: &Incoming<'_>,
        level: Level,
        keys: &LocalKeys,
        context: Context<'_>,
        pdu: &[u8],
        now_unix_nanos: u64,
    ) -> Option<Vec<u8>> {
        let outgoing = Outgoing {
            msg_id: message.msg_id,
            is_reportable: false,
            level,
            engine_id: &self.own.id,
            boots: self.own.boots,
            time: self.own.time(now_unix_nanos),
            user: message.user,
            context,
            pdu,
        };
        outgoing.write(keys, self.learned.salt.fetch_add(1, Ordering::Relaxed))
    }

    fn lock_engines(&self) -> MutexGuard<'_, Engines> {
        self.learned.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_notification(kind: Kind) -> bool {
    matches!(kind, Kind::Trap | Kind::Inform)
}

/// RFC 3416 4.2.7: the variable bindings come back as they were.
fn acknowledgement(inform: &Pdu<'_>) -> Vec<u8> {
    write_pdu(Kind::Response, inform.request_id, 0, 0, inform.varbind_bytes)
}

fn not_a_notification(pdu: &AnyPdu<'_>) -> Refusal {
    let what = match pdu {
        AnyPdu::TrapV1(_) => "a version 1 trap in a message of another version".to_owned(),
        AnyPdu::Other(pdu) => format!("a {:?}", pdu.kind),
    };
    Refusal::new(
        Reason::InvalidValue,
        format!("{what}, and this port takes traps and informs; point the sender at the device that it asks"),
    )
}

fn parsed(body: SnmpTrap) -> Parsed {
    Parsed { device: None, event_time_unix_nanos: None, is_zone_missing: false, body: Body::SnmpTrap(body) }
}
