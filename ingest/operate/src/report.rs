//! `tocsin report`: a month on one HTML page that needs nothing else, for whoever answers for the network.
//!
//! It asks the saved questions of `tocsin ask` and draws their answers: every figure of the page can be asked for again. It only reads.

mod page;
mod section;

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use jiff::{Timestamp, ToSpan};

use crate::Failure;
use crate::ask::told::told;
use crate::ask::value;
use crate::ask::zone::Zone;
use crate::ask::{ask, find, question};
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::schema::files::SchemaFiles;
use page::{Month, page};
use section::{Answered, SECTIONS};

const AFTER_HELP: &str = "\
Examples:
  tocsin report --month 2026-10
  tocsin report --month 2026-10 --zone Europe/Berlin --output - | mail -a 'Content-Type: text/html' -s 'October' operations@example.org

The page loads nothing and runs nothing; a browser prints it on A4. Exit codes: 0 written, 1 ClickHouse refused or does not answer, 64 there is no such month.";

/// `tocsin report`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct ReportArgs {
    /// The month, as 2026-10. Of one that is not over: up to now.
    #[arg(long, value_name = "YYYY-MM")]
    month: String,

    /// Where to write the page; - for standard output [default: tocsin-YYYY-MM.html].
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Time zone in which the month and its weeks begin, by its IANA name [default: that of this system].
    #[arg(long, env = "TOCSIN_ZONE", value_name = "ZONE")]
    zone: Option<String>,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,

    /// Folder with clickhouse/questions/ [default: the files this binary was built with].
    #[arg(long, env = "TOCSIN_SCHEMAS", value_name = "DIR")]
    schemas: Option<PathBuf>,

    /// Give up a question after so many seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    max_seconds: u32,
}

/// Asks and writes the page.
pub fn run(args: &ReportArgs) -> Result<(), Failure> {
    let zone = Zone::find(args.zone.as_deref())?;
    let now = Timestamp::now();
    let month = month(&args.month, &zone, now)?;
    let questions = question::parse(&SchemaFiles::load(args.schemas.as_deref())?.questions)?;
    let clickhouse = ClickHouse::new(&args.clickhouse)?;
    let mut answered = Vec::with_capacity(SECTIONS.len());
    for section in SECTIONS {
        let question = find(&questions, section.question)?;
        let mut typed: Vec<String> = section.told.iter().map(|word| (*word).to_owned()).collect();
        typed.push(format!("during={}", args.month));
        let answer = ask(&clickhouse, question, &told(question, &typed, now, &zone)?, args.max_seconds);
        let answer = answer.map_err(|failure| failure.during(&format!("question {}", question.name)))?;
        answered.push(Answered {
            section,
            command: format!("tocsin ask {} {} --zone {}", question.name, typed.join(" "), zone.name),
            answer,
        });
    }
    write(args, &page(&month, &answered, &zone))
}

fn month(typed: &str, zone: &Zone, now: Timestamp) -> Result<Month, Failure> {
    let unusable = |problem: String| Failure::usage(problem, "write a month that has begun, for example --month 2026-10");
    let first = value::month(typed).ok_or_else(|| unusable(format!("{typed:?} is no month")))?;
    if first > zone.day(now) {
        return Err(unusable(format!("{typed} has not begun in {}", zone.name)));
    }
    let last = first.last_of_month();
    let is_over = last.checked_add(1.day()).is_ok_and(|next| next <= zone.day(now));
    Ok(Month { first, last, is_over, written_at: now })
}

fn write(args: &ReportArgs, page: &str) -> Result<(), Failure> {
    let path = args.output.clone().unwrap_or_else(|| format!("tocsin-{}.html", args.month).into());
    let written = if path.as_os_str() == "-" {
        std::io::stdout().lock().write_all(page.as_bytes())
    } else {
        fs::write(&path, page).map(|()| println!("wrote {}", path.display()))
    };
    written
        .map_err(|error| Failure::new(format!("cannot write the report to {}: {error}", path.display()), "name another file with --output"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(typed: &str, now: &str) -> Result<(String, bool), String> {
        let zone = Zone::find(Some("Europe/Berlin")).unwrap();
        let month = month(typed, &zone, now.parse().unwrap());
        month.map(|month| (format!("{} to {}", month.first, month.last), month.is_over)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn a_month_is_over_when_the_next_has_begun_where_it_is_read() {
        let october = "2026-10-01 to 2026-10-31".to_owned();
        assert_eq!(asked("2026-10", "2026-10-31T22:59:59Z"), Ok((october.clone(), false)));
        assert_eq!(asked("2026-10", "2026-10-31T23:00:00Z"), Ok((october, true)));
    }

    #[test]
    fn what_is_no_month_or_has_not_begun_is_refused() {
        assert!(asked("2026-13", "2026-10-31T12:00:00Z").unwrap_err().contains("is no month"));
        assert!(asked("2026-12", "2026-10-31T12:00:00Z").unwrap_err().contains("has not begun in Europe/Berlin"));
    }

    #[test]
    fn every_section_asks_a_question_that_is_there_about_a_time() {
        let questions = question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap();
        for section in SECTIONS {
            let question = questions.iter().find(|question| question.name == section.question).unwrap();
            assert!(question.has_range(), "{}", section.question);
            for column in section.columns {
                assert!(question.text.contains(column.name), "{} has no column {}", section.question, column.name);
            }
        }
    }
}
