//! Senders that others wrote: logger, rsyslog and syslog-ng, over UDP, TCP and TLS; HAProxy before them. A program that is missing is said, and fails
//! in CI.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use tempfile::TempDir;
use tocsin_wire::Body;
use tocsin_wire::events::Syslog;

use crate::running::{PATIENCE, Running, start};
use crate::tls::Authority;

const MESSAGES: usize = 100;

/// Where a program is; `None`, with the remedy, where it is missing.
fn program(name: &str, remedy: &str) -> Option<PathBuf> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tocsin/tools").join(name).join(name);
    let folders = std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect::<Vec<_>>()).unwrap_or_default();
    let known = folders.into_iter().chain([PathBuf::from("/usr/sbin")]).map(|folder| folder.join(name));
    let found = known.chain([unpacked]).find(|path| path.is_file());
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "{name} is missing: {remedy}");
        eprintln!("skipped: {name} is missing: {remedy}");
    }
    found
}

/// A daemon that takes messages from a socket of its own and sends them on; ends with the test.
struct Relay {
    process: Child,
    folder: TempDir,
}

impl Drop for Relay {
    fn drop(&mut self) {
        // It has ended by itself only where the test has failed already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Relay {
    /// `libraries` is where those of a module are that is not installed.
    fn start(program: &Path, arguments: &[&str], config: &str, libraries: Option<&Path>) -> Self {
        Self::start_with(program, arguments, config, libraries, Stdio::inherit())
    }

    fn start_with(program: &Path, arguments: &[&str], config: &str, libraries: Option<&Path>, input: Stdio) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |file: &str| folder.path().join(file).display().to_string();
        fs::write(path("config"), config.replace("FOLDER", &folder.path().display().to_string())).unwrap();
        let arguments = arguments.iter().map(|argument| argument.replace("FOLDER", &folder.path().display().to_string()));
        let log = fs::File::create(path("output")).unwrap();
        let mut command = Command::new(program);
        command.envs(libraries.map(|libraries| ("LD_LIBRARY_PATH", libraries)));
        let process = command.args(arguments).stdin(input).stdout(Stdio::null()).stderr(log).spawn().unwrap();
        Self { process, folder }
    }

    /// Hands it the messages as a program on the same host would; waits until it listens.
    fn send(&mut self) {
        let socket = UnixDatagram::unbound().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while socket.connect(self.folder.path().join("log")).is_err() {
            let output = || fs::read_to_string(self.folder.path().join("output")).unwrap_or_default();
            assert!(self.process.try_wait().unwrap().is_none() && Instant::now() < deadline, "the sender does not listen: {}", output());
            std::thread::yield_now();
        }
        for number in 0..MESSAGES {
            socket.send(format!("<165>Nov 20 11:59:59 app[{number}]: message {number}").as_bytes()).unwrap();
        }
    }
}

