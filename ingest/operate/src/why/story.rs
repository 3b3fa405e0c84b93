//! Why an alert is as it is, in lines. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::table::printable;

/// Characters of a line as received that are shown.
const SHOWN_RAW: usize = 200;

/// Parts of a tree that are shown of each kind.
const SHOWN_PARTS: usize = 12;

/// All that is known. Times are as ClickHouse prints them, UTC.
#[derive(Debug, Serialize)]
pub(super) struct Story {
    pub(super) alert: Alert,
    /// The events that raised it: the first and the newest.
    pub(super) raised_by: Vec<Evidence>,
    /// The alerts that its reasons and its tree name.
    pub(super) others: Vec<Other>,
    /// Of the storm that it is, or belongs to.
    pub(super) members: Option<Members>,
    pub(super) transitions: Vec<Transition>,
    pub(super) pages: Vec<Page>,
}

/// The row of `tocsin.alerts`.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Alert {
    pub(super) fingerprint: String,
    pub(super) state: String,
    pub(super) severity: String,
    pub(super) source: String,
    pub(super) device: String,
    pub(super) check: String,
    pub(super) summary: String,
    pub(super) site: String,
    pub(super) rule: String,
    /// Which version of the rule; None where no pushed rule raised it.
    pub(super) rule_pushed_at: Option<String>,
    pub(super) fingerprint_fields: BTreeMap<String, String>,
    pub(super) first_seen: String,
    pub(super) resolved_at: Option<String>,
    pub(super) update_count: u64,
    pub(super) member_count: u32,
    pub(super) storm_id: String,
    pub(super) cause: String,
    pub(super) raised_by: Vec<String>,
    /// Cause, name, since.
    pub(super) held_back: Vec<(String, String, String)>,
    pub(super) cut_sets: Vec<Vec<String>>,
    /// Name and fingerprint.
    pub(super) tree_down: Vec<(String, String)>,
    pub(super) tree_next: Vec<String>,
    pub(super) tree_left_out: u32,
    pub(super) acknowledged_by: String,
    pub(super) acknowledged_at: Option<String>,
    pub(super) acknowledged_until: Option<String>,
    pub(super) note: String,
    pub(super) noted_by: String,
}

/// An event; without its line where that is not kept any more.
#[derive(Debug, Default, Serialize)]
pub(super) struct Evidence {
    pub(super) event_id: String,
    pub(super) time: String,
    pub(super) device: String,
    pub(super) table: String,
    pub(super) raw: String,
}

/// Another alert, in a line.
#[derive(Debug, Serialize)]
pub(super) struct Other {
    pub(super) fingerprint: String,
    pub(super) line: String,
}

/// Who belongs to a storm.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Members {
    /// Members that ClickHouse knows.
    pub(super) known: u64,
    pub(super) active: u64,
    pub(super) some: Vec<String>,
    /// Members that the storm counted.
    pub(super) told: u32,
}

/// A decision on the alert.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Transition {
    pub(super) told_at: String,
    pub(super) transition_at: String,
    pub(super) transition: String,
    pub(super) state: String,
    pub(super) severity: String,
    pub(super) cause: String,
    pub(super) update_count: u64,
    pub(super) acknowledged_by: String,
    pub(super) note: String,
    pub(super) event_id: String,
}

/// A notification.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Page {
    pub(super) sent_at: String,
    pub(super) status: String,
    pub(super) receiver: String,
}

impl Alert {
    /// Fingerprints of the alerts that its reasons and its tree name.
    pub(super) fn named_alerts(&self) -> Vec<String> {
        let reasons = self.held_back.iter().filter_map(|(cause, ..)| fingerprints_of(cause)).flat_map(|list| list.split(','));
        let parts = self.tree_down.iter().map(|(_, fingerprint)| fingerprint.as_str());
        let mut named: Vec<_> = reasons.chain(parts).filter(|text| !text.is_empty()).map(str::to_owned).collect();
        named.sort();
        named.dedup();
        named
    }

    fn is_over(&self) -> bool {
        self.resolved_at.is_some()
    }

    /// `source=hyak device=n1`.
    fn key(&self) -> String {
        self.fingerprint_fields.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
    }

