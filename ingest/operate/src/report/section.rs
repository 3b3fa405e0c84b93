//! The sections of the report: which question each of them asks, and what of the answer it shows. Pure.

use serde_json::Value;

use crate::ask::answer::Answer;

/// A section.
#[derive(Debug)]
pub struct Section {
    /// Its heading.
    pub title: &'static str,
    /// What the figures mean, and what to look for.
    pub meaning: &'static str,
    /// The saved question.
    pub question: &'static str,
    /// What it is told beside the month.
    pub told: &'static [&'static str],
    /// Columns that are shown, in this order.
    pub columns: &'static [Shown],
    /// Columns that make the bar of a row, laid end to end: name and colour.
    pub bar: &'static [(&'static str, &'static str)],
    /// What it says where nothing was found.
    pub nothing: &'static str,
}

/// A column of the answer and its heading.
#[derive(Debug)]
pub struct Shown {
    /// As the view calls it.
    pub name: &'static str,
    /// As people call it.
    pub heading: &'static str,
}

const fn shown(name: &'static str, heading: &'static str) -> Shown {
    Shown { name, heading }
}

/// A section with its answer.
#[derive(Debug)]
pub struct Answered<'a> {
    /// What was asked.
    pub section: &'a Section,
    /// How to ask it again.
    pub command: String,
    /// What ClickHouse said.
    pub answer: Answer,
}

