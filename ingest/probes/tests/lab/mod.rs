//! Hosts on one machine: network namespaces joined by a veth pair, the programs that probe beside us, and our prober inside a namespace.

use std::fs::File;
use std::net::IpAddr;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sched::{CloneFlags, setns};
use tocsin_probes::{LinkConfig, Method, Probed, Prober, Sequences};
use tocsin_telemetry::{Counters, Ignored};
use tokio::sync::watch;

const PATIENCE: Duration = Duration::from_secs(30);

/// False, with the reason on standard error, where a test cannot run; with CI=true it must.
#[must_use]
pub fn can_run(programs: &[(&str, &str)]) -> bool {
    let is_ci = std::env::var("CI").is_ok_and(|value| value == "true");
    let mut reasons = Vec::new();
    if !nix::unistd::geteuid().is_root() {
        reasons.push("network namespaces need root".to_owned());
    } else {
        let missing =
            programs.iter().filter(|(program, _)| Command::new("which").arg(program).output().is_ok_and(|found| !found.status.success()));
        reasons.extend(missing.map(|(program, package)| format!("{program} is missing (Debian package {package})")));
    }
    assert!(!is_ci || reasons.is_empty(), "CI must run this test: {}", reasons.join("; "));
    if !reasons.is_empty() {
        eprintln!("skipped: {}", reasons.join("; "));
    }
    reasons.is_empty()
}

/// Two hosts, `near` (192.0.2.1, 2001:db8::1) and `far` (192.0.2.2, 2001:db8::2), joined by a cable between `near0` and `far0`.
pub struct Lab {
    near: String,
    far: String,
    children: Vec<Child>,
}

pub const FAR: &str = "192.0.2.2";
pub const FAR_V6: &str = "2001:db8::2";

static LABS: AtomicU32 = AtomicU32::new(0);

impl Lab {
    pub fn new() -> Self {
        let name = format!("tocsin-{}-{}", std::process::id(), LABS.fetch_add(1, Ordering::Relaxed));
        let lab = Self { near: format!("{name}-near"), far: format!("{name}-far"), children: Vec::new() };
        run(&format!("ip netns add {}", lab.near));
        run(&format!("ip netns add {}", lab.far));
        run(&format!("ip -n {} link add near0 type veth peer name far0 netns {}", lab.near, lab.far));
        for (namespace, interface, last) in [(&lab.near, "near0", 1), (&lab.far, "far0", 2)] {
            run(&format!("ip -n {namespace} address add 192.0.2.{last}/24 dev {interface}"));
            run(&format!("ip -n {namespace} address add 2001:db8::{last}/64 dev {interface} nodad"));
            run(&format!("ip -n {namespace} link set lo up"));
            run(&format!("ip -n {namespace} link set {interface} up"));
        }
        // Neighbours are learned before anything is measured.
        lab.near(&format!("ping -c 1 -W 5 {FAR}"));
        lab.near(&format!("ping -c 1 -W 5 {FAR_V6}"));
        lab
    }

    /// Runs a command on the near host and returns what it wrote; it must succeed.
    pub fn near(&self, command: &str) -> String {
        text_of(command, spawn(Some(&self.near), command).wait_with_output().unwrap())
    }

    /// Runs a command on the far host; it must succeed.
    pub fn far(&self, command: &str) -> String {
        text_of(command, spawn(Some(&self.far), command).wait_with_output().unwrap())
    }

    /// Starts a command on the near host and leaves it running.
    pub fn begin_near(&self, command: &str) -> Child {
        spawn(Some(&self.near), &format!("exec {command}"))
    }

    /// Starts a server on the far host; it ends with the lab.
    pub fn serve_far(&mut self, command: &str) {
        let server = spawn(Some(&self.far), &format!("exec {command}"));
        self.children.push(server);
    }

    /// A packet filter on the far host. `rule` is an nftables rule for what comes in.
    pub fn filter_far(&self, rule: &str) {
        self.far("nft add table inet lab");
        self.far("nft add chain inet lab in '{ type filter hook input priority 0; }'");
        self.far(&format!("nft add rule inet lab in {rule}"));
    }

