//! `tocsin watch-jobs`: looks whether the stream jobs run, and tells Alertmanager itself where one does not.
//!
//! It asks Flink over its REST interface and posts to Alertmanager: neither Kafka nor any job is on the way, so the death of the alerts job, of the
//! paging job or of all of Flink is told like that of any other.

mod alert;
mod flink;
mod health;

use std::collections::HashMap;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use jiff::Timestamp;

use crate::Failure;
use alert::{JobAlert, Labelling};
use flink::Flink;
use health::{Change, JobHealth, Limits, Sight};

/// One HTTP question, so that a server that hangs holds up the others for no longer.
const LONGEST_ANSWER: Duration = Duration::from_secs(5);

const CA_OPTION: &str = "--flink-ca";

const AFTER_HELP: &str = "\
A job is down when it has not run with all its tasks for --down-after seconds (--first-within at the start of the watch, as Flink and the jobs may have
been started with it), or has fallen a third time within ten minutes; it is up again when it has run for --up-after seconds. While it is down the alert `job-down` of source `tocsin-pipeline`, with the job as its device, is posted at every look.
  tocsin watch-jobs --jobs tocsin-archive,tocsin-alerts,tocsin-paging,tocsin-registrations,tocsin-wan,tocsin-findings

Exit codes: 64 the command line is not usable; it does not end by itself.";

/// `tocsin watch-jobs`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct WatchJobsArgs {
    /// Flink's REST interface, https:// with --flink-ca; `{job}` in it stands for the job's name, where each job has a Flink of its own.
    #[arg(long, env = "TOCSIN_FLINK", value_name = "URL", default_value = "http://127.0.0.1:8081", value_parser = flink_url)]
    flink: String,

    /// File with the certificates of the authorities to believe, for a Flink at https://.
    #[arg(long, env = "TOCSIN_FLINK_CA", value_name = "FILE")]
    flink_ca: Option<PathBuf>,

    /// Every Alertmanager of the cluster, not a load balancer before it.
    #[arg(
        long,
        env = "TOCSIN_ALERTMANAGER",
        value_name = "URL,..",
        value_delimiter = ',',
        default_value = "http://127.0.0.1:9093",
        value_parser = http_url
    )]
    alertmanager: Vec<String>,

    /// The jobs that must run, by name.
    #[arg(long, value_name = "NAME,..", value_delimiter = ',', required = true)]
    jobs: Vec<String>,

    /// How long a job that has not run since this watch began may take to run.
    #[arg(long, value_name = "SECONDS", default_value_t = 120)]
    first_within: u64,

    /// How long a job that has run may be away before it is told.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    down_after: u64,

    /// How long it must have run before its alert ends.
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    up_after: u64,

    /// Time between two looks.
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=60))]
    every: u64,

    /// Site of the alerts, for Alertmanager's routes.
    #[arg(long, value_name = "NAME", default_value = "")]
    site: String,

    /// Folder of the runbooks as people on call reach it.
    #[arg(long, value_name = "URL", default_value = "grafana/runbooks")]
    runbooks_url: String,
}

fn flink_url(text: &str) -> Result<String, String> {
    match text.strip_prefix("https://") {
        Some(host) if !host.is_empty() => Ok(text.trim_end_matches('/').to_owned()),
        _ => http_url(text).map_err(|problem| format!("{problem} or https://HOST:PORT")),
    }
}

/// Alertmanager stands inside: a certificate would be one more thing that can keep a page back.
fn http_url(text: &str) -> Result<String, String> {
    match text.strip_prefix("http://") {
        Some(host) if !host.is_empty() => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("write it as http://HOST:PORT".to_owned()),
    }
}

