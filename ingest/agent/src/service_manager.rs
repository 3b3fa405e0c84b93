//! What the agent tells the service manager that started it, by `sd_notify(3)`; nothing where there is none.

use sd_notify::NotifyState;

/// All sockets are open.
pub(crate) fn ready() {
    tell(&[NotifyState::Ready]);
}

/// It reads its config again, until it is ready.
pub(crate) fn reloading() {
    // Without the time of it the service manager cannot tell this reload from the one before.
    let since = NotifyState::monotonic_usec_now().unwrap_or(NotifyState::MonotonicUsec(0));
    tell(&[NotifyState::Reloading, since]);
}

/// What was received is handed over, then it ends.
pub(crate) fn stopping() {
    tell(&[NotifyState::Stopping]);
}

/// It still reports; for the watchdog, where the unit has one.
pub(crate) fn alive() {
    if sd_notify::watchdog_enabled().is_some() {
        tell(&[NotifyState::Watchdog]);
    }
}

fn tell(state: &[NotifyState<'_>]) {
    if let Err(error) = sd_notify::notify(state) {
        tracing::warn!(%error, "the service manager cannot be told how the agent is (NOTIFY_SOCKET)");
    }
}
