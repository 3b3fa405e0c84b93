//! `key=value key="value with spaces"`; `\"`, `\\`, `\n` and `\t` are escapes inside quotes.

use super::{Elements, Fields, syntax};

pub(super) fn read(text: &str) -> Elements {
    let mut fields = Fields::default();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let position = text.len() - rest.len();
        let key_end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        let (key, after_key) = rest.split_at_checked(key_end).unwrap_or((rest, ""));
        let Some(value_text) = after_key.strip_prefix('=').filter(|_| !key.is_empty()) else {
            return Err(syntax(format!(
                "no `key=value` at byte {position}; send JSON, XML or logfmt, and put values with spaces in double quotes"
            )));
        };
        let (value, after_value) = match value_text.strip_prefix('"') {
            Some(quoted) => unquote(quoted).ok_or_else(|| syntax(format!("the quoted value at byte {position} has no end")))?,
            None => {
                let end = value_text.find(char::is_whitespace).unwrap_or(value_text.len());
                let (value, after) = value_text.split_at_checked(end).unwrap_or((value_text, ""));
                (value.to_owned(), after)
            }
        };
        fields.set(key, value);
        rest = after_value.trim_start();
    }
    Ok(vec![Ok(fields)])
}

/// A quoted value after its opening quote, and what follows the closing one.
fn unquote(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.chars();
    loop {
        match characters.next()? {
            '"' => return Some((value, characters.as_str())),
            '\\' => match characters.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                escaped => value.push(escaped),
            },
            plain => value.push(plain),
        }
    }
}
