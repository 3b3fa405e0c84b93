//! What ClickHouse knows of an alert.

use serde::Deserialize;

use super::story::{Alert, Members, Other, Page, Transition};
use crate::Failure;
use crate::clickhouse::ClickHouse;
use crate::table::printable;
use crate::trace::store::rows;

const FOUND: &str =
    "SELECT fingerprint, toString(state) AS state, toString(severity) AS severity, device, check, summary FROM tocsin.alerts";

const ALERT: &str = "\
SELECT fingerprint, toString(state) AS state, toString(severity) AS severity, source, device, check, summary, site, rule, \
toString(rule_pushed_at) AS rule_pushed_at, fingerprint_fields, toString(first_seen) AS first_seen, toString(resolved_at) AS resolved_at, \
update_count, member_count, storm_id, cause, raised_by, arrayMap(held -> (held.cause, held.name, toString(held.since)), held_back) AS held_back, \
cut_sets, arrayMap(part -> (part.name, part.fingerprint), tree_down) AS tree_down, tree_next, tree_left_out, \
acknowledged_by, toString(acknowledged_at) AS acknowledged_at, toString(acknowledged_until) AS acknowledged_until, note, noted_by \
FROM tocsin.alerts WHERE fingerprint = {fingerprint:String} FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0";

/// Of the occurrence that goes on, or went last. A late event may have moved its beginning, so that begins with its opening; the newest are told.
const TRANSITIONS: &str = "\
WITH (SELECT max(version) FROM tocsin.alert_history WHERE fingerprint = {fingerprint:String} AND \
(transition = 'opened' OR transition = 'flapping_started' AND update_count = 1)) AS opening \
SELECT * EXCEPT version FROM (SELECT version, toString(h.told_at) AS told_at, toString(h.transition_at) AS transition_at, \
toString(transition) AS transition, toString(state) AS state, toString(severity) AS severity, cause, update_count, acknowledged_by, note, event_id \
FROM tocsin.alert_history AS h WHERE fingerprint = {fingerprint:String} AND version >= opening AND transition != 'refreshed' \
ORDER BY version DESC, told_at LIMIT 1 BY transition_id LIMIT 50) ORDER BY version \
FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0";

const MEMBERS: &str = "\
SELECT count() AS known, countIf(state IN ('open', 'flapping', 'suppressed')) AS active, \
arraySlice(arraySort(groupArray(1000)(concat(fingerprint, ' ', device, ' ', check))), 1, 5) AS some, \
(SELECT any(member_count) FROM tocsin.alerts WHERE fingerprint = {storm:String}) AS told \
FROM tocsin.alerts WHERE storm_id = {storm:String} FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0";

const PAGES: &str = "\
SELECT toString(p.sent_at) AS sent_at, toString(p.status) AS status, receiver FROM tocsin.pages AS p WHERE has(p.fingerprints, {fingerprint:String}) \
AND p.sent_at >= parseDateTime64BestEffort({since:String}, 9, 'UTC') - INTERVAL 1 MINUTE ORDER BY p.sent_at LIMIT 20 FORMAT JSONEachRow";

/// An alert that may be meant.
#[derive(Debug, Deserialize)]
pub(super) struct Found {
    pub(super) fingerprint: String,
    state: String,
    severity: String,
    device: String,
    check: String,
    summary: String,
}

impl Found {
    pub(super) fn line(&self) -> String {
        let Self { fingerprint, state, severity, device, check, summary } = self;
        printable(&format!("{fingerprint} {state} {severity} {device} {check}: {summary}"))
    }
}

fn parameter(name: &str, value: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), value.to_owned())]
}

/// Alerts whose fingerprints begin so; a few.
pub(super) fn that_begin(store: &ClickHouse, given: &str) -> Result<Vec<Found>, Failure> {
    let statement = format!("{FOUND} WHERE startsWith(fingerprint, {{given:String}}) ORDER BY fingerprint LIMIT 10 FORMAT JSONEachRow");
    rows(store, &statement, &parameter("given", given))
}

/// Alerts that an event raised or changed.
pub(super) fn of_event(store: &ClickHouse, event_id: &str) -> Result<Vec<Found>, Failure> {
    let statement = format!(
        "{FOUND} WHERE fingerprint IN (SELECT fingerprint FROM tocsin.alert_history WHERE event_id = {{event_id:String}} \
         OR has(raised_by, {{event_id:String}})) ORDER BY fingerprint LIMIT 10 FORMAT JSONEachRow"
    );
    rows(store, &statement, &parameter("event_id", event_id))
}

/// What a mistyped fingerprint may mean.
pub(super) fn near(store: &ClickHouse, given: &str) -> Result<Vec<Found>, Failure> {
    let statement = format!(
        "{FOUND} ORDER BY editDistance(substring(fingerprint, 1, greatest(length({{given:String}}), 1)), {{given:String}}), last_seen DESC \
         LIMIT 3 FORMAT JSONEachRow"
    );
    // A fingerprint has 32 digits: what is longer is no nearer by its end.
    let start: String = given.chars().take(32).collect();
    rows(store, &statement, &parameter("given", &start))
}

/// Where the alert stands.
pub(super) fn alert(store: &ClickHouse, fingerprint: &str) -> Result<Alert, Failure> {
    let found = rows::<Alert>(store, ALERT, &parameter("fingerprint", fingerprint))?.pop();
    found.ok_or_else(|| Failure::new(format!("alert {fingerprint} has gone while it was read"), "ask again"))
}

/// The alerts that its reasons and its tree name.
pub(super) fn others(store: &ClickHouse, alert: &Alert) -> Result<Vec<Other>, Failure> {
    let wanted = alert.named_alerts().join(",");
    if wanted.is_empty() {
        return Ok(Vec::new());
    }
    let statement = format!("{FOUND} WHERE has(splitByChar(',', {{wanted:String}}), fingerprint) LIMIT 100 FORMAT JSONEachRow");
    let found: Vec<Found> = rows(store, &statement, &parameter("wanted", &wanted))?;
    Ok(found.into_iter().map(|other| Other { line: other.line(), fingerprint: other.fingerprint }).collect())
}

/// Who belongs to a storm.
pub(super) fn members(store: &ClickHouse, storm: &str) -> Result<Option<Members>, Failure> {
    Ok(rows(store, MEMBERS, &parameter("storm", storm))?.pop())
}

/// Every decision on it but mere repetitions, the oldest first.
pub(super) fn transitions(store: &ClickHouse, alert: &Alert) -> Result<Vec<Transition>, Failure> {
    rows(store, TRANSITIONS, &parameter("fingerprint", &alert.fingerprint))
}

/// Who was told of it.
pub(super) fn pages(store: &ClickHouse, alert: &Alert) -> Result<Vec<Page>, Failure> {
    let mut bounds = parameter("fingerprint", &alert.fingerprint);
    bounds.extend(parameter("since", &alert.first_seen));
    rows(store, PAGES, &bounds)
}
