//! Passive capture: the DHCP packets that pass an interface, both directions, by a ring that the kernel fills.

mod filter;
#[allow(unsafe_code)]
mod ring;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use bytes::{BufMut, Bytes, BytesMut};
use bytesize::ByteSize;
use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde::{Deserialize, Serialize};
use tocsin_telemetry::Counters;

use self::ring::{BLOCK_BYTES, Binding, Cursor, RETIRE_AFTER, Ring, RingFrame};
use crate::overflow::Overflow;
use crate::{Batch, Frame, Queue, Received, Stop, received_bytes};

/// The parser reads the sender's address from the frame.
const NO_PEER: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0);
/// How often an idle reader looks whether it is to stop.
const STOP_CHECK: Duration = Duration::from_millis(100);
/// How long a reader that keeps something back waits for the next block before it looks at the parser's queue again.
const OVERFLOW_CHECK: Duration = Duration::from_millis(1);
/// How long a stopping reader goes on while frames keep coming.
const MAX_DRAIN: Duration = Duration::from_secs(2);
/// How often an interface that went away is looked for.
const REOPEN_AFTER: Duration = Duration::from_secs(1);
const VLAN_TAG_AT: usize = 12;
/// IFNAMSIZ, without the byte that ends it.
const MAX_INTERFACE_BYTES: usize = 15;
const MIN_RING: ByteSize = ByteSize::b(2 * BLOCK_BYTES as u64);
const MAX_RING: ByteSize = ByteSize::gib(1);

/// One entry of `captures`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CaptureConfig {
    /// Unique name, also among the listeners.
    pub name: String,
    /// Interface whose DHCP packets are seen, VLANs on it included.
    pub interface: String,
    /// Size of the ring that the kernel fills.
    #[serde(default = "default_ring")]
    pub receive_ring: ByteSize,
    /// Take frames for other hosts too, as a mirror port brings them.
    #[serde(default)]
    pub promiscuous: bool,
    /// Place of the interface; empty: the agent's `site`.
    #[serde(default)]
    pub site: String,
}

fn default_ring() -> ByteSize {
    ByteSize::mib(8)
}

impl CaptureConfig {
    /// What is wrong with the values, with the remedy. Asks the machine whether it has the interface.
    pub fn check(&self) -> Result<(), String> {
        let interface = &self.interface;
        if interface.is_empty() || interface.len() > MAX_INTERFACE_BYTES || interface.contains(['/', ' ']) {
            return Err(format!("interface is {interface:?}, which no interface is called; `ip link` lists them"));
        }
        if self.receive_ring < MIN_RING || self.receive_ring > MAX_RING {
            return Err(format!("receive_ring is {}; use {MIN_RING} to {MAX_RING}, 8 MiB holds some 15,000 packets", self.receive_ring));
        }
        if_nametoindex(interface.as_str())
            .map(drop)
            .map_err(|error| format!("interface {interface}: {error}; this machine has {}", interfaces()))
    }

    fn blocks(&self) -> usize {
        usize::try_from(self.receive_ring.as_u64()).unwrap_or(usize::MAX) / BLOCK_BYTES
    }
}

/// Names of this machine's interfaces.
fn interfaces() -> String {
    match nix::net::if_::if_nameindex() {
        Ok(interfaces) => interfaces.iter().map(|interface| interface.name().to_string_lossy()).collect::<Vec<_>>().join(", "),
        Err(error) => format!("interfaces that cannot be listed ({error})"),
    }
}

/// A capture cannot begin.
#[derive(Debug, thiserror::Error)]
#[error("capture {capture}: cannot capture on {interface}: {error}; {remedy}")]
pub struct CaptureError {
    capture: String,
    interface: String,
    error: io::Error,
    remedy: &'static str,
}

fn remedy(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EPERM | libc::EACCES) => {
            "it needs CAP_NET_RAW: `setcap cap_net_raw+ep $(command -v tocsin)`, or in the systemd unit `AmbientCapabilities=CAP_NET_RAW`"
        }
        Some(libc::ENODEV | libc::ENXIO) => "`ip link` lists this machine's interfaces",
        Some(libc::ENOMEM) => "the kernel has no memory for the ring; choose a smaller receive_ring",
        Some(libc::ENETDOWN) => "bring the interface up: `ip link set IFACE up`",
        _ => "check `interface` and `receive_ring`",
    }
}

/// A bound ring that nobody reads yet.
#[derive(Debug)]
pub struct CaptureSource {
    ring: Arc<Ring>,
    config: CaptureConfig,
    counters: Arc<Counters>,
}

impl CaptureSource {
    /// Opens the ring and binds it to the interface. Needs CAP_NET_RAW.
    pub fn bind(config: &CaptureConfig, counters: Arc<Counters>) -> Result<Self, CaptureError> {
        let failure = |error: io::Error| CaptureError {
            capture: config.name.clone(),
            interface: config.interface.clone(),
            remedy: remedy(&error),
            error,
        };
        let ring = Ring::open(config.blocks(), &filter::dhcp()).map_err(failure)?;
        let hardware_type = ring.bind(binding(config).map_err(failure)?).map_err(failure)?;
        if !matches!(hardware_type, libc::ARPHRD_ETHER | libc::ARPHRD_LOOPBACK) {
            return Err(CaptureError {
                capture: config.name.clone(),
                interface: config.interface.clone(),
                error: io::Error::other(format!("its frames are not Ethernet (hardware type {hardware_type})")),
                remedy: "name the Ethernet interface below it",
            });
        }
        tracing::info!(
            capture = config.name,
            interface = config.interface,
            receive_ring_bytes = ring.bytes(),
            promiscuous = config.promiscuous,
            "capturing"
        );
        let source = Self { ring: Arc::new(ring), config: config.clone(), counters };
        source.sample();
        Ok(source)
    }

