//! One JSON object, or an array of them.

use serde_json::Value;
use tocsin_wire::rejects::Reason;

use super::{Elements, Fields, NAMES, syntax};
use crate::Refusal;

pub(super) fn read(text: &str) -> Elements {
    let value: Value = serde_json::from_str(text)
        .map_err(|error| syntax(format!("not well-formed JSON: {error}; send one object or an array of objects")))?;
    match value {
        Value::Array(elements) if elements.is_empty() => Err(syntax("the JSON array is empty; send one object an update".to_owned())),
        Value::Array(elements) => Ok(elements.into_iter().zip(1..).map(|(element, number)| fields(element, number)).collect()),
        other => Ok(vec![fields(other, 1)]),
    }
}

fn fields(element: Value, number: usize) -> Result<Fields, Refusal> {
    let Value::Object(members) = element else {
        return Err(syntax(format!("element {number} of the JSON array is no object; send one object an update")));
    };
    let mut fields = Fields::default();
    for (name, value) in members {
        match value {
            Value::Object(labels) if name == "labels" => {
                labels.into_iter().for_each(|(label, value)| text_of(value).into_iter().for_each(|text| fields.set_label(&label, text)));
            }
            Value::Object(_) | Value::Array(_) if NAMES.contains(&name.as_str()) => {
                let detail = format!("field `{name}` of element {number} holds an object or array; send a string");
                return Err(Refusal::new(Reason::InvalidValue, detail));
            }
            value => text_of(value).into_iter().for_each(|text| fields.set(&name, text)),
        }
    }
    Ok(fields)
}

/// A value as text: strings as they are, the rest as JSON; null is an absent field.
fn text_of(value: Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    }
}
