//! What a shell offers behind `tocsin ask`, `ack` and `why`: questions, what they are told, and names that ClickHouse knows.
//!
//! A shell waits while it asks, so ClickHouse has a second; where it does not answer, nothing is offered and nothing is said. Nor is a name with a
//! character that means something to a shell: devices choose their names.

use std::ffi::OsStr;
use std::time::Duration;

use clap::Parser;
use clap_complete::engine::CompletionCandidate;

use crate::ask::question::{self, Parameter, Question};
use crate::clickhouse::{ClickHouse, ClickHouseArgs};
use crate::schema::files::SchemaFiles;

const PATIENCE: Duration = Duration::from_secs(1);

/// ClickHouse, by the environment as every command takes it.
#[derive(Parser)]
struct Server {
    #[command(flatten)]
    clickhouse: ClickHouseArgs,
}

/// Saved questions that begin so.
pub(crate) fn questions(begun: &OsStr) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    let of = |question: Question| CompletionCandidate::new(question.name).help(Some(question.title.into()));
    saved().into_iter().filter(|question| question.name.starts_with(&*begun)).map(of).collect()
}

/// What the question on the command line can be told; behind a `=` the names that ClickHouse knows.
pub(crate) fn given(begun: &OsStr) -> Vec<CompletionCandidate> {
    let begun = begun.to_string_lossy();
    let words: Vec<String> = std::env::args().collect();
    let Some(question) = saved().into_iter().find(|question| words.contains(&question.name)) else { return Vec::new() };
    if let Some(key) = key_before(&question, &words) {
        return values(&question, key, &begun, "");
    }
    match begun.split_once('=') {
        None => keys(&question, &begun, &words),
        Some((key, value)) => values(&question, key, value, &format!("{key}=")),
    }
}

/// The key of which the shell asks the value alone: bash takes `device`, `=` and what follows for three words, or two where nothing follows.
fn key_before<'a>(question: &'a Question, words: &[String]) -> Option<&'a str> {
    let [.., before, last, _] = words else { return None };
    let key = if last == "=" { before } else { last };
    question.parameter(key).map(|parameter| parameter.name.as_str())
}

/// Open alerts whose fingerprints begin so.
pub(crate) fn open_alerts(begun: &OsStr) -> Vec<CompletionCandidate> {
    let statement = "SELECT fingerprint, concat(toString(severity), ' ', device, ' ', check) FROM tocsin.alerts \
                     WHERE state IN ('open', 'flapping') AND startsWith(fingerprint, {begun:String}) ORDER BY severity DESC, fingerprint LIMIT 100 FORMAT TSV";
    let rows = known(statement, &begun.to_string_lossy());
    let of = |row: &str| {
        let (fingerprint, what) = row.split_once('\t')?;
        Some(CompletionCandidate::new(fingerprint.to_owned()).help(Some(what.replace(char::is_control, ".").into())))
    };
    rows.lines().filter_map(of).collect()
}

fn saved() -> Vec<Question> {
    // A shell has no place for an error.
    SchemaFiles::load(None).and_then(|files| question::parse(&files.questions)).unwrap_or_default()
}

/// Parameters that begin so and are not there yet; those that must be given first.
fn keys(question: &Question, begun: &str, words: &[String]) -> Vec<CompletionCandidate> {
    let is_there = |parameter: &Parameter| words.iter().any(|word| word.starts_with(&format!("{}=", parameter.name)));
    let mut open: Vec<&Parameter> =
        question.parameters.iter().filter(|parameter| parameter.name.starts_with(begun) && !is_there(parameter)).collect();
    open.sort_by_key(|parameter| parameter.default.is_some());
    let of = |parameter: &Parameter| CompletionCandidate::new(format!("{}=", parameter.name)).help(Some(parameter.meaning.clone().into()));
    open.into_iter().map(of).collect()
}

