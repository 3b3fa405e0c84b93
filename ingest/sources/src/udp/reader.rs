//! The thread that empties the sockets of one reader, and does nothing else.

use std::io::IoSliceMut;
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use nix::cmsg_space;
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg};
use nix::sys::time::TimeSpec;
use socket2::Socket;
use tocsin_telemetry::Counters;

use super::merge::Merge;
use super::{MeasuredSocket, Sampled, sample};
use crate::growth::{Growth, Seen};
use crate::overflow::Overflow;
use crate::{Batch, Frame, Policies, Queue, Received, Stop, now_unix_nanos, received_bytes};

/// Datagrams one system call may bring: enough to make the call cheap, few enough that a batch is a short delay.
const BATCH_DATAGRAMS: usize = 128;
/// More than the largest payload of IPv4 (65,507) or IPv6 (65,527), so that the kernel never cuts a datagram.
const DATAGRAM_BYTES: usize = 65_536;
/// From one datagram's place to the next. No power of two: their beginnings, which are all that most of them have, would share a few lines of the
/// processor's caches.
const PLACE_BYTES: usize = DATAGRAM_BYTES + 5 * 64;
/// Stands in for a peer that the kernel did not tell, which it does for every datagram of an IP socket.
const UNKNOWN_PEER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED), 0);
/// How often an idle reader looks whether it is to stop.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// How long a reader that keeps something back waits for the next datagram before it looks at the parser's queue again.
const OVERFLOW_CHECK: Duration = Duration::from_millis(1);
/// How long a stopping reader goes on while datagrams keep coming.
const MAX_DRAIN: Duration = Duration::from_secs(2);

/// Lets datagrams gather while they come steadily: waking two threads for each one costs more than reading and parsing it.
#[derive(Debug, Default)]
struct Pause {
    /// When the reader was ready for the next batch.
    ready: Option<Instant>,
}

impl Pause {
    /// Short against everything a person or a page could notice, and against the time that a record waits for its company (`kafka.linger`). Batches
    /// closer than this are steady traffic; a datagram on its own is passed on at once.
    const DURATION: Duration = Duration::from_millis(10);
    /// Holds what a burst of a million datagrams a second brings in a pause. A smaller one, as most systems grant it, must be emptied at once.
    const MIN_BUFFER_BYTES: u64 = 8 * 1024 * 1024;

    fn after(&mut self, datagrams: usize, buffer_bytes: u64) {
        let is_steady = self.ready.is_some_and(|ready| ready.elapsed() < Self::DURATION);
        if is_steady && datagrams < BATCH_DATAGRAMS / 2 && buffer_bytes >= Self::MIN_BUFFER_BYTES {
            thread::sleep(Self::DURATION);
        }
        self.ready = Some(Instant::now());
    }
}

/// One reader: its sockets, and where their datagrams go.
pub(super) struct Reader {
    /// All sockets of the listener, whose buffers are measured together.
    pub(super) sockets: Vec<Arc<MeasuredSocket>>,
    /// The first of this reader's own sockets, and how many there are.
    pub(super) first: usize,
    pub(super) lanes: usize,
    pub(super) counters: Arc<Counters>,
    pub(super) policies: Policies,
    /// `None`: the buffers stay as they are.
    pub(super) growth: Option<Growth>,
    pub(super) queue: Queue,
    pub(super) stop: Stop,
}

/// What the kernel writes into; used again for every call.
struct Buffers {
    /// A place for each datagram. Memory is taken where one has been written.
    payloads: Vec<u8>,
    headers: MultiHeaders<SockaddrStorage>,
    /// Of the largest batch among the last ones: the next one's allocation need not grow.
    batch_bytes: usize,
}

