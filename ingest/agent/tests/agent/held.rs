//! Sockets that somebody holds while agents come and go.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use socket2::{Domain, Socket, Type};
use tocsin_agent::{Agent, Config, HeldSockets, StartError};
use tocsin_sources::Inherited;
use tocsin_telemetry::Health;

use crate::running::{GatedPublisher, Running, message, sender};

/// The holder's socket, bound to a port of the kernel's choice.
fn held(kind: Type) -> (Socket, SocketAddr) {
    let socket = Socket::new(Domain::IPV4, kind, None).unwrap();
    socket.set_recv_buffer_size(8 * 1024).unwrap();
    socket.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
    if kind == Type::STREAM {
        socket.listen(16).unwrap();
    }
    let address = socket.local_addr().unwrap().as_socket().unwrap();
    (socket, address)
}

fn start(socket: &Socket, listener: &str, spool_dir: &Path) -> Result<Running, StartError> {
    let config = Config::parse(&format!("agent_id: test-agent\ntelemetry: {{listen: '127.0.0.1:0'}}\nlisteners: [{listener}]")).unwrap();
    let publisher = Arc::new(GatedPublisher::default());
    let health = Arc::new(Health::new(config.telemetry.stats_interval));
    let sockets = Inherited::of([("l".to_owned(), socket.try_clone().unwrap())]);
    let held = HeldSockets::new(sockets, spool_dir).unwrap();
    let agent = Agent::start(&config, Arc::clone(&publisher) as _, health, held)?;
    Ok(Running::of(agent, publisher))
}

/// The port of the config is another one: a held socket needs none.
const UDP: &str = "{name: l, kind: syslog, transport: udp, listen: '127.0.0.1:0', receive_buffer: 8KiB}";

#[test]
fn what_is_sent_while_no_agent_runs_is_read_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, address) = held(Type::DGRAM);
    let device = sender(address);
    let first = start(&socket, UDP, folder.path()).unwrap();
    device.send(b"<13>before").unwrap();
    first.wait_for(|stats| stats.received == 1);
    first.agent.drain();

    device.send(b"<13>between").unwrap();
    let second = start(&socket, UDP, folder.path()).unwrap();
    device.send(b"<13>after").unwrap();
    second.wait_for(|stats| stats.received == 2 && stats.published >= 2);
    let events = second.events();
    assert_eq!(events.iter().map(message).collect::<Vec<_>>(), ["between", "after"]);
    second.agent.drain();
}

#[test]
fn what_the_kernel_drops_while_no_agent_runs_is_counted_once_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, address) = held(Type::DGRAM);
    let device = sender(address);
    for _ in 0..2 {
        (0..500).for_each(|_| assert_eq!(device.send(b"<13>news").unwrap(), 8));
        let agent = start(&socket, UDP, folder.path()).unwrap();
        let stats = agent.wait_for(|stats| stats.received + stats.kernel_dropped == 500);
        assert!(stats.kernel_dropped > 0, "the buffer was too large for this test");
        agent.agent.drain();
    }
}

#[test]
fn a_held_tcp_socket_keeps_connections_for_the_next_agent() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, address) = held(Type::STREAM);
    let mut device = std::net::TcpStream::connect(address).unwrap();
    std::io::Write::write_all(&mut device, b"<13>early\n").unwrap();
    let listener = "{name: l, kind: syslog, transport: tcp, listen: '127.0.0.1:0'}";
    let agent = start(&socket, listener, folder.path()).unwrap();
    agent.wait_for(|stats| stats.received == 1);
    agent.agent.drain();
}

#[test]
fn a_socket_of_another_transport_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, _) = held(Type::STREAM);
    let error = start(&socket, UDP, folder.path()).err().unwrap().to_string();
    assert!(error.contains("another transport") && error.contains("FileDescriptorName=l"), "{error}");
}

#[test]
fn as_many_sockets_as_readers_are_wanted() {
    let folder = tempfile::tempdir().unwrap();
    let (socket, _) = held(Type::DGRAM);
    let listener = "{name: l, kind: syslog, transport: udp, listen: '127.0.0.1:0', readers: 2}";
    let error = start(&socket, listener, folder.path()).err().unwrap().to_string();
    assert!(error.contains("passed 1 sockets") && error.contains("wants 2"), "{error}");
}
