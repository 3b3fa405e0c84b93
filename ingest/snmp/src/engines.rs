//! SNMP engines: those that send to us with their clocks (RFC 3414 2.2, 3.2), and our own, which informs are addressed to.

use std::net::IpAddr;
use std::num::NonZeroUsize;

use lru::LruCache;
use sha2::{Digest, Sha256};

/// RFC 3414 2.2.3.
const WINDOW_SECONDS: u64 = 150;
const MAX_BOOTS: u32 = i32::MAX as u32;
/// Engines that are remembered once a message of them has been authenticated. Beyond it the one that was quiet for longest is forgotten, as by
/// a restart; one that is heard always has a clock that it is checked against.
const MAX_ENGINES: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();
/// Other engines that are listed, so that a wrong password can be found; beyond it the one that was quiet for longest is not. Ids can be forged,
/// so these push out nobody else.
const MAX_STRANGERS: NonZeroUsize = NonZeroUsize::new(1_000).unwrap();
/// Private enterprise number for documentation (RFC 5612), because Tocsin has none.
const ENTERPRISE: u32 = 0x8000_0000 | 32_473;
/// From which boots are counted: 2023-11-14T22:13:20Z.
const BOOTS_EPOCH_SECONDS: u64 = 1_700_000_000;

/// The engine that informs are addressed to: us. Boots are the seconds from a fixed day to the start, so that they grow with every start
/// although nothing is written to disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnEngine {
    pub(crate) id: Vec<u8>,
    pub(crate) boots: u32,
    started_at_unix_nanos: u64,
}

impl OwnEngine {
    /// An engine with this id, or with one made from the agent's name where it is empty.
    pub fn new(id: &[u8], agent_id: &str, started_at_unix_nanos: u64) -> Self {
        let id = if id.is_empty() { engine_id_of(agent_id) } else { id.to_vec() };
        let boots = (started_at_unix_nanos / 1_000_000_000).saturating_sub(BOOTS_EPOCH_SECONDS).min(u64::from(MAX_BOOTS) - 1);
        Self { id, boots: boots as u32 + 1, started_at_unix_nanos }
    }

    /// Its id in hexadecimal.
    pub fn id_hex(&self) -> String {
        super::render::hex(&self.id)
    }

    /// Seconds since its start.
    pub(crate) fn time(&self, now_unix_nanos: u64) -> u32 {
        let seconds = now_unix_nanos.saturating_sub(self.started_at_unix_nanos) / 1_000_000_000;
        seconds.min(u64::from(MAX_BOOTS)) as u32
    }

    /// RFC 3414 3.2.7 a: the message's clock is ours.
    pub(crate) fn is_in_window(&self, boots: u32, time: u32, now_unix_nanos: u64) -> bool {
        boots == self.boots && time.abs_diff(self.time(now_unix_nanos)) <= WINDOW_SECONDS as u32
    }
}

/// RFC 3411 SnmpEngineID, format 4 (text) where the name fits, else format 5 (octets) with a hash of it.
fn engine_id_of(agent_id: &str) -> Vec<u8> {
    let mut id = ENTERPRISE.to_be_bytes().to_vec();
    if (1..=27).contains(&agent_id.len()) {
        id.push(4);
        id.extend_from_slice(agent_id.as_bytes());
    } else {
        id.push(5);
        id.extend_from_slice(&Sha256::digest(agent_id.as_bytes())[..16]);
    }
    id
}

/// What is known about an engine that sends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Engine {
    /// Its clock; none before a message of it has been authenticated.
    clock: Option<Clock>,
    last_user: String,
    last_peer: Option<IpAddr>,
    first_seen_unix_nanos: u64,
    last_seen_unix_nanos: u64,
    accepted: u64,
    refused: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Clock {
    boots: u32,
    /// The highest time that it has told, and when that was.
    time: u32,
    at_unix_nanos: u64,
}

/// An engine, to be listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineView {
    /// In hexadecimal.
    pub engine_id: String,
    /// snmpEngineBoots; none before a message has been authenticated.
    pub boots: Option<u32>,
    /// snmpEngineTime as last told, seconds.
    pub time: Option<u32>,
    /// User of the last message.
    pub last_user: String,
    /// Address of the last message.
    pub last_peer: Option<IpAddr>,
    /// Unix nanoseconds.
    pub first_seen_unix_nanos: u64,
    /// Unix nanoseconds.
    pub last_seen_unix_nanos: u64,
    /// Messages that became events.
    pub accepted: u64,
    /// Messages that were refused.
    pub refused: u64,
}

/// All engines that have sent, by id.
#[derive(Debug)]
pub(crate) struct Engines {
    authenticated: LruCache<Vec<u8>, Engine>,
    strangers: LruCache<Vec<u8>, Engine>,
}

impl Default for Engines {
    fn default() -> Self {
        Self { authenticated: LruCache::sparse(MAX_ENGINES), strangers: LruCache::sparse(MAX_STRANGERS) }
    }
}

