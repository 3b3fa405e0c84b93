//! What ClickHouse answered, and how people, spreadsheets and programs get it. Pure.
//!
//! Devices have said parts of it: nothing in it steers a terminal, and no cell is a formula to a spreadsheet.

use std::borrow::Cow;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::Value;

use super::zone::Zone;
use crate::{Failure, table};

/// An answer in ClickHouse's format `JSONCompact`.
#[derive(Debug, Deserialize)]
pub struct Answer {
    /// Names and types.
    #[serde(rename = "meta")]
    pub columns: Vec<Column>,
    /// Cells, a row at a time.
    #[serde(rename = "data")]
    pub rows: Vec<Vec<Value>>,
    /// What it took.
    pub statistics: Statistics,
}

/// A column.
#[derive(Debug, Deserialize)]
pub struct Column {
    /// As the view calls it.
    pub name: String,
    /// ClickHouse's type.
    #[serde(rename = "type")]
    pub data_type: String,
}

/// What an answer took.
#[derive(Debug, Deserialize)]
pub struct Statistics {
    /// Seconds.
    pub elapsed: f64,
    /// Read from tables.
    pub rows_read: u64,
    /// Likewise.
    pub bytes_read: u64,
}

impl Answer {
    /// Reads it.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        serde_json::from_str(text).map_err(|error| {
            Failure::new(format!("ClickHouse's answer cannot be read: {error}"), "check that --clickhouse leads to a ClickHouse")
        })
    }

    /// Aligned columns.
    pub fn table(&self, zone: &Zone) -> String {
        let columns: Vec<_> = (0..self.columns.len())
            .map(|index| (self.columns[index].name.as_str(), self.rows.iter().map(|row| self.shown(row, index, zone)).collect()))
            .collect();
        table::laid_out(&columns, |index| !self.columns[index].is_number())
    }

    /// RFC 4180, with a line of names.
    pub fn csv(&self, zone: &Zone) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let names = self.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        let rows = self.rows.iter().map(|row| (0..row.len()).map(|index| self.unformulated(row, index, zone)).collect());
        for record in std::iter::once(names).chain(rows) {
            writer.write_record(&record).expect("writing to memory does not fail, and every row has as many cells");
        }
        String::from_utf8(writer.into_inner().expect("writing to memory does not fail")).expect("cells are text")
    }

    /// One object a line.
    pub fn json(&self, zone: &Zone) -> String {
        let cell = |column: &Column, cell: &Value| format!("{}:{}", Value::from(column.name.as_str()), column.local(cell, zone));
        let object = |row: &Vec<Value>| {
            let cells: Vec<_> = self.columns.iter().zip(row).map(|(column, value)| cell(column, value)).collect();
            format!("{{{}}}", cells.join(","))
        };
        // Outside of strings there is nothing to escape, and within them \u is right.
        self.rows.iter().map(|row| escaped(&object(row), |character| format!("\\u{:04x}", u32::from(character))) + "\n").collect()
    }

    /// A cell as text.
    pub fn shown(&self, row: &[Value], index: usize, zone: &Zone) -> String {
        visible(&text(&self.columns[index].local(&row[index], zone)))
    }

    /// A cell that no spreadsheet takes for a formula.
    fn unformulated(&self, row: &[Value], index: usize, zone: &Zone) -> String {
        let shown = self.shown(row, index, zone);
        let is_formula = !row[index].is_number() && shown.starts_with(['=', '+', '-', '@']);
        if is_formula { format!("'{shown}") } else { shown }
    }

    /// Where a column stands.
    pub fn index(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }
}

impl Column {
    /// Whether people want it to the right.
    pub fn is_number(&self) -> bool {
        ["UInt", "Int", "Float"].iter().any(|number| self.data_type.trim_start_matches("Nullable(").starts_with(number))
    }

