//! What ClickHouse knows of an event.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::event_id::EventId;
use super::story::{Page, Row, Transition};
use crate::Failure;
use crate::clickhouse::ClickHouse;

/// Tables of records of agents, by the columns that all of them have.
const TABLES: &str = "\
SELECT table FROM system.columns \
WHERE database = 'tocsin' AND name IN ('agent_id', 'boot_id', 'agent_sequence', 'received_at', 'event_time', 'listener', 'device', 'raw') \
GROUP BY table HAVING count() = 8 ORDER BY table = 'syslog', table FORMAT JSONEachRow";

/// Agents number all that they make, reports too, and report each second.
const AROUND: &str = "\
SELECT toString(maxIf(received_at, agent_sequence < {sequence:UInt64})) AS before, \
toUnixTimestamp64Milli(maxIf(received_at, agent_sequence < {sequence:UInt64})) AS before_unix_millis, \
toString(minIf(received_at, agent_sequence > {sequence:UInt64})) AS after, \
toUnixTimestamp64Milli(minIf(received_at, agent_sequence > {sequence:UInt64})) AS after_unix_millis \
FROM tocsin.agent_stats WHERE agent_id = {agent_id:String} AND boot_id = {boot_id:UInt64} \
FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0";

/// It has no event_time: that stands with the one that was kept.
const DUPLICATE: &str = "\
SELECT toString(t.received_at) AS received_at, toUnixTimestamp64Milli(t.received_at) AS received_at_unix_millis, '' AS event_time, \
listener, device, kept_event_id FROM tocsin.duplicates AS t \
WHERE agent_id = {agent_id:String} AND boot_id = {boot_id:UInt64} AND agent_sequence = {sequence:UInt64} \
AND t.received_at BETWEEN fromUnixTimestamp64Milli({since:Int64}) AND fromUnixTimestamp64Milli({until:Int64}) \
LIMIT 1 FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0";

const ALERTS: &str = "\
SELECT DISTINCT fingerprint, toString(told_at) AS told_at, toString(transition) AS transition, toString(state) AS state, \
toString(severity) AS severity, summary FROM tocsin.alert_history WHERE event_id = {event_id:String} ORDER BY told_at LIMIT 20 FORMAT JSONEachRow";

const PAGES: &str = "\
SELECT toString(p.sent_at) AS sent_at, receiver, {fingerprint:String} AS fingerprint FROM tocsin.pages AS p \
WHERE has(p.fingerprints, {fingerprint:String}) AND p.sent_at >= parseDateTime64BestEffort({since:String}, 9, 'UTC') - INTERVAL 1 SECOND \
ORDER BY p.sent_at LIMIT 1 FORMAT JSONEachRow";

/// The reports next to an event. 0 stands for none.
#[derive(Debug, Deserialize)]
pub(crate) struct Around {
    pub(crate) before: String,
    pub(crate) before_unix_millis: i64,
    pub(crate) after: String,
    pub(crate) after_unix_millis: i64,
}

#[derive(Deserialize)]
struct Table {
    table: String,
}

fn parameters(id: &EventId) -> Vec<(String, String)> {
    let values = [
        ("agent_id", id.agent_id.clone()),
        ("boot_id", id.boot_id.to_string()),
        ("sequence", id.sequence.to_string()),
        ("event_id", id.to_string()),
    ];
    values.map(|(name, value)| (name.to_owned(), value)).into()
}

/// What a statement answers, a row each; it ends with FORMAT JSONEachRow.
pub(crate) fn rows<T: DeserializeOwned>(store: &ClickHouse, statement: &str, parameters: &[(String, String)]) -> Result<Vec<T>, Failure> {
    let answer = store.ask(statement, parameters)?;
    answer
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()
        .map_err(|error| Failure::new(format!("ClickHouse has unexpected columns: {error}"), "run `tocsin schema apply` of this version"))
}

/// What the agent reported before and after it.
pub(crate) fn around(store: &ClickHouse, id: &EventId) -> Result<Around, Failure> {
    let found = rows(store, AROUND, &parameters(id))?.pop();
    Ok(found.unwrap_or(Around { before: String::new(), before_unix_millis: 0, after: String::new(), after_unix_millis: 0 }))
}

/// Its row, whichever table has it. `since` and `until` bound when it was received, Unix milliseconds: without them every row of a year is read.
pub(crate) fn row(store: &ClickHouse, id: &EventId, since: i64, until: i64) -> Result<Option<Row>, Failure> {
    let mut bounds = parameters(id);
    bounds.extend([("since".to_owned(), since.to_string()), ("until".to_owned(), until.to_string())]);
    for Table { table } in rows(store, TABLES, &[])? {
        let statement = format!(
            "SELECT toString(t.received_at) AS received_at, toUnixTimestamp64Milli(t.received_at) AS received_at_unix_millis, \
             toString(t.event_time) AS event_time, listener, device, substring(t.raw, 1, 512) AS raw FROM tocsin.`{table}` AS t \
             WHERE agent_id = {{agent_id:String}} AND boot_id = {{boot_id:UInt64}} AND agent_sequence = {{sequence:UInt64}} \
             AND t.received_at BETWEEN fromUnixTimestamp64Milli({{since:Int64}}) AND fromUnixTimestamp64Milli({{until:Int64}}) \
             LIMIT 1 FORMAT JSONEachRow SETTINGS output_format_json_quote_64bit_integers = 0"
        );
        if let Some(found) = rows::<Row>(store, &statement, &bounds)?.pop() {
            return Ok(Some(Row { table, ..found }));
        }
    }
    Ok(rows::<Row>(store, DUPLICATE, &bounds)?.pop().map(|found| Row { table: "duplicates".to_owned(), ..found }))
}

/// Alerts that it opened, changed or ended.
pub(super) fn alerts(store: &ClickHouse, id: &EventId) -> Result<Vec<Transition>, Failure> {
    rows(store, ALERTS, &parameters(id))
}

/// The first page about an alert since it was told.
pub(super) fn page(store: &ClickHouse, alert: &Transition) -> Result<Option<Page>, Failure> {
    let parameters = [("fingerprint", &alert.fingerprint), ("since", &alert.told_at)];
    Ok(rows(store, PAGES, &parameters.map(|(name, value)| (name.to_owned(), value.clone())))?.pop())
}