/// Each behind `prefix`, which the shell replaces with them.
fn values(question: &Question, key: &str, begun: &str, prefix: &str) -> Vec<CompletionCandidate> {
    let Some(parameter) = question.parameter(key) else { return Vec::new() };
    let names: Vec<String> = if parameter.is_time() {
        ["now", "-1h", "-1d", "-7d"].iter().filter(|time| time.starts_with(begun)).map(|time| (*time).to_owned()).collect()
    } else {
        let Some(statement) = names_of(key) else { return Vec::new() };
        known(statement, begun).lines().filter(|name| means_nothing_to_a_shell(name)).map(ToOwned::to_owned).collect()
    };
    names.into_iter().map(|name| CompletionCandidate::new(format!("{prefix}{name}"))).collect()
}

/// Where names of what a parameter means are.
fn names_of(key: &str) -> Option<&'static str> {
    match key {
        "device" => Some(
            "SELECT DISTINCT device FROM tocsin.devices_seen WHERE startsWith(device, {begun:String}) ORDER BY device LIMIT 100 FORMAT TSV",
        ),
        "link" | "link_id" => Some(
            "SELECT DISTINCT link_id FROM tocsin.links_seen WHERE startsWith(link_id, {begun:String}) ORDER BY link_id LIMIT 100 FORMAT TSV",
        ),
        "circuit" | "circuit_id" => Some(
            "SELECT DISTINCT circuit_id FROM tocsin.registrations WHERE startsWith(circuit_id, {begun:String}) AND circuit_id != '' ORDER BY circuit_id LIMIT 100 FORMAT TSV",
        ),
        _ => None,
    }
}

fn known(statement: &str, begun: &str) -> String {
    let asked = || {
        let server = Server::try_parse_from(["tocsin"]).ok()?;
        let clickhouse = ClickHouse::new(&server.clickhouse).ok()?;
        clickhouse.ask_within(PATIENCE, statement, &[("begun".to_owned(), begun.to_owned())]).ok()
    };
    asked().unwrap_or_default()
}

fn means_nothing_to_a_shell(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/@".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(candidates: &[CompletionCandidate]) -> Vec<String> {
        candidates.iter().map(|candidate| candidate.get_value().to_string_lossy().into_owned()).collect()
    }

    fn question(name: &str) -> Question {
        saved().into_iter().find(|question| question.name == name).unwrap()
    }

    #[test]
    fn questions_are_offered_with_what_they_answer() {
        let offered = questions(OsStr::new("who_"));
        assert_eq!(texts(&offered), ["who_had_ip"]);
        assert!(offered[0].get_help().is_some());
        assert_eq!(questions(OsStr::new("")).len(), saved().len());
    }

    #[test]
    fn keys_are_offered_once_and_those_that_must_be_given_first() {
        let question = question("device_timeline");
        assert_eq!(texts(&keys(&question, "", &[])), ["device=", "at=", "minutes="]);
        assert_eq!(texts(&keys(&question, "", &["device=a".to_owned()])), ["at=", "minutes="]);
        assert_eq!(texts(&keys(&question, "m", &[])), ["minutes="]);
    }

    #[test]
    fn times_are_offered_as_people_type_them() {
        assert_eq!(texts(&values(&question("device_timeline"), "at", "-", "at=")), ["at=-1h", "at=-1d", "at=-7d"]);
        assert!(values(&question("device_timeline"), "nothing", "", "").is_empty());
    }

    #[test]
    fn a_key_is_known_where_the_shell_parts_it_from_its_value() {
        let words = |line: &str| line.split(' ').map(ToOwned::to_owned).collect::<Vec<_>>();
        let question = question("device_timeline");
        assert_eq!(key_before(&question, &words("ask device_timeline device = co")), Some("device"));
        assert_eq!(key_before(&question, &words("ask device_timeline device ")), Some("device"));
        assert_eq!(key_before(&question, &words("ask device_timeline dev")), None);
        assert_eq!(key_before(&question, &words("ask device_timeline device=a ")), None);
    }

    #[test]
    fn a_name_that_a_shell_would_read_is_not_offered() {
        for name in ["", "a b", "$(reboot)", "`id`", "a;b", "x\u{1b}", "a'b"] {
            assert!(!means_nothing_to_a_shell(name), "{name:?}");
        }
        assert!(means_nothing_to_a_shell("core-sw1.example.net"));
    }
}