    /// Asks the kernel what it dropped and how full the ring is.
    pub fn sample(&self) {
        sample(&self.ring, &self.counters);
    }

    /// Starts the reader.
    pub fn start(&self, queue: Queue, stop: &Stop) -> io::Result<JoinHandle<()>> {
        let reader = Reader {
            ring: Arc::clone(&self.ring),
            config: self.config.clone(),
            counters: Arc::clone(&self.counters),
            stop: stop.clone(),
            cursor: Cursor::default(),
            is_interrupted: false,
        };
        thread::Builder::new().name(format!("read-{}", self.config.name)).spawn(move || reader.run(queue))
    }
}

fn binding(config: &CaptureConfig) -> io::Result<Binding> {
    Ok(Binding { interface_index: if_nametoindex(config.interface.as_str())?, is_promiscuous: config.promiscuous })
}

fn sample(ring: &Ring, counters: &Counters) {
    // The kernel's counter begins anew with each call, so that two callers share what was dropped and none counts it twice.
    if let Ok(drops) = ring.drops_since_last() {
        counters.kernel_dropped(drops);
    }
    counters.buffer_used(ring.used_bytes(), ring.bytes());
}

/// The thread that empties the ring, and does nothing else.
struct Reader {
    ring: Arc<Ring>,
    config: CaptureConfig,
    counters: Arc<Counters>,
    stop: Stop,
    cursor: Cursor,
    /// The interface went down or away, and no frame has come since.
    is_interrupted: bool,
}

impl Reader {
    fn run(mut self, queue: Queue) {
        let mut overflow = Overflow::new(queue);
        let mut drain_until = None;
        loop {
            if drain_until.is_none() && *self.stop.borrow() {
                drain_until = Some(Instant::now() + MAX_DRAIN);
            }
            let wait = match drain_until {
                Some(deadline) if Instant::now() > deadline => break,
                // What has arrived may still wait in a block of the kernel's.
                Some(_) => 3 * RETIRE_AFTER,
                None if overflow.is_empty() => STOP_CHECK,
                None => OVERFLOW_CHECK,
            };
            let batch = self.read(wait);
            if batch.is_empty() && drain_until.is_some() {
                break;
            }
            let handed_over = if batch.is_empty() { overflow.hand_over() } else { overflow.push(batch) };
            if handed_over.is_err() {
                break;
            }
        }
        sample(&self.ring, &self.counters);
        // A parser that has ended early has failed, which the agent says when it joins it.
        let _ = overflow.finish();
    }

    /// Waits until a block is ours, at most so long, and copies its frames.
    fn read(&mut self, wait: Duration) -> Batch {
        let mut polled = [PollFd::new(self.ring.as_fd(), PollFlags::POLLIN)];
        let timeout = PollTimeout::try_from(wait).unwrap_or(PollTimeout::ZERO);
        // Interrupted or not, what is there is read.
        let _ = poll(&mut polled, timeout);
        if polled[0].revents().is_some_and(|events| events.contains(PollFlags::POLLERR)) {
            self.recover();
        }
        let mut batch = Batch::new();
        if self.ring.used_bytes() > 0 {
            sample(&self.ring, &self.counters);
        }
        self.ring.take_block(&mut self.cursor, |frame| {
            batch.push(Received { peer: NO_PEER, received_at_unix_nanos: frame.unix_nanos, frame: copied(&frame), done: None });
        });
        if self.is_interrupted && !batch.is_empty() {
            self.is_interrupted = false;
            tracing::info!(capture = self.config.name, interface = self.config.interface, "capturing again");
        }
        let bytes = batch.iter().map(|received| received_bytes(&received.frame)).sum();
        self.counters.received(batch.len() as u64, bytes);
        batch
    }

    /// Says that the interface went down or away. One that comes up again goes on by itself; one that is made anew must be bound anew.
    fn recover(&mut self) {
        if let Ok(Some(error)) = self.ring.take_error()
            && !self.is_interrupted
        {
            self.is_interrupted = true;
            let (capture, interface) = (&self.config.name, &self.config.interface);
            tracing::warn!(capture, interface, %error, "capture interrupted; waiting for the interface");
        }
        thread::sleep(REOPEN_AFTER);
        // Tried again with the next error, which an interface that is away or down gives at once.
        let _ = binding(&self.config).and_then(|binding| self.ring.bind(binding));
    }
}

/// A frame as it was on the wire: with the VLAN tag that the kernel took out.
fn copied(frame: &RingFrame<'_>) -> Frame {
    let bytes = match (frame.vlan, frame.bytes.split_at_checked(VLAN_TAG_AT)) {
        (Some((protocol, tag)), Some((addresses, rest))) => {
            let mut bytes = BytesMut::with_capacity(frame.bytes.len() + 4);
            bytes.put_slice(addresses);
            bytes.put_u16(protocol);
            bytes.put_u16(tag);
            bytes.put_slice(rest);
            bytes.freeze()
        }
        _ => Bytes::copy_from_slice(frame.bytes),
    };
    if frame.original_bytes > frame.bytes.len() {
        return Frame::Oversize { beginning: bytes, original_bytes: frame.original_bytes as u64 };
    }
    Frame::Message(bytes)
}
