//! Flink's REST interface, as far as the watch needs it.

use serde::Deserialize;

use super::health::Sight;

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

/// All jobs that Flink knows. The error is a clause that says why it does not tell.
pub(super) fn overview(http: &ureq::Agent, url: &str) -> Result<Overview, String> {
    let answer = http
        .get(format!("{url}/jobs/overview"))
        .call()
        .and_then(|response| response.into_body().into_with_config().limit(MAX_ANSWER_BYTES).read_to_string())
        .map_err(|error| format!("Flink at {url} does not answer: {error}"))?;
    read(&answer).map_err(|error| format!("what Flink at {url} answers is no list of jobs: {error}"))
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
    use super::*;

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
        let http = ureq::Agent::new_with_defaults();
        let Sight::Away(reason) = sight(&overview(&http, "http://127.0.0.1:1"), "tocsin-wan") else { panic!("nobody listens there") };
        assert!(reason.starts_with("Flink at http://127.0.0.1:1 does not answer: "), "{reason}");
    }
}