impl Reader {
    pub(super) fn run(mut self) {
        let mut buffers = Buffers {
            payloads: vec![0_u8; PLACE_BYTES * BATCH_DATAGRAMS],
            headers: MultiHeaders::preallocate(BATCH_DATAGRAMS, Some(cmsg_space!(TimeSpec))),
            batch_bytes: 0,
        };
        let mut overflow = Overflow::new(self.queue.clone());
        let mut drain_until = None;
        let mut pause = Pause::default();
        let mut was_full = false;
        let mut merge = Merge::default();
        loop {
            if drain_until.is_none() && *self.stop.borrow() {
                drain_until = Some(Instant::now() + MAX_DRAIN);
            }
            let wait = match drain_until {
                Some(deadline) if Instant::now() > deadline => break,
                Some(_) => Duration::ZERO,
                None if !merge.is_empty() => Duration::ZERO,
                None if overflow.is_empty() => STOP_CHECK,
                None => OVERFLOW_CHECK,
            };
            let began = Instant::now();
            let batch = self.read_in_order(wait, &mut buffers, &mut merge);
            if batch.is_empty() && drain_until.is_some() {
                break;
            }
            let datagrams = batch.len();
            let oldest_unix_nanos = batch.first().map_or(0, |received| received.received_at_unix_nanos);
            let waited = Duration::from_nanos(now_unix_nanos().saturating_sub(oldest_unix_nanos));
            let handed_over = if datagrams > 0 { overflow.push(batch) } else { overflow.hand_over() };
            if handed_over.is_err() {
                break;
            }
            if datagrams > 0 {
                let sampled = sample(&self.sockets, self.own(), &self.counters);
                self.grow(sampled, waited);
                if was_full {
                    self.counters.arrivals().drained(datagrams, began.elapsed());
                }
                pause.after(datagrams, sampled.limit_bytes);
            }
            was_full = datagrams >= BATCH_DATAGRAMS;
        }
        let _ = sample(&self.sockets, self.own(), &self.counters);
        let _ = overflow.push(merge.rest());
        // A parser that has ended early has failed, which the agent says when it joins it.
        let _ = overflow.finish();
    }

    /// Follows the peak, where the buffers are to grow with it.
    fn grow(&mut self, sampled: Sampled, waited: Duration) {
        let own = self.own();
        if let Some(growth) = &mut self.growth {
            let Sampled { used_bytes, limit_bytes, dropped } = sampled;
            let seen = Seen { used_bytes, limit_bytes, has_dropped: dropped > 0, waited };
            growth.follow(self.counters.name(), seen, self.sockets[own].iter().map(|lane| &lane.socket));
        }
    }

    fn own(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.lanes
    }

    /// Waits until a socket has something, at most so long, and takes what is there, in the order of arrival.
    fn read_in_order(&self, wait: Duration, buffers: &mut Buffers, merge: &mut Merge) -> Batch {
        let (batch, read_until) = self.read_round(wait, buffers);
        if self.lanes == 1 {
            return batch;
        }
        let in_order = merge.round(batch, read_until);
        if !in_order.is_empty() || merge.is_empty() {
            return in_order;
        }
        // One more look makes certain what was read.
        let (batch, read_until) = self.read_round(Duration::ZERO, buffers);
        merge.round(batch, read_until)
    }