    /// Probes from the near host.
    pub fn probe(&self, links: Vec<LinkConfig>) -> Probing {
        let namespace = self.near.clone();
        Probing::start(links, move || {
            setns(File::open(format!("/run/netns/{namespace}")).unwrap(), CloneFlags::CLONE_NEWNET).unwrap();
        })
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        for child in &mut self.children {
            // Fails only when it has ended by itself.
            let _ = child.kill();
            let _ = child.wait();
        }
        for namespace in [&self.near, &self.far] {
            run(&format!("ip netns delete {namespace}"));
        }
    }
}

/// Starts a line of shell, in a namespace or on this host.
fn spawn(namespace: Option<&str>, line: &str) -> Child {
    let mut command = Command::new(if namespace.is_some() { "ip" } else { "sh" });
    if let Some(namespace) = namespace {
        command.args(["netns", "exec", namespace, "sh"]);
    }
    command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn run(command: &str) -> String {
    text_of(command, spawn(None, command).wait_with_output().unwrap())
}

/// What a command that was begun wrote; it must have succeeded.
#[track_caller]
pub fn finish(command: &str, child: Child) -> String {
    text_of(command, child.wait_with_output().unwrap())
}

#[track_caller]
fn text_of(command: &str, output: Output) -> String {
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command}: {}\n{text}", output.status);
    text
}

/// A prober at work.
pub struct Probing {
    counters: Arc<Counters>,
    batches: Receiver<Vec<Probed>>,
    seen: Vec<Probed>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl Probing {
    /// Starts one on this host.
    pub fn here(links: Vec<LinkConfig>) -> Self {
        Self::start(links, || {})
    }

    /// `enter` runs on the thread that opens the sockets and starts the prober's own.
    fn start(links: Vec<LinkConfig>, enter: impl FnOnce() + Send + 'static) -> Self {
        let counters = Arc::new(Counters::new("probes"));
        let (stop, stopped) = watch::channel(false);
        let (results, batches) = mpsc::channel();
        let of_prober = Arc::clone(&counters);
        let starter = thread::spawn(move || {
            enter();
            tocsin_probes::check_links(&links).unwrap();
            let prober = Prober::open(&links, &Sequences::default(), of_prober).unwrap();
            prober.start(stopped, move |probes| results.send(probes).unwrap()).unwrap()
        });
        Self { counters, batches, seen: Vec::new(), stop, thread: Some(starter.join().unwrap()) }
    }

    /// Waits until `condition` is true of all results so far.
    #[track_caller]
    pub fn wait_for(&mut self, condition: impl Fn(&[Probed]) -> bool) -> &[Probed] {
        let deadline = Instant::now() + PATIENCE;
        while !condition(&self.seen) {
            let left = deadline.saturating_duration_since(Instant::now());
            let batch = self.batches.recv_timeout(left).unwrap_or_else(|_| panic!("waited {PATIENCE:?} in vain: {:?}", self.seen.last()));
            self.seen.extend(batch);
        }
        &self.seen
    }

    /// Waits for so many results.
    #[track_caller]
    pub fn wait_for_results(&mut self, count: usize) -> &[Probed] {
        self.wait_for(|seen| seen.len() >= count)
    }

    /// Answers that changed nothing, by reason.
    pub fn ignored(&self) -> Vec<(Ignored, u64)> {
        self.counters.ignored_answers().collect()
    }

    /// Stops it and returns all results, in the order of their sequence.
    pub fn stop(mut self) -> Vec<Probed> {
        self.stop.send(true).unwrap();
        self.thread.take().unwrap().join().unwrap();
        self.seen.extend(self.batches.try_iter().flatten());
        self.seen.sort_by_key(|probed| (probed.link, probed.body.sequence));
        self.seen
    }
}

/// A link with short times.
pub fn link(id: &str, method: Method, target: &str) -> LinkConfig {
    let keys = format!(r#"{{"id": "{id}", "method": "icmp", "target": "{target}", "interval": "20ms", "timeout": "1s"}}"#);
    LinkConfig { method, ..serde_json::from_str(&keys).unwrap() }
}

pub fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// Median of round-trip times, milliseconds.
pub fn median_ms(probes: &[Probed]) -> f64 {
    let mut rtts: Vec<_> = probes.iter().filter_map(|probed| probed.body.rtt_ms).collect();
    rtts.sort_by(f64::total_cmp);
    rtts[rtts.len() / 2]
}

/// Share of lost probes.
pub fn loss(probes: &[Probed]) -> f64 {
    probes.iter().filter(|probed| probed.body.lost).count() as f64 / probes.len() as f64
}
