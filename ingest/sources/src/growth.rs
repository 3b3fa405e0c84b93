//! `receive_buffer: auto`: a buffer that grows with the peaks of its use, as long as what it holds does not wait for too long.
//!
//! A bigger buffer trades drops for delay: a server whose reader is too slow by itself answers late instead of never, and a page that is half a minute
//! late is no page. So the buffer grows while a full one is read within [`MAX_DELAY`], by the wait that the kernel's own stamps show.

use std::io;
use std::time::{Duration, Instant};

use nix::sys::socket::{setsockopt, sockopt};
use socket2::{Domain, Socket, Type};

/// What a buffer begins with: 13,000 datagrams of 600 bytes.
pub(crate) const FIRST_BYTES: usize = 16 * 1024 * 1024;
/// What it never goes beyond: memory that all sockets of the machine share (net.ipv4.udp_mem).
const MAX_BYTES: usize = 128 * 1024 * 1024;
/// What a datagram may wait for in a full buffer.
const MAX_DELAY: Duration = Duration::from_secs(1);
/// Between two attempts where the kernel gives no more: somebody may raise net.core.rmem_max meanwhile.
const RETRY: Duration = Duration::from_secs(10);

/// What was seen of the sockets of one reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Most of one socket, and its size, as the kernel accounts them: twice what was asked for.
    pub(crate) used_bytes: u64,
    pub(crate) limit_bytes: u64,
    pub(crate) has_dropped: bool,
    /// How long the oldest datagram that was read just now had waited.
    pub(crate) waited: Duration,
}

/// When the buffers of one reader's sockets are to grow.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    not_before: Option<Instant>,
    is_cap_told: bool,
    is_delay_told: bool,
}

impl Growth {
    /// The size to ask the kernel for, twice that of now; `None`: it stays.
    fn wanted(&mut self, listener: &str, seen: Seen, now: Instant) -> Option<usize> {
        let is_nearly_full = seen.has_dropped || seen.used_bytes > seen.limit_bytes / 2;
        // Twice the size that was asked for is what the kernel accounts now.
        let asked_bytes = usize::try_from(seen.limit_bytes).unwrap_or(usize::MAX);
        if !is_nearly_full || asked_bytes > MAX_BYTES || self.not_before.is_some_and(|not_before| now < not_before) {
            return None;
        }
        if seen.waited > MAX_DELAY / 2 {
            if !std::mem::replace(&mut self.is_delay_told, true) {
                tracing::warn!(
                    listener,
                    waited_milliseconds = seen.waited.as_millis(),
                    remedy = "more readers, more processors or more agents",
                    "the receive buffer is nearly full and does not grow: the agent is too slow, and what it held would come too late"
                );
            }
            return None;
        }
        Some(asked_bytes)
    }

    /// Makes the sockets' buffers larger where that is due.
    pub(crate) fn follow<'a>(&mut self, listener: &str, seen: Seen, sockets: impl Iterator<Item = &'a Socket>) {
        let now = Instant::now();
        let Some(asked_bytes) = self.wanted(listener, seen, now) else { return };
        let got_bytes = sockets.map(|socket| enlarge(socket, asked_bytes).unwrap_or(0)).min().unwrap_or(0);
        if got_bytes >= asked_bytes {
            tracing::info!(listener, receive_buffer_bytes = got_bytes, "the receive buffer has grown");
            return;
        }
        self.not_before = Some(now + RETRY);
        if !std::mem::replace(&mut self.is_cap_told, true) {
            tracing::warn!(
                listener,
                asked_bytes,
                got_bytes,
                remedy = format!("sysctl -w net.core.rmem_max={MAX_BYTES}"),
                "the receive buffer was nearly full and the kernel lets it grow no further"
            );
        }
    }
}

/// Asks for a larger buffer and tells what there is then. The kernel would also make one smaller that somebody with more rights has set, so it is asked
/// on a socket that nobody uses first.
fn enlarge(socket: &Socket, asked_bytes: usize) -> io::Result<usize> {
    let before_bytes = socket.recv_buffer_size()?;
    if asked_bytes <= before_bytes / 2 {
        return Ok(before_bytes / 2);
    }
    if setsockopt(socket, sockopt::RcvBufForce, &asked_bytes).is_err() {
        let unused = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
        unused.set_recv_buffer_size(asked_bytes)?;
        if unused.recv_buffer_size()? > before_bytes {
            socket.set_recv_buffer_size(asked_bytes)?;
        }
    }
    Ok(socket.recv_buffer_size()? / 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1024 * 1024;

    fn seen(used_bytes: u64, limit_bytes: u64) -> Seen {
        Seen { used_bytes, limit_bytes, has_dropped: false, waited: Duration::from_millis(5) }
    }

    fn wanted(seen: Seen) -> Option<usize> {
        Growth::default().wanted("l", seen, Instant::now())
    }

    #[test]
    fn a_buffer_that_was_more_than_half_full_or_dropped_is_doubled() {
        assert_eq!(wanted(seen(15 * MIB, 32 * MIB)), None);
        // 32 MiB as the kernel accounts it were asked for as 16.
        assert_eq!(wanted(seen(17 * MIB, 32 * MIB)), Some(32 << 20));
        assert_eq!(wanted(Seen { has_dropped: true, ..seen(0, 32 * MIB) }), Some(32 << 20));
    }

    #[test]
    fn it_stays_where_a_full_one_would_be_read_too_late_and_where_it_is_large_enough_for_anything() {
        let slow = Seen { waited: Duration::from_millis(501), ..seen(31 * MIB, 32 * MIB) };
        assert_eq!(wanted(slow), None);
        assert_eq!(wanted(seen(256 * MIB, 256 * MIB)), None);
    }

    #[test]
    fn a_kernel_that_gives_no_more_is_asked_again_after_a_while() {
        let now = Instant::now();
        let mut growth = Growth { not_before: Some(now + RETRY), ..Growth::default() };
        assert_eq!(growth.wanted("l", seen(30 * MIB, 32 * MIB), now), None);
        assert!(growth.wanted("l", seen(30 * MIB, 32 * MIB), now + RETRY).is_some());
    }

    #[test]
    fn a_buffer_that_was_given_by_somebody_with_more_rights_is_never_made_smaller() {
        let socket = Socket::new(Domain::IPV4, Type::DGRAM, None).unwrap();
        socket.set_recv_buffer_size(64 * 1024).unwrap();
        assert_eq!(enlarge(&socket, 16 * 1024).unwrap(), 64 * 1024);
        assert!(enlarge(&socket, 128 * 1024).unwrap() >= 128 * 1024);
    }
}
