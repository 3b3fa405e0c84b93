//! What to send: message by message, by index, so that pacing and sockets need not know where it comes from.

use std::time::Duration;

use tocsin_wire::events::Event;

use super::events_file::EventsFile;
use super::framing::Framing;
use super::generate::Generator;
use super::target::Target;

/// Messages in the order in which they are sent.
pub enum Traffic {
    /// From an events file.
    Recorded(EventsFile),
    /// Made up, reproducible by its seed.
    Generated(Generator),
}

impl Traffic {
    /// Number of messages.
    pub fn len(&self) -> u64 {
        match self {
            Self::Recorded(file) => file.len(),
            Self::Generated(generator) => generator.count,
        }
    }

    /// When message `index` (from 0) wants to be sent, after the start. Generated messages want to be sent at once.
    pub fn own_time(&self, index: u64) -> Duration {
        match self {
            Self::Recorded(file) => file.own_time(index),
            Self::Generated(_) => Duration::ZERO,
        }
    }

    /// The listener that message `index` goes to; none for an event.
    pub fn target(&self, index: u64) -> Option<Target> {
        match self {
            Self::Recorded(file) => file.event(index).target,
            Self::Generated(generator) => Some(generator.target),
        }
    }

    /// Message `index` where it is an event for its Kafka topic.
    pub fn event(&self, index: u64) -> Option<&Event> {
        match self {
            Self::Recorded(file) => file.event(index).payload.event(),
            Self::Generated(_) => None,
        }
    }

    /// Whether any message is an event for its Kafka topic.
    pub fn has_events(&self) -> bool {
        matches!(self, Self::Recorded(file) if file.has_events())
    }

    /// The framing that message `index` asks for; none where the command line decides.
    pub fn framing(&self, index: u64) -> Option<Framing> {
        match self {
            Self::Recorded(file) => file.event(index).framing,
            Self::Generated(_) => None,
        }
    }

    /// Appends the payload of message `index` to `payload`. `now` is the present time, RFC 3339.
    pub fn write_payload(&self, index: u64, now: &str, payload: &mut Vec<u8>) {
        match self {
            Self::Recorded(file) => file.event(index).payload.write(now, payload),
            Self::Generated(generator) => generator.write(index, now, payload),
        }
    }

    /// Every target that a message goes to, once.
    pub fn targets(&self) -> Vec<Target> {
        match self {
            Self::Recorded(file) => file.targets(),
            Self::Generated(generator) => vec![generator.target],
        }
    }
}
