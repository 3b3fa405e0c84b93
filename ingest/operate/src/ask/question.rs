//! One file of `schemas/clickhouse/questions`: what it answers, its parameters, an example, and the view that answers it. Pure.
//!
//! The head of a file is its help: a question in one line, one line a parameter, an example.
//! ```sql
//! -- Who had this address at that time?
//! -- Parameter ip String: the address, as text.
//! -- Parameter at DateTime64(3, 'UTC'): the moment; default now.
//! -- Example: tocsin ask who_had_ip ip=10.1.2.3 at='2026-11-20 14:05:00'
//! CREATE OR REPLACE VIEW tocsin.ask_who_had_ip AS ...
//! ```

use crate::Failure;
use crate::schema::files::SchemaFile;
use crate::schema::statement;

/// Views of questions are called so, that nobody takes them for tables.
const VIEW_PREFIX: &str = "tocsin.ask_";

/// A parameter of this name is the time zone of whoever asks.
pub const ZONE: &str = "zone";

/// A saved question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// File name without its ending.
    pub name: String,
    /// What it answers, one line.
    pub title: String,
    /// In the order of the file.
    pub parameters: Vec<Parameter>,
    /// A command that asks it.
    pub example: String,
    /// The one statement, with its comments.
    pub text: String,
    /// What stands behind `LIMIT`.
    pub(super) limit: String,
}

/// What a question must or may be told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// As in `{name:Type}`.
    pub name: String,
    /// ClickHouse's type.
    pub data_type: String,
    /// What it means.
    pub meaning: String,
    /// What stands in where it is not given, as people would type it; `None`: it must be given.
    pub default: Option<String>,
}

impl Parameter {
    /// Whether it is a moment.
    pub fn is_time(&self) -> bool {
        self.data_type.starts_with("DateTime")
    }
}

/// Reads and validates every question file; `files` are ordered by name.
pub fn parse(files: &[SchemaFile]) -> Result<Vec<Question>, Failure> {
    files.iter().map(|file| question(file).map_err(|problem| unusable(file, &problem))).collect()
}

fn unusable(file: &SchemaFile, problem: &str) -> Failure {
    Failure::usage(format!("question {}: {problem}", file.name), "schemas/clickhouse/README.md shows the form of such a file")
}

fn question(file: &SchemaFile) -> Result<Question, String> {
    let name = file.name.strip_suffix(".sql").ok_or("its name does not end in .sql")?.to_owned();
    let statements = statement::statements(&file.text);
    let [only] = statements.as_slice() else { return Err(format!("it holds {} statements instead of one", statements.len())) };
    let expected = format!("CREATE OR REPLACE VIEW {VIEW_PREFIX}{name} AS ");
    if !only.starts_with(&expected) {
        return Err(format!("its statement does not begin with {expected:?}"));
    }
    let limit = only.rsplit_once(" LIMIT ").map(|(_, limit)| limit.to_owned()).filter(|limit| !limit.contains(')'));
    let limit = limit.ok_or("its statement does not end with a LIMIT: whoever asks must get an answer that ends")?;
    let head: Vec<&str> = file.text.lines().map_while(|line| line.strip_prefix("-- ")).collect();
    let (title, rest) = head.split_first().ok_or("its first line is no comment that says what it answers")?;
    let (example, parameters) = rest.split_last().ok_or("its head has no example")?;
    let example = example.strip_prefix("Example: ").ok_or("the last line of its head does not begin with \"-- Example: \"")?;
    let parameters = parameters.iter().map(|line| parameter(line)).collect::<Result<Vec<_>, _>>()?;
    for parameter in &parameters {
        let placeholder = format!("{{{}:{}}}", parameter.name, parameter.data_type);
        if !only.contains(&placeholder) {
            return Err(format!("its head names a parameter that its statement does not use as {placeholder}"));
        }
    }
    Ok(Question { name, title: (*title).to_owned(), parameters, example: example.to_owned(), text: file.text.clone(), limit })
}

/// `Parameter NAME TYPE: MEANING[; default VALUE].` An empty value is written `''`.
fn parameter(line: &str) -> Result<Parameter, String> {
    let form = || format!("cannot read {line:?}; write \"-- Parameter NAME TYPE: MEANING.\" or \"...: MEANING; default VALUE.\"");
    let rest = line.strip_prefix("Parameter ").ok_or_else(form)?;
    let (name, rest) = rest.split_once(' ').ok_or_else(form)?;
    let (data_type, rest) = rest.split_once(": ").ok_or_else(form)?;
    let rest = rest.strip_suffix('.').ok_or_else(form)?;
    let (meaning, default) = match rest.split_once("; default ") {
        Some((meaning, default)) => (meaning, Some(default.trim_matches('\'').to_owned())),
        None => (rest, None),
    };
    Ok(Parameter { name: name.to_owned(), data_type: data_type.to_owned(), meaning: meaning.to_owned(), default })
}

