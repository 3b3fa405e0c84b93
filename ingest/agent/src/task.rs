//! Tasks of the agent's runtime, each of which does one thing as the config plans it until it is asked to end.

use std::future::Future;

use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What runs, each by a plan of its own.
pub(crate) struct Tasks<P>(Vec<Task<P>>);

struct Task<P> {
    plan: P,
    stop: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl<P> Default for Tasks<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P: Clone + PartialEq> Tasks<P> {
    /// Ends what is planned no more and waits until it has ended: those plans. What is planned as before goes on.
    pub(crate) fn keep(&mut self, runtime: &Runtime, listener: &str, plans: &[P]) -> Vec<P> {
        let (kept, ended): (Vec<_>, Vec<_>) = std::mem::take(&mut self.0).into_iter().partition(|task| plans.contains(&task.plan));
        self.0 = kept;
        ended.into_iter().map(|task| task.end(runtime, listener)).collect()
    }

    /// Plans that nothing runs by yet.
    pub(crate) fn new_of(&self, plans: &[P]) -> Vec<P> {
        plans.iter().filter(|plan| self.0.iter().all(|task| task.plan != **plan)).cloned().collect()
    }

    /// Runs `work`, which ends soon after its receiver says true.
    pub(crate) fn start<F>(&mut self, runtime: &Runtime, plan: P, work: impl FnOnce(watch::Receiver<bool>) -> F)
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (stop, stopped) = watch::channel(false);
        self.0.push(Task { plan, stop, handle: runtime.spawn(work(stopped)) });
    }

    /// One of them has ended before it was asked to.
    pub(crate) fn has_failed(&self) -> bool {
        self.0.iter().any(|task| task.handle.is_finished())
    }
}

impl<P> Task<P> {
    fn end(self, runtime: &Runtime, listener: &str) -> P {
        // Fails only when the task has ended already.
        let _ = self.stop.send(true);
        if runtime.block_on(self.handle).is_err() {
            tracing::error!(listener, "a task had failed; this is a defect, please report it");
        }
        self.plan
    }
}
