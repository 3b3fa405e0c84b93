//! `tocsin quarantine`: blocks of rows that ClickHouse refused, and their way into the tables after all.
//!
//! The archive job puts them into the table `quarantined_blocks`, each with its bytes and what the server said.

use std::fmt::Write;

use clap::{Args, Subcommand};
use serde::Deserialize;

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs, RowsFormat};

const AFTER_HELP: &str = "\
Mend what refused the rows first: `tocsin schema apply` where a table or a column is missing, or drop the constraint or the view that the error names.
Where a view threw, its table has the rows: fill the view from the table, and `insert` takes note of it and inserts nothing.
An insert that was interrupted is repeated at once and stores nothing twice: ClickHouse knows the last 1,000 blocks of a table.
The user must read and insert: tocsin_writer. Exit codes: 0 nothing waits, 1 blocks wait.";

/// `tocsin quarantine`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct QuarantineArgs {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand, Debug)]
enum Action {
    /// Say which blocks wait, and why.
    List(Blocks),
    /// Insert the blocks that wait into their tables.
    Insert(Blocks),
}

/// Which blocks, and where.
#[derive(Args, Debug)]
struct Blocks {
    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    /// Only those that this table refused.
    #[arg(long, value_name = "NAME")]
    table: Option<String>,
}

/// A block that waits, without its bytes.
#[derive(Deserialize, Debug)]
struct Waiting {
    token: String,
    table: String,
    columns: Vec<String>,
    rows: u64,
    bytes: u64,
    format: RowsFormat,
    is_stored: bool,
    quarantined_at: String,
    error: String,
    origins: Vec<Origin>,
}

/// Where rows of a block stand in Kafka.
#[derive(Deserialize, Debug)]
struct Origin {
    topic: String,
    partition: u32,
    first_offset: u64,
    last_offset: u64,
    rows: u64,
}

const SELECT: &str = "\
SELECT token, table, columns, rows, bytes, format, is_stored, toString(quarantined_at) AS quarantined_at, error, origins FROM tocsin.quarantined_blocks FINAL \
WHERE inserted_at = toDateTime64(0, 3, 'UTC') AND {table:String} IN ('', table) ORDER BY quarantined_blocks.quarantined_at, token \
SETTINGS output_format_json_quote_64bit_integers = 0, output_format_json_named_tuples_as_objects = 1 FORMAT JSONEachRow";

const SELECT_BYTES: &str = "SELECT zstd_rows FROM tocsin.quarantined_blocks FINAL WHERE token = {token:String} FORMAT RawBLOB";

const SAY_INSERTED: &str = "\
INSERT INTO tocsin.quarantined_blocks (token, quarantined_at, inserted_at, table, columns, rows, bytes, is_stored, error, origins, format) \
SELECT token, quarantined_at, now64(3, 'UTC'), table, columns, rows, bytes, is_stored, error, origins, format \
FROM tocsin.quarantined_blocks FINAL WHERE token = {token:String}";

/// Lists what waits, or inserts it.
pub fn run(args: &QuarantineArgs) -> Result<(), Failure> {
    let (Action::List(blocks) | Action::Insert(blocks)) = &args.action;
    let clickhouse = ClickHouse::new(&blocks.clickhouse)?;
    let waiting = waiting(&clickhouse, blocks.table.as_deref().unwrap_or_default())?;
    match args.action {
        Action::List(_) => list(&waiting),
        Action::Insert(_) => insert(&clickhouse, &waiting),
    }
}

fn waiting(clickhouse: &ClickHouse, table: &str) -> Result<Vec<Waiting>, Failure> {
    parse(&clickhouse.ask(SELECT, &[("table".to_owned(), table.to_owned())])?)
}

fn parse(rows: &str) -> Result<Vec<Waiting>, Failure> {
    rows.lines().map(serde_json::from_str).collect::<Result<_, _>>().map_err(|error| {
        Failure::new(
            format!("the table tocsin.quarantined_blocks has unexpected columns: {error}"),
            "run `tocsin schema apply` of this version",
        )
    })
}

