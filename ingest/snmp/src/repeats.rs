//! Informs that come again because their acknowledgement was lost.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;

/// How long an inform is remembered: devices repeat some times at up to half a minute's distance, and use a request id again much later.
const MEMORY_NANOS: u64 = 5 * 60 * 1_000_000_000;
/// Informs that are remembered; beyond it the oldest are forgotten.
const MAX_INFORMS: usize = 100_000;

/// Informs of the last minutes.
#[derive(Debug, Default)]
pub(super) struct Repeats {
    known: HashSet<u64>,
    by_age: VecDeque<(u64, u64)>,
}

impl Repeats {
    /// Whether this inform has been received before: the same request (RFC 3416 4.2.7) of the same sender, with the same content. The message
    /// id of version 3 is new with each repetition, so it is no part of it.
    pub(super) fn is_repeat(&mut self, peer: IpAddr, identity: &[u8], request_id: i32, varbinds: &[u8], now_unix_nanos: u64) -> bool {
        while let Some((received_at_unix_nanos, inform)) = self.by_age.front().copied()
            && (now_unix_nanos.saturating_sub(received_at_unix_nanos) > MEMORY_NANOS || self.by_age.len() >= MAX_INFORMS)
        {
            self.by_age.pop_front();
            self.known.remove(&inform);
        }
        let mut hasher = DefaultHasher::new();
        (peer, identity, request_id, varbinds).hash(&mut hasher);
        let inform = hasher.finish();
        let is_new = self.known.insert(inform);
        if is_new {
            self.by_age.push_back((now_unix_nanos, inform));
        }
        !is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    fn peer(last: u8) -> IpAddr {
        IpAddr::from([192, 0, 2, last])
    }

    #[test]
    fn the_same_request_of_the_same_sender_is_a_repeat_and_anything_else_is_not() {
        let mut repeats = Repeats::default();
        assert!(!repeats.is_repeat(peer(1), b"public", 7, b"linkDown", SECOND));
        assert!(repeats.is_repeat(peer(1), b"public", 7, b"linkDown", 16 * SECOND));
        assert!(!repeats.is_repeat(peer(2), b"public", 7, b"linkDown", 16 * SECOND));
        assert!(!repeats.is_repeat(peer(1), b"other", 7, b"linkDown", 16 * SECOND));
        assert!(!repeats.is_repeat(peer(1), b"public", 8, b"linkDown", 16 * SECOND));
        assert!(!repeats.is_repeat(peer(1), b"public", 7, b"linkUp", 16 * SECOND));
    }

    #[test]
    fn a_request_id_that_is_used_again_much_later_is_a_new_inform() {
        let mut repeats = Repeats::default();
        assert!(!repeats.is_repeat(peer(1), b"public", 7, b"linkDown", SECOND));
        assert!(!repeats.is_repeat(peer(1), b"public", 7, b"linkDown", 400 * SECOND));
    }

    #[test]
    fn a_flood_of_informs_is_forgotten_from_the_oldest_on() {
        let mut repeats = Repeats::default();
        for request_id in 0..=MAX_INFORMS as i32 {
            assert!(!repeats.is_repeat(peer(1), b"public", request_id, b"linkDown", SECOND));
        }
        assert_eq!((repeats.known.len(), repeats.by_age.len()), (MAX_INFORMS, MAX_INFORMS));
        assert!(repeats.is_repeat(peer(1), b"public", MAX_INFORMS as i32, b"linkDown", SECOND));
        assert!(!repeats.is_repeat(peer(1), b"public", 0, b"linkDown", SECOND));
    }
}
