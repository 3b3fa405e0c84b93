//! An agent with real sockets and a publisher in memory. Ports are the kernel's choice, and tests wait on conditions.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use prost::Message;
use tocsin_agent::{Agent, Config, HeldSockets};
use tocsin_publish::{MemoryPublisher, Publisher, Record, Remainder, Topic};
use tocsin_telemetry::{Counters, Health};
use tocsin_wire::Body;
use tocsin_wire::events::{AgentStats, Event};
use tocsin_wire::rejects::Reject;

pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

/// A started agent.
pub(crate) struct Running {
    pub(crate) agent: Agent,
    pub(crate) counters: Vec<Arc<Counters>>,
    pub(crate) publisher: Arc<GatedPublisher>,
}

/// A publisher in memory with a gate that holds back everything but the agent's own counters.
#[derive(Default)]
pub(crate) struct GatedPublisher {
    memory: MemoryPublisher,
    is_closed: Mutex<bool>,
    opened: Condvar,
    is_defect: AtomicBool,
}

impl GatedPublisher {
    pub(crate) fn close_gate(&self) {
        *self.is_closed.lock().unwrap() = true;
    }

    pub(crate) fn open_gate(&self) {
        *self.is_closed.lock().unwrap() = false;
        self.opened.notify_all();
    }

    /// From now on no thread survives what it publishes.
    pub(crate) fn become_defect(&self) {
        self.is_defect.store(true, Ordering::Relaxed);
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.memory.records()
    }
}

impl Publisher for GatedPublisher {
    fn publish(&self, record: Record) {
        if record.topic != Topic::AgentStats {
            assert!(!self.is_defect.load(Ordering::Relaxed), "a defect, as the test wants it");
            drop(self.opened.wait_while(self.is_closed.lock().unwrap(), |is_closed| *is_closed).unwrap());
        }
        self.memory.publish(record);
    }

    fn flush(&self, timeout: Duration) -> bool {
        self.memory.flush(timeout)
    }

    fn close(&self) -> Remainder {
        self.memory.close()
    }
}

/// Starts an agent with one listener named `l`; `keys` are further keys of it.
pub(crate) fn start(keys: &str) -> Running {
    start_with(&format!("listeners: [{{name: l, {keys}}}]"))
}

pub(crate) fn start_with(yaml: &str) -> Running {
    let config = Config::parse(&format!("agent_id: test-agent\ntelemetry: {{listen: '127.0.0.1:0'}}\n{yaml}")).unwrap();
    let publisher = Arc::new(GatedPublisher::default());
    let health = Arc::new(Health::new(config.telemetry.stats_interval));
    let agent = Agent::start(&config, Arc::clone(&publisher) as _, health, HeldSockets::default()).unwrap();
    Running::of(agent, publisher)
}

impl Running {
    pub(crate) fn of(agent: Agent, publisher: Arc<GatedPublisher>) -> Self {
        let counters = agent.inputs().into_iter().map(|input| input.counters).collect();
        Self { agent, counters, publisher }
    }

    pub(crate) fn port(&self) -> u16 {
        self.agent.address("l").unwrap().port()
    }

    pub(crate) fn stats(&self) -> AgentStats {
        self.counters[0].snapshot()
    }

    /// Waits until the counters, fresh from the kernel, satisfy `condition`.
    #[track_caller]
    pub(crate) fn wait_for(&self, condition: impl Fn(&AgentStats) -> bool) -> AgentStats {
        self.wait_for_counters(0, condition)
    }

    /// The same for the listener or capture of this number.
    #[track_caller]
    pub(crate) fn wait_for_counters(&self, index: usize, condition: impl Fn(&AgentStats) -> bool) -> AgentStats {
        let deadline = Instant::now() + PATIENCE;
        loop {
            self.agent.report();
            let stats = self.counters[index].snapshot();
            if condition(&stats) {
                return stats;
            }
            assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {stats:?}");
            std::thread::yield_now();
        }
    }

    /// Events that were published, the agent's own counters apart.
    pub(crate) fn events(&self) -> Vec<Event> {
        events(&self.publisher).into_iter().filter(|event| !matches!(event.body, Some(Body::AgentStats(_)))).collect()
    }

    /// What a telemetry page answers, headers included.
    pub(crate) fn get(&self, path: &str) -> String {
        let mut stream = TcpStream::connect(self.agent.telemetry_address()).unwrap();
        stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n").as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    pub(crate) fn rejects(&self) -> Vec<Reject> {
        self.events()
            .into_iter()
            .filter_map(|event| if let Some(Body::Reject(reject)) = event.body { Some(reject) } else { None })
            .collect()
    }
}

pub(crate) fn events(publisher: &GatedPublisher) -> Vec<Event> {
    publisher.records().into_iter().map(|record| Event::decode(record.payload).unwrap()).collect()
}

pub(crate) fn sender(to: SocketAddr) -> UdpSocket {
    let socket = if to.is_ipv4() { UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)) } else { UdpSocket::bind((Ipv6Addr::LOCALHOST, 0)) }.unwrap();
    socket.connect(to).unwrap();
    socket
}

pub(crate) fn v4(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

pub(crate) fn v6(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv6Addr::LOCALHOST, port))
}

pub(crate) fn message(event: &Event) -> &str {
    let Some(Body::Syslog(syslog)) = &event.body else { panic!("no syslog: {event:?}") };
    &syslog.message
}
