//! A beat: the datagram, its row, and what Alertmanager tells of it. Pure.

use serde::Deserialize;
use serde_json::json;

/// Source of the updates, by which jobs, routes and receivers know them (`alert_update.proto`). No monitor may use it.
pub(super) const SOURCE: &str = "tocsin-heartbeat";
/// Also the name of its runbook.
const CHECK: &str = "heartbeat";

/// How many beats there are by this row of ClickHouse. `device` is the table's order.
pub(super) const STORED: &str = "\
SELECT count() FROM tocsin.alert_updates
WHERE device = {device:String} AND source = {source:String} AND summary = {summary:String} AND received_at > now() - INTERVAL 1 DAY
FORMAT TSV";

/// One beat. Alertmanager tells an alert again at once only when it is another one, and to it another severity is another alert: so they take turns.
///
/// There are three, because two can be told as one: where a beat and the one before it fire at the same moment, as after a restart of Flink, both
/// stand in Alertmanager's log of what was told, and of two that take turns neither would ever be news again. They are the three least, for the day
/// when a route is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Beat {
    number: i64,
}

impl Beat {
    /// The first, numbered by the time: no earlier run has had its number.
    pub(super) fn first(unix_millis: i64) -> Self {
        Self { number: unix_millis }
    }

    /// The one after it.
    pub(super) fn next(&self) -> Self {
        Self { number: self.number + 1 }
    }

    fn summary(&self) -> String {
        format!("beat {}", self.number)
    }

    /// What is sent to the agent.
    pub(super) fn datagram(&self, name: &str) -> String {
        let severity = match self.number.rem_euclid(3) {
            0 => "warning",
            1 => "indeterminate",
            _ => "minor",
        };
        json!({
            "action": "update", "source": SOURCE, "device": name, "check": CHECK, "severity": severity, "summary": self.summary(),
        })
        .to_string()
    }

    /// What [`STORED`] asks for.
    pub(super) fn parameters(&self, name: &str) -> [(String, String); 3] {
        [("device", name), ("source", SOURCE), ("summary", &self.summary())].map(|(key, value)| (key.to_owned(), value.to_owned()))
    }
}

#[derive(Deserialize)]
struct Notification {
    alerts: Vec<Notified>,
}

#[derive(Deserialize)]
struct Notified {
    status: String,
    labels: Labels,
}

#[derive(Deserialize)]
struct Labels {
    #[serde(default)]
    source: String,
}

/// Whether a notification of Alertmanager tells of a beat: other pages that a wrong route brings here are none, and neither is the end of one.
pub(super) fn is_told_by(body: &[u8]) -> Result<bool, String> {
    let notification: Notification =
        serde_json::from_slice(body).map_err(|error| format!("this is no notification of Alertmanager's webhook: {error}"))?;
    Ok(notification.alerts.iter().any(|alert| alert.status == "firing" && alert.labels.source == SOURCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_take_turns_in_severity_so_that_each_is_news_to_alertmanager() {
        let first = Beat::first(1_800_000_000_000);
        assert_eq!(
            first.datagram("dc1"),
            r#"{"action":"update","check":"heartbeat","device":"dc1","severity":"warning","source":"tocsin-heartbeat","summary":"beat 1800000000000"}"#
        );
        assert_eq!(
            first.next().datagram("dc1"),
            r#"{"action":"update","check":"heartbeat","device":"dc1","severity":"indeterminate","source":"tocsin-heartbeat","summary":"beat 1800000000001"}"#
        );
        assert!(first.next().next().datagram("dc1").contains("minor"));
        assert!(first.next().next().next().datagram("dc1").contains("warning"));
    }

    #[test]
    fn a_beat_is_an_alert_update_that_agents_understand() {
        let mut devices = Vec::new();
        tocsin_parse::Format::Alert.parse(Beat::first(1).datagram("dc1").as_bytes(), 0, |parsed| devices.push(parsed.unwrap().device));
        assert_eq!(devices, [Some("dc1".to_owned())]);
    }

    #[test]
    fn a_row_is_looked_for_by_what_was_sent() {
        let [device, source, summary] = Beat::first(7).parameters("dc1");
        assert_eq!((device.1.as_str(), source.1.as_str(), summary.1.as_str()), ("dc1", "tocsin-heartbeat", "beat 7"));
    }

    #[test]
    fn only_a_firing_alert_of_the_heartbeat_is_a_beat() {
        let told = |status: &str, source: &str| {
            is_told_by(
                format!(r#"{{"status":"firing","alerts":[{{"status":"{status}","labels":{{"source":"{source}","x":"y"}}}}]}}"#).as_bytes(),
            )
        };
        assert_eq!(told("firing", SOURCE), Ok(true));
        assert_eq!(told("resolved", SOURCE), Ok(false));
        assert_eq!(told("firing", "hyak"), Ok(false));
        assert!(is_told_by(b"ping").unwrap_err().contains("no notification of Alertmanager"));
    }
}
