//! The word of an enum value, as it stands in ClickHouse, in metric labels and in log fields.

use crate::{alerts, events, registrations, rejects};

/// A protobuf enum whose values have a word: lower case, without the prefix that protobuf style demands.
pub trait Word {
    /// The name in the `.proto` file, for example `REASON_NOT_TEXT`.
    fn proto_name(&self) -> &'static str;
    /// What every name of the enum begins with, for example `REASON_`.
    const PREFIX: &'static str;
}

macro_rules! word {
    ($type:ty, $prefix:literal) => {
        impl Word for $type {
            const PREFIX: &'static str = $prefix;
            fn proto_name(&self) -> &'static str {
                self.as_str_name()
            }
        }
    };
}

word!(rejects::Reason, "REASON_");
word!(rejects::Stage, "STAGE_");
word!(alerts::Severity, "SEVERITY_");
word!(events::alert_update::Action, "ACTION_");
word!(events::dhcp::MessageType, "MESSAGE_TYPE_");
word!(events::dhcp::Path, "PATH_");
word!(events::dhcp::RequestKind, "REQUEST_KIND_");
word!(events::snmp_trap::Version, "VERSION_");
word!(events::interface_counters::Status, "STATUS_");
word!(events::link_probe::Method, "METHOD_");
word!(events::link_probe::LossReason, "LOSS_REASON_");
word!(registrations::Access, "ACCESS_");
word!(registrations::State, "STATE_");

/// The word of an enum value: `REASON_NOT_TEXT` is `not_text`. The `.proto` file stays the only list.
pub fn word(value: impl Word) -> String {
    word_of(&value)
}

fn word_of<W: Word>(value: &W) -> String {
    value.proto_name().trim_start_matches(W::PREFIX).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_lower_case_without_the_prefix() {
        assert_eq!(word(rejects::Reason::NotText), "not_text");
        assert_eq!(word(rejects::Stage::Framing), "framing");
        assert_eq!(word(alerts::Severity::Critical), "critical");
        assert_eq!(word(events::alert_update::Action::Delete), "delete");
    }
}