    /// Takes what is there from each socket, up to a full batch. Of those that may have more, the earliest time until which one was read.
    fn read_round(&self, wait: Duration, buffers: &mut Buffers) -> (Batch, Option<u64>) {
        let own = &self.sockets[self.own()];
        let mut polled: Vec<_> = own.iter().map(|lane| PollFd::new(lane.socket.as_fd(), PollFlags::POLLIN)).collect();
        let timeout = PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO);
        // Interrupted or not, what is there is read.
        let _ = poll(&mut polled, timeout);
        let mut batch = Batch::with_capacity(BATCH_DATAGRAMS);
        let mut read_until = None;
        for (lane, polled) in own.iter().zip(&polled) {
            if !polled.any().unwrap_or(false) {
                continue;
            }
            match self.read(&lane.socket, buffers, &mut batch) {
                Ok(last) => read_until = [read_until, last].into_iter().flatten().min(),
                Err(Errno::EAGAIN | Errno::EINTR) => {}
                Err(error) => {
                    tracing::error!(listener = self.counters.name(), %error, "cannot read from the socket; trying again");
                    thread::sleep(STOP_CHECK);
                }
            }
        }
        (batch, read_until)
    }

    /// Takes what one socket has, up to a full batch, and returns the arrival of the last one of a full batch. The payloads share one allocation.
    fn read(&self, socket: &Socket, buffers: &mut Buffers, batch: &mut Batch) -> Result<Option<u64>, Errno> {
        let places = buffers.payloads.chunks_exact_mut(PLACE_BYTES);
        let mut slices: Vec<_> = places.map(|place| [IoSliceMut::new(&mut place[..DATAGRAM_BYTES])]).collect();
        let datagrams = recvmmsg(socket.as_raw_fd(), &mut buffers.headers, slices.iter_mut(), MsgFlags::MSG_DONTWAIT, None)?;
        let now = now_unix_nanos();

        let mut arena = BytesMut::with_capacity(buffers.batch_bytes);
        let mut arrivals = Vec::with_capacity(BATCH_DATAGRAMS);
        for datagram in datagrams {
            let start = arena.len();
            datagram.iovs().for_each(|part| arena.extend_from_slice(part));
            let peer = datagram.address.as_ref().and_then(peer_address).unwrap_or(UNKNOWN_PEER);
            let stamp = datagram.cmsgs().ok().and_then(|mut messages| messages.find_map(arrival_unix_nanos));
            arrivals.push((peer, stamp.unwrap_or(now), arena.len() - start));
        }
        // Forgets a large batch again, as its room would be that of every batch that waits for the parser.
        buffers.batch_bytes = arena.len().max(buffers.batch_bytes / 2);
        self.counters.arrivals().read(now, arrivals.iter().map(|(_, stamp, length)| (*stamp, *length)));
        let mut payloads = arena.freeze();
        let policy = self.policies.borrow();
        let mut bytes = 0;
        let count = arrivals.len();
        let last = arrivals.last().map(|(_, stamp, _)| *stamp).filter(|_| count == BATCH_DATAGRAMS);
        batch.extend(arrivals.into_iter().filter_map(|(peer, received_at_unix_nanos, length)| {
            let mut payload = payloads.split_to(length);
            if !policy.admits(peer.ip()) {
                bytes += length as u64;
                self.counters.not_allowed(peer);
                return None;
            }
            let frame = if length > policy.max_message_bytes {
                payload.truncate(policy.max_message_bytes);
                Frame::Oversize { beginning: payload, original_bytes: length as u64 }
            } else {
                Frame::Message(payload)
            };
            bytes += received_bytes(&frame);
            Some(Received { peer, received_at_unix_nanos, frame, done: None })
        }));
        self.counters.received(count as u64, bytes);
        Ok(last)
    }
}

/// The kernel's stamp of a datagram's arrival (SO_TIMESTAMPNS): exact also when the reader comes late, so that datagrams that were read
/// from two sockets can be put in order.
fn arrival_unix_nanos(message: ControlMessageOwned) -> Option<u64> {
    match message {
        ControlMessageOwned::ScmTimestampns(stamp) => u64::try_from(Duration::from(stamp).as_nanos()).ok(),
        _ => None,
    }
}

/// The peer, an IPv4-mapped address as IPv4.
fn peer_address(address: &SockaddrStorage) -> Option<SocketAddr> {
    if let Some(v4) = address.as_sockaddr_in() {
        return Some(SocketAddr::V4((*v4).into()));
    }
    let v6 = std::net::SocketAddrV6::from(*address.as_sockaddr_in6()?);
    // A link-local peer can be answered only through its interface, which is the scope.
    Some(v6.ip().to_ipv4_mapped().map_or(SocketAddr::V6(v6), |v4| SocketAddr::new(v4.into(), v6.port())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mapped_peer_is_ipv4_and_a_link_local_one_keeps_its_interface() {
        let peer = |text: &str, scope| {
            let address = std::net::SocketAddrV6::new(text.parse().unwrap(), 162, 0, scope);
            peer_address(&SockaddrStorage::from(SocketAddr::V6(address))).unwrap()
        };
        assert_eq!(peer("::ffff:192.0.2.7", 0), "192.0.2.7:162".parse().unwrap());
        assert_eq!(peer("fe80::7", 3), "[fe80::7%3]:162".parse().unwrap());
    }
}
