//! Names of addresses as DNS and /etc/hosts have them, asked for by the system's resolver on threads of its own: who reads messages never waits.
//!
//! Deliberately absent: that the name leads back to the address. Whoever runs the reverse zone of a network is who names its devices.

use std::net::IpAddr;
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use lru::LruCache;

use crate::is_host_name;

const MOST: NonZeroUsize = NonZeroUsize::new(65_536).unwrap();
/// Questions that wait. An address that finds no room is asked for by its next message.
const WAITING: usize = 1_024;
/// A resolver that does not answer holds a thread for many seconds.
const THREADS: usize = 4;
/// DNS's own times to live are not told by the system's resolver.
const NAME_IS_GOOD_FOR: Duration = Duration::from_secs(60 * 60);
const NONE_IS_GOOD_FOR: Duration = Duration::from_secs(10 * 60);

/// Asks for the name of an address; may take its time.
pub(crate) type LookUp = dyn Fn(IpAddr) -> Option<String> + Send + Sync;

/// What was answered.
#[derive(Debug)]
struct Known {
    name: Option<String>,
    good_until: Instant,
    is_asked_again: bool,
}

/// The cache and its threads, which end with it.
#[derive(Debug)]
pub(crate) struct ReverseDns {
    known: Arc<Mutex<LruCache<IpAddr, Known>>>,
    questions: SyncSender<IpAddr>,
}

impl ReverseDns {
    /// Asks the system.
    pub(crate) fn start() -> Self {
        Self::asking(Arc::new(|address| dns_lookup::lookup_addr(&address).ok()))
    }

    fn asking(look_up: Arc<LookUp>) -> Self {
        let (questions, waiting) = sync_channel(WAITING);
        let waiting = Arc::new(Mutex::new(waiting));
        let known = Arc::new(Mutex::new(LruCache::new(MOST)));
        for number in 0..THREADS {
            let (waiting, known, look_up) = (Arc::clone(&waiting), Arc::clone(&known), Arc::clone(&look_up));
            let thread = thread::Builder::new().name(format!("reverse-dns-{number}"));
            if let Err(error) = thread.spawn(move || answer(&waiting, &known, &*look_up)) {
                tracing::warn!(%error, "a thread for reverse DNS cannot be started; names come slower, or not at all");
            }
        }
        Self { known, questions }
    }

    /// What is known now; what is not, or is old, is asked for, and known to a later message.
    pub(crate) fn name(&self, address: IpAddr) -> Option<String> {
        let mut cache = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let known = cache.get_or_insert_mut(address, || Known { name: None, good_until: now, is_asked_again: false });
        if now >= known.good_until && !known.is_asked_again {
            match self.questions.try_send(address) {
                Ok(()) => known.is_asked_again = true,
                // Its next message asks again.
                Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
            }
        }
        known.name.clone()
    }
}

fn answer(waiting: &Mutex<Receiver<IpAddr>>, known: &Mutex<LruCache<IpAddr, Known>>, look_up: &LookUp) {
    loop {
        let question = waiting.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(address) = question else { return };
        let name = look_up(address).and_then(|name| usable(&name));
        let good_for = if name.is_some() { NAME_IS_GOOD_FOR } else { NONE_IS_GOOD_FOR };
        let entry = Known { name, good_until: Instant::now() + good_for, is_asked_again: false };
        known.lock().unwrap_or_else(PoisonError::into_inner).put(address, entry);
    }
}

/// Lower-case, without the last dot. The system gives the address itself where it has no name.
fn usable(name: &str) -> Option<String> {
    let name = name.trim_end_matches('.').to_ascii_lowercase();
    (is_host_name(&name) && name.parse::<IpAddr>().is_err()).then_some(name)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn wait_for(mut is_so: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !is_so() {
            assert!(Instant::now() < deadline, "waited 30 s in vain");
            thread::yield_now();
        }
    }

    #[test]
    fn a_name_is_there_for_a_later_message_and_is_asked_for_once() {
        let (told, asked) = mpsc::channel();
        let names = ReverseDns::asking(Arc::new(move |address| {
            told.send(address).unwrap();
            Some("SW1.Example.net.".to_owned())
        }));
        assert_eq!(names.name(ip("192.0.2.1")), None);
        wait_for(|| names.name(ip("192.0.2.1")).as_deref() == Some("sw1.example.net"));
        for _ in 0..1_000 {
            names.name(ip("192.0.2.1"));
        }
        assert_eq!(asked.try_iter().count(), 1);
    }

    #[test]
    fn who_reads_does_not_wait_for_a_resolver_that_does_not_answer() {
        let (release, held) = mpsc::channel::<()>();
        let held = Mutex::new(held);
        let names = ReverseDns::asking(Arc::new(move |_| {
            // Ends when the test does.
            let _ = held.lock().map(|held| held.recv());
            None
        }));
        for number in 0..100_000_u32 {
            assert_eq!(names.name(std::net::Ipv4Addr::from(number).into()), None);
        }
        assert_eq!(names.known.lock().unwrap().len(), MOST.get());
        drop(release);
    }

    #[test]
    fn an_address_is_no_name_and_neither_is_what_nobody_could_write() {
        for name in ["192.0.2.1", "", ".", "a b", "x\u{1b}", "2001:db8::1"] {
            assert_eq!(usable(name), None, "{name:?}");
        }
    }

    #[test]
    fn this_machine_knows_its_own_address() {
        let names = ReverseDns::start();
        wait_for(|| names.name(ip("127.0.0.1")).is_some_and(|name| name.starts_with("localhost")));
    }
}
