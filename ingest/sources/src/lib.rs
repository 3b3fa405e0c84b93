//! Sockets -> frames. I/O only: nothing here reads what a frame says, and nothing here waits for Kafka.
//!
//! What a source promises: every frame taken from a socket is counted as received and pushed into the queue of one parser, in order. When
//! the queue is full a UDP reader keeps some megabytes back, then waits: the socket's buffer fills and the kernel counts exactly what it
//! drops. A TCP peer is slowed down. A stop reads what is left in the kernel's buffers before it ends.

mod access;
mod admission;
mod buffer_size;
mod capacity;
mod capture;
mod config;
mod connection;
mod growth;
mod inherited;
mod meminfo;
mod overflow;
mod policy;
mod proxied;
mod relp;
mod socket;
mod spread;
mod tcp;
mod tls;
mod udp;

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::time::{SystemTime, UNIX_EPOCH};

use tokio::sync::{mpsc, oneshot, watch};

pub use buffer_size::BufferSize;
pub use capacity::Charge;
pub use capture::{CaptureConfig, CaptureError, CaptureSource};
pub use config::{CopiesConfig, Kind, ListenerConfig, RateLimitConfig, TlsConfig, Transport};
pub use inherited::{DropsSeen, Inherited};
pub use policy::{Policies, Policy};
pub use socket::BindError;
pub use tcp::TcpSource;
pub use tls::{Certificates, TlsError};
pub use tocsin_parse::framing::Frame;
pub use udp::{Replies, UdpSource};

/// A frame as it was received.
#[derive(Debug)]
pub struct Received {
    /// Who sent it; an address that came as IPv4-mapped is IPv4.
    pub peer: SocketAddr,
    /// When it arrived, Unix nanoseconds: the kernel's stamp of a datagram, the read of a stream.
    pub received_at_unix_nanos: u64,
    /// Its bytes.
    pub frame: Frame,
    /// Who waits until this frame, and those before it in its batch, have been handed to the publisher.
    pub done: Option<Done>,
}

/// To be told when frames have been handed on. Dropped without a word, they have not been.
pub type Done = oneshot::Sender<()>;

/// Frames that were received together, in order.
pub type Batch = Vec<Received>;

/// The parser's end of a source's queue is the other half.
pub type Queue = mpsc::Sender<Batch>;

/// Becomes true when sources are to read what is left and end.
pub type Stop = watch::Receiver<bool>;

/// Batches in a queue: some thousand datagrams, the rest waits in the kernel's buffer, where it is measured.
pub const QUEUE_BATCHES: usize = 64;

/// The wall clock, Unix nanoseconds.
pub fn now_unix_nanos() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}

/// Who stands behind an address, as far as limits are concerned: a host has a whole /64 of IPv6 to choose its addresses from.
pub fn sender_of(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => Ipv6Addr::from_bits(v6.to_bits() >> 64 << 64).into(),
    }
}

/// Payload bytes of a frame as they were received.
fn received_bytes(frame: &Frame) -> u64 {
    match frame {
        Frame::Message(message) => message.len() as u64,
        Frame::Oversize { original_bytes, .. } => *original_bytes,
        Frame::Truncated { beginning, .. } | Frame::Refused { beginning, .. } => beginning.len() as u64,
    }
}
