//! Who takes the datagrams.

use std::fs;
use std::io::IoSliceMut;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::socket::{MsgFlags, MultiHeaders, SockaddrStorage, recvmmsg, setsockopt, sockopt};
use nix::sys::time::TimeValLike;
use socket2::{Domain, Socket, Type};

use crate::broker::Broker;
use crate::process::Process;
use crate::traffic::Traffic;
use crate::{Result, Turn};

/// Far above what must be waited for: both start in a second or two.
const START: Duration = Duration::from_secs(60);
/// What rsyslog gets; the agent's grows by itself.
const RECEIVE_BUFFER_BYTES: usize = 64 << 20;

/// A program that brings datagrams to Kafka.
pub(crate) struct Receiver {
    pub(crate) name: &'static str,
    pub(crate) port: u16,
    pub(crate) topic: &'static str,
    pub(crate) process: Process,
}

/// The agent with its defaults, on a port of its own.
pub(crate) fn agent(name: &'static str, program: &Path, kafka: &str, folder: &Path) -> Result<Receiver> {
    let port = free_port()?;
    let config = folder.join(format!("{name}.yaml"));
    fs::write(
        &config,
        format!(
            "agent_id: bench-{name}\nkafka: {{bootstrap_servers: '{kafka}'}}\nspool: {{dir: spool-{name}}}\ntelemetry: {{listen: '127.0.0.1:0'}}\n\
             listeners: [{{name: syslog-udp, kind: syslog, transport: udp, listen: '[::]:{port}'}}]\n"
        ),
    )?;
    let mut command = Command::new(program);
    command.arg("agent").arg("-c").arg(config);
    start(Receiver { name, port, topic: "events-syslog-v1", process: Process::start(logged(&mut command, name, folder)?)? })
}

/// rsyslog as its documentation advises for much traffic: a queue in memory that never overflows here, JSON with the same fields as our events.
pub(crate) fn rsyslog(broker: &Broker, kafka: &str, folder: &Path) -> Result<Receiver> {
    const TOPIC: &str = "bench-rsyslog";
    let port = free_port()?;
    let modules = module_folder()?;
    let config = folder.join("rsyslog.conf");
    fs::write(
        &config,
        format!(
            r#"global(workDirectory="{folder}")
main_queue(queue.size="2000000" queue.dequeueBatchSize="1024")
module(load="imudp" batchSize="128")
module(load="{modules}/omkafka.so")
input(type="imudp" port="{port}" rcvbufSize="{RECEIVE_BUFFER_BYTES}")
template(name="json" type="list" option.jsonf="on") {{
  property(outname="timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")
  property(outname="host" name="hostname" format="jsonf")
  property(outname="from" name="fromhost-ip" format="jsonf")
  property(outname="severity" name="syslogseverity" format="jsonf")
  property(outname="facility" name="syslogfacility" format="jsonf")
  property(outname="tag" name="syslogtag" format="jsonf")
  property(outname="app_name" name="app-name" format="jsonf")
  property(outname="message" name="msg" format="jsonf")
}}
action(type="omkafka" broker=["{kafka}"] topic="{TOPIC}" template="json"
  confParam=["compression.codec=lz4", "linger.ms=20", "queue.buffering.max.messages=1000000"])
"#,
            folder = folder.display()
        ),
    )?;
    broker.create(TOPIC)?;
    let mut command = Command::new("rsyslogd");
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin")).env("LD_LIBRARY_PATH", Path::new(&modules).parent().unwrap_or(Path::new("/")));
    command.args(["-n", "-i"]).arg(folder.join("rsyslog.pid")).arg("-f").arg(config);
    start(Receiver { name: "rsyslog", port, topic: TOPIC, process: Process::start(logged(&mut command, "rsyslog", folder)?)? })
}

/// Where omkafka is: installed, or unpacked by `deploy/embedded/bin/tools counterparts`.
fn module_folder() -> Result<String> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tocsin/tools/counterparts/root/usr/lib");
    let libraries = [PathBuf::from("/usr/lib"), unpacked].into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let mut folders = libraries.map(|folder| folder.path().join("rsyslog"));
    let found = folders.find(|folder| folder.join("omkafka.so").exists());
    found
        .map(|folder| folder.display().to_string())
        .ok_or_else(|| "rsyslog's omkafka is missing: run deploy/embedded/bin/tools counterparts".into())
}

fn logged<'a>(command: &'a mut Command, name: &str, folder: &Path) -> Result<&'a mut Command> {
    let log = fs::File::create(folder.join(format!("{name}.log")))?;
    Ok(command.stdout(log.try_clone()?).stderr(log).stdin(Stdio::null()))
}

/// Waits until its port is taken.
fn start(receiver: Receiver) -> Result<Receiver> {
    let deadline = Instant::now() + START;
    while bind(receiver.port).is_ok() {
        receiver.process.cpu()?;
        if Instant::now() > deadline {
            return Err(format!("{} does not listen", receiver.name).into());
        }
        thread::sleep(Duration::from_millis(50));
    }
    Ok(receiver)
}

fn free_port() -> Result<u16> {
    Ok(bind(0)?.local_addr()?.as_socket().ok_or("a socket without an address")?.port())
}

fn bind(port: u16) -> std::io::Result<Socket> {
    let socket = Socket::new(Domain::IPV4, Type::DGRAM, None)?;
    socket.bind(&SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)).into())?;
    Ok(socket)
}

/// The least that any receiver does: one system call for up to 64 datagrams, which are thrown away.
pub(crate) struct Floor;

impl Floor {
    const DATAGRAMS: usize = 64;
    /// Nothing for so long is the end.
    const SILENCE: Duration = Duration::from_secs(1);

    pub(crate) fn turn(traffic: &mut Traffic, messages: u64) -> Result<Turn> {
        let socket = bind(0)?;
        setsockopt(&socket, sockopt::RcvBufForce, &RECEIVE_BUFFER_BYTES)
            .or_else(|_| setsockopt(&socket, sockopt::RcvBuf, &RECEIVE_BUFFER_BYTES))?;
        socket.set_read_timeout(Some(Self::SILENCE))?;
        let port = socket.local_addr()?.as_socket().ok_or("a socket without an address")?.port();
        let reader = thread::spawn(move || Self::read(&socket));
        let sending = traffic.send(port, messages)?;
        let (stored, cpu) = reader.join().map_err(|_| "the reader has failed")??;
        Ok(Turn { sent: messages, stored, sending, cpu, broker_cpu: Duration::ZERO })
    }

    /// Datagrams, and the CPU time of this thread.
    fn read(socket: &Socket) -> nix::Result<(u64, Duration)> {
        let mut headers = MultiHeaders::<SockaddrStorage>::preallocate(Self::DATAGRAMS, None);
        let mut payloads = vec![vec![0_u8; 65_536]; Self::DATAGRAMS];
        let mut datagrams = 0;
        loop {
            let mut slices: Vec<_> = payloads.iter_mut().map(|payload| [IoSliceMut::new(payload)]).collect();
            match recvmmsg(socket.as_raw_fd(), &mut headers, slices.iter_mut(), MsgFlags::MSG_WAITFORONE, None) {
                Ok(read) => datagrams += read.count() as u64,
                // Silence at the start is that of a sender who has not begun.
                Err(_) if datagrams == 0 => {}
                Err(_) => break,
            }
        }
        let usage = getrusage(UsageWho::RUSAGE_THREAD)?;
        let micros = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
        Ok((datagrams, Duration::from_micros(micros.unsigned_abs())))
    }
}
