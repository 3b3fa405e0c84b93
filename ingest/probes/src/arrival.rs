//! Taking datagrams with the kernel's stamp of their arrival, and what the network says about those that were sent.

use std::io::{self, IoSliceMut};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::time::TimeSpec;

/// Both clocks at one moment: the wall clock names it, the other one measures.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) instant: Instant,
    pub(crate) unix_nanos: u64,
}

impl Moment {
    pub(crate) fn now() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { instant: Instant::now(), unix_nanos: u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX) }
    }

    /// The moment of the kernel's stamp, which is wall clock, on both clocks. Only the time between stamp and now is taken from the wall clock,
    /// so a step of it does not become a round-trip time. A stamp of the future is now.
    fn of_stamp(self, stamp_unix_nanos: u64) -> Self {
        let waited = Duration::from_nanos(self.unix_nanos.saturating_sub(stamp_unix_nanos));
        match self.instant.checked_sub(waited) {
            Some(instant) => Self { instant, unix_nanos: self.unix_nanos.min(stamp_unix_nanos) },
            None => self,
        }
    }
}

/// What a router, or the own system, said about a packet that was sent (`IP_RECVERR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NetworkError {
    /// `ee_origin`: who says so.
    pub(crate) origin: u8,
    /// Type and code of the ICMP message.
    pub(crate) kind: u8,
    pub(crate) code: u8,
}

/// Takes one datagram: how long it is, and when it arrived. `WouldBlock` where there is none.
pub(crate) fn receive(socket: &impl AsRawFd, payload: &mut [u8]) -> io::Result<(usize, Moment)> {
    let mut slices = [IoSliceMut::new(payload)];
    let mut control = cmsg_space!(TimeSpec);
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut slices, Some(&mut control), MsgFlags::MSG_DONTWAIT)?;
    let now = Moment::now();
    let stamp = message.cmsgs().ok().and_then(|mut messages| {
        messages.find_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(stamp) => u64::try_from(Duration::from(stamp).as_nanos()).ok(),
            _ => None,
        })
    });
    Ok((message.bytes, stamp.map_or(now, |stamp| now.of_stamp(stamp))))
}

/// Takes one error of the socket's error queue: how much of the packet it is about came back, and what it says. `WouldBlock` where there is
/// none.
pub(crate) fn receive_error(socket: &impl AsRawFd, payload: &mut [u8]) -> io::Result<(usize, Option<NetworkError>)> {
    let mut slices = [IoSliceMut::new(payload)];
    let mut control = cmsg_space!(TimeSpec, libc::sock_extended_err, libc::sockaddr_in6);
    let flags = MsgFlags::MSG_ERRQUEUE | MsgFlags::MSG_DONTWAIT;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut slices, Some(&mut control), flags)?;
    let error = message.cmsgs().ok().and_then(|mut messages| {
        messages.find_map(|message| match message {
            ControlMessageOwned::Ipv4RecvErr(error, _) | ControlMessageOwned::Ipv6RecvErr(error, _) => {
                Some(NetworkError { origin: error.ee_origin, kind: error.ee_type, code: error.ee_code })
            }
            _ => None,
        })
    });
    Ok((message.bytes, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_as_long_ago_on_both_clocks() {
        let now = Moment::now();
        let stamped = now.of_stamp(now.unix_nanos - 5_000_000);
        assert_eq!(now.instant - stamped.instant, Duration::from_millis(5));
        assert_eq!(stamped.unix_nanos, now.unix_nanos - 5_000_000);
    }

    #[test]
    fn a_stamp_of_the_future_is_now() {
        let now = Moment::now();
        let stamped = now.of_stamp(now.unix_nanos + 5_000_000);
        assert_eq!((stamped.instant, stamped.unix_nanos), (now.instant, now.unix_nanos));
    }
}