    /// The cell with times as a clock in `zone` shows them.
    fn local<'a>(&self, cell: &'a Value, zone: &Zone) -> Cow<'a, Value> {
        let is_utc_time = self.data_type.contains("DateTime") && self.data_type.contains("'UTC'");
        let shown = cell.as_str().filter(|_| is_utc_time).and_then(|time| time.parse::<DateTime>().ok());
        let instant = shown.and_then(|time| time.to_zoned(TimeZone::UTC).ok());
        instant.map_or(Cow::Borrowed(cell), |time| Cow::Owned(Value::String(zone.show(time.timestamp()))))
    }
}

fn text(cell: &Value) -> String {
    match cell {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(text).collect::<Vec<_>>().join(", "),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => cell.to_string(),
    }
}

/// The text with what would steer a terminal, or turn the direction of writing, written out.
pub fn visible(text: &str) -> String {
    escaped(text, |character| character.escape_default().to_string())
}

fn escaped(text: &str, written: impl Fn(char) -> String) -> String {
    text.chars().map(|character| if is_steering(character) { written(character) } else { character.to_string() }).collect()
}

/// Control characters, and those that change the direction of what follows.
fn is_steering(character: char) -> bool {
    character.is_control() || matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> Answer {
        Answer::parse(
            r#"{"meta": [{"name": "device", "type": "LowCardinality(String)"}, {"name": "seen", "type": "Nullable(DateTime64(9, 'UTC'))"},
            {"name": "n", "type": "UInt64"}, {"name": "names", "type": "Array(String)"}],
            "data": [["sw1", "2026-07-01 12:00:00.000000000", 18446744073709551615, ["a", "b"]],
            ["=cmd|'/c calc'!A1 \u001b]0;owned\u0007\u009b2J\r\n\u202e", null, -5, ["@x"]]],
            "rows": 2, "statistics": {"elapsed": 0.01, "rows_read": 7, "bytes_read": 99}}"#,
        )
        .unwrap()
    }

    fn berlin() -> Zone {
        Zone::find(Some("Europe/Berlin")).unwrap()
    }

    #[test]
    fn a_table_has_times_of_the_viewers_clock_and_numbers_to_the_right() {
        let table = answer().table(&berlin());
        let mut lines = table.lines();
        assert!(lines.next().unwrap().starts_with("device "));
        let row = lines.next().unwrap();
        assert!(row.starts_with("sw1 ") && row.contains("2026-07-01 14:00:00+02:00  18446744073709551615  a, b"), "{row}");
    }

    #[test]
    fn what_a_device_said_reaches_neither_terminal_nor_spreadsheet_as_a_command() {
        let (answer, zone) = (answer(), berlin());
        for text in [answer.table(&zone), answer.csv(&zone), answer.json(&zone)] {
            assert!(!text.chars().any(|c| is_steering(c) && c != '\n'), "{text:?}");
        }
        assert!(answer.table(&zone).contains(r"\u{1b}]0;owned\u{7}\u{9b}2J\r\n\u{202e}"));
        let csv = answer.csv(&zone);
        assert_eq!(csv.lines().nth(2), Some(r"'=cmd|'/c calc'!A1 \u{1b}]0;owned\u{7}\u{9b}2J\r\n\u{202e},,-5,'@x"));
    }

    #[test]
    fn a_program_reads_back_what_was_said() {
        let json = answer().json(&berlin());
        let rows: Vec<Value> = json.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(rows[1]["device"], answer().rows[1][0]);
        assert_eq!((rows[0]["seen"].as_str(), rows[0]["n"].as_u64()), (Some("2026-07-01 14:00:00+02:00"), Some(u64::MAX)));
        assert_eq!((&rows[1]["seen"], &rows[1]["names"][0]), (&Value::Null, &Value::from("@x")));
    }

    #[test]
    fn what_is_no_answer_is_told() {
        assert!(Answer::parse("<html>").unwrap_err().to_string().contains("cannot be read"));
    }
}
