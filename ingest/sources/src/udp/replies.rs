//! Answers to datagrams, from the socket that received them.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use super::MeasuredSocket;

/// Sends from a listener's port. Never waits: where the kernel has no room, the answer is lost, as on any way through a network.
#[derive(Clone, Debug)]
pub struct Replies(Arc<MeasuredSocket>);

impl Replies {
    pub(super) fn new(socket: Arc<MeasuredSocket>) -> Self {
        Self(socket)
    }

    /// Sends one datagram to a peer.
    pub fn send(&self, peer: SocketAddr, payload: &[u8]) -> io::Result<()> {
        let is_dual_stack = self.0.socket.local_addr()?.is_ipv6();
        let address = match peer.ip() {
            IpAddr::V4(v4) if is_dual_stack => SocketAddr::new(v4.to_ipv6_mapped().into(), peer.port()),
            _ => peer,
        };
        self.0.socket.send_to_with_flags(payload, &address.into(), libc::MSG_DONTWAIT).map(|_| ())
    }
}
