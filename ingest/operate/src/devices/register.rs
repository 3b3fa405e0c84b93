//! The list of devices: CSV as RFC 4180 says, with a header.

use std::collections::BTreeMap;

use serde::Deserialize;
use tocsin_wire::registrations::{Access, Device};

const MAC_DIGITS: usize = 12;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    mac: String,
    access: String,
    #[serde(default)]
    owner: String,
    #[serde(default)]
    note: String,
}

/// The devices in the order of their addresses. The error begins with the line's number: `3: mac "x" is ...`.
pub(super) fn read(text: &str) -> Result<Vec<Device>, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text.trim_start_matches('\u{feff}').as_bytes());
    let headers = reader.headers().map_err(|error| format!("1: {error}"))?.clone();
    for needed in ["mac", "access"] {
        if !headers.iter().any(|header| header == needed) {
            return Err(format!("1: the header has no column {needed}; the first line must be mac,access,owner,note"));
        }
    }
    let mut devices: BTreeMap<String, (u64, Device)> = BTreeMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| format!("{}: {}", error.position().map_or(1, csv::Position::line), reason(&error)))?;
        let line = record.position().map_or(1, csv::Position::line);
        let row: Row = record.deserialize(Some(&headers)).map_err(|error| format!("{line}: {}", reason(&error)))?;
        let device = device(row).map_err(|problem| format!("{line}: {problem}"))?;
        if let Some((first, device)) = devices.insert(device.mac.clone(), (line, device)) {
            return Err(format!("{line}: {} stands in line {first} already; keep one of the two", device.mac));
        }
    }
    Ok(devices.into_values().map(|(_, device)| device).collect())
}

fn device(row: Row) -> Result<Device, String> {
    let access = match row.access.as_str() {
        "allowed" => Access::Allowed,
        "blocked" => Access::Blocked,
        "quarantined" => Access::Quarantined,
        other => return Err(format!("access is {other:?}; write allowed, blocked or quarantined")),
    };
    Ok(Device { mac: mac(&row.mac)?, access: access.into(), owner: row.owner, note: row.note, imported_at_unix_nanos: 0 })
}

/// `02:00:00:00:00:01`, also with dashes, dots or nothing between, in either case.
fn mac(text: &str) -> Result<String, String> {
    let digits: Vec<char> =
        text.chars().filter(|letter| !matches!(letter, ':' | '-' | '.')).map(|letter| letter.to_ascii_lowercase()).collect();
    if digits.len() != MAC_DIGITS || !digits.iter().all(char::is_ascii_hexdigit) {
        return Err(format!("mac is {text:?}, not six bytes such as 02:00:00:00:00:01"));
    }
    Ok(digits.chunks(2).map(String::from_iter).collect::<Vec<_>>().join(":"))
}

/// What is wrong, without the position, which the error's own text counts in another way.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => format!("{len} columns where the header has {expected_len}"),
        csv::ErrorKind::Deserialize { err, .. } => err.kind().to_string(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_in_any_order_and_addresses_in_any_spelling() {
        let devices = read("access,mac,note\nallowed,02-00-00-00-00-AB,\"laptop, 3rd floor\"\n\nblocked,0200.0000.0001,\n").unwrap();
        let seen: Vec<_> = devices.iter().map(|device| (device.mac.as_str(), device.access(), device.note.as_str())).collect();
        assert_eq!(seen, [("02:00:00:00:00:01", Access::Blocked, ""), ("02:00:00:00:00:ab", Access::Allowed, "laptop, 3rd floor")]);
    }

    #[test]
    fn an_error_names_line_and_remedy() {
        for (text, parts) in [
            ("02:00:00:00:00:01,allowed\n", &["1: ", "header", "mac"][..]),
            ("mac,access\n02:00,allowed\n", &["2: ", "mac", "02:00"]),
            ("mac,access\n02:00:00:00:00:01,allowed\n02:00:00:00:00:02,yes\n", &["3: ", "access", "quarantined"]),
            ("mac,access\n02:00:00:00:00:01,allowed\n0200.0000.0001,blocked\n", &["3: ", "line 2"]),
            ("mac,access\n02:00:00:00:00:01\n", &["2: ", "1 columns", "2"]),
            ("mac,access,colour\n02:00:00:00:00:01,allowed,red\n", &["2: ", "colour"]),
        ] {
            let error = read(text).unwrap_err();
            for part in parts {
                assert!(error.contains(part), "{part:?} is missing in {error:?}");
            }
        }
    }
}
