//! `tocsin ask`: asks one of the saved questions of `schemas/clickhouse/questions` and prints the answer.
//!
//! What a question means stands in its view in ClickHouse, which `tocsin schema apply` makes; this finds it, checks what it is told, prints the answer, and
//! says what was searched and read. It only reads.

pub(crate) mod answer;
pub(crate) mod question;
pub(crate) mod told;
pub(crate) mod value;
pub(crate) mod zone;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use clap_complete::engine::ArgValueCompleter;
use jiff::Timestamp;

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::complete;
use crate::schema::files::SchemaFiles;
use answer::{Answer, Statistics};
use question::Question;
use told::Told;
use zone::Zone;

const AFTER_HELP: &str = "\
Examples:
  tocsin ask --list
  tocsin ask who_had_ip                                   what it must be told
  tocsin ask who_had_ip ip=10.1.2.3 at='2026-11-20 14:05'
  tocsin ask search words='bgp hold time' since=-7d --format csv
  tocsin ask link during=2026-10 --zone Europe/Berlin     link_availability of a month

A question may be shortened as long as only one begins so. Times: now, -15m, -36h, -7d, -4w, 2026-11-20, '2026-11-20 14:05:00' by the clock of --zone, or
RFC 3339. Addresses: in any notation. What was searched and read is said on standard error.
Exit codes: 0 answered, 1 ClickHouse refused or does not answer, 64 there is no such question, or it was told the wrong things.";

/// `tocsin ask`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct AskArgs {
    /// The question; without one they are listed.
    #[arg(add = ArgValueCompleter::new(complete::questions))]
    name: Option<String>,

    /// What it is told.
    #[arg(value_name = "KEY=VALUE", add = ArgValueCompleter::new(complete::given))]
    given: Vec<String>,

    /// List the questions.
    #[arg(long)]
    list: bool,

    /// How to print the answer.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

    /// Time zone of what is typed and printed, by its IANA name [default: that of this system].
    #[arg(long, env = "TOCSIN_ZONE", value_name = "ZONE")]
    zone: Option<String>,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    /// Folder with clickhouse/questions/ [default: the files this binary was built with].
    #[arg(long, env = "TOCSIN_SCHEMAS", value_name = "DIR")]
    schemas: Option<PathBuf>,

    /// Give up after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    max_seconds: u32,
}

#[derive(ValueEnum, Debug, Clone, Copy)]
enum Format {
    /// Aligned columns, for people.
    Table,
    /// RFC 4180, with a line of names. A text that a spreadsheet would take for a formula begins with an apostrophe.
    Csv,
    /// One object a line.
    Json,
}

/// Prints the answer, or the list of questions.
pub fn run(args: &AskArgs) -> Result<(), Failure> {
    let questions = question::parse(&SchemaFiles::load(args.schemas.as_deref())?.questions)?;
    let Some(name) = args.name.as_ref().filter(|_| !args.list) else {
        return print(&list(&questions));
    };
    let question = find(&questions, name)?;
    let zone = Zone::find(args.zone.as_deref())?;
    let told = told::told(question, &args.given, Timestamp::now(), &zone)?;
    let answer = ask(&ClickHouse::new(&args.clickhouse)?, question, &told, args.max_seconds)?;
    eprintln!("searched: {}", answer::visible(&told::spelled_out(question, &told, &zone)));
    eprintln!("{}", taken(&answer, told::limit(question, &told)));
    match args.format {
        Format::Table if answer.rows.is_empty() => print("nothing found"),
        Format::Table => print(&answer.table(&zone)),
        Format::Csv => print(&answer.csv(&zone)),
        Format::Json => print(&answer.json(&zone)),
    }
}

/// Asks a question of ClickHouse.
pub(crate) fn ask(clickhouse: &ClickHouse, question: &Question, told: &[Told], max_seconds: u32) -> Result<Answer, Failure> {
    // The one setting that a user who only reads must be allowed to change: see deploy/clickhouse.
    let statement = format!("{} SETTINGS max_execution_time = {max_seconds} FORMAT JSONCompact", question.select());
    let values: Vec<_> = told.iter().map(|told| (told.name.clone(), told.value.clone())).collect();
    Answer::parse(&clickhouse.ask(&statement, &values)?)
}

