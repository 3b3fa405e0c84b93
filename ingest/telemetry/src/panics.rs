//! A panic as a log line.

use std::panic;
use std::thread;

use crate::sampler::Sampler;

/// From now on a panic is one line of the log with its place, sampled like all that a sender could cause.
pub fn log_panics() {
    let sampler = Sampler::default();
    panic::set_hook(Box::new(move |panic| {
        if let Some(left_out) = sampler.pass() {
            let (thread, location) = (thread::current(), panic.location().map(ToString::to_string));
            let (thread, detail) = (thread.name().unwrap_or_default(), panic.payload_as_str().unwrap_or_default());
            tracing::error!(thread, location, left_out, detail, "a part of the agent failed; this is a defect, please report it");
        }
    }));
}
