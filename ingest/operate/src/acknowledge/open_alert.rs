//! Which open alert is meant, as ClickHouse knows it.

use std::fmt::Write;

use serde::Deserialize;
use tocsin_wire::alerts::Severity;

use super::word::FINGERPRINT_DIGITS;
use crate::Failure;
use crate::clickhouse::ClickHouse;

/// Enough to tell that there are several, and to show them.
const MOST_SHOWN: usize = 10;

const SELECT: &str = "\
SELECT fingerprint, toString(severity) AS severity, device, check, summary FROM tocsin.alerts \
WHERE startsWith(fingerprint, {given:String}) AND state IN ('open', 'flapping', 'suppressed') ORDER BY fingerprint LIMIT 11 FORMAT JSONEachRow";

/// An open alert; of one that ClickHouse does not know nothing but its fingerprint.
#[derive(Debug, Default, Deserialize, PartialEq)]
pub(super) struct OpenAlert {
    pub(super) fingerprint: String,
    severity: String,
    device: String,
    check: String,
    summary: String,
}

impl OpenAlert {
    /// How bad it looks; unspecified where that is not known.
    pub(super) fn severity(&self) -> Severity {
        Severity::from_str_name(&format!("SEVERITY_{}", self.severity.to_ascii_uppercase())).unwrap_or_default()
    }

    /// One line for a person. Devices have said parts of it: nothing in it moves a terminal's cursor.
    pub(super) fn description(&self) -> String {
        let text = [&self.fingerprint, &self.severity, &self.device, &self.check, &self.summary]
            .map(String::as_str)
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        text.chars().map(|letter| if letter.is_control() { '.' } else { letter }).collect()
    }
}

/// The one open alert whose fingerprint begins so. A whole fingerprint needs no ClickHouse.
pub(super) fn find(clickhouse: &ClickHouse, given: &str) -> Result<OpenAlert, Failure> {
    let is_whole = given.len() == FINGERPRINT_DIGITS;
    let answer = clickhouse.ask(SELECT, &[("given".to_owned(), given.to_owned())]);
    match answer.and_then(|rows| parse(&rows)) {
        Ok(found) => chosen(found, given, clickhouse.url()),
        Err(failure) if is_whole => {
            eprintln!("{failure}\nsaid without it: how bad the alert looks is not known");
            Ok(unseen(given))
        }
        Err(failure) => Err(failure),
    }
}

fn parse(rows: &str) -> Result<Vec<OpenAlert>, Failure> {
    rows.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| {
        Failure::new(format!("the table tocsin.alerts has unexpected columns: {error}"), "run `tocsin schema apply` of this version")
    })
}

fn unseen(fingerprint: &str) -> OpenAlert {
    OpenAlert { fingerprint: fingerprint.to_owned(), ..OpenAlert::default() }
}

fn chosen(mut found: Vec<OpenAlert>, given: &str, url: &str) -> Result<OpenAlert, Failure> {
    if found.len() > 1 {
        let mut message = format!("the fingerprints of several open alerts begin with {given}:");
        for alert in found.iter().take(MOST_SHOWN) {
            let _ = write!(message, "\n  {}", alert.description());
        }
        return Err(Failure::usage(message, "give more digits"));
    }
    match found.pop() {
        Some(alert) => Ok(alert),
        // The newest second may not be there yet; the alerts job knows.
        None if given.len() == FINGERPRINT_DIGITS => Ok(unseen(given)),
        None => Err(Failure::new(
            format!("no open alert's fingerprint begins with {given}, says ClickHouse at {url}"),
            "look at the home dashboard, or give all 32 digits for one that opened just now",
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(fingerprint: &str) -> OpenAlert {
        OpenAlert { fingerprint: fingerprint.to_owned(), severity: "major".to_owned(), device: "sw1".to_owned(), ..OpenAlert::default() }
    }

    #[test]
    fn first_digits_mean_the_one_open_alert_that_has_them() {
        assert_eq!(chosen(vec![alert("abcd1")], "abcd", "url"), Ok(alert("abcd1")));
        let several = chosen(vec![alert("abcd1"), alert("abcd2")], "abcd", "url").unwrap_err().to_string();
        assert!(several.contains("abcd1 major sw1") && several.contains("abcd2") && several.contains("more digits"), "{several}");
        let none = chosen(vec![], "abcd", "url").unwrap_err().to_string();
        assert!(none.contains("abcd") && none.contains("url"), "{none}");
    }

    #[test]
    fn a_whole_fingerprint_that_is_not_stored_yet_is_said_without_a_severity() {
        let given = "0123456789abcdef0123456789abcdef";
        let alert = chosen(vec![], given, "url").unwrap();
        assert_eq!((alert.fingerprint.as_str(), alert.severity()), (given, Severity::Unspecified));
    }

    #[test]
    fn severity_is_the_word_of_the_table() {
        assert_eq!(alert("a").severity(), Severity::Major);
    }

    #[test]
    fn what_a_device_said_moves_no_cursor() {
        let alert = OpenAlert { summary: "a\u{1b}[2Jb".to_owned(), ..alert("f") };
        assert_eq!(alert.description(), "f major sw1 a.[2Jb");
    }
}
