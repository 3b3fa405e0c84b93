//! What a datagram costs a receive buffer, and how many of them one holds.
//!
//! The kernel charges the memory that it keeps a datagram in (its truesize), not the payload: 200 bytes cost 1,280. How much that is differs by
//! kernel, so it is measured, on a socket of our own.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsFd;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::meminfo::receive_memory;

/// Loopback delivers within microseconds.
const MAX_DELIVERY_MILLISECONDS: u16 = 5_000;

/// What the kernel charges a receive buffer for a datagram of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Charge {
    /// Bytes of one datagram.
    pub bytes: u64,
}

impl Charge {
    /// Sends a datagram with so much payload to a socket of our own on loopback and asks what it is charged.
    ///
    /// # Errors
    ///
    /// Where the kernel does not take it: a datagram has at most 65,507 bytes.
    pub fn measure(payload_bytes: usize) -> io::Result<Self> {
        let receiver = UdpSocket::bind("127.0.0.1:0")?;
        UdpSocket::bind("127.0.0.1:0")?.send_to(&vec![0; payload_bytes], receiver.local_addr()?)?;
        // Where the kernel is busy it delivers a moment later.
        poll(&mut [PollFd::new(receiver.as_fd(), PollFlags::POLLIN)], PollTimeout::from(MAX_DELIVERY_MILLISECONDS))?;
        match receive_memory(&receiver)?.used_bytes {
            0 => Err(io::Error::new(io::ErrorKind::TimedOut, "loopback did not deliver a datagram within 5 s")),
            bytes => Ok(Self { bytes }),
        }
    }

    /// How many datagrams come at once into `sockets` whose buffers have `limit_bytes` together, as the kernel accounts them, before one is
    /// dropped. Older kernels take one more.
    pub fn datagrams_in(self, limit_bytes: u64, sockets: u64) -> u64 {
        let sockets = sockets.max(1);
        let of_one = limit_bytes / sockets / self.bytes;
        if sockets == 1 {
            return of_one;
        }
        // Each datagram goes to one of them at random: with a mean of m the fullest of a few gets less than m + 3 sqrt(m), 99 times of 100.
        let root = ((9.0 + 4.0 * of_one as f64).sqrt() - 3.0) / 2.0;
        (root * root * sockets as f64) as u64
    }

    /// The smallest `receive_buffer` whose one socket holds so many; the kernel doubles what it is asked for.
    pub fn buffer_for(self, datagrams: u64) -> u64 {
        datagrams.saturating_mul(self.bytes).div_ceil(2)
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use socket2::{Domain, Socket, Type};

    use super::*;

    /// What a socket that nobody reads has taken of more than it holds.
    fn taken(payload_bytes: usize, receive_buffer: usize) -> (u64, u64) {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        // Below the usual net.core.rmem_max, so that every kernel gives it.
        socket.set_recv_buffer_size(receive_buffer).unwrap();
        socket.bind(&SocketAddr::from(([127, 0, 0, 1], 0)).into()).unwrap();
        let receiver: UdpSocket = socket.into();
        let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
        let (payload, address) = (vec![b'x'; payload_bytes], receiver.local_addr().unwrap());
        let limit_bytes = receive_memory(&receiver).unwrap().limit_bytes;
        let mut sent = 0;
        while receive_memory(&receiver).unwrap().drops_modulo == 0 {
            sender.send_to(&payload, address).unwrap();
            sent += 1;
            assert!(sent < 100_000, "a socket that nobody reads drops nothing");
        }
        receiver.set_nonblocking(true).unwrap();
        let mut datagram = vec![0; payload_bytes];
        let taken = std::iter::from_fn(|| receiver.recv(&mut datagram).ok()).count();
        (limit_bytes, taken as u64)
    }

    #[test]
    fn the_largest_burst_is_told_within_five_percent() {
        for payload_bytes in [75, 200, 600, 1_400, 9_000] {
            let charge = Charge::measure(payload_bytes).unwrap();
            for receive_buffer in [16 * 1024, 64 * 1024, 128 * 1024, 208 * 1024] {
                let (limit_bytes, taken) = taken(payload_bytes, receive_buffer);
                let told = charge.datagrams_in(limit_bytes, 1);
                // An older kernel takes one more, which is more than 5 % of a handful.
                assert!(
                    told.abs_diff(taken) <= 1.max(taken / 20),
                    "{payload_bytes} B into {receive_buffer} B: told {told}, measured {taken} at {charge:?}"
                );
            }
        }
    }

    #[test]
    fn what_is_to_be_set_for_a_burst_holds_it() {
        for (payload_bytes, burst) in [(75, 200), (600, 150), (1_400, 80)] {
            let charge = Charge::measure(payload_bytes).unwrap();
            let (_, taken) = taken(payload_bytes, usize::try_from(charge.buffer_for(burst)).unwrap());
            assert!(taken >= burst, "{payload_bytes} B: {taken} of {burst}");
        }
    }

    #[test]
    fn several_sockets_hold_less_than_their_sum_because_chance_fills_one_first() {
        let charge = Charge { bytes: 1_280 };
        assert_eq!(charge.datagrams_in(425_984, 1), 332);
        let of_eight = charge.datagrams_in(8 * 425_984, 8);
        assert!((2_100..2_300).contains(&of_eight), "{of_eight}");
        assert_eq!(charge.datagrams_in(0, 8), 0);
    }

    #[test]
    fn a_datagram_that_cannot_be_sent_is_an_error() {
        assert!(Charge::measure(70_000).is_err());
    }
}