impl Engines {
    /// RFC 3414 3.2.7 b, for an authenticated message: learns the sender's clock, and says whether the message is inside its window.
    pub(crate) fn check_clock(&mut self, engine_id: &[u8], boots: u32, time: u32, now_unix_nanos: u64) -> Result<(), String> {
        if boots >= MAX_BOOTS {
            return Err("its boots have reached their maximum; give the engine a new id".to_owned());
        }
        let strangers = &mut self.strangers;
        let engine = self.authenticated.get_or_insert_mut_ref(engine_id, || strangers.pop(engine_id).unwrap_or_default());
        let told = Clock { boots, time, at_unix_nanos: now_unix_nanos };
        let clock = engine.clock.get_or_insert(told);
        if boots > clock.boots || (boots == clock.boots && time > clock.time) {
            *clock = told;
        }
        let expected = u64::from(clock.time) + now_unix_nanos.saturating_sub(clock.at_unix_nanos) / 1_000_000_000;
        if boots < clock.boots || u64::from(time) + WINDOW_SECONDS < expected {
            let Clock { boots: known_boots, .. } = *clock;
            return Err(format!("it says boots {boots} time {time}, expected were boots {known_boots} time {expected} less at most 150 s"));
        }
        Ok(())
    }

    /// Remembers a message of an engine. Only [`Engines::check_clock`] makes it one that is not forgotten for strangers.
    pub(crate) fn seen(&mut self, engine_id: &[u8], user: &[u8], peer: IpAddr, is_accepted: bool, now_unix_nanos: u64) {
        let engine = match self.authenticated.peek_mut(engine_id) {
            Some(engine) => engine,
            None => self.strangers.get_or_insert_mut_ref(engine_id, Engine::default),
        };
        if engine.first_seen_unix_nanos == 0 {
            engine.first_seen_unix_nanos = now_unix_nanos;
        }
        engine.last_seen_unix_nanos = now_unix_nanos;
        engine.last_peer = Some(peer);
        if engine.last_user.as_bytes() != user {
            engine.last_user = String::from_utf8_lossy(user).into_owned();
        }
        *(if is_accepted { &mut engine.accepted } else { &mut engine.refused }) += 1;
    }

    /// Every engine, by id.
    pub(crate) fn views(&self) -> Vec<EngineView> {
        let mut views: Vec<_> = self
            .authenticated
            .iter()
            .chain(&self.strangers)
            .map(|(id, engine)| EngineView {
                engine_id: super::render::hex(id),
                boots: engine.clock.map(|clock| clock.boots),
                time: engine.clock.map(|clock| clock.time),
                last_user: engine.last_user.clone(),
                last_peer: engine.last_peer,
                first_seen_unix_nanos: engine.first_seen_unix_nanos,
                last_seen_unix_nanos: engine.last_seen_unix_nanos,
                accepted: engine.accepted,
                refused: engine.refused,
            })
            .collect();
        views.sort_by(|a, b| a.engine_id.cmp(&b.engine_id));
        views
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn a_clock_is_learned_goes_on_and_refuses_what_is_older_than_the_window() {
        let mut engines = Engines::default();
        let mut check = |boots, time, now_seconds: u64| engines.check_clock(b"e", boots, time, now_seconds * SECOND).is_ok();
        assert!(check(3, 1000, 10), "the first is learned");
        assert!(check(3, 900, 10), "100 s behind is inside");
        assert!(!check(3, 849, 10), "151 s behind is outside");
        assert!(!check(3, 1000, 200), "the clock has gone on meanwhile");
        assert!(check(4, 5, 200), "a reboot is learned");
        assert!(!check(3, 2000, 200), "what was sent before the reboot is a replay");
        assert!(!check(MAX_BOOTS, 1, 200));
    }

    #[test]
    fn of_too_many_engines_the_one_that_was_quiet_for_longest_is_forgotten_and_all_others_are_checked() {
        let mut engines = Engines::default();
        let mut check = |engine: usize, time| engines.check_clock(&engine.to_be_bytes(), 3, time, 10 * SECOND).is_ok();
        assert!((0..MAX_ENGINES.get()).all(|engine| check(engine, 1_000)));
        assert!(check(0, 1_001), "heard again, so 1 is now the quietest");
        assert!(check(MAX_ENGINES.get(), 1_000), "one more");
        assert!((2..=MAX_ENGINES.get()).chain([0]).all(|engine| !check(engine, 800)), "a replay of none of them is taken");
        assert_eq!(engines.views().len(), MAX_ENGINES.get());
    }

    #[test]
    fn our_own_engine_keeps_its_id_and_boots_grow_with_every_start() {
        let first = OwnEngine::new(&[], "agent-1", 1_800_000_000 * SECOND);
        let second = OwnEngine::new(&[], "agent-1", 1_800_000_001 * SECOND);
        assert_eq!(first.id, [&[0x80, 0, 0x7e, 0xd9, 4][..], b"agent-1"].concat());
        assert_eq!(first.id, second.id);
        assert_eq!((first.boots, second.boots), (100_000_001, 100_000_002));
        assert_eq!(OwnEngine::new(&[], &"x".repeat(40), 0).id.len(), 21);
        assert!(first.is_in_window(first.boots, 5, 1_800_000_100 * SECOND));
        assert!(!first.is_in_window(first.boots, 5, 1_800_000_200 * SECOND));
        assert!(!first.is_in_window(second.boots, 5, 1_800_000_005 * SECOND));
    }
}
