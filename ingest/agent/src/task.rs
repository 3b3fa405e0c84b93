//! A task of the agent's runtime that does one thing, as the config plans it, until it is asked to end.

use std::future::Future;

use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::JoinHandle;

/// What runs, and by which plan.
pub(crate) struct Task<P> {
    /// What the config asks for.
    pub(crate) plan: P,
    stop: watch::Sender<bool>,
    handle: JoinHandle<()>,
}

impl<P> Task<P> {
    /// Runs `work`, which ends soon after its receiver says true.
    pub(crate) fn start<F>(runtime: &Runtime, plan: P, work: impl FnOnce(watch::Receiver<bool>) -> F) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let (stop, stopped) = watch::channel(false);
        Self { plan, stop, handle: runtime.spawn(work(stopped)) }
    }

    /// It has ended before it was asked to.
    pub(crate) fn has_failed(&self) -> bool {
        self.handle.is_finished()
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn end(self, runtime: &Runtime, listener: &str) {
        // Fails only when the task has ended already.
        let _ = self.stop.send(true);
        if runtime.block_on(self.handle).is_err() {
            tracing::error!(listener, "a task had failed; this is a defect, please report it");
        }
    }
}
