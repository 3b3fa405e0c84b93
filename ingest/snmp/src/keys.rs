//! Keys that are kept ready, one a user and engine.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use super::usm::{LocalKeys, User};

/// Beyond it, those that were not needed for longest are made anew.
const MAX_KEYS: NonZeroUsize = NonZeroUsize::new(50_000).unwrap();

/// A user is known by its place among the configured.
type Place = (usize, Vec<u8>);

/// Keys of engines that have sent an authentic message; nothing else is kept.
pub(crate) struct Keys(Mutex<LruCache<Place, Arc<LocalKeys>>>);

impl Default for Keys {
    fn default() -> Self {
        Self(Mutex::new(LruCache::sparse(MAX_KEYS)))
    }
}

impl Keys {
    /// The user's keys at an engine, if they make the message authentic. What an unknown engine costs is one key for authentication; others
    /// are made, and kept, when that has fit. Nobody waits for somebody else's keys to be made.
    pub(crate) fn find(
        &self,
        index: usize,
        user: &User,
        engine_id: &[u8],
        is_authentic: impl Fn(&LocalKeys) -> bool,
    ) -> Option<Arc<LocalKeys>> {
        let place = (index, engine_id.to_vec());
        let known = self.lock().get(&place).cloned();
        if let Some(known) = known {
            return is_authentic(&known).then_some(known);
        }
        if !is_authentic(&user.localize_authentication(engine_id)) {
            return None;
        }
        let made = Arc::new(user.localize(engine_id));
        self.lock().put(place, Arc::clone(&made));
        Some(made)
    }

    fn lock(&self) -> MutexGuard<'_, LruCache<Place, Arc<LocalKeys>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usm::{AuthProtocol, Level, PrivacyProtocol};

    #[test]
    fn keys_are_kept_of_what_is_authentic_and_no_more_than_the_bound() {
        let auth = AuthProtocol::Md5;
        let key = auth.key_of_password(b"correcthorse");
        let user = User {
            name: "monitor".to_owned(),
            engine_id: None,
            auth: Some((auth, key.clone())),
            privacy: Some((PrivacyProtocol::Aes256Reeder, key)),
            min_level: Level::AuthPriv,
        };
        let keys = Keys::default();
        assert!(keys.find(0, &user, b"engine", |_| false).is_none());
        assert_eq!(keys.lock().len(), 0, "nobody's keys are kept before a message of it was authentic");
        let plain = User { privacy: None, ..user };
        for engine in 0..=MAX_KEYS.get() {
            assert!(keys.find(0, &plain, &engine.to_be_bytes(), |_| true).is_some());
        }
        assert_eq!(keys.lock().len(), MAX_KEYS.get());
    }
}
