//! Cisco's `[SEQUENCE: ][NAME: ][TIME: ]%FACILITY-SEVERITY-MNEMONIC: CONTENT`, as IOS, IOS-XE, IOS-XR, NX-OS, ASA and FTD write it: alone, or
//! behind the header of a relay. Every part before `%` is optional and IOS may give two sequence numbers, its own and the sender's.

use super::Header;
use super::rfc3164::{is_host, timestamp};

/// Reads what follows PRI or a relay's header; `None` where it is nothing of Cisco's.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Option<Header> {
    // NX-OS and FTD write a colon where IOS has a sequence number.
    let text = text.trim_start_matches([':', ' ']);
    let mnemonic_start = if text.starts_with('%') { 0 } else { text.find(": %")? + 2 };
    let (prefix, rest) = text.split_at_checked(mnemonic_start)?;
    let mut header = Header::default();
    let is_numbered_or_timed = read_prefix(prefix, received_at_unix_nanos, &mut header)?;
    // A name alone is as well the process of another vendor.
    if !prefix.is_empty() && !is_numbered_or_timed {
        return None;
    }
    read_mnemonic(rest, &mut header)?;
    Some(header)
}

/// Whether there is a sequence number or a time; `None` where a part is none that Cisco writes.
fn read_prefix(prefix: &str, received_at_unix_nanos: u64, header: &mut Header) -> Option<bool> {
    let lone_timestamp = |text: &str| {
        let (nanos, rest) = timestamp(text, received_at_unix_nanos)?;
        (rest.is_empty() || is_zone(rest)).then_some(nanos)
    };
    let mut is_known = false;
    for part in prefix.split(": ").map(str::trim).filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            header.syslog.sequence = part.parse().ok();
            is_known = true;
        } else if is_uptime(part) {
            is_known = true;
        } else if let Some(nanos) = lone_timestamp(part) {
            header.event_time_unix_nanos = nanos;
            is_known = true;
        } else if let Some((node, nanos)) = part.split_once(':').and_then(|(node, time)| Some((node, lone_timestamp(time)?))) {
            // IOS-XR: `[HOST ]RP/0/RSP0/CPU0:TIME`.
            header.event_time_unix_nanos = nanos;
            header.host = node.split_once(' ').map(|(host, _)| host.to_owned());
            is_known = true;
        } else if let Some((_, proc_id)) = part.strip_suffix(']').and_then(|process| process.split_once('['))
            && !part.contains(' ')
        {
            header.syslog.proc_id = proc_id.to_owned();
        } else if header.host.is_none() && is_host(part) {
            header.host = Some(part.to_owned());
        } else {
            return None;
        }
    }
    Some(is_known)
}

/// `hh:mm:ss`, `1d02h`, `3w2d` or `1y4w`: time since the start, as `service timestamps log uptime` gives it.
fn is_uptime(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit()) && text.bytes().all(|byte| byte.is_ascii_digit() || b":ywdh".contains(&byte))
}

/// A time zone's name, perhaps with an offset: `UTC`, `UTC+1`. It is not interpreted: abbreviations are ambiguous, and senders that give one
/// nearly always run on UTC.
fn is_zone(text: &str) -> bool {
    let offset = text.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let is_offset = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    (1..=5).contains(&(text.len() - offset.len())) && (offset.is_empty() || offset.strip_prefix(['+', '-']).is_some_and(is_offset))
}

/// `%FACILITY[-SUBFACILITY]-SEVERITY-MNEMONIC: ` becomes app_name and msg_id.
fn read_mnemonic(text: &str, header: &mut Header) -> Option<()> {
    let (code, message) = text.strip_prefix('%')?.split_once(':')?;
    let code = code.trim_end();
    let is_severity = |rest: &str| matches!(rest.as_bytes(), [b'-', b'0'..=b'7', b'-', ..]);
    let severity_start = code.match_indices('-').map(|(at, _)| at).find(|at| code.get(*at..).is_some_and(is_severity))?;
    let (facility, mnemonic) = (code.get(..severity_start)?, code.get(severity_start + 3..)?);
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if !is_word(facility) || !is_word(mnemonic) {
        return None;
    }
    header.syslog.app_name = facility.to_owned();
    header.syslog.msg_id = mnemonic.to_owned();
    header.syslog.message = message.trim_start().to_owned();
    Some(())
}
