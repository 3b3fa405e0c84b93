//! Flink's REST interface, as far as the watch needs it.

use std::path::PathBuf;

use serde::Deserialize;

use super::health::Sight;
use super::{CA_OPTION, LONGEST_ANSWER};
use crate::{Failure, https};

/// Far more than the overview of a cluster of ours.
const MAX_ANSWER_BYTES: u64 = 4 << 20;

/// `/jobs/overview`
#[derive(Debug, Deserialize)]
pub(super) struct Overview {
    jobs: Vec<Job>,
}

#[derive(Debug, Deserialize)]
struct Job {
    name: String,
    state: String,
    #[serde(rename = "start-time")]
    start_time: i64,
    #[serde(rename = "last-modification")]
    last_modification: i64,
    tasks: Tasks,
}

#[derive(Debug, Deserialize)]
struct Tasks {
    total: u32,
    running: u32,
}

/// How Flink is asked.
pub(super) struct Flink {
    http: ureq::Agent,
    authorities: Option<PathBuf>,
}

impl Flink {
    /// Flink at `url`, and whose certificates are believed where that is encrypted. Does not connect yet.
    pub(super) fn new(url: &str, authorities: Option<PathBuf>) -> Result<Self, Failure> {
        https::check(url, authorities.as_deref(), CA_OPTION)?;
        let mut config = ureq::Agent::config_builder().timeout_global(Some(LONGEST_ANSWER));
        if let Some(file) = &authorities {
            config = config.tls_config(https::tls(file, CA_OPTION)?);
        }
        Ok(Self { http: config.build().new_agent(), authorities })
    }

    /// All jobs that the Flink at `url` knows. The error is a clause that says why it does not tell, and what to do about a certificate.
    pub(super) fn overview(&self, url: &str) -> Result<Overview, String> {
        let answer = self
            .http
            .get(format!("{url}/jobs/overview"))
            .call()
            .and_then(|response| response.into_body().into_with_config().limit(MAX_ANSWER_BYTES).read_to_string())
            .map_err(|error| self.unreachable(url, &error))?;
        read(&answer).map_err(|error| format!("what Flink at {url} answers is no list of jobs: {error}"))
    }

    fn unreachable(&self, url: &str, error: &ureq::Error) -> String {
        match self.authorities.as_deref().and_then(|file| https::distrust(url, file)) {
            Some(distrust) => format!("Flink at {url}: {}; {}", distrust.reason, distrust.remedy),
            None => format!("Flink at {url} does not answer: {error}"),
        }
    }
}

fn read(answer: &str) -> Result<Overview, serde_json::Error> {
    serde_json::from_str(answer)
}

/// One job in it. Of several runs the newest counts: Flink goes on listing those that have ended.
pub(super) fn sight(overview: &Result<Overview, String>, name: &str) -> Sight {
    let overview = match overview {
        Ok(overview) => overview,
        Err(reason) => return Sight::Away(reason.clone()),
    };
    let newest = overview.jobs.iter().filter(|job| job.name == name).max_by_key(|job| job.start_time);
    match newest {
        None => Sight::Away("Flink does not know it".to_owned()),
        Some(job) if job.state != "RUNNING" => Sight::Away(format!("it is {}", job.state.to_lowercase())),
        Some(job) if job.tasks.running < job.tasks.total => {
            Sight::Away(format!("{} of its {} tasks run", job.tasks.running, job.tasks.total))
        }
        Some(job) => Sight::Running { since_ms: job.last_modification },
    }
}

#[cfg(test)]
mod tests {
    use rcgen::{CertificateParams, date_time_ymd};

    use super::*;
    use crate::https::authority::{Authority, params};