/// Watches until it is killed.
pub fn run(args: &WatchJobsArgs) -> Result<(), Failure> {
    let flink = Flink::new(&args.flink, args.flink_ca.clone())?;
    let http = ureq::Agent::config_builder().timeout_global(Some(LONGEST_ANSWER)).build().new_agent();
    let labelling = Labelling { site: &args.site, runbooks_url: &args.runbooks_url };
    let limits = Limits {
        first_within: Duration::from_secs(args.first_within),
        down_after: Duration::from_secs(args.down_after),
        up_after: Duration::from_secs(args.up_after),
    };
    let mut jobs: Vec<Watched<'_>> = args.jobs.iter().map(|name| Watched::new(name, &args.flink)).collect();
    let mut posts: Vec<Posts<'_>> = args.alertmanager.iter().map(|url| Posts { url, has_failed: false }).collect();
    let start = Instant::now();
    loop {
        let mut overviews = HashMap::new();
        for job in &mut jobs {
            let overview = overviews.entry(job.flink.clone()).or_insert_with_key(|url| flink.overview(url));
            let sight = flink::sight(overview, job.name);
            job.look(start.elapsed(), sight, &limits, Timestamp::now());
        }
        let now = Timestamp::now();
        let told: Vec<_> = jobs.iter().filter_map(|job| Some(job.alert.as_ref()?.posted(job.name, &job.flink, &labelling, now))).collect();
        if !told.is_empty() {
            posts.iter_mut().for_each(|each| each.post(&http, &told));
        }
        thread::sleep(Duration::from_secs(args.every));
    }
}

struct Watched<'a> {
    name: &'a str,
    flink: String,
    health: JobHealth,
    alert: Option<JobAlert>,
}

impl<'a> Watched<'a> {
    fn new(name: &'a str, flink: &str) -> Self {
        Self { name, flink: flink.replace("{job}", name), health: JobHealth::default(), alert: None }
    }

    fn look(&mut self, at: Duration, sight: Sight, limits: &Limits, now: Timestamp) {
        match self.health.look(at, sight, limits) {
            Some(Change::Down) => {
                eprintln!("{} is down: {}", self.name, self.health.reason());
                self.alert = Some(JobAlert::began(now));
            }
            Some(Change::Up) => {
                eprintln!("{} is up again", self.name);
                self.alert.iter_mut().for_each(|alert| alert.end(now));
            }
            None => {}
        }
        if let Some(alert) = &mut self.alert {
            alert.explain(self.health.reason());
        }
        self.alert.take_if(|alert| alert.is_history(now));
    }
}

struct Posts<'a> {
    url: &'a str,
    has_failed: bool,
}

impl Posts<'_> {
    /// What fails now is posted at the next look; a failure is said once an outage.
    fn post(&mut self, http: &ureq::Agent, alerts: &[serde_json::Value]) {
        let body = serde_json::Value::from(alerts).to_string();
        let request = http.post(format!("{}/api/v2/alerts", self.url)).header("Content-Type", "application/json");
        let result = request.send(body.as_bytes());
        match &result {
            Err(error) if !self.has_failed => {
                eprintln!("alertmanager {} does not take alerts: {error}; it is tried again at every look", self.url)
            }
            Ok(_) if self.has_failed => eprintln!("alertmanager {} takes alerts again", self.url),
            _ => {}
        }
        self.has_failed = result.is_err();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_looked_for_at_its_own_flink_where_the_address_has_its_name() {
        assert_eq!(Watched::new("tocsin-wan", "http://{job}-rest:8081").flink, "http://tocsin-wan-rest:8081");
        assert_eq!(Watched::new("tocsin-wan", "http://flink:8081").flink, "http://flink:8081");
    }

    #[test]
    fn alertmanager_is_asked_by_http_and_flink_by_https_too_and_a_slash_at_the_end_is_dropped() {
        assert_eq!(http_url("http://alertmanager:9093/").as_deref(), Ok("http://alertmanager:9093"));
        assert_eq!(flink_url("http://flink:8081/").as_deref(), Ok("http://flink:8081"));
        assert_eq!(flink_url("https://flink:8081/").as_deref(), Ok("https://flink:8081"));
        assert!(http_url("https://alertmanager:9093").is_err());
        for wrong in ["flink:8081", "http://", "https://"] {
            assert!(flink_url(wrong).is_err(), "{wrong}");
        }
    }
}
