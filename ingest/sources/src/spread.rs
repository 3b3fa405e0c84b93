//! Several sockets in place of one receive buffer that the kernel caps.
//!
//! Without CAP_NET_ADMIN a buffer is capped at `net.core.rmem_max`, by default 208 KiB: some 330 datagrams, 13 ms of a burst. The cap is one
//! of each socket, so a capped listener opens several on its port. A burst comes from one sender, so it must spread over them; and what comes from one
//! sender must stay in order. So a classic BPF program hands every datagram to the reader that the sender's address chooses, and there to one of its
//! sockets at random: one thread reads them, and puts datagrams in order by their arrival.

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

/// Where the kernel's filters find the network header, whatever the socket reads.
const NETWORK_HEADER: u32 = libc::SKF_NET_OFF as u32;
/// Knuth's multiplicative hash: neighbours among addresses go to different readers.
const SCATTER: u32 = 0x9e37_79b1;

/// Makes the kernel hand each datagram to a reader by its sender's address, and to one of the reader's `lanes` at random. `member` is any of the
/// sockets that share the port; all must be bound, those of a reader one after another.
pub(crate) fn by_sender(member: &Socket, readers: usize, lanes: usize) -> io::Result<()> {
    let mut program = program(readers as u32, lanes as u32);
    let program = libc::sock_fprog { len: program.len() as u16, filter: program.as_mut_ptr() };
    setsockopt(member, sockopt::AttachReusePortCbpf, &program)?;
    Ok(())
}

fn program(readers: u32, lanes: u32) -> Vec<libc::sock_filter> {
    let load = |offset: u32| instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NETWORK_HEADER.wrapping_add(offset));
    let calculate = |operation: u32, with: u32| instruction(libc::BPF_ALU | operation | libc::BPF_K, with);
    let keep = instruction(libc::BPF_MISC | libc::BPF_TAX, 0);
    let fold = instruction(libc::BPF_ALU | libc::BPF_XOR | libc::BPF_X, 0);
    // IPv6: the four words of the sender's address, folded into one.
    let of_ipv6 = [load(8), keep, load(12), fold, keep, load(16), fold, keep, load(20), fold];
    let mut program = vec![
        instruction(libc::BPF_LD | libc::BPF_B | libc::BPF_ABS, NETWORK_HEADER),
        calculate(libc::BPF_RSH, 4),
        libc::sock_filter { jf: 2, ..instruction(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 4) },
        load(12),
        instruction(libc::BPF_JMP | libc::BPF_JA, of_ipv6.len() as u32),
    ];
    program.extend(of_ipv6);
    program.extend([
        calculate(libc::BPF_MUL, SCATTER),
        calculate(libc::BPF_RSH, 16),
        calculate(libc::BPF_MOD, readers),
        calculate(libc::BPF_MUL, lanes),
        keep,
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32),
        calculate(libc::BPF_MOD, lanes),
        instruction(libc::BPF_ALU | libc::BPF_ADD | libc::BPF_X, 0),
        // BPF_RET | BPF_A: the number of the socket, in the order of their binding.
        instruction(libc::BPF_RET | 0x10, 0),
    ]);
    program
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
