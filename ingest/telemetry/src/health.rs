//! Is the agent doing its work: are the sockets open, and does Kafka acknowledge.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What is known about the agent's health. Kafka acknowledges at least the agent's own counters once per interval, so silence means trouble.
#[derive(Debug)]
pub struct Health {
    max_silence: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    sockets_open: bool,
    last_ack: Option<Instant>,
    kafka_problem: Option<String>,
    /// Topics whose records came back, until one is acknowledged.
    topic_problems: BTreeMap<&'static str, String>,
}

impl Health {
    /// `stats_interval`: how often something is sent to Kafka in any case.
    pub fn new(stats_interval: Duration) -> Self {
        Self { max_silence: (stats_interval * 3).max(Duration::from_secs(5)), state: Mutex::default() }
    }

    /// All sockets are open.
    pub fn sockets_open(&self) {
        self.lock().sockets_open = true;
    }

    /// Kafka acknowledged a record of a topic.
    pub fn acked(&self, topic: &str) {
        let mut state = self.lock();
        state.topic_problems.remove(topic);
        state.last_ack = Some(Instant::now());
        state.kafka_problem = None;
    }

    /// The Kafka client reported a problem.
    pub fn kafka_problem(&self, problem: String) {
        self.lock().kafka_problem = Some(problem);
    }

    /// Kafka gave a record of a topic back. It is tried again.
    pub fn topic_problem(&self, topic: &'static str, problem: String) {
        self.lock().topic_problems.insert(topic, problem);
    }

    /// `Err` with what is wrong, one sentence each.
    pub fn check(&self) -> Result<(), Vec<String>> {
        let state = self.lock();
        let mut problems = Vec::new();
        if !state.sockets_open {
            problems.push("the sockets are not open yet".to_owned());
        }
        let last_ack = match state.last_ack {
            None => Some("Kafka has acknowledged nothing yet".to_owned()),
            Some(at) if at.elapsed() > self.max_silence => Some(format!("Kafka has acknowledged nothing for {} s", at.elapsed().as_secs())),
            Some(_) => None,
        };
        if let Some(silence) = last_ack {
            let problem = state.kafka_problem.as_deref().unwrap_or("check kafka.bootstrap_servers and that the topics exist");
            problems.push(format!("{silence}: {problem}"));
        }
        let topics = state.topic_problems.iter();
        problems.extend(topics.map(|(topic, problem)| format!("topic {topic} takes nothing, its records wait: {problem}")));
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_sockets_and_an_acknowledgement_are_health() {
        let health = Health::new(Duration::from_secs(1));
        assert_eq!(health.check().unwrap_err().len(), 2);
        health.sockets_open();
        health.kafka_problem("broker down".to_owned());
        assert_eq!(health.check().unwrap_err(), ["Kafka has acknowledged nothing yet: broker down"]);
        health.acked("a");
        assert_eq!(health.check(), Ok(()));
        health.topic_problem("b", "forbidden".to_owned());
        health.acked("a");
        assert_eq!(health.check().unwrap_err(), ["topic b takes nothing, its records wait: forbidden"]);
        health.acked("b");
        assert_eq!(health.check(), Ok(()));
    }
}
