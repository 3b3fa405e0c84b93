//! RFC 3164 as it is sent: `TIMESTAMP SP HOSTNAME SP TAG[PID]: CONTENT`, with every part missing somewhere.

use super::host::is_host;
use super::tag::{MAX_TAG_BYTES, read_tag};
use super::{Header, cisco, timestamp, vendor, zone};

/// Reads what follows PRI. Never fails: what has no name is the message.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Header {
    let text = text.trim_start();
    if let Some(header) = cisco::parse(text, received_at_unix_nanos) {
        return header;
    }
    let mut header = Header::default();
    // NX-OS writes a colon first.
    let content = match timestamp::parse(text.trim_start_matches([':', ' ']), received_at_unix_nanos) {
        Some((time, rest)) => {
            let (unknown_zone, rest) = unknown_zone(rest);
            header.set_time(timestamp::Timestamp { unknown_zone, ..time });
            let (host, content) = host(rest);
            header.host = host.map(str::to_owned);
            content
        }
        // Without a time there is no host name either: the next word would be a guess.
        None => match console_server(text, received_at_unix_nanos, &mut header) {
            Some(content) => content,
            None => text,
        },
    };
    // The header of a relay goes before what the device says of itself.
    if let Some(cisco) = cisco::parse_relayed(content, received_at_unix_nanos) {
        let timed = if header.event_time_unix_nanos.is_some() { &header } else { &cisco };
        return Header {
            event_time_unix_nanos: timed.event_time_unix_nanos,
            is_zone_missing: timed.is_zone_missing,
            host: header.host.or(cisco.host),
            syslog: cisco.syslog,
        };
    }
    if let Some(relayed) = relayed(content, &header, received_at_unix_nanos) {
        return relayed;
    }
    read_content(without_selector(content), &mut header);
    header
}

fn read_content(content: &str, header: &mut Header) {
    if !vendor::parse(content, header) {
        read_tag(content, header);
    }
}

/// The whole header that a device wrote, behind that of a relay: `TIMESTAMP HOSTNAME TAG: CONTENT` once more. Where it is not the same host's again, only
/// with a time as RFC 3164 has it: what a program writes into its log, `2026-11-20 10:00:00 INFO main: text`, looks the same otherwise.
fn relayed(content: &str, relay: &Header, received_at_unix_nanos: u64) -> Option<Header> {
    if relay.event_time_unix_nanos.is_none() || !timestamp::starts_like_time(content) {
        return None;
    }
    let (time, rest) = timestamp::parse(content, received_at_unix_nanos)?;
    let (host, rest) = host(rest);
    let host = host.filter(|name| timestamp::starts_with_month(content) || relay.host.as_deref() == Some(name))?;
    let mut header = Header { host: Some(host.to_owned()), ..Header::default() };
    header.set_time(time);
    read_content(rest, &mut header);
    (!header.syslog.app_name.is_empty()).then_some(header)
}

/// What follows the facility and level that syslogd of AIX writes before a TAG: `auth|security:info sshd[4711]: TEXT`.
fn without_selector(content: &str) -> &str {
    const FACILITIES: [&str; 13] =
        ["kern", "user", "mail", "daemon", "auth", "security", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "caadm"];
    let is_facility = |name: &str| FACILITIES.contains(&name) || matches!(name.as_bytes(), [b'l', b'o', b'c', b'a', b'l', b'0'..=b'7']);
    let is_selector = |word: &str| {
        word.split_once(':').is_some_and(|(facilities, level)| vendor::LEVELS.contains(&level) && facilities.split('|').all(is_facility))
    };
    content.split_once(' ').filter(|(word, _)| is_selector(word)).map_or(content, |(_, rest)| rest)
}

/// What a console server says of one of its ports, with the time third: `HOST PORT 2018-Nov- 9 15:38:25.341 TAG: TEXT`. The port is proc_id.
fn console_server<'a>(text: &'a str, received_at_unix_nanos: u64, header: &mut Header) -> Option<&'a str> {
    let mut words = text.splitn(3, ' ');
    let (host, port, rest) = (words.next()?, words.next()?, words.next()?);
    let is_year = matches!(rest.as_bytes(), [b'1' | b'2', b'0'..=b'9', b'0'..=b'9', b'0'..=b'9', b'-', ..]);
    if !is_year || !is_host(host) || !is_host(port) || host.ends_with(':') || port.ends_with(':') {
        return None;
    }
    let (time, content) = timestamp::parse(rest, received_at_unix_nanos)?;
    header.set_time(time);
    header.host = Some(host.to_owned());
    header.syslog.proc_id = port.to_owned();
    Some(content)
}

/// A zone's name that is not known, between a time and a host: capitals, then a host, and only then a TAG.
fn unknown_zone(text: &str) -> (Option<&str>, &str) {
    let read = || {
        let (zone, rest) = text.split_once(' ').filter(|(zone, _)| zone::is_name(zone))?;
        let (_host, content) = rest.split_once(' ').filter(|(host, _)| is_host(host) && !host.ends_with([':', ']']))?;
        let (tag, _) = content.split_once(' ')?;
        (tag.ends_with(':') && tag.len() <= MAX_TAG_BYTES).then_some((zone, rest))
    };
    if !text.as_bytes().first().is_some_and(u8::is_ascii_uppercase) {
        return (None, text);
    }
    read().map_or((None, text), |(zone, rest)| (Some(zone), rest))
}

/// The name of a node of OneFS, whose number stands behind it: `isi-1(id1)`.
fn one_fs_node(word: &str) -> Option<&str> {
    let (name, number) = word.strip_suffix(')')?.split_once("(id")?;
    (is_host(name) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(name)
}

/// HOSTNAME after a time, and what follows it. A word that ends like a TAG is no host name: local senders leave theirs away.
fn host(text: &str) -> (Option<&str>, &str) {
    // What syslogd of AIX and of the BSDs says itself, with its own words where the host belongs.
    if let Some((name, rest)) = text.strip_prefix("Message forwarded from ").and_then(|after| after.split_once(": ")) {
        return (Some(name), rest);
    }
    if text.starts_with("last message repeated ") {
        return (None, text);
    }
    let Some((word, rest)) = text.split_once([' ', '\t']) else { return (None, text) };
    if let Some(name) = word.strip_suffix(':') {
        let before_mnemonic = rest.trim_start().starts_with('%') && is_host(name);
        return if before_mnemonic { (Some(name), rest.trim_start()) } else { (None, text) };
    }
    if word == "-" {
        return (None, rest.trim_start());
    }
    if let Some(name) = one_fs_node(word) {
        return (Some(name), rest.trim_start());
    }
    if !is_host(word) || word.ends_with(']') || word.starts_with('%') || vendor::is_packet_engine(word) {
        return (None, text);
    }
    let rest = rest.trim_start();
    // ASA writes `host : %ASA-...`.
    (Some(word), rest.strip_prefix(": ").filter(|after| after.starts_with('%')).unwrap_or(rest))
}
