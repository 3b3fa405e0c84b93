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
    applied_reloads: u64,
    refused_reloads: u64,
    /// Why the last reload was refused, if it was.
    reload_problem: Option<String>,
    /// Keys of the config file that are not in effect before a restart.
    waiting_keys: Vec<String>,
}

/// Reloads of the config since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reloads {
    /// Took effect.
    pub applied: u64,
    /// Changed nothing.
    pub refused: u64,
    /// False while the config that was written last is not in effect.
    pub is_last_applied: bool,
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

    /// A reload took effect, but for `waiting_keys`, which need a restart.
    pub fn reload_applied(&self, waiting_keys: Vec<String>) {
        let mut state = self.lock();
        state.applied_reloads += 1;
        state.reload_problem = None;
        state.waiting_keys = waiting_keys;
    }

    /// A reload changed nothing.
    pub fn reload_refused(&self, problem: String) {
        let mut state = self.lock();
        state.refused_reloads += 1;
        state.reload_problem = Some(problem);
    }

    /// How reloads went.
    pub fn reloads(&self) -> Reloads {
        let state = self.lock();
        Reloads { applied: state.applied_reloads, refused: state.refused_reloads, is_last_applied: state.reload_problem.is_none() }
    }

    /// What somebody should do although the agent works, one sentence each.
    pub fn warnings(&self) -> Vec<String> {
        let state = self.lock();
        let refused = state.reload_problem.iter().map(|problem| format!("reload failed: {problem}; the config before it is in effect"));
        let waiting = (!state.waiting_keys.is_empty()).then(|| format!("restart the agent for {}", state.waiting_keys.join(", ")));
        refused.chain(waiting).collect()
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
    fn a_refused_reload_is_a_warning_until_one_is_applied_and_keys_wait_for_a_restart() {
        let health = Health::new(Duration::from_secs(1));
        health.reload_refused("a.yaml: no".to_owned());
        assert_eq!(health.warnings(), ["reload failed: a.yaml: no; the config before it is in effect"]);
        health.reload_applied(vec!["kafka.linger".to_owned(), "spool.dir".to_owned()]);
        assert_eq!(health.warnings(), ["restart the agent for kafka.linger, spool.dir"]);
        assert_eq!(health.reloads(), Reloads { applied: 1, refused: 1, is_last_applied: true });
        health.reload_applied(Vec::new());
        assert!(health.warnings().is_empty());
    }

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
