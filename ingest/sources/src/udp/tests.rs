use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::time::TimeSpec;
use tokio::sync::{mpsc, watch};

use super::*;
use crate::{Batch, Frame, Kind, QUEUE_BATCHES, Transport, now_unix_nanos};

fn config() -> ListenerConfig {
    ListenerConfig { listen: ([127, 0, 0, 1], 0).into(), ..ListenerConfig::new("spread", Kind::Syslog, Transport::Udp, 0) }
}

fn number(frame: &Frame) -> u32 {
    let Frame::Message(message) = frame else { panic!("{frame:?}") };
    std::str::from_utf8(message).unwrap().parse().unwrap()
}

/// The kernel begins to stamp arrivals a moment after the first socket has asked for it; until then it stamps what is read.
fn wait_until_arrivals_are_stamped() {
    let probe = UdpSocket::bind("127.0.0.1:0").unwrap();
    setsockopt(&probe, sockopt::ReceiveTimestampns, &true).unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        probe.send_to(b"probe", probe.local_addr().unwrap()).unwrap();
        let sent_at_unix_nanos = now_unix_nanos();
        let mut payload = [0_u8; 5];
        let mut slices = [IoSliceMut::new(&mut payload)];
        let mut control = cmsg_space!(TimeSpec);
        let message = recvmsg::<()>(probe.as_raw_fd(), &mut slices, Some(&mut control), MsgFlags::empty()).unwrap();
        let stamp = message.cmsgs().unwrap().find_map(|message| match message {
            ControlMessageOwned::ScmTimestampns(stamp) => Some(Duration::from(stamp).as_nanos()),
            _ => None,
        });
        if stamp.unwrap() <= u128::from(sent_at_unix_nanos) {
            return;
        }
        assert!(Instant::now() < deadline, "the kernel does not stamp arrivals");
    }
}

#[test]
fn a_burst_of_one_sender_spreads_over_the_sockets_and_arrives_whole_and_in_order() {
    let counters = Arc::new(Counters::new("spread"));
    let (first, _) = socket::bind(&config(), config().listen, false).unwrap();
    let address = first.local_addr().unwrap().as_socket().unwrap();
    let source = UdpSource::open(&config(), address, first, 4, Arc::clone(&counters)).unwrap();

    wait_until_arrivals_are_stamped();
    // Loopback delivers inside send_to, so everything waits in the sockets before a reader starts.
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    for number in 0..400_u32 {
        sender.send_to(number.to_string().as_bytes(), address).unwrap();
    }
    for lane in &source.sockets {
        assert!(meminfo::receive_memory(&lane.socket).unwrap().used_bytes > 0, "a socket got nothing");
    }

    let (queue, mut batches) = mpsc::channel::<Batch>(QUEUE_BATCHES);
    let (stop, stopped) = watch::channel(false);
    stop.send(true).unwrap();
    let threads = source.start([queue], &stopped).unwrap();
    let mut received: Vec<_> = std::iter::from_fn(|| batches.blocking_recv()).flatten().collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());

    // A round takes a full batch of each socket; the stamps put the rounds together.
    received.sort_by_key(|received| received.received_at_unix_nanos);
    let numbers: Vec<_> = received.iter().map(|received| number(&received.frame)).collect();
    assert_eq!(numbers, (0..400).collect::<Vec<_>>());
}

#[test]
fn a_port_that_is_spread_is_still_refused_to_others() {
    let (first, _) = socket::bind(&config(), config().listen, false).unwrap();
    let address = first.local_addr().unwrap().as_socket().unwrap();
    let _source = UdpSource::open(&config(), address, first, 2, Arc::new(Counters::new("spread"))).unwrap();
    let other = ListenerConfig { listen: address, ..config() };
    assert!(UdpSource::bind(&other, Arc::new(Counters::new("other"))).is_err());
}
