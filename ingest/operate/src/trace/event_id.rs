//! What an event's id says. Pure.

use std::fmt;
use std::str::FromStr;

/// `<agent_id>-<boot_id>-<sequence>`, as `event.proto` has it: boot_id in lower-case hexadecimal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct EventId {
    pub(crate) agent_id: String,
    /// Start of the agent's run, Unix nanoseconds.
    pub(crate) boot_id: u64,
    pub(crate) sequence: u64,
}

impl FromStr for EventId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let read = || {
            let (rest, sequence) = text.rsplit_once('-')?;
            let (agent_id, boot_id) = rest.rsplit_once('-')?;
            let boot_id = u64::from_str_radix(boot_id, 16).ok()?;
            let id = Self { agent_id: agent_id.to_owned(), boot_id, sequence: sequence.parse().ok()? };
            (!agent_id.is_empty() && id.to_string() == text).then_some(id)
        };
        read().ok_or_else(|| format!("{text:?} is no id of an event: one is AGENT-RUN-NUMBER, for example agent-1-18bd2f6a5c3e1a00-1042"))
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:x}-{}", self.agent_id, self.boot_id, self.sequence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_agent_run_and_number_and_agents_may_have_hyphens() {
        let id: EventId = "agent-zrh-1-18bd2f6a5c3e1a00-1042".parse().unwrap();
        assert_eq!((id.agent_id.as_str(), id.boot_id, id.sequence), ("agent-zrh-1", 0x18bd_2f6a_5c3e_1a00, 1042));
        assert_eq!(id.to_string(), "agent-zrh-1-18bd2f6a5c3e1a00-1042");
    }

    #[test]
    fn what_is_no_id_is_refused_with_an_example() {
        for text in ["", "agent", "agent-1", "-2a-1", "agent-xyz-1", "agent-2a-", "agent-2A-1", "agent-2a-01", "agent-2a-1 "] {
            let problem = text.parse::<EventId>().unwrap_err();
            assert!(problem.contains("for example agent-1-"), "{text:?}: {problem}");
        }
    }
}
