//! Netlink as far as sets need it: messages with nested attributes, acknowledgements, dumps. RFC 3549; `include/uapi/linux/netlink.h`.

use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, NetlinkAddr, SockFlag, SockProtocol, SockType, bind, recv, send, setsockopt, socket, sockopt,
};

const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const NLM_F_REQUEST: u16 = 0x1;
const NLM_F_ACK: u16 = 0x4;
const NLM_F_DUMP: u16 = 0x300;
const HEADER_BYTES: usize = 16;
/// nfgenmsg: family, version, resource id.
const NFGEN_BYTES: usize = 4;
pub const NLA_F_NESTED: u16 = 0x8000;
pub const NLA_F_NET_BYTEORDER: u16 = 0x4000;
const NLA_TYPE_MASK: u16 = 0x3fff;
/// Enough for every reply of the kernel: a dump comes in pieces of at most 32 KiB.
const RECEIVE_BYTES: usize = 128 * 1024;

/// What a request wants back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// Nothing, unless it fails.
    Nothing,
    /// An acknowledgement.
    Ack,
    /// Every object, in several messages.
    Dump,
}

/// Messages under construction.
#[derive(Debug, Default)]
pub struct Messages {
    bytes: Vec<u8>,
    start: usize,
}

impl Messages {
    /// Begins a netfilter message of `kind` (subsystem and command).
    pub fn begin(&mut self, kind: u16, flags: u16, reply: Reply, family: u8, resource: u16, sequence: u32) -> &mut Self {
        self.start = self.bytes.len();
        let flags = flags
            | NLM_F_REQUEST
            | match reply {
                Reply::Nothing => 0,
                Reply::Ack => NLM_F_ACK,
                Reply::Dump => NLM_F_DUMP,
            };
        self.bytes.extend([0; 4]);
        self.bytes.extend(kind.to_ne_bytes());
        self.bytes.extend(flags.to_ne_bytes());
        self.bytes.extend(sequence.to_ne_bytes());
        self.bytes.extend([0; 4]);
        self.bytes.extend([family, 0]);
        self.bytes.extend(resource.to_be_bytes());
        self
    }

    /// Adds an attribute.
    pub fn attribute(&mut self, kind: u16, value: &[u8]) -> &mut Self {
        let length = u16::try_from(4 + value.len()).expect("an attribute of this module is below 64 KiB");
        self.bytes.extend(length.to_ne_bytes());
        self.bytes.extend(kind.to_ne_bytes());
        self.bytes.extend(value);
        self.pad();
        self
    }

    /// Adds a text that ends with a zero byte.
    pub fn text(&mut self, kind: u16, value: &str) -> &mut Self {
        let mut bytes = value.as_bytes().to_vec();
        bytes.push(0);
        self.attribute(kind, &bytes)
    }

    /// Adds an attribute that holds what `fill` adds.
    pub fn nested(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let at = self.bytes.len();
        self.bytes.extend([0; 2]);
        self.bytes.extend((kind | NLA_F_NESTED).to_ne_bytes());
        fill(self);
        let length = u16::try_from(self.bytes.len() - at).expect("callers keep nested attributes below 64 KiB");
        self.bytes[at..at + 2].copy_from_slice(&length.to_ne_bytes());
        self
    }

    /// Ends the message that was begun last.
    pub fn end(&mut self) -> &mut Self {
        let length = u32::try_from(self.bytes.len() - self.start).expect("a message is below 4 GiB");
        self.bytes[self.start..self.start + 4].copy_from_slice(&length.to_ne_bytes());
        self
    }

    fn pad(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }
}

/// The attributes in `bytes`: type without flags, and value. What is cut off ends it.
pub fn attributes(mut bytes: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = usize::from(u16::from_ne_bytes(bytes.get(..2)?.try_into().ok()?));
        let kind = u16::from_ne_bytes(bytes.get(2..4)?.try_into().ok()?) & NLA_TYPE_MASK;
        let value = bytes.get(4..length)?;
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

/// The value of the first attribute of `kind`.
pub fn attribute(bytes: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(bytes).find(|(found, _)| *found == kind).map(|(_, value)| value)
}

/// A socket to netfilter. Needs CAP_NET_ADMIN for everything but looking.
#[derive(Debug)]
pub struct Netfilter {
    socket: OwnedFd,
    sequence: u32,
    buffer: Vec<u8>,
}

/// The kernel's answer to a request that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// Positive error number; netfilter has numbers of its own above 4096.
    pub errno: i32,
}

impl From<Errno> for Refused {
    fn from(errno: Errno) -> Self {
        Self { errno: errno as i32 }
    }
}

