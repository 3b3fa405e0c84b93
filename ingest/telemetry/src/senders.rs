//! Who sends: one row a source address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// Rows kept; further addresses are counted together, so that a flood of forged addresses cannot fill the memory.
const MAX_SENDERS: usize = 200_000;

/// What one address has sent since the agent's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sender {
    /// Frames.
    pub frames: u64,
    /// Bytes of payload.
    pub bytes: u64,
    /// Frames among them that were refused by the listener's rate limit.
    pub rate_limited: u64,
    /// When the last one was received, Unix nanoseconds.
    pub last_seen_unix_nanos: u64,
}

impl Sender {
    fn add(&mut self, frames: u64, bytes: u64, at_unix_nanos: u64) {
        self.frames += frames;
        self.bytes += bytes;
        self.last_seen_unix_nanos = self.last_seen_unix_nanos.max(at_unix_nanos);
    }
}

/// The table of source addresses of one listener.
#[derive(Debug, Default)]
pub struct Senders(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    by_address: HashMap<IpAddr, Sender>,
    others: Sender,
}

impl Senders {
    /// Counts the frames of one batch: address, bytes.
    pub fn add(&self, frames: impl Iterator<Item = (IpAddr, usize)>, at_unix_nanos: u64) {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut frames = frames.peekable();
        while let Some((address, bytes)) = frames.next() {
            // What comes in one batch is mostly of one sender, which is looked up once.
            let (mut count, mut bytes) = (1, bytes as u64);
            while let Some((_, further)) = frames.next_if(|(next, _)| *next == address) {
                count += 1;
                bytes += further as u64;
            }
            let has_room = table.by_address.len() < MAX_SENDERS;
            let sender = match table.by_address.get_mut(&address) {
                Some(sender) => sender,
                None if has_room => table.by_address.entry(address).or_default(),
                None => &mut table.others,
            };
            sender.add(count, bytes, at_unix_nanos);
        }
    }

    /// Counts frames that were refused by the rate limit, one address each; they have been added before.
    pub fn rate_limited(&self, refused: impl Iterator<Item = IpAddr>) {
        let mut table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Table { by_address, others } = &mut *table;
        for address in refused {
            by_address.get_mut(&address).unwrap_or(&mut *others).rate_limited += 1;
        }
    }

    /// The rows, most frames first, and those that found no room, counted together.
    pub fn snapshot(&self) -> (Vec<(IpAddr, Sender)>, Sender) {
        let table = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut rows: Vec<_> = table.by_address.iter().map(|(address, sender)| (*address, *sender)).collect();
        let others = table.others;
        drop(table);
        rows.sort_unstable_by_key(|(address, sender)| (std::cmp::Reverse(sender.frames), *address));
        (rows, others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_bytes_add_up_per_address() {
        let senders = Senders::default();
        let (a, b): (IpAddr, IpAddr) = ("192.0.2.1".parse().unwrap(), "2001:db8::1".parse().unwrap());
        senders.add([(a, 10), (b, 5), (a, 1)].into_iter(), 7);
        senders.rate_limited([a].into_iter());
        let (rows, others) = senders.snapshot();
        assert_eq!(
            rows,
            [
                (a, Sender { frames: 2, bytes: 11, rate_limited: 1, last_seen_unix_nanos: 7 }),
                (b, Sender { frames: 1, bytes: 5, rate_limited: 0, last_seen_unix_nanos: 7 }),
            ]
        );
        assert_eq!(others, Sender::default());
    }

    #[test]
    fn a_flood_of_addresses_is_counted_together_beyond_the_bound() {
        let senders = Senders::default();
        let flood = (0..MAX_SENDERS as u32 + 2).map(|number| (IpAddr::from(number.to_be_bytes()), 1));
        senders.add(flood, 1);
        let (rows, others) = senders.snapshot();
        assert_eq!((rows.len(), others.frames), (MAX_SENDERS, 2));
    }
}