    /// What made it of the events.
    fn maker(&self) -> String {
        match (&self.rule_pushed_at, self.rule.as_str()) {
            (_, "") if self.source == "tree" => format!("fault tree {}", self.fingerprint_fields.get("tree").unwrap_or(&self.check)),
            (_, "") if self.member_count > 0 => "storm: many alerts opened at once".to_owned(),
            (_, "") => format!("none: {} said it itself", self.source),
            (Some(pushed_at), rule) => format!("{rule}, as pushed at {pushed_at}"),
            (None, rule) => rule.to_owned(),
        }
    }
}

/// The alerts that a cause names; None where it names none.
fn fingerprints_of(cause: &str) -> Option<&str> {
    let (kind, what) = cause.split_once(':')?;
    ["storm", "dependency", "tree"].contains(&kind).then_some(what)
}

fn listed(parts: &[String], separator: &str) -> String {
    let shown = parts[..parts.len().min(SHOWN_PARTS)].join(separator);
    if parts.len() > SHOWN_PARTS { format!("{shown} and {} more", parts.len() - SHOWN_PARTS) } else { shown }
}

/// Lines of two columns: what, and the words on it. Strangers' text stays in its line.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn add(&mut self, what: &str, words: &str) {
        let line = format!("{what:<13} {}", printable(words));
        self.0.push_str(line.trim_end());
        self.0.push('\n');
    }
}

impl Story {
    /// For people: what it is, what raised it, what holds it back, and every decision.
    pub(super) fn lines(&self) -> String {
        let mut lines = Lines::default();
        let alert = &self.alert;
        let Alert { fingerprint, state, severity, device, check, summary, .. } = alert;
        lines.add("alert", &format!("{fingerprint} {state}, {severity}: {device} {check}: {summary}"));
        lines.add(
            "since",
            &format!("{}{}", alert.first_seen, alert.resolved_at.iter().map(|end| format!(" until {end}")).collect::<String>()),
        );
        self.evidence(&mut lines);
        lines.add("rule", &alert.maker());
        lines.add("key", &alert.key());
        self.reasons(&mut lines);
        self.storm(&mut lines);
        self.tree(&mut lines);
        if !alert.acknowledged_by.is_empty() {
            let until = alert.acknowledged_until.iter().map(|end| format!(" until {end}")).collect::<String>();
            lines.add("on it", &format!("{} since {}{until}", alert.acknowledged_by, alert.acknowledged_at.as_deref().unwrap_or("?")));
        }
        if !alert.note.is_empty() {
            lines.add("note", &format!("{}: {}", alert.noted_by, alert.note));
        }
        self.decisions(&mut lines);
        lines.0
    }

    fn evidence(&self, lines: &mut Lines) {
        let Alert { update_count, .. } = self.alert;
        let kept = self.raised_by.len();
        let which = if update_count > kept as u64 { "; the first and the newest are" } else { "" };
        lines.add("raised by", &format!("{update_count} event{}{which}", if update_count == 1 { "" } else { "s" }));
        for event in &self.raised_by {
            let raw: String = event.raw.trim_end().chars().take(SHOWN_RAW).collect();
            let words = match event.table.as_str() {
                "" => "its line is not kept any more, or not stored yet".to_owned(),
                table if raw.is_empty() => format!("{} {} {table}", event.time, event.device),
                _ => format!("{} {} {raw}", event.time, event.device),
            };
            lines.add("", &words);
            lines.add("", &format!("  event {}", event.event_id));
        }
    }

    fn reasons(&self, lines: &mut Lines) {
        let what = if self.alert.is_over() { "was held by" } else { "held back by" };
        for (cause, name, since) in &self.alert.held_back {
            let kind = cause.split_once(':').map_or(cause.as_str(), |(kind, _)| kind);
            lines.add(what, &format!("{kind} {name} since {since}"));
            for fingerprint in fingerprints_of(cause).into_iter().flat_map(|list| list.split(',')) {
                lines.add("", &format!("  {}", self.line_of(fingerprint)));
            }
        }
        if self.alert.held_back.is_empty() && !self.alert.cause.is_empty() {
            lines.add("cause", &self.alert.cause);
        } else if self.alert.held_back.is_empty() && !self.alert.is_over() {
            lines.add("held back by", "nothing: it pages");
        }
    }

    fn line_of<'a>(&'a self, fingerprint: &'a str) -> &'a str {
        self.others.iter().find(|other| other.fingerprint == fingerprint).map_or(fingerprint, |other| &other.line)
    }