    const ANSWER: &str = r#"{"jobs":[
        {"jid":"01","name":"tocsin-paging","start-time":1000,"end-time":2000,"duration":1000,"state":"FAILED","last-modification":2000,
         "tasks":{"running":0,"canceling":0,"canceled":0,"total":2,"created":0,"scheduled":0,"deploying":0,"reconciling":0,"finished":0,"initializing":0,"failed":2},
         "pending-operators":0},
        {"jid":"02","name":"tocsin-paging","start-time":3000,"state":"RUNNING","last-modification":3100,"tasks":{"running":2,"total":2}},
        {"jid":"03","name":"tocsin-wan","start-time":1000,"state":"RESTARTING","last-modification":3000,"tasks":{"running":0,"total":4}},
        {"jid":"04","name":"tocsin-alerts","start-time":1000,"state":"RUNNING","last-modification":3000,"tasks":{"running":3,"total":4}}]}"#;

    fn seen(name: &str) -> Sight {
        sight(&read(ANSWER).map_err(|error| error.to_string()), name)
    }

    #[test]
    fn the_newest_run_of_a_job_counts() {
        assert_eq!(seen("tocsin-paging"), Sight::Running { since_ms: 3100 });
    }

    #[test]
    fn a_job_that_does_not_run_with_all_its_tasks_is_away_and_says_why() {
        assert_eq!(seen("tocsin-wan"), Sight::Away("it is restarting".to_owned()));
        assert_eq!(seen("tocsin-alerts"), Sight::Away("3 of its 4 tasks run".to_owned()));
        assert_eq!(seen("tocsin-archive"), Sight::Away("Flink does not know it".to_owned()));
    }

    #[test]
    fn every_job_is_away_while_flink_does_not_answer() {
        let flink = Flink::new("http://127.0.0.1:1", None).unwrap();
        let Sight::Away(reason) = sight(&flink.overview("http://127.0.0.1:1"), "tocsin-wan") else { panic!("nobody listens there") };
        assert!(reason.starts_with("Flink at http://127.0.0.1:1 does not answer: "), "{reason}");
    }

    #[test]
    fn an_encrypted_address_and_its_authorities_go_together() {
        for (url, authorities) in [("https://flink:8081", None), ("http://flink:8081", Some(Authority::new().file()))] {
            let failure = Flink::new(url, authorities).err().unwrap().to_string();
            assert!(failure.contains("--flink-ca do not go together"), "{failure}");
        }
    }

    /// What is told of a server with this certificate by `server`, where `believed` is believed.
    fn told(server: &Authority, certificate: CertificateParams, believed: &Authority) -> String {
        let url = format!("https://{}", server.serve(certificate));
        let flink = Flink::new(&url, Some(believed.file())).unwrap();
        flink.overview(&url).err().unwrap().replace(&url, "URL")
    }

    #[test]
    fn a_flink_whose_certificate_is_believed_is_asked_over_tls() {
        let authority = Authority::new();
        let told = told(&authority, params("127.0.0.1"), &authority);
        assert!(told.starts_with("what Flink at URL answers is no list of jobs"), "the server says hello: {told}");
    }

    #[test]
    fn a_certificate_that_is_expired_for_another_name_or_of_another_authority_is_told_with_the_remedy() {
        let authority = Authority::new();
        let mut expired = params("127.0.0.1");
        (expired.not_before, expired.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
        assert_eq!(
            told(&authority, expired, &authority),
            "Flink at URL: the certificate of 127.0.0.1 expired at 2021-01-01T00:00:00Z; give the server a new certificate, or set this machine's \
             clock right"
        );
        assert_eq!(
            told(&authority, params("jobmanager"), &authority),
            "Flink at URL: the certificate of 127.0.0.1 is for another name: jobmanager; reach the server by a name in its certificate, or give it \
             one with this name as subjectAltName"
        );
        let other = told(&authority, params("127.0.0.1"), &Authority::new());
        assert!(
            other.starts_with("Flink at URL: the certificate of 127.0.0.1 is by no authority that is believed here; name the file"),
            "{other}"
        );
    }
}
