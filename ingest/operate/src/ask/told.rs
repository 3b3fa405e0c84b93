//! What a question is told: what was typed, and what stands in for the rest. Pure.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::question::{Question, ZONE};
use super::value;
use super::zone::Zone;
use crate::Failure;

/// Stands for `since` and `until`.
const DURING: &str = "during";

/// A parameter and its value in the form that ClickHouse reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// Of the parameter.
    pub name: String,
    /// Never SQL.
    pub value: String,
}

/// Every parameter of the question with its value: `KEY=VALUE` as `typed`, or its default.
pub fn told(question: &Question, typed: &[String], now: Timestamp, zone: &Zone) -> Result<Vec<Told>, Failure> {
    let problem = |text: String| Failure::usage(text, question.help());
    let given = given(question, typed, now, zone).map_err(problem)?;
    let told = |parameter: &super::question::Parameter| {
        let value = match (given.iter().find(|told| told.name == parameter.name), &parameter.default) {
            (Some(given), _) => given.value.clone(),
            (None, _) if parameter.name == ZONE => zone.name.clone(),
            (None, Some(default)) => value::for_parameter(default, parameter, now, zone)?,
            (None, None) => return Err(format!("{} must be told {}", question.name, parameter.name)),
        };
        Ok(Told { name: parameter.name.clone(), value })
    };
    let told = question.parameters.iter().map(told).collect::<Result<Vec<_>, _>>().map_err(problem)?;
    let of = |name: &str| told.iter().find(|told| told.name == name).map(|told| &told.value);
    if question.has_range() && of("since") > of("until") {
        return Err(problem("since is later than until: no time lies between them".to_owned()));
    }
    Ok(told)
}

fn given(question: &Question, typed: &[String], now: Timestamp, zone: &Zone) -> Result<Vec<Told>, String> {
    let mut given: Vec<Told> = Vec::with_capacity(typed.len());
    let mut add = |name: &str, value: String| {
        if given.iter().any(|told| told.name == name) {
            return Err(format!("{name} is given twice"));
        }
        given.push(Told { name: name.to_owned(), value });
        Ok(())
    };
    for pair in typed {
        let (name, text) = pair.split_once('=').ok_or_else(|| format!("{pair:?} is not KEY=VALUE"))?;
        if name == DURING && question.has_range() {
            let (first, next) = value::during(text, zone).map_err(|problem| format!("{name}: {problem}"))?;
            add("since", first)?;
            add("until", next)?;
            continue;
        }
        let parameter = question.parameter(name).ok_or_else(|| format!("{} has no parameter {name}", question.name))?;
        add(name, value::for_parameter(text, parameter, now, zone).map_err(|problem| format!("{name}: {problem}"))?)?;
    }
    Ok(given)
}

/// So many rows are answered at most, where the question is told this.
pub fn limit(question: &Question, told: &[Told]) -> Option<usize> {
    let by_parameter = || told.iter().find(|told| question.limit == format!("{{{}:UInt32}}", told.name)).map(|told| told.value.as_str());
    question.limit.parse().ok().or_else(|| by_parameter()?.parse().ok())
}

/// The question and what it is told, on one line for a person, times by the clock of `zone`.
pub fn spelled_out(question: &Question, told: &[Told], zone: &Zone) -> String {
    let mut line = question.name.clone();
    for Told { name, value } in told {
        let is_time = question.parameter(name).is_some_and(super::question::Parameter::is_time);
        let instant = value.parse::<DateTime>().ok().filter(|_| is_time).and_then(|time| time.to_zoned(TimeZone::UTC).ok());
        let shown = instant.map_or_else(|| value.clone(), |time| zone.show(time.timestamp()));
        let is_one_word = !shown.is_empty() && !shown.contains([' ', '\'', '"', '\n']);
        line += &if is_one_word { format!(" {name}={shown}") } else { format!(" {name}='{shown}'") };
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::question;
    use crate::schema::files::SchemaFiles;

    fn question(name: &str) -> Question {
        let questions = question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap();
        questions.into_iter().find(|question| question.name == name).unwrap()
    }

    fn asked(name: &str, words: &[&str]) -> Result<String, String> {
        let (question, zone) = (question(name), Zone::find(Some("Europe/Berlin")).unwrap());
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let told = told(&question, &words, "2026-11-20T12:00:00Z".parse().unwrap(), &zone);
        told.map(|told| spelled_out(&question, &told, &zone)).map_err(|failure| failure.to_string())
    }

    #[test]
    fn an_answer_is_cut_where_its_statement_or_whoever_asks_says() {
        let told = [Told { name: "count".to_owned(), value: "7".to_owned() }];
        assert_eq!(limit(&question("search"), &told), Some(7));
        assert_eq!(limit(&question("search"), &[]), None);
        assert_eq!(limit(&Question { limit: "10".to_owned(), ..question("search") }, &told), Some(10));
    }

    #[test]
    fn wrong_words_are_answered_with_the_help_of_the_question() {
        for (words, problem) in [
            (vec![], "must be told words"),
            (vec!["bgp"], "is not KEY=VALUE"),
            (vec!["words=a", "words=b"], "given twice"),
            (vec!["words=a", "during=2026-11", "since=-1d"], "since is given twice"),
            (vec!["since=x"], "since: "),
            (vec!["during=x"], "during: "),
            (vec!["words=a", "mac=b"], "search has no parameter mac"),
            (vec!["words=a", "since=now", "until=-1d"], "since is later than until"),
        ] {
            let failure = asked("search", &words).unwrap_err();
            assert!(failure.contains(problem) && failure.contains("Example: tocsin ask search"), "{failure}");
        }
    }

    #[test]
    fn what_is_searched_is_said_by_the_viewers_clock_defaults_too() {
        assert_eq!(
            asked("search", &["words=a=b c"]).as_deref(),
            Ok("search words='a=b c' device='' since='2026-11-19 13:00:00+01:00' until='2026-11-20 13:00:00+01:00' count=100")
        );
    }

    #[test]
    fn a_month_is_from_its_first_moment_to_that_of_the_next_and_weeks_are_the_viewers() {
        assert_eq!(
            asked("pages_by_week", &["during=2026-10"]).as_deref(),
            Ok("pages_by_week since='2026-10-01 00:00:00+02:00' until='2026-11-01 00:00:00+01:00' zone=Europe/Berlin")
        );
    }

    #[test]
    fn addresses_are_asked_for_as_tables_have_them() {
        let asked = asked("where_has_mac_been", &["mac=0200.0000.002A"]).unwrap();
        assert!(asked.starts_with("where_has_mac_been mac=02:00:00:00:00:2a "), "{asked}");
    }
}
