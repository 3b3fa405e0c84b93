//! What a thousand links at one probe a second cost: `cargo bench -p tocsin-agent --bench links`. The whole agent in this process, targets on
//! loopback, results to the Kafka of TOCSIN_TEST_KAFKA (else to memory, encoded). The loopback's own answers are part of the figure.

use std::error::Error;
use std::fmt::Write;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use tocsin_agent::{Agent, Config, HeldSockets};
use tocsin_publish::{KafkaPublisher, MemoryPublisher, Publisher};
use tocsin_telemetry::Health;

const LINKS: u32 = 1_000;
const DURATION: Duration = Duration::from_secs(60);

fn cpu_seconds() -> Result<f64, Box<dyn Error>> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    Ok((usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6)
}

fn main() -> Result<(), Box<dyn Error>> {
    let kafka = std::env::var("TOCSIN_TEST_KAFKA").unwrap_or_default();
    let spool = std::env::temp_dir().join(format!("tocsin-bench-links-{}", std::process::id()));
    let mut yaml =
        format!("agent_id: bench-links\ntelemetry: {{listen: '127.0.0.1:0'}}\nspool: {{dir: {}}}\nlisteners: []\n", spool.display());
    if !kafka.is_empty() {
        writeln!(yaml, "kafka: {{bootstrap_servers: '{kafka}'}}")?;
    }
    yaml.push_str("links:\n");
    for link in 0..LINKS {
        writeln!(yaml, "- {{id: link-{link}, method: icmp, target: 127.1.{}.{}}}", link / 250, link % 250 + 1)?;
    }
    let config = Config::parse(&yaml)?;
    let health = Arc::new(Health::new(config.telemetry.stats_interval));
    let publisher: Arc<dyn Publisher> = if kafka.is_empty() {
        Arc::new(MemoryPublisher::default())
    } else {
        Arc::new(KafkaPublisher::start(&config.kafka, &config.spool, Arc::clone(&health))?)
    };
    let agent = Agent::start(&config, publisher, health, HeldSockets::default())?;

    let counters = Arc::clone(&agent.inputs()[0].counters);
    // The first second is the start's.
    thread::sleep(Duration::from_secs(1));
    let (started, cpu_before, probes_before) = (Instant::now(), cpu_seconds()?, counters.snapshot().received);
    while started.elapsed() < DURATION {
        thread::sleep(config.telemetry.stats_interval);
        agent.report();
    }
    let (seconds, cpu, stats) = (started.elapsed().as_secs_f64(), cpu_seconds()? - cpu_before, counters.snapshot());
    let probes = stats.received - probes_before;
    agent.drain();
    std::fs::remove_dir_all(&spool).or_else(|error| if spool.exists() { Err(error) } else { Ok(()) })?;
    println!(
        "{LINKS} links, 1 ICMP probe a second each, {seconds:.0} s, results to {}: {probes} probes, {cpu:.2} CPU seconds = {:.1} % of a core, \
         {:.0} us a probe",
        if kafka.is_empty() { "memory" } else { "Kafka" },
        cpu / seconds * 100.0,
        cpu / probes as f64 * 1e6
    );
    Ok(())
}
