//! `tocsin ask`: asks one of the saved questions of `schemas/clickhouse/questions` and prints the answer.
//!
//! What a question means stands in its view in ClickHouse, which `tocsin schema apply` makes; this finds it, checks what it is told, and
//! prints. It only reads.

pub(crate) mod question;
mod value;

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use jiff::Timestamp;

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::schema::files::SchemaFiles;
use question::Question;

const AFTER_HELP: &str = "\
Examples:
  tocsin ask --list
  tocsin ask who_had_ip                                   what it must be told
  tocsin ask who_had_ip ip=10.1.2.3 at='2026-11-20 14:05'
  tocsin ask search words='bgp hold time' since=-7d --format csv

Times: now, -15m, -36h, -7d, -4w, RFC 3339, or 2026-11-20 14:05:00 in UTC.
Exit codes: 0 answered, 1 ClickHouse refused or does not answer, 64 there is no such question, or it was told the wrong things.";

/// `tocsin ask`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct AskArgs {
    /// The question; without one they are listed.
    name: Option<String>,

    /// What it is told.
    #[arg(value_name = "KEY=VALUE")]
    given: Vec<String>,

    /// List the questions.
    #[arg(long)]
    list: bool,

    /// How to print the answer.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: Format,

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
    /// RFC 4180, with a line of names.
    Csv,
    /// One object a line.
    Json,
}

impl Format {
    /// ClickHouse's name of it.
    fn name(self) -> &'static str {
        match self {
            Self::Table => "PrettyCompactMonoBlock",
            Self::Csv => "CSVWithNames",
            Self::Json => "JSONEachRow",
        }
    }
}

/// Prints the answer, or the list of questions.
pub fn run(args: &AskArgs) -> Result<(), Failure> {
    let questions = question::parse(&SchemaFiles::load(args.schemas.as_deref())?.questions)?;
    let Some(name) = args.name.as_ref().filter(|_| !args.list) else {
        return print(&list(&questions));
    };
    let question = find(&questions, name)?;
    let given = given(question, &args.given, Timestamp::now())?;
    let names: Vec<&str> = given.iter().map(|(name, _)| name.as_str()).collect();
    let select = question.select(&names).map_err(|problem| Failure::usage(problem, question.help()))?;
    // The one setting that a user who only reads must be allowed to change: see deploy/clickhouse.
    let statement = format!("{select} SETTINGS max_execution_time = {} FORMAT {}", args.max_seconds, args.format.name());
    let answer = ClickHouse::new(&args.clickhouse)?.ask(&statement, &given)?;
    match args.format {
        Format::Table if answer.is_empty() => print("nothing found"),
        Format::Json if answer.is_empty() => Ok(()),
        Format::Table => print(&visible(&answer)),
        Format::Csv | Format::Json => print(&answer),
    }
}

/// The answer with the control characters in it written out: what a device said must not steer the terminal.
fn visible(answer: &str) -> String {
    let escape = |character: char| character.is_control() && character != '\n';
    answer.chars().map(|c| if escape(c) { c.escape_default().to_string() } else { c.to_string() }).collect()
}

fn find<'a>(questions: &'a [Question], name: &str) -> Result<&'a Question, Failure> {
    questions
        .iter()
        .find(|question| question.name == name)
        .ok_or_else(|| Failure::usage(format!("there is no question {name}"), format!("ask one of these:\n{}", list(questions).trim_end())))
}

/// `KEY=VALUE` as pairs, values in the form that ClickHouse reads.
pub(crate) fn given(question: &Question, typed: &[String], now: Timestamp) -> Result<Vec<(String, String)>, Failure> {
    let mut pairs: Vec<(String, String)> = Vec::with_capacity(typed.len());
    for pair in typed {
        let (name, typed_value) =
            pair.split_once('=').ok_or_else(|| Failure::usage(format!("{pair:?} is not KEY=VALUE"), question.help()))?;
        if pairs.iter().any(|(known, _)| known == name) {
            return Err(Failure::usage(format!("{name} is given twice"), question.help()));
        }
        let data_type = question.parameters.iter().find(|parameter| parameter.name == name).map_or("", |parameter| &parameter.data_type);
        let value = value::for_type(typed_value, data_type, now)
            .map_err(|problem| Failure::usage(format!("{name}: {problem}"), question.help()))?;
        pairs.push((name.to_owned(), value));
    }
    Ok(pairs)
}

fn list(questions: &[Question]) -> String {
    let width = questions.iter().map(|question| question.name.len()).max().unwrap_or(0);
    questions.iter().map(|question| format!("{:<width$}  {}\n", question.name, question.title)).collect()
}

fn print(text: &str) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    output
        .write_all(text.as_bytes())
        .and_then(|()| if text.ends_with('\n') { Ok(()) } else { output.write_all(b"\n") })
        .map_err(|error| Failure::new(format!("cannot print the answer: {error}"), "check where standard output leads"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn questions() -> Vec<Question> {
        question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap()
    }

    #[test]
    fn what_a_device_said_does_not_reach_the_terminal_as_a_command() {
        assert_eq!(visible("│ \u{1b}]0;owned\u{7}é\u{9b}2J\r │\n"), "│ \\u{1b}]0;owned\\u{7}é\\u{9b}2J\\r │\n");
    }

    #[test]
    fn an_unknown_question_is_answered_with_the_list() {
        let failure = find(&questions(), "wherefore").unwrap_err().to_string();
        assert!(failure.contains("there is no question wherefore") && failure.contains("\nsearch "), "{failure}");
    }

    #[test]
    fn wrong_words_are_answered_with_the_help_of_the_question() {
        let questions = questions();
        let search = find(&questions, "search").unwrap();
        let told = |words: &[&str]| {
            let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            given(search, &words, Timestamp::UNIX_EPOCH)
        };
        for (words, problem) in
            [(vec!["bgp"], "is not KEY=VALUE"), (vec!["words=a", "words=b"], "given twice"), (vec!["since=x"], "since: ")]
        {
            let failure = told(&words).unwrap_err().to_string();
            assert!(failure.contains(problem) && failure.contains("Example: tocsin ask search"), "{failure}");
        }
        assert_eq!(told(&["words=a=b c"]).unwrap(), [("words".to_owned(), "a=b c".to_owned())]);
    }
}
