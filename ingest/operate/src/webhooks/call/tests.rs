//! Bodies as PagerDuty and Opsgenie document them, with fingerprints where our templates put them.

use super::*;

const FIRST: &str = "0123456789abcdef0123456789abcdef";
const SECOND: &str = "ffffffffffffffffffffffffffffffff";

/// An event about an incident, with the fields of PagerDuty's documentation.
fn incident(event_type: &str, title: &str) -> String {
    format!(
        r#"{{"event": {{"id": "5ac64822-4adc-4fda-ade0-410becf0de4f", "event_type": "{event_type}", "resource_type": "incident",
        "occurred_at": "2020-10-02T18:45:22.169Z",
        "agent": {{"html_url": "https://acme.pagerduty.com/users/PLH1HKV", "id": "PLH1HKV", "self": "https://api.pagerduty.com/users/PLH1HKV",
                   "summary": "Tenex Engineer", "type": "user_reference"}},
        "client": {{"name": "PagerDuty"}},
        "data": {{"id": "PGR0VU2", "type": "incident", "self": "https://api.pagerduty.com/incidents/PGR0VU2",
                  "html_url": "https://acme.pagerduty.com/incidents/PGR0VU2", "number": 2, "status": "triggered",
                  "incident_key": "d3640fbd41094207a1c11e58e46b1662", "created_at": "2020-04-09T15:16:27Z", "title": "{title}",
                  "service": {{"id": "PF9KMXH", "summary": "API Service", "type": "service_reference"}},
                  "assignees": [{{"id": "PTUXL6G", "summary": "User 123", "type": "user_reference"}}],
                  "escalation_policy": {{"id": "PUS0KTE", "summary": "Default"}}, "teams": [], "priority": {{"id": "PSO75BM", "summary": "P1"}},
                  "urgency": "high", "conference_bridge": {{"conference_number": "+1 1234123412,,987654321#"}}, "resolve_reason": null}}}}}}"#
    )
}

fn title() -> String {
    format!("2 firing: MAJOR link on sw1 [{FIRST} {SECOND}]")
}

fn call(parsed: Result<Option<Call>, String>) -> Call {
    parsed.unwrap().unwrap()
}

#[test]
fn an_incident_that_is_acknowledged_acknowledges_the_alerts_of_its_title() {
    let words = call(pagerduty(incident("incident.acknowledged", &title()).as_bytes())).words();
    let seen: Vec<_> = words.iter().map(|word| (word.fingerprint.as_str(), word.action(), word.by.as_str())).collect();
    assert_eq!(seen, [(FIRST, Action::Acknowledge, "Tenex Engineer"), (SECOND, Action::Acknowledge, "Tenex Engineer")]);
    assert_ne!(words[0].acknowledgement_id, words[1].acknowledgement_id);
}

#[test]
fn an_event_that_is_delivered_again_is_the_same_word() {
    let body = incident("incident.acknowledged", &title());
    assert_eq!(call(pagerduty(body.as_bytes())).words(), call(pagerduty(body.as_bytes())).words());
}

#[test]
fn incidents_are_given_back_and_other_events_say_nothing() {
    for event_type in ["incident.unacknowledged", "incident.reopened"] {
        assert_eq!(call(pagerduty(incident(event_type, &title()).as_bytes())).action, Action::Unacknowledge);
    }
    for event_type in ["incident.triggered", "incident.resolved", "incident.priority_updated", "service.updated", "something.new"] {
        assert_eq!(pagerduty(incident(event_type, &title()).as_bytes()), Ok(None), "{event_type}");
    }
}

#[test]
fn a_note_of_pagerduty_is_a_note_of_one_line() {
    let body = format!(
        r#"{{"event": {{"id": "01BRB6ZP4M6T8ZG4X6BP63ZB9O", "event_type": "incident.annotated", "resource_type": "incident",
        "occurred_at": "2021-03-02T13:35:11.682Z", "agent": null, "client": null,
        "data": {{"incident": {{"html_url": "https://acme.pagerduty.com/incidents/PGR0VU2", "id": "PGR0VU2",
                                "self": "https://api.pagerduty.com/incidents/PGR0VU2", "summary": "{}", "type": "incident_reference"}},
                  "id": "P2LA89X", "content": "cable cut,\nordered", "trimmed": false, "type": "incident_note"}}}}}}"#,
        title()
    );
    let word = &call(pagerduty(body.as_bytes())).words()[0];
    assert_eq!((word.action(), word.note.as_str(), word.by.as_str()), (Action::Note, "cable cut, ordered", "PagerDuty"));
}

