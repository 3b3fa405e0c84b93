//! `SO_MEMINFO`: what the kernel knows about a socket's receive buffer.
//!
//! `SO_RXQ_OVFL` tells of a drop only with the next datagram that gets through, so a burst that ends in silence would never be told.
//! `SK_MEMINFO_DROPS` is exact at any moment: received + drops = sent. No safe wrapper offers it, hence the unsafe call.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd};

// Indices into the answer, include/uapi/linux/sock_diag.h.
const SK_MEMINFO_RMEM_ALLOC: usize = 0;
const SK_MEMINFO_RCVBUF: usize = 1;
const SK_MEMINFO_DROPS: usize = 8;
const SK_MEMINFO_VARS: usize = 9;

/// The part of the answer that concerns receiving.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReceiveMemory {
    /// Charged against the buffer now, bookkeeping included.
    pub(crate) used_bytes: u64,
    /// Size of the buffer as the kernel accounts it: twice what was asked for.
    pub(crate) limit_bytes: u64,
    /// Datagrams dropped since the socket was opened, modulo 2^32.
    pub(crate) drops_modulo: u32,
}

/// Asks the kernel. Linux only, since 4.12.
#[allow(unsafe_code)]
pub(crate) fn receive_memory(socket: &impl AsFd) -> io::Result<ReceiveMemory> {
    let mut values = [0_u32; SK_MEMINFO_VARS];
    let mut length = mem::size_of_val(&values) as libc::socklen_t;
    // SAFETY: the file descriptor is borrowed, so it stays open; the kernel writes at most `length` bytes into `values`, which has as many.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_MEMINFO,
            values.as_mut_ptr().cast::<libc::c_void>(),
            &raw mut length,
        )
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(ReceiveMemory {
        used_bytes: u64::from(values[SK_MEMINFO_RMEM_ALLOC]),
        limit_bytes: u64::from(values[SK_MEMINFO_RCVBUF]),
        drops_modulo: values[SK_MEMINFO_DROPS],
    })
}

/// A 32-bit counter that wraps, continued in 64 bits. It must be read at least once per 2^32 drops.
#[derive(Debug, Default)]
pub(crate) struct Unwrapped(u32);

impl Unwrapped {
    /// One that goes on from a value that was read before.
    pub(crate) fn since(modulo: u32) -> Self {
        Self(modulo)
    }

    /// How much the counter has grown since the last call.
    pub(crate) fn growth(&mut self, modulo: u32) -> u64 {
        u64::from(modulo.wrapping_sub(mem::replace(&mut self.0, modulo)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::UdpSocket;

    #[test]
    fn a_counter_that_wraps_goes_on_counting() {
        let mut drops = Unwrapped::default();
        assert_eq!(drops.growth(u32::MAX - 1), u64::from(u32::MAX) - 1);
        assert_eq!(drops.growth(3), 5);
        assert_eq!(drops.growth(3), 0);
    }

    #[test]
    fn what_waits_in_a_socket_is_charged_to_its_buffer() {
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        assert_eq!(receive_memory(&receiver).unwrap().used_bytes, 0);
        UdpSocket::bind("127.0.0.1:0").unwrap().send_to(b"hello", receiver.local_addr().unwrap()).unwrap();
        // Loopback delivers inside send_to, so there is nothing to wait for.
        let memory = receive_memory(&receiver).unwrap();
        assert!(memory.used_bytes > 5 && memory.used_bytes < memory.limit_bytes, "{memory:?}");
    }
}
