//! The alert of a job that is down, as Alertmanager's API v2 takes it. Pure.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};

/// Also the name of its runbook.
const CHECK: &str = "job-down";

/// Alertmanager ends an alert that nobody repeats after so long: it outlives the watch by no more. An end is repeated as long, for those that were away.
const KEPT: Duration = Duration::from_secs(300);

/// What all alerts say alike.
pub(super) struct Labelling<'a> {
    pub(super) site: &'a str,
    pub(super) runbooks_url: &'a str,
}

/// One time that a job was down.
pub(super) struct JobAlert {
    began: Timestamp,
    ended: Option<Timestamp>,
    reason: String,
}

impl JobAlert {
    pub(super) fn began(now: Timestamp) -> Self {
        Self { began: now, ended: None, reason: String::new() }
    }

    pub(super) fn end(&mut self, now: Timestamp) {
        self.ended = Some(now);
    }

    pub(super) fn explain(&mut self, reason: &str) {
        reason.clone_into(&mut self.reason);
    }

    /// Whether its end has been told for long enough.
    pub(super) fn is_history(&self, now: Timestamp) -> bool {
        self.ended.is_some_and(|ended| now > ended + KEPT)
    }

    /// What to post now about a job of this Flink: the same labels are the same alert.
    pub(super) fn posted(&self, job: &str, flink: &str, labelling: &Labelling<'_>, now: Timestamp) -> Value {
        let mut labels = json!({ "alertname": CHECK, "severity": "critical", "source": "tocsin-pipeline", "device": job });
        if !labelling.site.is_empty() {
            labels["site"] = labelling.site.into();
        }
        json!({
            "labels": labels,
            "annotations": {
                "summary": format!("job {job} is down: {}", self.reason),
                "runbook": format!("{}/{CHECK}.md", labelling.runbooks_url.trim_end_matches('/')),
            },
            "startsAt": self.began.to_string(),
            "endsAt": self.ended.unwrap_or(now + KEPT).to_string(),
            "generatorURL": flink,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LABELLING: Labelling<'_> = Labelling { site: "dc1", runbooks_url: "https://wiki/runbooks/" };

    fn at(second: i64) -> Timestamp {
        Timestamp::new(1_800_000_000 + second, 0).unwrap_or_default()
    }

    #[test]
    fn an_alert_says_which_job_why_and_what_to_do_and_outlives_the_watch_by_minutes() {
        let mut alert = JobAlert::began(at(0));
        alert.explain("it is failed");
        assert_eq!(
            alert.posted("tocsin-paging", "http://flink:8081", &LABELLING, at(60)),
            json!({
                "labels": {"alertname": "job-down", "severity": "critical", "source": "tocsin-pipeline", "device": "tocsin-paging", "site": "dc1"},
                "annotations": {"summary": "job tocsin-paging is down: it is failed", "runbook": "https://wiki/runbooks/job-down.md"},
                "startsAt": "2027-01-15T08:00:00Z",
                "endsAt": "2027-01-15T08:06:00Z",
                "generatorURL": "http://flink:8081",
            })
        );
    }

    #[test]
    fn an_end_is_repeated_for_a_while_and_then_forgotten() {
        let mut alert = JobAlert::began(at(0));
        alert.end(at(100));
        assert_eq!(alert.posted("tocsin-wan", "http://flink:8081", &LABELLING, at(200))["endsAt"], "2027-01-15T08:01:40Z");
        assert!(!alert.is_history(at(400)));
        assert!(alert.is_history(at(401)));
    }
}
