//! `tocsin why`: why an alert is as it is, from what ClickHouse has of it.

mod store;
mod story;

use clap::Args;
use clap_complete::engine::ArgValueCompleter;
use jiff::Timestamp;

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::complete;
use crate::table::printable;
use crate::trace::event_id::EventId;
use crate::trace::{SLACK_MILLIS, store as events};
use store::Found;
use story::{Evidence, Story};

const AFTER_HELP: &str = "\
Which alert: its fingerprint, or enough of its first digits that only one alert has them, or the id of an event that raised or changed it.
Of the events that raised it the first four and the newest four are known; lines that ClickHouse no longer keeps are left out.
Exit codes: 0 it was told, 1 there is no such alert or ClickHouse does not answer, 64 the command line is not usable.";

/// `tocsin why`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct WhyArgs {
    /// The alert: its fingerprint, its first digits, or the id of an event.
    #[arg(value_name = "FINGERPRINT|EVENT_ID", add = ArgValueCompleter::new(complete::open_alerts))]
    alert: String,

    /// One object of JSON in place of the lines.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,
}

/// Prints why; fails where there is no such alert.
pub fn run(args: &WhyArgs) -> Result<(), Failure> {
    let clickhouse = ClickHouse::new(&args.clickhouse)?;
    let alert = the_one(&clickhouse, args.alert.trim())?;
    let story = collect(&clickhouse, &alert.fingerprint)?;
    if args.json {
        println!("{}", serde_json::json!({ "why": story }));
    } else {
        print!("{}", story.lines());
    }
    Ok(())
}

/// The alert that is meant.
fn the_one(clickhouse: &ClickHouse, given: &str) -> Result<Found, Failure> {
    let is_event = given.parse::<EventId>().is_ok();
    let mut found =
        if is_event { store::of_event(clickhouse, given)? } else { store::that_begin(clickhouse, &given.to_ascii_lowercase())? };
    if found.len() > 1 {
        let what = if is_event { "several alerts come of event" } else { "the fingerprints of several alerts begin with" };
        return Err(Failure::usage(format!("{what} {}:{}", printable(given), listed(&found)), "name one of them by its fingerprint"));
    }
    if let Some(alert) = found.pop() {
        return Ok(alert);
    }
    if is_event {
        return Err(Failure::new(
            format!("no alert of ClickHouse at {} was raised or changed by event {given}", clickhouse.url()),
            format!("`tocsin trace {given}` says where the event is; most events make no alert"),
        ));
    }
    let near = store::near(clickhouse, &given.to_ascii_lowercase())?;
    let hint = if near.is_empty() { "; it has none at all".to_owned() } else { format!("; the nearest are:{}", listed(&near)) };
    Err(Failure::new(
        format!("no alert's fingerprint begins with {}, says ClickHouse at {}{hint}", printable(given), clickhouse.url()),
        "pages and dashboards carry the fingerprint; one that opened this second may not be stored yet",
    ))
}

fn listed(found: &[Found]) -> String {
    found.iter().map(|alert| format!("\n  {}", alert.line())).collect()
}

fn collect(clickhouse: &ClickHouse, fingerprint: &str) -> Result<Story, Failure> {
    let alert = store::alert(clickhouse, fingerprint)?;
    let mut raised_by = Vec::new();
    for id in &alert.raised_by {
        raised_by.push(evidence(clickhouse, id)?);
    }
    let storm = if alert.member_count > 0 { fingerprint } else { &alert.storm_id };
    Ok(Story {
        raised_by,
        others: store::others(clickhouse, &alert)?,
        members: if storm.is_empty() { None } else { store::members(clickhouse, storm)? },
        transitions: store::transitions(clickhouse, &alert)?,
        pages: store::pages(clickhouse, &alert)?,
        alert,
    })
}

/// An event with its line, as far as it is kept. What the agent reported around it bounds where to look.
fn evidence(clickhouse: &ClickHouse, text: &str) -> Result<Evidence, Failure> {
    let mut evidence = Evidence { event_id: text.to_owned(), ..Evidence::default() };
    let Ok(id) = text.parse::<EventId>() else { return Ok(evidence) };
    let around = events::around(clickhouse, &id)?;
    let run_began = i64::try_from(id.boot_id / 1_000_000).unwrap_or(i64::MAX);
    let since = around.before_unix_millis.max(run_began) - SLACK_MILLIS;
    let until = if around.after_unix_millis > 0 { around.after_unix_millis } else { Timestamp::now().as_millisecond() } + SLACK_MILLIS;
    if let Some(row) = events::row(clickhouse, &id, since, until)? {
        evidence = Evidence { time: row.event_time, device: row.device, table: row.table, raw: row.raw, ..evidence };
    }
    Ok(evidence)
}