fn rsyslog(action: &str) -> Option<Relay> {
    rsyslog_by("", &format!(r#"type="omfwd" {action}"#), None)
}

fn rsyslog_by(module: &str, action: &str, libraries: Option<&Path>) -> Option<Relay> {
    let program = program("rsyslogd", "apt-get install rsyslog rsyslog-openssl")?;
    let config = format!(
        r#"global(workDirectory="FOLDER")
module(load="imuxsock" SysSock.Use="off")
{module}
input(type="imuxsock" Socket="FOLDER/log" CreatePath="on" RateLimit.Interval="0" UsePIDFromSystem="off")
action(target="127.0.0.1" {action})
"#
    );
    Some(Relay::start(&program, &["-n", "-i", "FOLDER/pid", "-f", "FOLDER/config"], &config, libraries))
}

/// Sends by RELP, with a module that has a package of its own.
fn rsyslog_relp(action: &str) -> Option<Relay> {
    let unpacked = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.tocsin/tools/counterparts/root/usr/lib");
    let architectures = [Path::new("/usr/lib"), &unpacked].into_iter().filter_map(|folder| fs::read_dir(folder).ok()).flatten().flatten();
    let found = architectures.map(|architecture| architecture.path()).find(|folder| folder.join("rsyslog/omrelp.so").is_file());
    let Some(libraries) = found else {
        assert!(std::env::var_os("CI").is_none(), "omrelp.so is missing: apt-get install rsyslog-relp");
        eprintln!("skipped: omrelp.so is missing: apt-get install rsyslog-relp");
        return None;
    };
    let module = format!(r#"module(load="{}" tls.tlslib="openssl")"#, libraries.join("rsyslog/omrelp.so").display());
    rsyslog_by(&module, &format!(r#"type="omrelp" {action}"#), Some(&libraries))
}

fn syslog_ng(destination: &str) -> Option<Relay> {
    let program = program("syslog-ng", "deploy/embedded/bin/tools syslog-ng")?;
    let config = format!(
        r#"@version: 3.38
@module affile
@module afsocket
@module syslogformat
options {{ keep-hostname(yes); time-reopen(1); }};
source s {{ unix-dgram("FOLDER/log"); }};
destination d {{ {destination}; }};
log {{ source(s); destination(d); }};
"#
    );
    let files = ["-f", "FOLDER/config", "--persist-file", "FOLDER/persist", "--pidfile", "FOLDER/pid", "--control", "FOLDER/control"];
    Some(Relay::start(&program, &[&["-F"], &files[..]].concat(), &config, None))
}

fn messages(running: &Running) -> Vec<Syslog> {
    let bodies = running.events().into_iter().filter_map(|event| event.body);
    bodies.filter_map(|body| if let Body::Syslog(syslog) = body { Some(syslog) } else { None }).collect()
}

/// Waits for all messages and looks at each. Daemons tell of their own start too.
#[track_caller]
fn check(running: &Running) {
    let seen = || messages(running).into_iter().filter(|syslog| syslog.app_name == "app").collect::<Vec<_>>();
    let stats = running.wait_for(|_| seen().len() >= MESSAGES);
    assert_eq!((stats.malformed, stats.kernel_dropped), (0, 0));
    let seen = seen();
    assert_eq!(seen.len(), MESSAGES);
    for (number, syslog) in seen.iter().enumerate() {
        assert_eq!((syslog.facility, syslog.severity), (20, 5));
        // rsyslog puts two spaces before the text of RFC 5424.
        assert_eq!((syslog.proc_id.clone(), syslog.message.trim_start()), (number.to_string(), format!("message {number}").as_str()));
    }
}

fn relayed(keys: &str, relay: impl FnOnce(u16) -> Option<Relay>) {
    let running = start(&format!("kind: syslog, listen: '[::]:0', {keys}"));
    relayed_to(&running, relay);
}

fn relayed_to(running: &Running, relay: impl FnOnce(u16) -> Option<Relay>) {
    if let Some(mut relay) = relay(running.port()) {
        relay.send();
        check(running);
    }
}

#[test]
fn rsyslog_over_udp() {
    relayed("transport: udp", |port| rsyslog(&format!(r#"port="{port}" protocol="udp""#)));
}

#[test]
fn rsyslog_over_tcp_with_lines() {
    relayed("transport: tcp", |port| rsyslog(&format!(r#"port="{port}" protocol="tcp" TCP_Framing="traditional""#)));
}

#[test]
fn rsyslog_over_tcp_with_octet_counting_and_rfc_5424() {
    relayed("transport: tcp", |port| {
        rsyslog(&format!(r#"port="{port}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format""#))
    });
}

#[test]
fn rsyslog_over_tls_with_a_client_certificate() {
    let authority = Authority::new();
    authority.issue("sender", "sender.example.com");
    let running = authority.start(&format!(", client_ca: {}, require_client_certificate: true", authority.path("ca.crt")));
    relayed_to(&running, |port| {
        rsyslog(&format!(
            r#"port="{port}" protocol="tcp" TCP_Framing="octet-counted" template="RSYSLOG_SyslogProtocol23Format" StreamDriver="ossl"
  StreamDriverMode="1" StreamDriverAuthMode="x509/name" StreamDriverPermittedPeers="localhost"
  StreamDriver.CAFile="{}" StreamDriver.CertFile="{}" StreamDriver.KeyFile="{}""#,
            authority.path("ca.crt"),
            authority.path("sender.crt"),
            authority.path("sender.key")
        ))
    });
}

#[test]
fn rsyslog_over_relp() {
    relayed("transport: relp", |port| rsyslog_relp(&format!(r#"port="{port}""#)));
}

#[test]
fn rsyslog_over_relp_inside_tls_with_a_client_certificate() {
    let authority = Authority::new();
    authority.issue("sender", "sender.example.com");
    let running = authority.start_with("relp", &format!(", client_ca: {}, require_client_certificate: true", authority.path("ca.crt")));
    relayed_to(&running, |port| {
        rsyslog_relp(&format!(
            r#"port="{port}" tls="on" tls.authmode="name" tls.permittedpeer=["localhost"] tls.cacert="{}" tls.mycert="{}" tls.myprivkey="{}""#,
            authority.path("ca.crt"),
            authority.path("sender.crt"),
            authority.path("sender.key")
        ))
    });
}

#[test]
fn syslog_ng_over_udp() {
    relayed("transport: udp", |port| syslog_ng(&format!(r#"network("127.0.0.1" port({port}) transport("udp"))"#)));
}

#[test]
fn syslog_ng_over_tcp_with_lines() {
    relayed("transport: tcp", |port| syslog_ng(&format!(r#"network("127.0.0.1" port({port}) transport("tcp"))"#)));
}

#[test]
fn syslog_ng_over_tcp_with_octet_counting_and_numbers() {
    let running = start("kind: syslog, transport: tcp, listen: '[::]:0'");
    relayed_to(&running, |port| syslog_ng(&format!(r#"syslog("127.0.0.1" port({port}) transport("tcp"))"#)));
    // It numbers what it sends, without a gap.
    assert!(running.events().iter().all(|event| !matches!(event.body, Some(Body::SequenceGap(_)))));
}

#[test]
fn syslog_ng_over_tls() {
    let authority = Authority::new();
    let running = authority.start("");
    relayed_to(&running, |port| {
        let ca = authority.path("ca.crt");
        syslog_ng(&format!(r#"syslog("localhost" port({port}) transport("tls") tls(ca-file("{ca}") peer-verify(required-trusted)))"#))
    });
}

#[test]
fn haproxy_tells_who_is_behind_it_and_its_health_checks_are_no_messages() {
    let Some(program) = program("haproxy", "apt-get install haproxy") else { return };
    let running = start("kind: syslog, transport: tcp, listen: '127.0.0.1:0', proxies: ['127.0.0.0/8']");
    let config = format!(
        "defaults\n mode tcp\n timeout connect 30s\n timeout client 60s\n timeout server 60s\nlisten senders\n bind fd@0\n \
         server agent 127.0.0.1:{} send-proxy-v2 proxy-v2-options crc32c,unique-id check inter 100ms check-send-proxy\n",
        running.port()
    );
    // It is given the socket that it listens on, so its port is nobody else's.
    let socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let mut sender = TcpStream::connect(socket.local_addr().unwrap()).unwrap();
    let _relay = Relay::start_with(&program, &["-db", "-f", "FOLDER/config"], &config, None, OwnedFd::from(socket).into());
    sender.write_all(b"<13>one\n<13>two\n").unwrap();
    let stats = running.wait_for(|stats| stats.acked == 2 && running.counters[0].connections().1 >= 3);
    assert_eq!((stats.received, stats.events, stats.malformed), (2, 2, 0));
    let address = sender.local_addr().unwrap();
    for event in running.events() {
        assert_eq!(
            (event.source_ip.as_ref(), event.source_port),
            (&Ipv4Addr::LOCALHOST.to_ipv6_mapped().octets()[..], address.port().into())
        );
    }
}

#[test]
fn logger_in_each_of_its_ways() {
    let Some(logger) = program("logger", "apt-get install bsdutils") else { return };
    let formats: [&[&str]; 5] =
        [&["--rfc3164"], &["--rfc5424"], &["--rfc5424=notime"], &["--rfc3164", "--octet-count"], &["--rfc5424", "--octet-count"]];
    // Counting is for streams.
    for (keys, transport, formats) in [("transport: udp", "--udp", &formats[..3]), ("transport: tcp", "--tcp", &formats[..])] {
        for format in formats {
            let running = start(&format!("kind: syslog, listen: '[::]:0', {keys}"));
            let mut command = Command::new(&logger);
            command.args(["--server", "127.0.0.1", "--port", &running.port().to_string(), transport]).args(*format);
            let is_sent =
                command.args(["--priority", "local4.notice", "--tag", "app", "--id=42", "message one"]).status().unwrap().success();
            assert!(is_sent, "{command:?}");
            running.wait_for(|stats| stats.acked == 1);
            let seen = messages(&running);
            let expected = ("app", "42", "message one", 20, 5);
            let Syslog { app_name, proc_id, message, facility, severity, .. } = &seen[0];
            assert_eq!((app_name.as_str(), proc_id.as_str(), message.as_str(), *facility, *severity), expected, "{command:?}");
        }
    }
}
