//! RFC 5424: `VERSION SP TIMESTAMP SP HOSTNAME SP APP-NAME SP PROCID SP MSGID SP STRUCTURED-DATA [SP MSG]`.

use std::collections::BTreeMap;

use super::{Header, cisco, in_text, vendor};
use crate::text::BYTE_ORDER_MARK;
use crate::time;

const NIL: &str = "-";

/// Reads what follows PRI; `None` where it is not RFC 5424. Structured data that is not well-formed is left in the message.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Option<Header> {
    let rest = text.strip_prefix("1 ")?;
    if let Some(header) = vendor::meraki(rest) {
        return Some(header);
    }
    let (timestamp, rest) = field(rest)?;
    let event_time_unix_nanos = match timestamp {
        NIL => None,
        // A time that no calendar has is the sender's mistake; a field that is no time at all means another format.
        _ if timestamp.starts_with(|first: char| first.is_ascii_digit()) => time::rfc3339(timestamp),
        _ => return None,
    };
    let (host, rest) = field(rest)?;
    let (app_name, rest) = field(rest)?;
    let (proc_id, rest) = field(rest)?;
    let (msg_id, rest) = field(rest)?;

    let mut header = Header { host: value(host).map(str::to_owned), event_time_unix_nanos, ..Header::default() };
    // Pulse Connect Secure ends it like a TAG.
    header.syslog.app_name = value(app_name).unwrap_or_default().trim_end_matches(':').to_owned();
    header.syslog.proc_id = value(proc_id).unwrap_or_default().to_owned();
    header.syslog.msg_id = value(msg_id).unwrap_or_default().to_owned();

    let (structured_data, message) = structured_data(rest).unwrap_or_else(|| (BTreeMap::new(), rest));
    header.syslog.sequence = structured_data.get("meta.sequenceId").and_then(|text| text.parse().ok());
    header.syslog.structured_data = structured_data;
    header.syslog.message = message.trim_start_matches(BYTE_ORDER_MARK).to_owned();
    if header.syslog.msg_id.is_empty() {
        name(&mut header, received_at_unix_nanos);
    }
    Some(header)
}

/// Looks into the message for what the header does not say: many devices put their old format behind a new header.
fn name(header: &mut Header, received_at_unix_nanos: u64) {
    if let Some(event) = header.syslog.structured_data.get("NXLOG@14506.EventID") {
        header.syslog.msg_id = event.clone();
    } else if header.syslog.app_name.is_empty() {
        let message = std::mem::take(&mut header.syslog.message);
        if let Some(inner) = cisco::parse(&message, received_at_unix_nanos) {
            let structured_data = std::mem::take(&mut header.syslog.structured_data);
            header.syslog = inner.syslog;
            header.syslog.structured_data = structured_data;
        } else if !vendor::parse(&message, header) {
            header.syslog.message = message;
        }
    } else {
        in_text::name(header);
    }
}

/// One header field and what follows its space. The last one may end the message: some senders leave empty structured data away.
fn field(text: &str) -> Option<(&str, &str)> {
    // Fields are short: to look at byte after byte is faster than to set out on a search.
    let end = text.bytes().position(|byte| byte == b' ').unwrap_or(text.len());
    let (field, rest) = text.split_at_checked(end)?;
    (!field.is_empty()).then_some((field, rest.strip_prefix(' ').unwrap_or_default()))
}

fn value(field: &str) -> Option<&str> {
    (field != NIL).then_some(field)
}

/// STRUCTURED-DATA and the message after it; `None` where it is not well-formed.
fn structured_data(text: &str) -> Option<(BTreeMap<String, String>, &str)> {
    let mut parameters = BTreeMap::new();
    if let Some(rest) = text.strip_prefix(NIL) {
        return Some((parameters, message(rest)?));
    }
    let mut rest = text;
    if !rest.starts_with('[') {
        return rest.is_empty().then_some((parameters, rest));
    }
    while let Some(element) = rest.strip_prefix('[') {
        rest = read_element(element, &mut parameters)?;
    }
    Some((parameters, message(rest)?))
}

/// The message after structured data: nothing, or a space and the message.
fn message(rest: &str) -> Option<&str> {
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// `SD-ID *(SP PARAM-NAME="PARAM-VALUE") ]`, after its opening bracket; returns what follows it.
fn read_element<'a>(text: &'a str, parameters: &mut BTreeMap<String, String>) -> Option<&'a str> {
    let (id, mut rest) = text.split_at_checked(text.find([' ', ']'])?)?;
    if id.is_empty() || id.contains(['=', '"']) {
        return None;
    }
    loop {
        rest = rest.trim_start_matches(' ');
        if let Some(after) = rest.strip_prefix(']') {
            return Some(after);
        }
        let (name, quoted) = rest.split_once("=\"")?;
        if name.is_empty() || name.contains([' ', ']', '"']) {
            return None;
        }
        let (value, after) = unescape(quoted)?;
        parameters.insert(format!("{id}.{name}"), value);
        rest = after;
    }
}

/// A quoted value after its opening quote, and what follows the closing one. `\"`, `\\` and `\]` are escapes; a backslash before anything
/// else stands for itself (RFC 5424 6.3.3).
fn unescape(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let (plain, at_special) = rest.split_at_checked(rest.find(['"', '\\'])?)?;
        value.push_str(plain);
        if let Some(after) = at_special.strip_prefix('"') {
            return Some((value, after));
        }
        let after_backslash = at_special.strip_prefix('\\')?;
        match after_backslash.chars().next()? {
            escaped @ ('"' | '\\' | ']') => {
                value.push(escaped);
                rest = after_backslash.strip_prefix(escaped)?;
            }
            _ => {
                value.push('\\');
                rest = after_backslash;
            }
        }
    }
}