/// How much was read and found.
fn taken(answer: &Answer, limit: Option<usize>) -> String {
    let Statistics { elapsed, rows_read, bytes_read } = answer.statistics;
    let found = answer.rows.len();
    let cut = if limit == Some(found) { ", as many as the question answers with: there may be more" } else { "" };
    let megabytes = bytes_read as f64 / 1e6;
    format!("read:     {rows_read} rows, {megabytes:.1} MB in {elapsed:.2} s; found {found} rows{cut}")
}

/// The question of this name, or the only one that begins so.
pub(crate) fn find<'a>(questions: &'a [Question], name: &str) -> Result<&'a Question, Failure> {
    if let Some(question) = questions.iter().find(|question| question.name == name) {
        return Ok(question);
    }
    let begin: Vec<_> = questions.iter().filter(|question| question.name.starts_with(name)).collect();
    match begin.as_slice() {
        [only] => Ok(only),
        [] => {
            let near = near(questions, name);
            let meant = if near.is_empty() { String::new() } else { format!("; did you mean {}?", near.join(" or ")) };
            let problem = format!("there is no question {name}{meant}");
            Err(Failure::usage(problem, format!("ask one of these:\n{}", list(questions).trim_end())))
        }
        several => {
            let several = list(several.iter().copied());
            Err(Failure::usage(format!("several questions begin with {name}"), format!("ask one of these:\n{}", several.trim_end())))
        }
    }
}

/// Names that somebody who typed this may have meant, the nearest first.
fn near<'a>(questions: &'a [Question], name: &str) -> Vec<&'a str> {
    let likeness = |question: &Question| if question.name.contains(name) { 1.0 } else { strsim::jaro_winkler(&question.name, name) };
    let mut near: Vec<_> = questions.iter().map(|question| (likeness(question), question.name.as_str())).collect();
    near.retain(|(likeness, _)| *likeness > 0.8);
    near.sort_by(|one, other| other.0.total_cmp(&one.0));
    near.into_iter().map(|(_, name)| name).take(3).collect()
}

fn list<'a>(questions: impl IntoIterator<Item = &'a Question>) -> String {
    let questions: Vec<_> = questions.into_iter().collect();
    let width = questions.iter().map(|question| question.name.len()).max().unwrap_or(0);
    questions.into_iter().map(|question| format!("{:<width$}  {}\n", question.name, question.title)).collect()
}

fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| if text.is_empty() || text.ends_with('\n') { Ok(()) } else { output.write_all(b"\n") })
        .map_err(|error| Failure::new(format!("cannot print the answer: {error}"), "check where standard output leads"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Vec<Question> {
        question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap()
    }

    #[test]
    fn a_question_may_be_shortened_as_long_as_only_one_begins_so() {
        let questions = questions();
        assert_eq!(find(&questions, "who").unwrap().name, "who_had_ip");
        let failure = find(&questions, "noisiest").unwrap_err().to_string();
        assert!(failure.contains("several questions begin with noisiest"), "{failure}");
        assert!(failure.contains("\nnoisiest_checks ") && !failure.contains("who_had_ip"), "{failure}");
    }

    #[test]
    fn an_unknown_question_is_answered_with_those_that_are_near_and_the_list() {
        let failure = find(&questions(), "wherefore").unwrap_err().to_string();
        assert!(failure.contains("there is no question wherefore") && failure.contains("\nsearch "), "{failure}");
        for (typed, meant) in [("who_hda_ip", "did you mean who_had_ip"), ("mac", "did you mean where_has_mac_been?")] {
            let failure = find(&questions(), typed).unwrap_err().to_string();
            assert!(failure.contains(meant), "{failure}");
        }
    }

    #[test]
    fn what_was_read_is_said_and_that_an_answer_was_cut() {
        let text = r#"{"meta": [], "data": [[], []], "statistics": {"elapsed": 0.25, "rows_read": 12345, "bytes_read": 5600000}}"#;
        let answer = Answer::parse(text).unwrap();
        assert_eq!(taken(&answer, Some(3)), "read:     12345 rows, 5.6 MB in 0.25 s; found 2 rows");
        assert!(taken(&answer, Some(2)).ends_with("there may be more"));
    }
}