impl Netfilter {
    /// Opens a socket.
    pub fn open() -> Result<Self, Refused> {
        let socket = socket(AddressFamily::Netlink, SockType::Raw, SockFlag::SOCK_CLOEXEC, SockProtocol::NetlinkNetFilter)?;
        bind(socket.as_raw_fd(), &NetlinkAddr::new(0, 0))?;
        // One acknowledgement a message waits here while a batch is sent.
        setsockopt(&socket, sockopt::RcvBuf, &(4 << 20))?;
        setsockopt(&socket, sockopt::SndBuf, &(4 << 20))?;
        Ok(Self { socket, sequence: 0, buffer: vec![0; RECEIVE_BYTES] })
    }

    /// A number for the next message, so that its answer can be told from others.
    pub fn next_sequence(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Sends messages and waits until the one numbered `last` is acknowledged, or any fails.
    pub fn send_and_await(&mut self, messages: &Messages, last: u32) -> Result<(), Refused> {
        self.send_all(messages)?;
        let mut answer = Ok(());
        self.receive(|kind, sequence, payload| {
            if kind == NLMSG_ERROR
                && let Err(refused) = error_of(payload)
            {
                answer = Err(refused);
                return true;
            }
            sequence == last
        })?;
        answer
    }

    /// Sends one dump request and gives `each` the attributes of every message that comes.
    pub fn dump(&mut self, request: &Messages, mut each: impl FnMut(&[u8])) -> Result<(), Refused> {
        self.send_all(request)?;
        let mut answer = Ok(());
        self.receive(|kind, _, payload| match kind {
            NLMSG_DONE => true,
            NLMSG_ERROR => {
                answer = error_of(payload);
                answer.is_err()
            }
            _ => {
                each(payload.get(NFGEN_BYTES..).unwrap_or_default());
                false
            }
        })?;
        answer
    }

    fn send_all(&self, messages: &Messages) -> Result<(), Refused> {
        send(self.socket.as_raw_fd(), &messages.bytes, MsgFlags::empty())?;
        Ok(())
    }

    /// Reads messages until `each` (kind, sequence, payload) says that it has what it wants.
    fn receive(&mut self, mut each: impl FnMut(u16, u32, &[u8]) -> bool) -> Result<(), Refused> {
        loop {
            let length = recv(self.socket.as_raw_fd(), &mut self.buffer, MsgFlags::empty())?;
            let mut rest = &self.buffer[..length];
            while rest.len() >= HEADER_BYTES {
                let number = |range: std::ops::Range<usize>| u32::from_ne_bytes(rest[range].try_into().expect("four bytes"));
                let message_bytes = number(0..4) as usize;
                let kind = u16::from_ne_bytes([rest[4], rest[5]]);
                let Some(payload) = rest.get(HEADER_BYTES..message_bytes) else { break };
                if each(kind, number(8..12), payload) {
                    return Ok(());
                }
                rest = rest.get(message_bytes.next_multiple_of(4)..).unwrap_or_default();
            }
        }
    }
}

/// NLMSG_ERROR carries a negative error number, or 0 for "done".
fn error_of(payload: &[u8]) -> Result<(), Refused> {
    let errno = payload.get(..4).and_then(|bytes| bytes.try_into().ok()).map_or(0, i32::from_ne_bytes);
    if errno == 0 { Ok(()) } else { Err(Refused { errno: -errno }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_read_as_they_were_written() {
        let mut messages = Messages::default();
        messages.begin(0x609, 0, Reply::Ack, 2, 0, 7).text(2, "set").nested(7, |data| {
            data.attribute(17, &[1, 2, 3, 4, 5, 6]);
        });
        messages.end();
        assert_eq!(messages.bytes[..4], (messages.bytes.len() as u32).to_ne_bytes());
        let body = &messages.bytes[HEADER_BYTES + NFGEN_BYTES..];
        assert_eq!(attribute(body, 2), Some(b"set\0".as_slice()));
        let data = attribute(body, 7).unwrap();
        assert_eq!(attributes(data).collect::<Vec<_>>(), [(17, [1, 2, 3, 4, 5, 6].as_slice())]);
    }

    #[test]
    fn what_is_cut_off_ends_the_list() {
        assert_eq!(attributes(&[8, 0, 1, 0, 1]).count(), 0);
        assert_eq!(attributes(&[0, 0, 1, 0]).count(), 0);
        assert_eq!(attributes(&[]).count(), 0);
    }

    #[test]
    fn an_error_number_is_told_positive() {
        assert_eq!(error_of(&(-2i32).to_ne_bytes()), Err(Refused { errno: 2 }));
        assert_eq!(error_of(&0i32.to_ne_bytes()), Ok(()));
    }
}
