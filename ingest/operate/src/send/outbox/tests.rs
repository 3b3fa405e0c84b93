use std::net::TcpListener;
use std::thread;

use super::*;

const DEADLINE: Duration = Duration::from_secs(10);

fn outbox(target: Target, address: SocketAddr, keeps_going: bool) -> Outbox {
    let addresses = Addresses::new("127.0.0.1", 0, &[(target, address.to_string())]);
    Outbox::open(&[target], &addresses, keeps_going).unwrap()
}

fn udp_receiver() -> UdpSocket {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(DEADLINE)).unwrap();
    receiver
}

#[test]
fn datagrams_arrive_whole_and_in_order_across_batches() {
    let receiver = udp_receiver();
    let mut outbox = outbox(Target::SyslogUdp, receiver.local_addr().unwrap(), false);
    // The last one is empty: a datagram without payload is still a datagram.
    let payloads: Vec<String> = (0..150).map(|number| if number == 149 { String::new() } else { format!("number {number}") }).collect();
    for payload in &payloads {
        outbox.push(Target::SyslogUdp, Framing::OctetCounting, payload.as_bytes()).unwrap();
    }
    outbox.finish().unwrap();
    for payload in &payloads {
        let mut buffer = [0; 100];
        let length = receiver.recv(&mut buffer).unwrap();
        assert_eq!(std::str::from_utf8(&buffer[..length]).unwrap(), payload);
    }
    let link = &outbox.links[&Target::SyslogUdp];
    assert_eq!((link.messages, link.bytes), (150, payloads.iter().map(String::len).sum::<usize>() as u64));
}

#[test]
fn a_stream_is_framed_and_ends_in_an_orderly_way() {
    for (framing, expected) in [(Framing::OctetCounting, "3 one3 two"), (Framing::Newline, "one\ntwo\n")] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut outbox = outbox(Target::SyslogTcp, listener.local_addr().unwrap(), false);
        let receiver = thread::spawn(move || {
            let mut received = String::new();
            listener.accept().unwrap().0.read_to_string(&mut received).unwrap();
            received
        });
        outbox.push(Target::SyslogTcp, framing, b"one").unwrap();
        outbox.push(Target::SyslogTcp, framing, b"two").unwrap();
        outbox.finish().unwrap();
        assert_eq!(receiver.join().unwrap(), expected);
        assert_eq!((outbox.messages(), outbox.links[&Target::SyslogTcp].bytes), (2, 6));
    }
}

#[test]
fn a_datagram_that_nobody_receives_is_a_failure() {
    let address = udp_receiver().local_addr().unwrap(); // closed at once
    let mut outbox = outbox(Target::AlertUdp, address, false);
    outbox.push(Target::AlertUdp, Framing::None, b"{}").unwrap();
    let failure = outbox.finish().unwrap_err().to_string();
    assert!(failure.contains(&format!("nothing listens for alert-udp at {address}")), "{failure}");
}

#[test]
fn with_keep_going_refused_datagrams_are_counted() {
    let address = udp_receiver().local_addr().unwrap();
    let mut outbox = outbox(Target::AlertUdp, address, true);
    for _ in 0..5 {
        outbox.push(Target::AlertUdp, Framing::None, b"{}").unwrap();
        outbox.flush().unwrap();
    }
    outbox.finish().unwrap();
    let link = &outbox.links[&Target::AlertUdp];
    assert_eq!((link.messages, link.refused), (5, 5));
}

#[test]
fn a_connection_that_nobody_accepts_is_a_failure() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let addresses = Addresses::new("127.0.0.1", 0, &[(Target::SyslogTcp, address.to_string())]);
    let failure = Outbox::open(&[Target::SyslogTcp], &addresses, false).err().unwrap().to_string();
    assert!(failure.contains("cannot connect to syslog-tcp") && failure.contains("start the agent"), "{failure}");
}
