use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use nix::cmsg_space;
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};
use nix::sys::time::TimeSpec;
use tokio::sync::{mpsc, watch};

use super::*;
use crate::{Batch, Frame, Kind, Policy, QUEUE_BATCHES, Received, Transport, now_unix_nanos};

fn config() -> ListenerConfig {
    ListenerConfig { listen: ([127, 0, 0, 1], 0).into(), ..ListenerConfig::new("spread", Kind::Syslog, Transport::Udp, 0) }
}

fn policies() -> Policies {
    watch::channel(Policy::load(&config()).unwrap()).1
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
    let source = UdpSource::open(&config(), address, first, 4, policies(), Arc::clone(&counters)).unwrap();

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
    let received: Vec<_> = std::iter::from_fn(|| batches.blocking_recv()).flatten().collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());

    let numbers: Vec<_> = received.iter().map(|received| number(&received.frame)).collect();
    assert_eq!(numbers, (0..400).collect::<Vec<_>>());
}

/// What each reader got of datagrams that wait in the sockets.
fn read_by_each(source: &UdpSource) -> Vec<Vec<Received>> {
    let (stop, stopped) = watch::channel(false);
    stop.send(true).unwrap();
    let (queues, parsers): (Vec<_>, Vec<_>) = (0..source.readers()).map(|_| mpsc::channel::<Batch>(QUEUE_BATCHES)).unzip();
    let threads = source.start(queues, &stopped).unwrap();
    let read = |mut parser: mpsc::Receiver<Batch>| std::iter::from_fn(|| parser.blocking_recv()).flatten().collect();
    let received = parsers.into_iter().map(read).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    received
}

fn of_readers(readers: usize, listen: &str) -> (UdpSource, SocketAddr) {
    let config = ListenerConfig { readers, listen: listen.parse().unwrap(), ..config() };
    let (first, _) = socket::bind(&config, config.listen, true).unwrap();
    let address = first.local_addr().unwrap().as_socket().unwrap();
    (UdpSource::open(&config, address, first, 3, policies(), Arc::new(Counters::new("spread"))).unwrap(), address)
}

#[test]
fn all_that_an_address_sends_goes_to_one_reader_from_whatever_port_and_another_s_may_go_to_others() {
    wait_until_arrivals_are_stamped();
    let (source, address) = of_readers(4, "127.0.0.1:0");
    for number in 0..16_u32 {
        for host in 1..=20_u8 {
            let device = UdpSocket::bind(SocketAddr::from(([127, 0, 1, host], 0))).unwrap();
            device.send_to(number.to_string().as_bytes(), address).unwrap();
        }
    }
    let received = read_by_each(&source);
    assert!(received.iter().filter(|of_reader| !of_reader.is_empty()).count() > 1, "twenty addresses, and all at one reader");
    for host in 1..=20_u8 {
        let of_host = |received: &&Received| received.peer.ip() == std::net::IpAddr::from([127, 0, 1, host]);
        let readers: Vec<_> = received.iter().filter(|of_reader| of_reader.iter().any(|received| of_host(&received))).collect();
        assert_eq!(readers.len(), 1, "host {host}");
        let numbers: Vec<_> = readers[0].iter().filter(of_host).map(|received| number(&received.frame)).collect();
        assert_eq!(numbers, (0..16).collect::<Vec<_>>(), "host {host}");
    }
}

#[test]
fn the_same_holds_for_ipv6() {
    wait_until_arrivals_are_stamped();
    let (source, address) = of_readers(4, "[::1]:0");
    for number in 0..40_u32 {
        UdpSocket::bind("[::1]:0").unwrap().send_to(number.to_string().as_bytes(), address).unwrap();
    }
    let received = read_by_each(&source);
    let of_one: Vec<_> = received.iter().filter(|of_reader| !of_reader.is_empty()).collect();
    assert_eq!(of_one.len(), 1);
    assert!(of_one[0].iter().map(|received| number(&received.frame)).eq(0..40));
}

#[test]
fn a_port_that_is_spread_is_still_refused_to_others() {
    let (first, _) = socket::bind(&config(), config().listen, false).unwrap();
    let address = first.local_addr().unwrap().as_socket().unwrap();
    let _source = UdpSource::open(&config(), address, first, 2, policies(), Arc::new(Counters::new("spread"))).unwrap();
    let other = ListenerConfig { listen: address, ..config() };
    assert!(UdpSource::bind(&other, policies(), Arc::new(Counters::new("other"))).is_err());
}

/// Sends so many datagrams of 600 bytes.
fn burst(address: SocketAddr, datagrams: usize) {
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    for _ in 0..datagrams {
        sender.send_to(&[b'x'; 600], address).unwrap();
    }
}

#[test]
fn an_automatic_buffer_takes_at_the_second_time_the_burst_that_it_dropped_at_the_first() {
    let counters = Arc::new(Counters::new("auto"));
    // Below the usual net.core.rmem_max, so that every kernel lets it grow: 51 datagrams, then 102.
    let small = ListenerConfig { receive_buffer: BufferSize::Fixed(bytesize::ByteSize::kib(32)), ..config() };
    let (socket, _) = socket::bind(&small, small.listen, false).unwrap();
    let source = UdpSource::measured(&config(), vec![socket], 1, &DropsSeen::default(), policies(), Arc::clone(&counters)).unwrap();
    let address = source.local_address().unwrap();
    let drops = || meminfo::receive_memory(&source.sockets[0].socket).unwrap().drops_modulo;
    let limit_bytes = || meminfo::receive_memory(&source.sockets[0].socket).unwrap().limit_bytes;
    let before_bytes = limit_bytes();

    burst(address, 80);
    assert!(drops() > 0, "a buffer of 32 KiB took 80 datagrams");
    let (queue, mut batches) = mpsc::channel::<Batch>(QUEUE_BATCHES);
    let (stop, stopped) = watch::channel(false);
    let threads = source.start([queue], &stopped).unwrap();
    let mut sent = 80;
    let deadline = Instant::now() + Duration::from_secs(60);
    while limit_bytes() == before_bytes {
        assert!(Instant::now() < deadline, "the buffer does not grow");
        // Once more: what waited for a machine that had no time for the reader is no reason to grow.
        burst(address, 80);
        sent += 80;
    }
    let reader = std::thread::spawn(move || std::iter::from_fn(|| batches.blocking_recv()).flatten().count());
    stop.send(true).unwrap();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    assert_eq!(reader.join().unwrap() + drops() as usize, sent);

    // Nobody reads any more.
    let dropped = drops();
    burst(address, 80);
    assert_eq!(drops(), dropped);
}

#[test]
fn a_buffer_of_a_fixed_size_stays() {
    let counters = Arc::new(Counters::new("fixed"));
    let small = ListenerConfig { receive_buffer: BufferSize::Fixed(bytesize::ByteSize::kib(32)), ..config() };
    let (socket, _) = socket::bind(&small, small.listen, false).unwrap();
    let source = UdpSource::measured(&small, vec![socket], 1, &DropsSeen::default(), policies(), counters).unwrap();
    let limit_bytes = || meminfo::receive_memory(&source.sockets[0].socket).unwrap().limit_bytes;
    let before_bytes = limit_bytes();
    burst(source.local_address().unwrap(), 80);
    let (queue, mut batches) = mpsc::channel::<Batch>(QUEUE_BATCHES);
    let (stop, stopped) = watch::channel(false);
    stop.send(true).unwrap();
    source.start([queue], &stopped).unwrap().into_iter().for_each(|thread| thread.join().unwrap());
    assert!(batches.blocking_recv().is_some());
    assert_eq!(limit_bytes(), before_bytes);
}
