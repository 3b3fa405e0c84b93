//! What a call says, in our own format and in those of PagerDuty and Opsgenie. Pure.

use serde::Deserialize;
use sha2::{Digest, Sha256};
use tocsin_wire::acknowledgements::{Acknowledgement, Action};
use tocsin_wire::alerts::Severity;

use crate::acknowledge::word::{self, FINGERPRINT_DIGITS, MAX_BY_CHARS, MAX_NOTE_CHARS};

/// As many alerts as a page names.
const MOST_ALERTS: usize = 20;

/// What somebody says, of which alerts.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Call {
    /// The same for a call that is delivered again.
    id: String,
    fingerprints: Vec<String>,
    action: Action,
    by: String,
    note: String,
    for_seconds: u32,
    severity: Severity,
}

impl Call {
    /// One word an alert.
    pub(super) fn words(&self) -> Vec<Acknowledgement> {
        let word = |fingerprint: &String| Acknowledgement {
            acknowledgement_id: hexadecimal(&[self.id.as_bytes(), fingerprint.as_bytes()]),
            fingerprint: fingerprint.clone(),
            action: self.action.into(),
            by: one_line(&self.by, MAX_BY_CHARS),
            note: one_line(&self.note, MAX_NOTE_CHARS),
            for_seconds: self.for_seconds,
            severity: self.severity.into(),
            said_at_unix_nanos: 0,
        };
        self.fingerprints.iter().map(word).collect()
    }
}

fn hexadecimal(parts: &[&[u8]]) -> String {
    let digest = parts.iter().fold(Sha256::new(), |digest, part| digest.chain_update(part)).finalize();
    digest.iter().take(FINGERPRINT_DIGITS / 2).map(|byte| format!("{byte:02x}")).collect()
}

/// People write notes of several lines in other places.
fn one_line(text: &str, most_chars: usize) -> String {
    text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).take(most_chars).collect()
}

/// Fingerprints that stand in a text, as the templates of deploy/alertmanager write them there.
fn fingerprints_in<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let is_fingerprint =
        |word: &&str| word.len() == FINGERPRINT_DIGITS && word.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let words = texts.flat_map(|text| text.split(|letter: char| !letter.is_ascii_alphanumeric()));
    words.filter(is_fingerprint).take(MOST_ALERTS).map(str::to_owned).collect()
}

/// Our own format.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Own {
    action: String,
    fingerprint: String,
    by: String,
    #[serde(default)]
    note: String,
    #[serde(default, rename = "for")]
    duration: Option<String>,
    #[serde(default)]
    severity: Option<String>,
}

/// `{"action": "acknowledge", "fingerprint": "...", "by": "ada", "note": "...", "for": "2h", "severity": "major"}`
pub(super) fn own(body: &[u8]) -> Result<Option<Call>, String> {
    let own: Own = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let action = match own.action.as_str() {
        "acknowledge" => Action::Acknowledge,
        "unacknowledge" => Action::Unacknowledge,
        "note" => Action::Note,
        other => return Err(format!("action is {other:?}; write acknowledge, unacknowledge or note")),
    };
    let fingerprints = fingerprints_in([own.fingerprint.as_str()].into_iter());
    if fingerprints.len() != 1 {
        return Err(format!("fingerprint is {:?}, not {FINGERPRINT_DIGITS} hexadecimal digits", own.fingerprint));
    }
    if own.by.is_empty() || action == Action::Note && own.note.is_empty() {
        return Err("by, or the note, is empty".to_owned());
    }
    let severity = match &own.severity {
        Some(severity) => Severity::from_str_name(&format!("SEVERITY_{}", severity.to_ascii_uppercase()))
            .ok_or_else(|| format!("severity is {severity:?}; write critical, major, minor, warning or indeterminate"))?,
        None => Severity::Unspecified,
    };
    let for_seconds = own.duration.as_deref().map_or(Ok(0), word::seconds).map_err(|problem| format!("for: {problem}"))?;
    let id = format!("{:032x}", fastrand::u128(..));
    Ok(Some(Call { id, fingerprints, action, by: own.by, note: own.note, for_seconds, severity }))
}

/// The envelope of PagerDuty's V3 webhooks.
#[derive(Deserialize)]
struct PagerDuty {
    event: PagerDutyEvent,
}

#[derive(Deserialize)]
struct PagerDutyEvent {
    id: String,
    event_type: String,
    agent: Option<Named>,
    #[serde(default)]
    data: PagerDutyData,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    summary: String,
}

/// An incident, or a note to one.
#[derive(Deserialize, Default)]
struct PagerDutyData {
    #[serde(default)]
    title: String,
    #[serde(default)]
    content: String,
    incident: Option<Named>,
}

/// An event of PagerDuty; none of what is not about people's words. The alerts stand in the incident's title.
pub(super) fn pagerduty(body: &[u8]) -> Result<Option<Call>, String> {
    let PagerDuty { event } = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let action = match event.event_type.as_str() {
        "incident.acknowledged" => Action::Acknowledge,
        "incident.unacknowledged" | "incident.reopened" => Action::Unacknowledge,
        "incident.annotated" => Action::Note,
        _ => return Ok(None),
    };
    let title = event.data.incident.map_or(event.data.title, |incident| incident.summary);
    Ok(Some(Call {
        id: event.id,
        fingerprints: fingerprints_in([title.as_str()].into_iter()),
        action,
        by: named(event.agent.map(|agent| agent.summary), "PagerDuty"),
        note: event.data.content,
        ..Call::default()
    }))
}

/// Opsgenie's webhook.
#[derive(Deserialize)]
struct Opsgenie {
    action: String,
    alert: OpsgenieAlert,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpsgenieAlert {
    #[serde(default)]
    tags: Vec<String>,
    username: Option<String>,
    #[serde(default)]
    note: String,
}

/// An action of Opsgenie; none of what is not about people's words. The alerts are its tags.
pub(super) fn opsgenie(body: &[u8]) -> Result<Option<Call>, String> {
    let told: Opsgenie = serde_json::from_slice(body).map_err(|error| error.to_string())?;
    let action = match told.action.as_str() {
        "Acknowledge" => Action::Acknowledge,
        "UnAcknowledge" => Action::Unacknowledge,
        "AddNote" => Action::Note,
        _ => return Ok(None),
    };
    Ok(Some(Call {
        // Its calls have no id; the same bytes are the same call, because they say when.
        id: hexadecimal(&[body]),
        fingerprints: fingerprints_in(told.alert.tags.iter().map(String::as_str)),
        action,
        by: named(told.alert.username, "Opsgenie"),
        note: told.alert.note,
        ..Call::default()
    }))
}

fn named(name: Option<String>, otherwise: &str) -> String {
    name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| otherwise.to_owned())
}

#[cfg(test)]
mod tests;
