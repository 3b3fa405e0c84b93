//! Alert updates from monitors: JSON, XML attributes or logfmt, told apart by the first byte. All three become the same named fields, and
//! the rules on fields are written once, here.

mod json;
mod logfmt;
mod xml;

use std::collections::BTreeMap;

use tocsin_wire::Body;
use tocsin_wire::alerts::Severity;
use tocsin_wire::events::AlertUpdate;
use tocsin_wire::events::alert_update::Action;
use tocsin_wire::rejects::Reason;

use crate::{Parsed, Refusal, time};

/// Label that keeps a severity word outside X.733 and its usual synonyms.
const SEVERITY_TEXT: &str = "severity_text";
/// Label that keeps a time that cannot be read.
const TIME_TEXT: &str = "time_text";

/// The fields of one update by name; everything that has no meaning here is a label.
#[derive(Debug, Default, PartialEq)]
struct Fields {
    named: BTreeMap<&'static str, String>,
    labels: BTreeMap<String, String>,
}

/// Names with a meaning; DESIGN calls them the contract with monitors.
const NAMES: [&str; 7] = ["action", "source", "device", "check", "severity", "summary", "time"];

impl Fields {
    /// Keeps one field. `labels.rack` is the label `rack`, as formats that cannot nest write it.
    fn set(&mut self, name: &str, value: String) {
        match NAMES.iter().find(|known| **known == name) {
            Some(known) => {
                self.named.insert(known, value);
            }
            None => self.set_label(name.strip_prefix("labels.").unwrap_or(name), value),
        }
    }

    fn set_label(&mut self, name: &str, value: String) {
        self.labels.insert(name.to_owned(), value);
    }

    fn take(&mut self, name: &str) -> String {
        self.named.remove(name).map(|value| value.trim().to_owned()).unwrap_or_default()
    }

    fn take_required(&mut self, name: &str) -> Result<String, Refusal> {
        let value = self.take(name);
        if value.is_empty() {
            let detail = format!("field `{name}` is missing or empty; an alert update needs action, source, device and check");
            return Err(Refusal::new(Reason::MissingField, detail));
        }
        Ok(value)
    }

    fn into_update(mut self) -> Result<Parsed, Refusal> {
        let action = action(&self.take_required("action")?)?;
        let source = self.take_required("source")?;
        let device = self.take_required("device")?;
        let check = self.take_required("check")?;
        let severity = self.take_severity();
        let event_time_unix_nanos = self.take_time();
        let summary = self.take("summary");
        // "update, cleared" is what some monitors say for "delete"; a delete has no severity of its own.
        let (action, severity) = match (action, severity) {
            (Action::Delete, _) | (_, Severity::Cleared) => (Action::Delete, Severity::Cleared),
            other => other,
        };
        let update = AlertUpdate {
            action: action.into(),
            source,
            check,
            severity: severity.into(),
            summary,
            labels: self.labels,
            fingerprint_labels: Vec::new(),
        };
        Ok(Parsed { device: Some(device), event_time_unix_nanos, is_zone_missing: false, body: Body::AlertUpdate(update) })
    }

    fn take_severity(&mut self) -> Severity {
        let word = self.take("severity");
        severity(&word).unwrap_or_else(|| {
            self.set_label(SEVERITY_TEXT, word);
            Severity::Indeterminate
        })
    }

    /// RFC 3339 or Unix seconds.
    fn take_time(&mut self) -> Option<u64> {
        let text = self.take("time");
        let nanos = time::rfc3339(&text).or_else(|| time::unix_seconds(&text));
        if nanos.is_none() && !text.is_empty() {
            self.set_label(TIME_TEXT, text);
        }
        nanos
    }
}

fn action(word: &str) -> Result<Action, Refusal> {
    match word.to_ascii_lowercase().as_str() {
        "update" => Ok(Action::Update),
        "delete" => Ok(Action::Delete),
        _ => Err(Refusal::new(Reason::InvalidValue, format!("field `action` is {word:?}; send \"update\" or \"delete\""))),
    }
}

/// X.733's word or a usual synonym of it.
fn severity(word: &str) -> Option<Severity> {
    Some(match word.to_ascii_lowercase().as_str() {
        "critical" | "crit" | "fatal" | "emergency" | "down" => Severity::Critical,
        "major" | "error" | "err" | "high" => Severity::Major,
        "minor" | "low" => Severity::Minor,
        "warning" | "warn" => Severity::Warning,
        "indeterminate" | "info" | "notice" | "unknown" | "" => Severity::Indeterminate,
        "cleared" | "ok" | "clear" | "normal" | "up" => Severity::Cleared,
        _ => return None,
    })
}

/// Reads one frame; calls `each` once for every update, and once for all elements that are none: a frame that holds 30,000 of them is one
/// reject, as it is one mistake of its sender.
pub(crate) fn parse(text: &str, mut each: impl FnMut(Result<Parsed, Refusal>)) {
    let read = match text.as_bytes().first() {
        Some(b'{' | b'[') => json::read(text),
        Some(b'<') => xml::read(text),
        _ => logfmt::read(text),
    };
    match read {
        Ok(elements) => updates(elements, each),
        Err(refusal) => each(Err(refusal)),
    }
}

fn updates(elements: Vec<Result<Fields, Refusal>>, mut each: impl FnMut(Result<Parsed, Refusal>)) {
    let (count, mut refused, mut first) = (elements.len(), 0_usize, None);
    for element in elements {
        match element.and_then(Fields::into_update) {
            Ok(parsed) => each(Ok(parsed)),
            Err(refusal) => {
                refused += 1;
                first.get_or_insert(refusal);
            }
        }
    }
    if let Some(Refusal { reason, detail }) = first {
        let detail = if refused > 1 { format!("{refused} of {count} elements are no updates; the first: {detail}") } else { detail };
        each(Err(Refusal::new(reason, detail)));
    }
}

/// What a format gives: one entry an element, or one refusal for a frame that is not well-formed. Never an empty list.
type Elements = Result<Vec<Result<Fields, Refusal>>, Refusal>;

fn syntax(detail: String) -> Refusal {
    Refusal::new(Reason::Syntax, detail)
}
