//! The sockets: messages go in one by one and leave in batches.
//!
//! Datagrams leave by sendmmsg(2), up to 64 a system call. A message counts as sent when the kernel has taken it.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, IoSlice, Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, Shutdown, SocketAddr, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, MultiHeaders, sendmmsg};

use super::framing::Framing;
use super::target::{Addresses, Target};
use crate::Failure;

const MESSAGES_PER_BATCH: usize = 64;
const BYTES_PER_BATCH: usize = 256 * 1024;
const TCP_TIMEOUT: Duration = Duration::from_secs(30);
/// How long a receiver may take to close its side after we have closed ours.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A socket for each target.
pub struct Outbox {
    links: BTreeMap<Target, Link>,
    last: Option<Target>,
}

/// One target's socket and what went through it.
pub struct Link {
    /// Where it leads.
    pub address: SocketAddr,
    /// Messages that the kernel took.
    pub messages: u64,
    /// Bytes of their payload.
    pub bytes: u64,
    /// Datagrams that came back because nobody listened.
    pub refused: u64,
    socket: Socket,
    batch: Batch,
    keeps_going: bool,
}

enum Socket {
    Udp { socket: UdpSocket, headers: MultiHeaders<()> },
    Tcp(TcpStream),
}

/// Messages that wait to leave together, one after the other in `bytes`.
#[derive(Default)]
struct Batch {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    payload_bytes: u64,
}

impl Outbox {
    /// Opens a socket for each target. With `keeps_going`, datagrams that nobody receives are counted instead of ending the command.
    pub fn open(targets: &[Target], addresses: &Addresses, keeps_going: bool) -> Result<Self, Failure> {
        let mut links = BTreeMap::new();
        for &target in targets {
            links.insert(target, Link::open(target, addresses.resolve(target)?, keeps_going)?);
        }
        Ok(Self { links, last: None })
    }

    /// Every target with its link, for the summary.
    pub fn links(&self) -> impl Iterator<Item = (Target, &Link)> {
        self.links.iter().map(|(target, link)| (*target, link))
    }

    /// Messages that the kernel took, over all targets.
    pub fn messages(&self) -> u64 {
        self.links.values().map(|link| link.messages).sum()
    }

    /// Takes one message. Messages leave in the order in which they were taken, also from one target to the next.
    pub fn push(&mut self, target: Target, framing: Framing, payload: &[u8]) -> Result<(), Failure> {
        if self.last != Some(target) {
            self.flush()?;
            self.last = Some(target);
        }
        let link = self.links.get_mut(&target).expect("a link was opened for every target of the traffic");
        if target.is_datagram() {
            link.batch.bytes.extend_from_slice(payload);
        } else {
            framing.write(payload, &mut link.batch.bytes);
        }
        link.batch.ends.push(link.batch.bytes.len());
        link.batch.payload_bytes += payload.len() as u64;
        let is_full = link.batch.ends.len() == MESSAGES_PER_BATCH || link.batch.bytes.len() >= BYTES_PER_BATCH;
        if is_full { link.flush(target) } else { Ok(()) }
    }

    /// Hands what waits to the kernel.
    pub fn flush(&mut self) -> Result<(), Failure> {
        match self.last {
            Some(target) => self.links.get_mut(&target).map_or(Ok(()), |link| link.flush(target)),
            None => Ok(()),
        }
    }

    /// Flushes, closes connections in an orderly way, and finds out whether the last datagrams came back.
    pub fn finish(&mut self) -> Result<(), Failure> {
        self.flush()?;
        self.links.iter_mut().try_for_each(|(target, link)| link.finish(*target))
    }
}

impl Link {
    fn open(target: Target, address: SocketAddr, keeps_going: bool) -> Result<Self, Failure> {
        let socket = if target.is_datagram() { open_udp(address) } else { open_tcp(address) };
        let socket = socket.map_err(|error| {
            Failure::new(
                format!("cannot connect to {} at {address}: {error}", target.name()),
                "start the agent (`make up`), or say where it listens with --host, --port-offset or --target NAME=HOST:PORT",
            )
        })?;
        Ok(Self { address, messages: 0, bytes: 0, refused: 0, socket, batch: Batch::default(), keeps_going })
    }

