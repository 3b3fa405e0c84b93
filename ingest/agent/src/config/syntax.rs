//! What is wrong with a file that is not YAML, or not a config: where it is and under which key. Never a value, as that may be a password.

use std::borrow::Cow;

use serde_saphyr::{DefaultMessageFormatter, Error, MessageFormatter, SnippetMode, render_options};

/// Has every key; what else stands before a colon may be part of a value.
const EXAMPLE: &str = include_str!("../../../../deploy/config/agent.example.yaml");

/// One line about an error in `text`.
pub(super) fn problem(text: &str, error: &Error) -> String {
    let options = render_options! { formatter: &WithoutValues, snippets: SnippetMode::Off };
    let told = error.render_with_options(options);
    match key(text, error) {
        Some(key) => format!("{told}, under {key}"),
        None => told,
    }
}

/// The last key at or before the place of the error, on its line.
fn key<'a>(text: &'a str, error: &Error) -> Option<&'a str> {
    let location = error.location()?;
    let line = text.lines().nth(usize::try_from(location.line()).ok()?.checked_sub(1)?)?;
    let column = usize::try_from(location.column()).ok()?.checked_sub(1)?;
    let start = line.char_indices().nth(column).map_or(line.len(), |(start, _)| start);
    // The place may be that of the key itself.
    let word = line[start..].find(|c| !is_of_a_name(c)).filter(|length| line[start + length..].starts_with(':'));
    let before = &line[..start + word.map_or(0, |length| length + 1)];
    before.rmatch_indices(':').find_map(|(colon, _)| {
        let name = before[..colon].rsplit(|c| !is_of_a_name(c)).next()?;
        (!name.is_empty() && EXAMPLE.contains(&format!("{name}:"))).then_some(name)
    })
}

fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

struct WithoutValues;

impl MessageFormatter for WithoutValues {
    fn format_message<'a>(&self, error: &'a Error) -> Cow<'a, str> {
        match error {
            Error::SerdeInvalidType { expected, .. } | Error::SerdeInvalidValue { expected, .. } => format!("expected {expected}").into(),
            other => DefaultMessageFormatter.format_message(other),
        }
    }
}