/// A call of Opsgenie, with the fields of its documentation.
fn opsgenie_call(action: &str, note: &str) -> String {
    format!(
        r#"{{"source": {{"name": "", "type": "web"}},
        "alert": {{"updatedAt": 1420452224764002246, "tags": ["{FIRST}", "{SECOND}", "OverwriteQuietHours"], "message": "test alert",
                   "username": "fili@ifountain.com", "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c", "source": "fili@ifountain.com",
                   "alias": "aliastest", "tinyId": "23", "createdAt": 1420452191104, "userId": "daed1180-0ce8-438b-8f8e-57e1a5920a2d",
                   "entity": ""{note}}},
        "action": "{action}", "integrationId": "37c8f316-17c6-49d7-899b-9c7e540c048d", "integrationName": "Integration1"}}"#
    )
}

#[test]
fn actions_of_opsgenie_are_about_the_alerts_of_its_tags() {
    for (action, expected) in [("Acknowledge", Action::Acknowledge), ("UnAcknowledge", Action::Unacknowledge)] {
        let words = call(opsgenie(opsgenie_call(action, "").as_bytes())).words();
        let seen: Vec<_> = words.iter().map(|word| (word.fingerprint.as_str(), word.action(), word.by.as_str())).collect();
        assert_eq!(seen, [(FIRST, expected, "fili@ifountain.com"), (SECOND, expected, "fili@ifountain.com")]);
    }
    let note = call(opsgenie(opsgenie_call("AddNote", r#", "note": "called them""#).as_bytes()));
    assert_eq!((note.action, note.note.as_str()), (Action::Note, "called them"));
    for action in ["Create", "Close", "Delete", "AssignOwnership"] {
        assert_eq!(opsgenie(opsgenie_call(action, "").as_bytes()), Ok(None), "{action}");
    }
}

#[test]
fn our_own_format_says_all_that_the_command_says() {
    let body = format!(
        r#"{{"action": "acknowledge", "fingerprint": "{FIRST}", "by": "ada", "note": "on my way", "for": "2h", "severity": "major"}}"#
    );
    let word = &call(own(body.as_bytes())).words()[0];
    assert_eq!(
        (word.fingerprint.as_str(), word.action(), word.by.as_str(), word.note.as_str(), word.for_seconds, word.severity()),
        (FIRST, Action::Acknowledge, "ada", "on my way", 7_200, Severity::Major)
    );
}

#[test]
fn what_cannot_be_used_is_refused_with_its_reason() {
    for (body, reason) in [
        (format!(r#"{{"action": "resolve", "fingerprint": "{FIRST}", "by": "ada"}}"#), "resolve"),
        (r#"{"action": "acknowledge", "fingerprint": "0123", "by": "ada"}"#.to_owned(), "0123"),
        (format!(r#"{{"action": "acknowledge", "fingerprint": "{FIRST}", "by": ""}}"#), "by"),
        (format!(r#"{{"action": "note", "fingerprint": "{FIRST}", "by": "ada"}}"#), "note"),
        (format!(r#"{{"action": "acknowledge", "fingerprint": "{FIRST}", "by": "ada", "for": "soon"}}"#), "for"),
        (format!(r#"{{"action": "acknowledge", "fingerprint": "{FIRST}", "by": "ada", "severity": "bad"}}"#), "bad"),
        (format!(r#"{{"action": "acknowledge", "fingerprint": "{FIRST}", "by": "ada", "colour": "red"}}"#), "colour"),
        ("[".repeat(10_000), "invalid type"),
    ] {
        let problem = own(body.as_bytes()).unwrap_err();
        assert!(problem.contains(reason), "{reason:?} is missing in {problem:?}");
    }
    assert!(pagerduty(b"{}").is_err() && opsgenie(b"{}").is_err());
}

#[test]
fn a_call_speaks_of_so_many_alerts_and_says_so_much() {
    let many = format!("{FIRST} ").repeat(100);
    let call = call(pagerduty(incident("incident.acknowledged", &many).as_bytes()));
    assert_eq!(call.fingerprints.len(), MOST_ALERTS);
    let loud = Call { by: "b".repeat(1_000), note: "n".repeat(10_000), ..call };
    assert_eq!((loud.words()[0].by.len(), loud.words()[0].note.len()), (MAX_BY_CHARS, MAX_NOTE_CHARS));
}
