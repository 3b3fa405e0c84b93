//! Questions to resolvers that this project did not write: unbound, with authority and as one that validates, and dnsmasq.

#[allow(dead_code, reason = "other tests use the rest of it")]
mod lab;

use std::fmt::Write as _;
use std::fs;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};

use lab::can_run;
use tocsin_parse::dns::RecordType;
use tocsin_probes::resolvers::{Asked, Compare, GroupConfig, QuestionConfig, ServerConfig, ask_all};
use tocsin_wire::events::dns_answer::{Disagreement, Transport};
use tocsin_wire::events::link_probe::LossReason;

const UNBOUND: (&str, &str) = ("unbound", "unbound");
const DNSMASQ: (&str, &str) = ("dnsmasq", "dnsmasq-base");
const SIGNER: (&str, &str) = ("ldns-signzone", "ldnsutils");
const PATIENCE: Duration = Duration::from_secs(30);

/// A program that is ended with the test.
struct Server(Child);

impl Server {
    fn start(program: &str, arguments: &[String], log: &Path) -> Self {
        let log = fs::File::create(log).unwrap();
        Self(Command::new(program).args(arguments).stdout(Stdio::null()).stderr(log).spawn().unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// A port below those that the kernel hands out (`ip_local_port_range`): who asks a server that has not opened yet could otherwise be given its very
/// port, ask himself, and keep the server from opening.
fn free_port() -> u16 {
    static TAKEN: AtomicU16 = AtomicU16::new(0);
    let of_this_process = (std::process::id() % 8_000) as u16;
    loop {
        let port = 10_000 + (of_this_process + TAKEN.fetch_add(1, Ordering::Relaxed)) % 8_000;
        if UdpSocket::bind(("127.0.0.1", port)).is_ok() && TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

fn unbound(folder: &Path, name: &str, port: u16, keys: &str) -> Server {
    let config = folder.join(format!("{name}.conf"));
    let text = format!(
        "server:\n  interface: 127.0.0.1\n  port: {port}\n  do-daemonize: no\n  use-syslog: no\n  username: \"\"\n  chroot: \"\"\n  \
         pidfile: \"\"\n  directory: \"{}\"\n  do-not-query-localhost: no\n{keys}",
        folder.display()
    );
    fs::write(&config, text).unwrap();
    Server::start("unbound", &["-d".to_owned(), "-c".to_owned(), config.display().to_string()], &folder.join(format!("{name}.log")))
}

/// A signed zone and the file of the key that vouches for it.
fn signed_zone(folder: &Path) {
    let mut zone = "$ORIGIN lab.example.\n$TTL 300\n@ SOA ns1 admin 2026112502 3600 600 86400 60\n@ NS ns1\nns1 A 127.0.0.1\n\
                    www A 198.51.100.7\nwww AAAA 2001:db8::7\nkept A 198.51.100.8\n"
        .to_owned();
    for host in 0..120 {
        writeln!(zone, "big A 192.0.2.{host}").unwrap();
    }
    fs::write(folder.join("zone"), zone).unwrap();
    let script =
        "key=$(ldns-keygen -k -a ECDSAP256SHA256 lab.example) && ldns-signzone -o lab.example -f signed zone $key && mv $key.key anchor";
    let output = Command::new("sh").args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn asking(name: &str, record_type: RecordType) -> QuestionConfig {
    QuestionConfig { name: name.to_owned(), types: vec![record_type], compare: Compare::Records }
}

fn group(ports: &[(&str, u16)], questions: Vec<QuestionConfig>) -> GroupConfig {
    GroupConfig {
        id: "lab".to_owned(),
        servers: ports
            .iter()
            .map(|(id, port)| ServerConfig { id: (*id).to_owned(), address: "127.0.0.1".parse().unwrap(), port: *port })
            .collect(),
        questions,
        interval: Duration::from_secs(30),
        timeout: Duration::from_secs(2),
        site: String::new(),
    }
}

/// All answers to each question, once every server answers.
async fn answers(group: &GroupConfig) -> Vec<Vec<Asked>> {
    let deadline = Instant::now() + PATIENCE;
    let mut all = Vec::new();
    for question in group.questions() {
        all.push(loop {
            let answers = ask_all(group, &question).await;
            if answers.iter().all(|asked| !asked.body.lost) {
                break answers;
            }
            assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain: {answers:?}");
        });
    }
    all
}

fn disagreements(answers: &[Asked]) -> Vec<(Disagreement, &str)> {
    answers.iter().map(|asked| (asked.body.disagreement(), asked.body.expected.as_str())).collect()
}

#[tokio::test]
async fn resolvers_are_asked_at_once_over_both_transports_and_what_differs_is_told() {
    if !can_run(&[UNBOUND, DNSMASQ, SIGNER]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    signed_zone(folder.path());
    let [authority, validating, forging] = [free_port(), free_port(), free_port()];
    let zone = "auth-zone:\n  name: lab.example.\n  zonefile: signed\n  for-upstream: no\n";
    let stub = format!(
        "  trust-anchor-file: anchor\n  module-config: \"validator iterator\"\n\
         stub-zone:\n  name: lab.example.\n  stub-addr: 127.0.0.1@{authority}\n"
    );
    let _authority = unbound(folder.path(), "authority", authority, zone);
    let _validating = unbound(folder.path(), "validating", validating, &stub);
    let forge = [
        "--keep-in-foreground --no-hosts --no-resolv --conf-file=/dev/null --pid-file --bind-interfaces --listen-address=127.0.0.1 --user=root"
            .to_owned(),
        format!("--port={forging} --server=/lab.example/127.0.0.1#{authority}"),
        "--host-record=www.lab.example,203.0.113.66 --address=/kept.lab.example/ --cache-size=0".to_owned(),
    ];
    let forge: Vec<_> = forge.iter().flat_map(|some| some.split(' ').map(ToOwned::to_owned)).collect();
    let _forging = Server::start("dnsmasq", &forge, &folder.path().join("forging.log"));

    let servers = [("authority", authority), ("validating", validating), ("forging", forging)];
    let group = group(
        &servers,
        vec![
            asking("www.lab.example", RecordType::A),
            asking("kept.lab.example", RecordType::A),
            asking("lab.example", RecordType::Soa),
            asking("big.lab.example", RecordType::A),
            asking("nobody.lab.example", RecordType::Aaaa),
        ],
    );
    let told = answers(&group).await;
    let [www, kept, soa, big, nobody] = &told[..] else { panic!("{told:?}") };

    let none = (Disagreement::Unspecified, "");
    assert_eq!(disagreements(www), [none, none, (Disagreement::Records, "198.51.100.7")]);
    assert_eq!(www.iter().map(|asked| asked.body.authenticated).collect::<Vec<_>>(), [false, true, false]);
    assert!(www[0].body.ttl_s == Some(300) && www[0].body.rtt_ms.is_some_and(|ms| ms > 0.0), "{:?}", www[0]);
    assert_eq!(disagreements(kept), [none, none, (Disagreement::AnswerCode, "NOERROR 198.51.100.8")]);
    assert_eq!(kept[2].body.answer_code, "NXDOMAIN");
    assert!(soa.iter().all(|asked| asked.body.serial == Some(2_026_112_502)), "{soa:?}");
    assert_eq!(disagreements(soa), [none; 3]);
    for asked in big {
        assert_eq!((asked.body.transport(), asked.body.answer.split(',').count()), (Transport::Tcp, 120), "{asked:?}");
    }
    assert_eq!(disagreements(nobody), [none; 3]);
    assert!(nobody.iter().all(|asked| asked.body.answer_code == "NXDOMAIN" && asked.body.ttl_s.is_some_and(|ttl| ttl <= 60)), "{nobody:?}");
}

#[tokio::test]
async fn an_old_serial_and_a_resolver_that_is_not_there_are_told() {
    if !can_run(&[UNBOUND]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [new, old, closed] = [free_port(), free_port(), free_port()];
    let data = |serial: u32| {
        format!(
            "  local-zone: lab.example. static\n  local-data: \"lab.example. 300 SOA ns1.lab.example. admin.lab.example. {serial} 1 2 3 4\"\n"
        )
    };
    let _new = unbound(folder.path(), "new", new, &data(12));
    let _old = unbound(folder.path(), "old", old, &data(11));
    let both = group(&[("new", new), ("old", old)], vec![asking("lab.example", RecordType::Soa)]);
    assert_eq!(disagreements(&answers(&both).await[0]), [(Disagreement::Unspecified, ""), (Disagreement::OldSerial, "12")]);

    let question = &both.questions()[0];
    let with_closed = ask_all(&group(&[("old", old), ("closed", closed)], Vec::new()), question).await;
    let gone = &with_closed[1].body;
    assert_eq!((gone.lost, gone.loss_reason(), gone.rtt_ms), (true, LossReason::Refused, None), "{gone:?}");
    assert_eq!(disagreements(&with_closed), [(Disagreement::Unspecified, ""); 2]);

    let silent = UdpSocket::bind("127.0.0.1:0").unwrap();
    let quick = GroupConfig { timeout: Duration::from_millis(50), ..group(&[("silent", silent.local_addr().unwrap().port())], Vec::new()) };
    assert_eq!(ask_all(&quick, question).await[0].body.loss_reason(), LossReason::Timeout);
}
