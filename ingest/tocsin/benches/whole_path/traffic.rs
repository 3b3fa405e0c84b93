//! RFC 5424 messages of one size from a hundred devices behind one address, numbered.

use std::io::IoSlice;
use std::net::{Ipv4Addr, UdpSocket};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::socket::{MsgFlags, MultiHeaders, sendmmsg};

use crate::Result;

/// Different messages; they come again, so that making them costs the sender nothing.
const MESSAGES: usize = 10_000;
const DEVICES: usize = 100;
/// Sent by one system call.
const BATCH: usize = 64;
const TICK: Duration = Duration::from_millis(1);
const WORDS: [&str; 10] = ["link", "queue", "latency", "retry", "session", "timeout", "prefix", "carrier", "segment", "token"];

pub(crate) struct Traffic {
    messages: Vec<Vec<u8>>,
    /// A second.
    rate: Option<u32>,
}

impl Traffic {
    pub(crate) fn new(bytes: usize, rate: Option<u32>) -> Self {
        Self { messages: (0..MESSAGES).map(|number| message(number, bytes)).collect(), rate }
    }

    /// Sends so many messages and returns how long that took.
    pub(crate) fn send(&mut self, port: u16, messages: u64) -> Result<Duration> {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0))?;
        socket.connect((Ipv4Addr::LOCALHOST, port))?;
        let mut headers = MultiHeaders::<()>::preallocate(BATCH, None);
        let began = Instant::now();
        let mut sent = 0;
        while sent < messages {
            let due = self.rate.map_or(messages, |rate| (began.elapsed().as_secs_f64() * f64::from(rate)) as u64).min(messages);
            while sent < due {
                let count = (due - sent).min(BATCH as u64) as usize;
                let slices: Vec<_> = (0..count).map(|number| [IoSlice::new(&self.messages[(sent as usize + number) % MESSAGES])]).collect();
                match sendmmsg(socket.as_raw_fd(), &mut headers, &slices, vec![None; count], [], MsgFlags::empty()) {
                    Ok(results) => sent += results.count() as u64,
                    Err(Errno::EINTR | Errno::ENOBUFS) => {}
                    Err(error) => return Err(error.into()),
                }
            }
            if self.rate.is_some() {
                thread::sleep(TICK);
            }
        }
        Ok(began.elapsed())
    }
}

/// Words and numbers in an order that does not come again, so that compression finds as much as in real messages.
fn message(number: usize, bytes: usize) -> Vec<u8> {
    let mut text = format!("<165>1 2026-11-23T06:18:51.{number:06}Z gen-{:04} app - - - {number:06}", number % DEVICES);
    let mut random = number as u64;
    while text.len() < bytes {
        // The generator of Knuth's MMIX; its upper bits are the good ones.
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let choice = random >> 33;
        match choice % 3 {
            0 => text.push_str(&format!(" {}", choice % 100_000)),
            _ => text.push_str(&format!(" {}", WORDS[choice as usize / 3 % WORDS.len()])),
        }
    }
    text.truncate(bytes);
    text.into_bytes()
}