/// In the order of the page.
pub const SECTIONS: &[Section] = &[
    Section {
        title: "Pages",
        meaning: "Notifications that somebody was sent, by week and by the worst severity that fired in them. The end of an alert is not counted.",
        question: "pages_by_week",
        told: &[],
        columns: &[
            shown("week", "week from"),
            shown("pages", "pages"),
            shown("critical", "critical"),
            shown("major", "major"),
            shown("minor", "minor"),
            shown("warning", "warning"),
            shown("other", "other"),
        ],
        bar: &[("critical", "critical"), ("major", "major"), ("minor", "minor"), ("warning", "warning"), ("other", "other")],
        nothing: "No page of this month is recorded.",
    },
    Section {
        title: "Time to acknowledge and to resolve",
        meaning: "Alerts that opened in this month, by team, and how long it took on average until somebody said that they work on it, and until it was over.",
        question: "time_to_acknowledge",
        told: &[],
        columns: &[
            shown("team", "team"),
            shown("opened", "alerts"),
            shown("acknowledged", "acknowledged"),
            shown("resolved", "resolved"),
            shown("mean_minutes_to_acknowledge", "minutes to acknowledge"),
            shown("mean_minutes_to_resolve", "minutes to resolve"),
        ],
        bar: &[("mean_minutes_to_acknowledge", "acknowledge"), ("mean_minutes_to_resolve", "resolve")],
        nothing: "No alert opened.",
    },
    Section {
        title: "Worst devices",
        meaning: "Devices with most hours of alerts; several at once count several times.",
        question: "worst_devices",
        told: &["count=15"],
        columns: &[
            shown("device", "device"),
            shown("site", "site"),
            shown("worst", "worst"),
            shown("alerts", "alerts"),
            shown("running", "open"),
            shown("hours", "hours"),
            shown("checks", "what was wrong"),
        ],
        bar: &[("hours", "major")],
        nothing: "No device had an alert.",
    },
    Section {
        title: "WAN links",
        meaning: "Share of the time in which each link was not down, against 99.9 %. Time without probes counts as available: the last column says how much was probed.",
        question: "link_availability",
        told: &["promised=99.9"],
        columns: &[
            shown("link_id", "link"),
            shown("available_percent", "available %"),
            shown("is_kept", "kept"),
            shown("outages", "outages"),
            shown("minutes_away", "minutes away"),
            shown("lost_percent", "probes lost %"),
            shown("probed_percent", "probed %"),
        ],
        bar: &[("minutes_away", "critical")],
        nothing: "No link was probed.",
    },
    Section {
        title: "DHCP and registrations",
        meaning: "Clients that had an address, and those of them that nobody has registered, by server and relay; and requests that were refused because a pool was empty.",
        question: "leases_by_relay",
        told: &[],
        columns: &[
            shown("server", "server"),
            shown("relay", "relay"),
            shown("clients", "clients"),
            shown("not_registered", "not registered"),
            shown("leases_expired", "leases expired"),
            shown("no_free_leases", "pool empty"),
            shown("naks", "NAKs"),
        ],
        bar: &[("clients", "resolve")],
        nothing: "No lease was seen.",
    },
    Section {
        title: "Noisy rules",
        meaning: "Rules and checks that opened most alerts, beside as long a time before.",
        question: "noisiest_checks",
        told: &["count=15"],
        columns: &[
            shown("check", "check"),
            shown("source", "source"),
            shown("opened", "opened"),
            shown("opened_before", "before"),
            shown("ratio", "ratio"),
            shown("devices", "devices"),
        ],
        bar: &[("opened", "minor")],
        nothing: "No alert opened.",
    },
    Section {
        title: "Alerts that nobody acts on",
        meaning: "Checks whose alerts nobody acknowledged or wrote a note to: mend them, give them another severity, or drop the rule.",
        question: "never_acted_on",
        told: &["count=15"],
        columns: &[
            shown("check", "check"),
            shown("source", "source"),
            shown("severity", "severity"),
            shown("opened", "opened"),
            shown("devices", "devices"),
            shown("ended_by_themselves_percent", "ended by themselves %"),
            shown("median_minutes", "median minutes"),
        ],
        bar: &[("opened", "other")],
        nothing: "Somebody acted on every check that opened alerts.",
    },
    Section {
        title: "Top talkers in syslog",
        meaning: "Devices that said most, beside as long a time before.",
        question: "noisiest_devices",
        told: &["count=15"],
        columns: &[
            shown("device", "device"),
            shown("messages", "messages"),
            shown("messages_before", "before"),
            shown("ratio", "ratio"),
            shown("errors", "errors"),
        ],
        bar: &[("messages", "resolve")],
        nothing: "No message was stored.",
    },
    Section {
        title: "What was lost",
        meaning: "Of each collector's listeners: what was received, and what was not kept. Dropped by the kernel: the receive buffer was too small. Malformed: kept as rejects.",
        question: "drops",
        told: &[],
        columns: &[
            shown("agent_id", "collector"),
            shown("listener", "listener"),
            shown("received", "received"),
            shown("kernel_dropped", "dropped by the kernel"),
            shown("dropped", "dropped by the agent"),
            shown("malformed", "malformed"),
        ],
        bar: &[("kernel_dropped", "critical"), ("dropped", "major")],
        nothing: "No collector reported in this month: what was lost is not known.",
    },
];

impl Answered<'_> {
    /// A cell as a number; 0 where there is none.
    pub fn number(&self, row: usize, column: &str) -> f64 {
        self.answer.index(column).and_then(|index| self.answer.rows[row][index].as_f64()).unwrap_or(0.0)
    }

    /// The sum of a column.
    pub fn sum(&self, column: &str) -> f64 {
        (0..self.answer.rows.len()).map(|row| self.number(row, column)).sum()
    }

    /// The mean of `column` where each row counts as often as `weight` says; none where nothing counts.
    pub fn mean(&self, column: &str, weight: &str) -> Option<f64> {
        let weights = self.sum(weight);
        let sum: f64 = (0..self.answer.rows.len()).map(|row| self.number(row, column) * self.number(row, weight)).sum();
        (weights > 0.0).then(|| sum / weights)
    }

    /// The cell as it is; null where the answer has no such column.
    pub fn cell(&self, row: usize, column: &str) -> &Value {
        self.answer.index(column).map_or(&Value::Null, |index| &self.answer.rows[row][index])
    }
}
