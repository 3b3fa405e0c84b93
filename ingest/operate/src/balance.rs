//! `tocsin balance`: what was sent to each listener, and where every record of it is now.
//!
//! The arithmetic is that of the view `tocsin.balance` and stands nowhere else; this prints it. schemas/clickhouse/pipeline/balance.sql explains the columns.

mod catching_up;

use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::catching_up::CatchingUp;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::{Failure, table};

const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// An agent that reported this recently is taken to be running, so a newer report of it is worth waiting for. It reports each second.
const ALIVE: Duration = Duration::from_secs(10);

const AFTER_HELP: &str = "\
The sheet is closed when nothing is missing and nothing is in flight. Exit codes: 0 closed, 1 not closed or ClickHouse does not answer.
schemas/clickhouse/pipeline/balance.sql says what each column counts.";

/// `tocsin balance`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct BalanceArgs {
    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    /// How to print the sheet.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// Wait up to so many seconds until the sheet is closed by reports that agents made after this command was started. Meanwhile it says how much waits
    /// to be stored, and how long that takes at the present rate.
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    wait: u64,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum Format {
    /// Aligned columns, for people.
    Table,
    /// One object: {"closed": true, "listeners": [...]}.
    Json,
}

/// One row of the view: one listener of one agent.
#[derive(Serialize, Deserialize, Debug, Clone, Default)]
struct Line {
    agent_id: String,
    listener: String,
    sent: u64,
    kernel_dropped: u64,
    received: u64,
    rate_limited: u64,
    malformed: u64,
    events: u64,
    dropped: u64,
    in_flight: i64,
    acked: u64,
    stored_events: u64,
    stored_rejects: u64,
    duplicates: u64,
    quarantined: u64,
    missing: i64,
    unreported: i64,
    reported_at_unix_nanos: i64,
    closed: u8,
}

const SELECT: &str = "\
SELECT agent_id, listener, sent, kernel_dropped, received, rate_limited, malformed, events, dropped, in_flight, acked, stored_events, \
stored_rejects, duplicates, quarantined, missing, unreported, toUnixTimestamp64Nano(reported_at) AS reported_at_unix_nanos, toUInt8(closed) AS closed \
FROM tocsin.balance ORDER BY agent_id, listener \
SETTINGS output_format_json_quote_64bit_integers = 0 FORMAT JSONEachRow";

/// The sheet at one moment.
#[derive(Debug)]
struct Sheet(Vec<Line>);

/// Prints the sheet; fails when it is not closed.
pub fn run(args: &BalanceArgs) -> Result<(), Failure> {
    let clickhouse = ClickHouse::new(&args.clickhouse)?;
    let (sheet, catching_up) = await_closed(&clickhouse, Duration::from_secs(args.wait))?;
    match args.format {
        Format::Table => print!("{}", sheet.table()),
        Format::Json => println!("{}", serde_json::json!({ "closed": sheet.what_is_open().is_none(), "listeners": sheet.0 })),
    }
    match sheet.what_is_open() {
        None => {
            if let Format::Table = args.format {
                println!("closed");
            }
            Ok(())
        }
        Some(reason) => Err(Failure::new(format!("not closed: {reason}{}", after_semicolon(catching_up)), sheet.remedy())),
    }
}

/// Reads the sheet until it is closed and new, or the time is over; then as it is, with what was seen of a backlog meanwhile.
fn await_closed(clickhouse: &ClickHouse, wait: Duration) -> Result<(Sheet, Option<CatchingUp>), Failure> {
    let start_time = Timestamp::now();
    let first = Sheet::read(clickhouse)?;
    let start = Instant::now();
    let mut next_told = Duration::from_secs(2);
    loop {
        let sheet = Sheet::read(clickhouse)?;
        let elapsed = start.elapsed();
        let catching_up = CatchingUp::between(&first, &sheet, elapsed);
        if elapsed >= wait || (sheet.what_is_open().is_none() && sheet.is_newer_than(start_time)) {
            return Ok((sheet, catching_up));
        }
        if elapsed >= next_told {
            let reason = sheet.what_is_open().unwrap_or_else(|| "closed so far; no newer report of an agent yet".to_owned());
            let (waited, all) = (elapsed.as_secs(), wait.as_secs());
            eprintln!("waiting for the balance sheet: {reason}{} ({waited} of {all} s)", after_semicolon(catching_up));
            next_told = elapsed + Duration::from_secs(2);
        }
        std::thread::sleep(POLL_INTERVAL.min(wait - elapsed));
    }
}

fn after_semicolon(catching_up: Option<CatchingUp>) -> String {
    catching_up.map(|told| format!("; {told}")).unwrap_or_default()
}

impl Sheet {
    fn read(clickhouse: &ClickHouse) -> Result<Self, Failure> {
        Self::parse(&clickhouse.run(SELECT)?)
    }