fn list(blocks: &[Waiting]) -> Result<(), Failure> {
    if blocks.is_empty() {
        println!("no block waits");
        return Ok(());
    }
    print!("{}", table(blocks));
    let rows: u64 = blocks.iter().map(|block| block.rows).sum();
    Err(Failure::new(
        format!("{rows} rows in {} blocks were refused", blocks.len()),
        "mend what the errors say, then run `tocsin quarantine insert`",
    ))
}

/// A paragraph for each block.
fn table(blocks: &[Waiting]) -> String {
    let mut text = String::new();
    for Waiting { token, table, rows, bytes, is_stored, quarantined_at, error, origins, .. } in blocks {
        let mut say = |line: String| writeln!(text, "{line}").expect("writing to memory does not fail");
        say(format!("{quarantined_at}  {table}: {rows} rows, {bytes} bytes, block {token}"));
        for Origin { topic, partition, first_offset, last_offset, rows } in origins {
            say(format!("  {rows} rows of {topic}, partition {partition}, offsets {first_offset} to {last_offset}"));
        }
        if *is_stored {
            say(format!("  {table} has these rows: a view behind it refused them, and is to be filled by hand"));
        }
        say(format!("  {}", error.trim()));
    }
    text
}

/// A block that is refused again stays where it is and holds up no other.
fn insert(clickhouse: &ClickHouse, blocks: &[Waiting]) -> Result<(), Failure> {
    let mut refused = Vec::new();
    for block in blocks {
        match insert_block(clickhouse, block) {
            Ok(()) if block.is_stored => println!("{} rows were in {} already: fill the view that refused them", block.rows, block.table),
            Ok(()) => println!("{} rows are in {}", block.rows, block.table),
            Err(failure) => refused.push(format!("{} rows of {}: {failure}", block.rows, block.table)),
        }
    }
    if refused.is_empty() {
        return Ok(());
    }
    Err(Failure::new(refused.join("\n"), "mend what these errors say and run it again; the blocks are still in the quarantine"))
}

fn insert_block(clickhouse: &ClickHouse, block: &Waiting) -> Result<(), Failure> {
    let token = [("token".to_owned(), block.token.clone())];
    if !block.is_stored {
        let zstd_rows = clickhouse.ask_bytes(SELECT_BYTES, &token)?;
        clickhouse.insert_rows(&block.table, &block.columns, &block.token, block.format, &zstd_rows)?;
    }
    clickhouse.ask(SAY_INSERTED, &token).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = r#"{"token":"6a5f","table":"syslog","columns":["device","message"],"rows":3,"bytes":90,"format":"Native","is_stored":false,"quarantined_at":"2026-11-20 12:00:00.000","error":"Code: 469. Constraint `small`\n","origins":[{"topic":"events-syslog-v1","partition":2,"first_offset":7,"last_offset":11,"agent_id":"lab","boot_id":1,"listener":"syslog-udp","rows":3}]}"#;

    #[test]
    fn a_block_is_listed_with_its_rows_its_records_and_the_error() {
        assert_eq!(
            table(&parse(ROW).unwrap()),
            "\
2026-11-20 12:00:00.000  syslog: 3 rows, 90 bytes, block 6a5f
  3 rows of events-syslog-v1, partition 2, offsets 7 to 11
  Code: 469. Constraint `small`
"
        );
    }

    #[test]
    fn what_waits_is_a_failure_and_an_empty_quarantine_is_none() {
        let failure = list(&parse(&format!("{ROW}\n{ROW}")).unwrap()).unwrap_err().to_string();
        assert!(failure.contains("6 rows in 2 blocks") && failure.contains("quarantine insert"), "{failure}");
        assert_eq!(list(&[]), Ok(()));
    }

    #[test]
    fn a_table_of_another_version_is_told() {
        for row in ["{\"token\":\"6a5f\"}", &ROW.replace("Native", "Arrow")] {
            let failure = parse(row).unwrap_err().to_string();
            assert!(failure.contains("quarantined_blocks") && failure.contains("schema apply"), "{failure}");
        }
    }
}
