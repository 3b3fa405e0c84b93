//! Several sockets in place of one receive buffer that the kernel caps.
//!
//! Without CAP_NET_ADMIN a buffer is capped at `net.core.rmem_max`, by default 208 KiB: some 330 datagrams, 13 ms of a burst. The cap is one
//! of each socket, so a capped listener opens several on its port, and a classic BPF program hands every datagram to one of them at random.
//! SO_REUSEPORT by itself would keep all datagrams of one sender on one socket, and a burst comes from one sender.

use std::io;

use nix::sys::socket::{setsockopt, sockopt};
use socket2::Socket;

use crate::socket::ReceiveBuffer;

/// Sockets in place of one: enough for a burst of some thousand datagrams, few enough to be polled together.
const MAX_LANES: usize = 8;

/// How many sockets make up for what the kernel refused: 1 where it gave what was asked.
pub(crate) fn lanes(buffer: ReceiveBuffer) -> usize {
    buffer.asked_bytes.div_ceil(buffer.got_bytes.max(1)).clamp(1, MAX_LANES)
}

/// Makes the kernel choose one of `sockets` that share a port at random for each datagram. `member` is any of them; all must be bound.
pub(crate) fn evenly(member: &Socket, sockets: usize) -> io::Result<()> {
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32;
    let mut program = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, random),
        instruction(libc::BPF_ALU | libc::BPF_MOD | libc::BPF_K, sockets as u32),
        // BPF_RET | BPF_A: the number of the socket, in the order of their binding.
        instruction(libc::BPF_RET | 0x10, 0),
    ];
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    setsockopt(member, sockopt::AttachReusePortCbpf, &program)?;
    Ok(())
}

fn instruction(code: u32, k: u32) -> libc::sock_filter {
    libc::sock_filter { code: code as u16, jt: 0, jf: 0, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_sockets_as_make_up_for_the_cap_and_no_more_than_eight() {
        let lanes = |asked_bytes, got_bytes| lanes(ReceiveBuffer { asked_bytes, got_bytes });
        assert_eq!(lanes(16 << 20, 16 << 20), 1);
        assert_eq!(lanes(2304, 4608), 1);
        assert_eq!(lanes(500_000, 212_992), 3);
        assert_eq!(lanes(16 << 20, 212_992), 8);
    }
}