    fn storm(&self, lines: &mut Lines) {
        let Some(members) = &self.members else { return };
        lines.add("storm", &format!("{} alerts in it, {} of those known are active", members.told.max(1), members.active));
        for member in &members.some {
            lines.add("", &format!("  {member}"));
        }
        let others = members.known.saturating_sub(members.some.len() as u64);
        if others > 0 {
            lines.add("", &format!("  and {others} more"));
        }
    }

    fn tree(&self, lines: &mut Lines) {
        let alert = &self.alert;
        for set in &alert.cut_sets {
            lines.add("enough", &listed(set, " + "));
        }
        for (name, fingerprint) in alert.tree_down.iter().take(SHOWN_PARTS) {
            lines.add("down", &format!("{name}: {}", self.line_of(fingerprint)));
        }
        if !alert.tree_next.is_empty() {
            lines.add("one step away", &listed(&alert.tree_next, ", "));
        }
        let left_out = alert.tree_down.len().saturating_sub(SHOWN_PARTS) + alert.tree_left_out as usize;
        if left_out > 0 {
            lines.add("", &format!("and {left_out} more parts"));
        }
    }

    fn decisions(&self, lines: &mut Lines) {
        for transition in &self.transitions {
            let Transition { told_at, transition_at, transition, state, severity, cause, acknowledged_by, note, .. } = transition;
            let mut words = format!("{told_at} {transition}: {state}, {severity}, as of {transition_at}");
            for (label, value) in [("by", acknowledged_by), ("note", note), ("cause", cause)] {
                let is_said = label == "cause" || ["acknowledged", "noted"].contains(&transition.as_str());
                if is_said && !value.is_empty() {
                    words.push_str(&format!(", {label} {value}"));
                }
            }
            lines.add("decided", &words);
        }
        for page in &self.pages {
            lines.add("paged", &format!("{} {} {}", page.sent_at, page.receiver, page.status));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<const N: usize>(words: [&str; N]) -> Vec<String> {
        words.map(str::to_owned).to_vec()
    }

    fn alert() -> Alert {
        Alert {
            fingerprint: "f1".to_owned(),
            state: "suppressed".to_owned(),
            severity: "minor".to_owned(),
            source: "link".to_owned(),
            device: "sw1".to_owned(),
            check: "link".to_owned(),
            summary: "Gi1/0/1 of sw1 is down".to_owned(),
            rule: "link".to_owned(),
            rule_pushed_at: Some("2026-11-20 11:00:00.000000000".to_owned()),
            fingerprint_fields: BTreeMap::from([("device".to_owned(), "sw1".to_owned()), ("source".to_owned(), "link".to_owned())]),
            first_seen: "2026-11-20 12:00:00.000000000".to_owned(),
            update_count: 12,
            raised_by: texts(["a-2a-1", "a-2a-9"]),
            ..Alert::default()
        }
    }

    fn story(alert: Alert) -> Story {
        Story { alert, raised_by: Vec::new(), others: Vec::new(), members: None, transitions: Vec::new(), pages: Vec::new() }
    }

    #[test]
    fn the_story_says_what_raised_it_by_which_rule_and_key_and_every_decision() {
        let line = |id: &str, time: &str, raw: &str| Evidence {
            event_id: id.to_owned(),
            time: time.to_owned(),
            device: "sw1".to_owned(),
            table: "syslog".to_owned(),
            raw: raw.to_owned(),
        };
        let opened = Transition {
            told_at: "12:00:01".to_owned(),
            transition_at: "12:00:00".to_owned(),
            transition: "opened".to_owned(),
            state: "open".to_owned(),
            severity: "minor".to_owned(),
            ..Transition::default()
        };
        let acknowledged = Transition {
            told_at: "12:05:00".to_owned(),
            transition_at: "12:05:00".to_owned(),
            transition: "acknowledged".to_owned(),
            state: "open".to_owned(),
            severity: "minor".to_owned(),
            acknowledged_by: "ana".to_owned(),
            ..Transition::default()
        };
        let alert = Alert {
            state: "open".to_owned(),
            acknowledged_by: "ana".to_owned(),
            acknowledged_at: Some("12:05:00".to_owned()),
            note: "on my way".to_owned(),
            noted_by: "ana".to_owned(),
            ..alert()
        };
        let told = Story {
            raised_by: vec![
                line("a-2a-1", "12:00:00", "<189>%LINK-3-UPDOWN: \x1b[2Jdown\n"),
                Evidence { event_id: "a-2a-9".to_owned(), ..Evidence::default() },
            ],
            transitions: vec![opened, acknowledged],
            pages: vec![Page { sent_at: "12:00:03".to_owned(), status: "firing".to_owned(), receiver: "oncall".to_owned() }],
            ..story(alert)
        };
        assert_eq!(
            told.lines(),
            "\
alert         f1 open, minor: sw1 link: Gi1/0/1 of sw1 is down
since         2026-11-20 12:00:00.000000000
raised by     12 events; the first and the newest are
              12:00:00 sw1 <189>%LINK-3-UPDOWN: .[2Jdown
                event a-2a-1
              its line is not kept any more, or not stored yet
                event a-2a-9
rule          link, as pushed at 2026-11-20 11:00:00.000000000
key           device=sw1 source=link
held back by  nothing: it pages
on it         ana since 12:05:00
note          ana: on my way
decided       12:00:01 opened: open, minor, as of 12:00:00
decided       12:05:00 acknowledged: open, minor, as of 12:05:00, by ana
paged         12:00:03 oncall firing
"
        );
    }

    #[test]
    fn what_holds_it_back_stands_there_with_its_time_and_the_alert_behind_it() {
        let alert = Alert {
            storm_id: "s1".to_owned(),
            held_back: vec![
                ("maintenance:work".to_owned(), "work".to_owned(), "12:00:00".to_owned()),
                ("dependency:u1,u2".to_owned(), "cores".to_owned(), "12:00:01".to_owned()),
                ("storm:s1".to_owned(), "source link".to_owned(), "12:00:02".to_owned()),
            ],
            ..alert()
        };
        assert_eq!(alert.named_alerts(), ["s1", "u1", "u2"]);
        let told = Story {
            others: vec![Other { fingerprint: "u1".to_owned(), line: "u1 open critical core1 node: down".to_owned() }],
            members: Some(Members { known: 40, active: 12, some: texts(["f1 sw1 link", "f2 sw2 link"]), told: 41 }),
            ..story(alert)
        };
        let lines = told.lines();
        let from = lines.find("held back by").unwrap();
        assert_eq!(
            &lines[from..],
            "\
held back by  maintenance work since 12:00:00
held back by  dependency cores since 12:00:01
                u1 open critical core1 node: down
                u2
held back by  storm source link since 12:00:02
                s1
storm         41 alerts in it, 12 of those known are active
                f1 sw1 link
                f2 sw2 link
                and 38 more
"
        );
    }

    #[test]
    fn the_top_of_a_tree_says_what_is_enough_and_a_lost_redundancy_what_is_one_step_away() {
        let tree = |cut_sets: Vec<Vec<String>>, next: Vec<String>| Alert {
            source: "tree".to_owned(),
            rule: String::new(),
            rule_pushed_at: None,
            fingerprint_fields: BTreeMap::from([("tree".to_owned(), "array-7".to_owned())]),
            cut_sets,
            tree_down: vec![("disk 1".to_owned(), "d1".to_owned())],
            tree_next: next,
            tree_left_out: 3,
            ..alert()
        };
        let top = story(tree(vec![texts(["disk 1", "disk 2"]), texts(["controller"])], Vec::new())).lines();
        for line in [
            "rule          fault tree array-7\n",
            "enough        disk 1 + disk 2\nenough        controller\n",
            "down          disk 1: d1\n",
        ] {
            assert!(top.contains(line), "{top}");
        }
        assert!(top.contains("and 3 more parts"), "{top}");
        let lost = story(tree(Vec::new(), texts(["disk 2", "disk 3"]))).lines();
        assert!(lost.contains("one step away disk 2, disk 3\n"), "{lost}");
    }

    #[test]
    fn a_monitor_needs_no_rule_and_what_is_over_was_held_back() {
        let alert = Alert {
            rule: String::new(),
            rule_pushed_at: None,
            source: "hyak".to_owned(),
            resolved_at: Some("12:09:00".to_owned()),
            held_back: vec![("maintenance:work".to_owned(), "work".to_owned(), "12:00:00".to_owned())],
            ..alert()
        };
        let lines = story(alert).lines();
        assert!(lines.contains("rule          none: hyak said it itself\n"), "{lines}");
        assert!(lines.contains("was held by   maintenance work since 12:00:00\n"), "{lines}");
        assert!(lines.contains("since         2026-11-20 12:00:00.000000000 until 12:09:00\n"), "{lines}");
    }
}