    fn flush(&mut self, target: Target) -> Result<(), Failure> {
        let sent = match &mut self.socket {
            Socket::Tcp(stream) => stream.write_all(&self.batch.bytes).map(|()| {
                self.messages += self.batch.ends.len() as u64;
                self.bytes += self.batch.payload_bytes;
            }),
            Socket::Udp { .. } => self.send_datagrams(),
        };
        self.batch.bytes.clear();
        self.batch.ends.clear();
        self.batch.payload_bytes = 0;
        sent.map_err(|error| self.failure(target, &error))
    }

    fn send_datagrams(&mut self) -> io::Result<()> {
        let Socket::Udp { socket, headers } = &mut self.socket else { return Ok(()) };
        let mut sent = 0;
        while sent < self.batch.ends.len() {
            let start = |message: usize| if message == 0 { 0 } else { self.batch.ends[message - 1] };
            let slices: Vec<[IoSlice<'_>; 1]> = (sent..self.batch.ends.len())
                .map(|message| [IoSlice::new(&self.batch.bytes[start(message)..self.batch.ends[message]])])
                .collect();
            let addresses = [None; MESSAGES_PER_BATCH]; // the socket is connected
            match sendmmsg(socket.as_raw_fd(), headers, &slices, addresses, [], MsgFlags::empty()) {
                Ok(results) => {
                    let taken = results.count();
                    self.bytes += (self.batch.ends[sent + taken - 1] - start(sent)) as u64;
                    self.messages += taken as u64;
                    sent += taken;
                }
                Err(Errno::EINTR) => {}
                // The kernel reports with this call that an earlier datagram found no listener; this call sent nothing.
                Err(Errno::ECONNREFUSED) if self.keeps_going => self.refused += 1,
                Err(errno) => return Err(errno.into()),
            }
        }
        Ok(())
    }

    fn finish(&mut self, target: Target) -> Result<(), Failure> {
        let ended = match &mut self.socket {
            Socket::Udp { socket, .. } => match socket.take_error() {
                Ok(None) => Ok(()),
                Ok(Some(error)) if error.kind() == ErrorKind::ConnectionRefused && self.keeps_going => {
                    self.refused += 1;
                    Ok(())
                }
                Ok(Some(error)) | Err(error) => Err(error),
            },
            Socket::Tcp(stream) => close(stream),
        };
        ended.map_err(|error| self.failure(target, &error))
    }

    fn failure(&self, target: Target, error: &io::Error) -> Failure {
        let (name, address, messages) = (target.name(), self.address, self.messages);
        match error.kind() {
            ErrorKind::ConnectionRefused => Failure::new(
                format!("nothing listens for {name} at {address} (noticed after {messages} datagrams)"),
                "start the agent (`make up`), correct --host, --port-offset or --target, or go on regardless with --keep-going",
            ),
            ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => Failure::new(
                format!("the receiver of {name} at {address} closed the connection after {messages} frames; how many it read is not known"),
                "its log and its rejects say why; --framing must be one that it understands",
            ),
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Failure::new(
                format!("the receiver of {name} at {address} has taken nothing for {} s ({messages} frames sent)", TCP_TIMEOUT.as_secs()),
                "it is stuck or overloaded; its log says why",
            ),
            _ => Failure::new(
                format!("sending to {name} at {address} failed after {messages} messages: {error}"),
                "check the address and the network",
            ),
        }
    }
}

fn open_udp(address: SocketAddr) -> io::Result<Socket> {
    let any: SocketAddr = if address.is_ipv4() { (Ipv4Addr::UNSPECIFIED, 0).into() } else { (Ipv6Addr::UNSPECIFIED, 0).into() };
    let socket = UdpSocket::bind(any)?;
    socket.connect(address)?;
    Ok(Socket::Udp { socket, headers: MultiHeaders::preallocate(MESSAGES_PER_BATCH, None) })
}

fn open_tcp(address: SocketAddr) -> io::Result<Socket> {
    let stream = TcpStream::connect_timeout(&address, Duration::from_secs(5))?;
    stream.set_nodelay(true)?; // batches are ours; a paced message must not wait for the next
    stream.set_write_timeout(Some(TCP_TIMEOUT))?;
    Ok(Socket::Tcp(stream))
}

/// Closes our side and waits for the receiver to close its own, which tells that it has read to the end. A receiver that keeps its
/// side open is no error.
fn close(stream: &mut TcpStream) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(CLOSE_TIMEOUT))?;
    match stream.read(&mut [0; 64]) {
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => Ok(()),
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests;
