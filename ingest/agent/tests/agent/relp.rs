//! RELP: what is answered has been published, and what has not been is not answered.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

use tocsin_wire::rejects::Reason;

use crate::running::{PATIENCE, Running, message, start, v4};

fn listening() -> Running {
    start("kind: syslog, transport: relp, listen: '127.0.0.1:0'")
}

fn connect(running: &Running) -> BufReader<TcpStream> {
    let stream = TcpStream::connect(v4(running.port())).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    BufReader::new(stream)
}

fn line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).unwrap();
    line
}

#[test]
fn a_session_is_opened_its_messages_are_answered_in_order_and_it_is_closed() {
    let running = listening();
    let mut stream = connect(&running);
    stream.get_mut().write_all(b"1 open 30 relp_version=0\ncommands=syslog\n").unwrap();
    assert_eq!(line(&mut stream), "1 rsp 58 200 OK\n");
    assert_eq!(
        [line(&mut stream), line(&mut stream), line(&mut stream)].concat(),
        "relp_version=0\nrelp_software=tocsin\ncommands=syslog\n"
    );
    stream.get_mut().write_all(b"2 syslog 7 <13>one\n3 syslog 9 <13>t\nwo!\n4 starttls 0\n5 close 0\n").unwrap();
    let mut rest = String::new();
    stream.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "2 rsp 6 200 OK\n3 rsp 6 200 OK\n4 rsp 19 500 unknown command\n5 rsp 0\n0 serverclose 0\n");
    // They were published before they were answered, so nothing is waited for.
    assert_eq!(running.events().iter().map(|event| message(event).to_owned()).collect::<Vec<_>>(), ["one", "t\nwo!"]);
}

#[test]
fn a_message_is_not_answered_before_its_record_is_handed_over() {
    let running = listening();
    running.publisher.close_gate();
    let mut stream = connect(&running);
    stream.get_mut().write_all(b"1 syslog 7 <13>one\n").unwrap();
    running.wait_for(|stats| stats.received == 1);
    stream.get_ref().set_nonblocking(true).unwrap();
    assert_eq!(stream.get_mut().read(&mut [0]).unwrap_err().kind(), std::io::ErrorKind::WouldBlock);
    stream.get_ref().set_nonblocking(false).unwrap();
    running.publisher.open_gate();
    assert_eq!(line(&mut stream), "1 rsp 6 200 OK\n");
}

#[test]
fn a_peer_that_speaks_something_else_becomes_a_reject_and_is_closed() {
    let running = listening();
    let mut stream = connect(&running);
    stream.get_mut().write_all(&[&b"<13>Nov 20 12:00:00 n1 plain "[..], &[b'x'; 10_000], b"\n"].concat()).unwrap();
    // What it goes on to say may reset the connection before it has read the agent's last word.
    let _ = stream.read_to_end(&mut Vec::new());
    running.wait_for(|stats| stats.acked == 1);
    assert!(running.events()[0].raw.len() <= 1_024);
    let rejects = running.rejects();
    assert_eq!(rejects.iter().map(|reject| reject.reason()).collect::<Vec<_>>(), [Reason::Syntax]);
    assert!(rejects[0].detail.contains("RELP"), "{}", rejects[0].detail);
}