    fn parse(rows: &str) -> Result<Self, Failure> {
        let lines = rows.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| {
            Failure::new(format!("the view tocsin.balance has unexpected columns: {error}"), "run `tocsin schema apply` of this version")
        })?;
        Ok(Self(lines))
    }

    /// Records that Kafka acknowledged.
    fn acked(&self) -> u64 {
        self.0.iter().map(|line| line.acked).sum()
    }

    /// Records that ClickHouse has, those in the quarantine included.
    fn kept(&self) -> u64 {
        self.0.iter().map(|line| line.stored_events + line.stored_rejects + line.duplicates + line.quarantined).sum()
    }

    /// What keeps the sheet open, in words; none when it is closed.
    fn what_is_open(&self) -> Option<String> {
        if self.0.is_empty() {
            return Some("no agent has reported yet".to_owned());
        }
        let open: Vec<String> = self
            .0
            .iter()
            .filter(|line| line.closed == 0)
            .map(|line| format!("{} of {}: {} missing, {} in flight", line.listener, line.agent_id, line.missing, line.in_flight))
            .collect();
        (!open.is_empty()).then(|| open.join("; "))
    }

    fn remedy(&self) -> &'static str {
        if self.0.is_empty() {
            "start an agent and the archive job; an agent reports each second (--wait SECONDS)"
        } else {
            "records in flight arrive within seconds (--wait SECONDS), and where they do not the agent's /health names the topic that Kafka does not take; \
             for missing ones see the archive job in Flink and tocsin.rejects"
        }
    }

    /// Has every agent that seems to be running, and at least one, reported after `time`?
    fn is_newer_than(&self, time: Timestamp) -> bool {
        let time = time.as_nanosecond();
        let reports = || self.0.iter().map(|line| i128::from(line.reported_at_unix_nanos));
        let is_alive = |report: &i128| *report >= time - ALIVE.as_nanos() as i128;
        reports().filter(is_alive).all(|report| report >= time) && reports().any(|report| report >= time)
    }

    /// Aligned columns with the names of the view. Columns that are usually 0 throughout appear only when they are not.
    fn table(&self) -> String {
        let number = |select: fn(&Line) -> i128| -> Vec<String> { self.0.iter().map(|line| select(line).to_string()).collect() };
        let mut columns: Vec<(&str, Vec<String>)> = vec![
            ("agent_id", self.0.iter().map(|line| line.agent_id.clone()).collect()),
            ("listener", self.0.iter().map(|line| line.listener.clone()).collect()),
            ("sent", number(|line| line.sent.into())),
            ("kernel_dropped", number(|line| line.kernel_dropped.into())),
            ("received", number(|line| line.received.into())),
            ("rate_limited", number(|line| line.rate_limited.into())),
            ("malformed", number(|line| line.malformed.into())),
            ("events", number(|line| line.events.into())),
            ("dropped", number(|line| line.dropped.into())),
            ("in_flight", number(|line| line.in_flight.into())),
            ("acked", number(|line| line.acked.into())),
            ("stored_events", number(|line| line.stored_events.into())),
            ("stored_rejects", number(|line| line.stored_rejects.into())),
            ("duplicates", number(|line| line.duplicates.into())),
            ("quarantined", number(|line| line.quarantined.into())),
            ("missing", number(|line| line.missing.into())),
            ("unreported", number(|line| line.unreported.into())),
        ];
        let is_usually_zero = |name: &str| ["rate_limited", "dropped", "duplicates", "quarantined", "unreported"].contains(&name);
        columns.retain(|(name, cells)| !is_usually_zero(name) || cells.iter().any(|cell| cell != "0"));
        table::aligned(&columns, 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(listener: &str) -> Line {
        Line {
            agent_id: "lab".to_owned(),
            listener: listener.to_owned(),
            sent: 500,
            received: 500,
            events: 500,
            acked: 500,
            stored_events: 500,
            reported_at_unix_nanos: 1_000_000_000_000,
            closed: 1,
            ..Line::default()
        }
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn the_table_is_aligned_and_leaves_out_what_is_zero_throughout() {
        let dropped = Line { sent: 512, kernel_dropped: 12, ..line("alert-udp") };
        let expected = "\
agent_id  listener    sent  kernel_dropped  received  malformed  events  in_flight  acked  stored_events  stored_rejects  missing
lab       alert-udp    512              12       500          0     500          0    500            500               0        0
lab       syslog-udp   500               0       500          0     500          0    500            500               0        0
";
        assert_eq!(Sheet(vec![dropped, line("syslog-udp")]).table(), expected);
        assert!(Sheet(vec![Line { dropped: 1, ..line("a") }]).table().contains("  dropped  "));
    }

    #[test]
    fn an_open_sheet_says_what_is_open() {
        let open = Line { missing: 3, in_flight: 7, closed: 0, ..line("syslog-udp") };
        let reason = Sheet(vec![line("alert-udp"), open]).what_is_open();
        assert_eq!(reason.as_deref(), Some("syslog-udp of lab: 3 missing, 7 in flight"));
        assert_eq!(Sheet(vec![line("alert-udp")]).what_is_open(), None);
        assert_eq!(Sheet(vec![]).what_is_open().as_deref(), Some("no agent has reported yet"));
    }

    #[test]
    fn only_reports_made_after_the_start_count_as_new() {
        let new = line("a");
        let just_before = Line { reported_at_unix_nanos: 998_500_000_000, ..line("b") };
        let long_dead = Line { reported_at_unix_nanos: 5_000_000_000, ..line("c") };
        assert!(Sheet(vec![new.clone(), long_dead.clone()]).is_newer_than(at(999)));
        assert!(!Sheet(vec![new, just_before]).is_newer_than(at(999)));
        assert!(!Sheet(vec![long_dead]).is_newer_than(at(999)));
    }

    #[test]
    fn a_view_of_another_version_is_told() {
        let failure = Sheet::parse("{\"agent_id\":\"lab\"}").unwrap_err().to_string();
        assert!(failure.contains("tocsin.balance") && failure.contains("schema apply"), "{failure}");
    }
}