impl Question {
    /// What a person who wants to ask it must know.
    pub fn help(&self) -> String {
        let mut help = format!("{}\n", self.title);
        for parameter in &self.parameters {
            let default = match &parameter.default {
                _ if parameter.name == ZONE => "default that of --zone".to_owned(),
                None => "must be given".to_owned(),
                Some(default) if default.is_empty() => "default none".to_owned(),
                Some(default) => format!("default {default}"),
            };
            help.push_str(&format!("  {:<11} {} ({}; {default})\n", parameter.name, parameter.meaning, parameter.data_type));
        }
        if self.has_range() {
            help.push_str("  during      a day or a month, 2026-11-20 or 2026-11, for since and until\n");
        }
        help.push_str(&format!("Example: {}", self.example));
        help
    }

    /// Whether it is asked of a time from one moment to another.
    pub fn has_range(&self) -> bool {
        ["since", "until"].iter().all(|name| self.parameter(name).is_some())
    }

    /// The parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }

    /// The statement that asks it. Values travel apart as `param_NAME`, never as SQL.
    pub fn select(&self) -> String {
        let arguments: Vec<_> =
            self.parameters.iter().map(|Parameter { name, data_type, .. }| format!("{name} = {{{name}:{data_type}}}")).collect();
        let view = format!("{VIEW_PREFIX}{}", self.name);
        if arguments.is_empty() { format!("SELECT * FROM {view}") } else { format!("SELECT * FROM {view}({})", arguments.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::files::SchemaFiles;

    const WHO: &str = "\
-- Who had it?
-- Parameter ip String: the address.
-- Parameter at DateTime64(3, 'UTC'): the moment; default now.
-- Example: tocsin ask who ip=10.1.2.3
CREATE OR REPLACE VIEW tocsin.ask_who AS SELECT {ip:String} AS ip, {at:DateTime64(3, 'UTC')} AS at
LIMIT 10;
";

    fn file(name: &str, text: &str) -> SchemaFile {
        SchemaFile { name: name.to_owned(), text: text.to_owned() }
    }

    fn problem(text: &str) -> String {
        parse(&[file("who.sql", text)]).unwrap_err().to_string()
    }

    #[test]
    fn the_head_of_a_file_is_its_help() {
        let question = &parse(&[file("who.sql", WHO)]).unwrap()[0];
        assert_eq!(
            question.help(),
            "Who had it?\n  ip          the address (String; must be given)\n  at          the moment (DateTime64(3, 'UTC'); default now)\n\
             Example: tocsin ask who ip=10.1.2.3"
        );
    }

    #[test]
    fn values_travel_apart() {
        let question = &parse(&[file("who.sql", WHO)]).unwrap()[0];
        assert_eq!(question.select(), "SELECT * FROM tocsin.ask_who(ip = {ip:String}, at = {at:DateTime64(3, 'UTC')})");
    }

    #[test]
    fn what_stands_behind_limit_is_read() {
        let limit = |text: &str| parse(&[file("who.sql", text)]).unwrap()[0].limit.clone();
        assert_eq!(limit(WHO), "10");
        assert_eq!(limit(&WHO.replace("LIMIT 10", "LIMIT {count:UInt32}")), "{count:UInt32}");
    }

    #[test]
    fn a_file_that_cannot_be_asked_is_refused_with_the_reason() {
        assert!(problem(&WHO.replace("ask_who", "ask_whom")).contains("does not begin with"));
        assert!(problem(&WHO.replace("-- Example", "-- For example")).contains("Example"));
        assert!(problem(&WHO.replace("Parameter ip String:", "Parameter ip:")).contains("cannot read \"Parameter ip:"));
        assert!(problem(&WHO.replace("{ip:String}", "{ip:IPv4}")).contains("does not use as {ip:String}"));
        assert!(problem(&WHO.replace("\nLIMIT 10", "")).contains("does not end with a LIMIT"));
        assert!(problem("SELECT 1").contains("does not begin with"));
        assert!(problem(&format!("{WHO}SELECT 2")).contains("2 statements"));
    }

    #[test]
    fn every_question_of_the_repository_can_be_asked() {
        let questions = parse(&SchemaFiles::load(None).unwrap().questions).unwrap();
        assert!(questions.len() >= 12, "{} questions", questions.len());
        for question in questions {
            assert!(question.example.starts_with(&format!("tocsin ask {}", question.name)), "{}", question.example);
            assert!(question.title.ends_with('?'), "{}", question.title);
        }
    }
}
