//! Resolvers in the agent: rounds of questions -> records. They count as a listener of their own, so that they stand on the balance sheet.

use std::sync::Arc;

use tocsin_probes::resolvers::{Asked, GroupConfig, GroupQuestion, ask_all};
use tocsin_publish::Record;
use tocsin_sources::now_unix_nanos;
use tocsin_telemetry::{Counters, Inputs};
use tocsin_wire::{Body, Origin};
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::MissedTickBehavior;

use crate::own;
use crate::shared::Shared;
use crate::task::Tasks;

/// The tasks that ask, one a group.
pub(crate) struct Resolvers {
    shared: watch::Receiver<Shared>,
    tasks: Tasks<GroupConfig>,
}

impl Resolvers {
    /// Asks nobody yet.
    pub(crate) fn new(shared: watch::Receiver<Shared>) -> Self {
        Self { shared, tasks: Tasks::default() }
    }

    /// Asks as the config says; a group that stays as it was goes on.
    pub(crate) fn follow(&mut self, runtime: &Runtime, inputs: &Inputs, groups: &[GroupConfig]) {
        self.tasks.keep(runtime, own::RESOLVERS, groups);
        for group in self.tasks.new_of(groups) {
            tracing::info!(group = group.id, resolvers = group.servers.len(), interval = ?group.interval, "asking resolvers");
            let asking = Asking { group: group.clone(), shared: self.shared.clone(), counters: inputs.begin(own::RESOLVERS, "").counters };
            self.tasks.start(runtime, group, |stop| Arc::new(asking).run(stop));
        }
    }

    /// A task has ended before it was asked to.
    pub(crate) fn has_failed(&self) -> bool {
        self.tasks.has_failed()
    }
}

struct Asking {
    group: GroupConfig,
    shared: watch::Receiver<Shared>,
    counters: Arc<Counters>,
}

impl Asking {
    /// One question after the other, spread over the interval; the slowest answer holds up no other question. Rounds under way are given up at
    /// the end: they say nothing about a resolver.
    async fn run(self: Arc<Self>, mut stop: watch::Receiver<bool>) {
        let questions = self.group.questions();
        let between = self.group.interval / u32::try_from(questions.len()).unwrap_or(u32::MAX).max(1);
        let mut ticks = tokio::time::interval(between);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Skip);
        let mut rounds = JoinSet::new();
        for question in questions.into_iter().cycle() {
            tokio::select! {
                _ = ticks.tick() => {}
                _ = stop.wait_for(|stops| *stops) => return,
            }
            rounds.spawn(Arc::clone(&self).round(question));
            while let Some(ended) = rounds.try_join_next() {
                if let Err(error) = ended {
                    tracing::error!(%error, group = self.group.id, "a round had failed; this is a defect, please report it");
                }
            }
        }
    }

    async fn round(self: Arc<Self>, question: GroupQuestion) {
        let asked_at_unix_nanos = now_unix_nanos();
        let answers = ask_all(&self.group, &question).await;
        let received_at_unix_nanos = now_unix_nanos();
        for answer in answers {
            self.publish(answer, asked_at_unix_nanos, received_at_unix_nanos);
        }
    }

    fn publish(&self, answer: Asked, asked_at_unix_nanos: u64, received_at_unix_nanos: u64) {
        let Asked { resolver, target, body, raw } = answer;
        self.counters.received(1, raw.len() as u64);
        self.counters.event_made();
        let origin = Origin {
            listener: self.counters.name().into(),
            site: self.group.site.as_str().into(),
            received_at_unix_nanos,
            peer: Some(target),
            raw,
        };
        let shared = self.shared.borrow();
        let event = shared.asked(&origin, &resolver, Some(target.ip()), Some(asked_at_unix_nanos), Body::DnsAnswer(body));
        shared.publisher.publish(Record::new(&event, Some(Arc::clone(&self.counters))));
    }
}
