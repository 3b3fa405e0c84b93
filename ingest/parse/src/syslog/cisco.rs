//! Cisco's `[SEQUENCE: ][NAME: ][TIME: ]%FACILITY-SEVERITY-MNEMONIC: CONTENT`, as IOS, IOS-XE, IOS-XR, NX-OS, ASA and FTD write it: alone, or
//! behind the header of a relay; IOS-XR puts its process before `%`. Every part before `%` is optional and IOS may give two sequence numbers, its own and the sender's.

use super::Header;
use super::host::is_host;
use super::timestamp;

/// Reads what follows PRI; `None` where it is nothing of Cisco's.
pub(super) fn parse(text: &str, received_at_unix_nanos: u64) -> Option<Header> {
    // NX-OS and FTD write a colon where IOS has a sequence number.
    let text = text.trim_start_matches([':', ' ']);
    let mnemonic_start = if text.starts_with('%') { 0 } else { mnemonic_start(text)? };
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

/// Reads what follows a relay's header. A name that stands there without a time is a process of another vendor (Arista), numbered or not.
pub(super) fn parse_relayed(text: &str, received_at_unix_nanos: u64) -> Option<Header> {
    let header = parse(text, received_at_unix_nanos)?;
    (header.host.is_none() || header.event_time_unix_nanos.is_some()).then_some(header)
}

/// Where `%` follows a colon and spaces; it stands near the beginning.
fn mnemonic_start(text: &str) -> Option<usize> {
    const MAX_PREFIX_BYTES: usize = 160;
    let starts = text.match_indices('%').map(|(at, _)| at).take_while(|at| *at <= MAX_PREFIX_BYTES);
    starts.into_iter().find(|at| text.get(..*at).is_some_and(|before| before.ends_with(' ') && before.trim_end().ends_with(':')))
}

/// Whether there is a sequence number or a time; `None` where a part is none that Cisco writes.
fn read_prefix(prefix: &str, received_at_unix_nanos: u64, header: &mut Header) -> Option<bool> {
    let mut is_known = false;
    for part in prefix.split(": ").map(str::trim).filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            header.syslog.sequence = part.parse().ok();
            is_known = true;
        } else if is_uptime(part) {
            is_known = true;
        } else if let Some(time) = timestamp::alone(part, received_at_unix_nanos) {
            header.set_time(time);
            is_known = true;
        } else if let Some((node, time)) =
            part.split_once(':').and_then(|(node, time)| Some((node, timestamp::alone(time, received_at_unix_nanos)?)))
        {
            // IOS-XR: `[HOST ]RP/0/RSP0/CPU0:TIME`.
            header.set_time(time);
            header.host = node.split_once(' ').map(|(host, _)| host.to_owned());
            is_known = true;
        } else if let Some((process, proc_id)) = part.strip_suffix(']').and_then(|process| process.split_once('['))
            && !part.contains(' ')
        {
            header.syslog.app_name = process.to_owned();
            header.syslog.proc_id = proc_id.to_owned();
        } else if let Some(task) = part.strip_prefix('*').filter(|task| !task.contains(' ')) {
            // AireOS: the task of a wireless controller.
            header.syslog.proc_id = task.to_owned();
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

/// `%FACILITY[-SUBFACILITY]-SEVERITY-MNEMONIC: ` becomes app_name and msg_id. Behind a process of IOS-XR, which is app_name, it stays in the text.
fn read_mnemonic(text: &str, header: &mut Header) -> Option<()> {
    let text = without_place(text);
    let code = text.strip_prefix('%')?;
    // APIC ends it with a space alone.
    let (code, message) = code.split_at_checked(code.find([':', ' '])?)?;
    let message = message.trim_start().trim_start_matches(':');
    let is_severity = |rest: &str| matches!(rest.as_bytes(), [b'-', b'0'..=b'7', b'-', ..]);
    let severity_start = code.match_indices('-').map(|(at, _)| at).find(|at| code.get(*at..).is_some_and(is_severity))?;
    let (facility, mnemonic) = (code.get(..severity_start)?, code.get(severity_start + 3..)?);
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if !is_word(facility) || !is_word(mnemonic) {
        return None;
    }
    header.syslog.msg_id = mnemonic.to_owned();
    if header.syslog.app_name.is_empty() {
        header.syslog.app_name = facility.to_owned();
        header.syslog.message = message.trim_start().to_owned();
    } else {
        header.syslog.message = text.to_owned();
    }
    Some(())
}

/// `%$ VDC-1 %$ %...` of Nexus 7000 and `%STKUNIT0-M:CP %...` of Dell: what stands before the mnemonic begins like one.
fn without_place(text: &str) -> &str {
    let is_place = text.starts_with("%$") || text.starts_with("%STKUNIT") || text.starts_with("%SYSTEM-P");
    let last = || text.match_indices(" %").map(|(at, _)| at + 1).take_while(|at| *at < 48).last();
    if is_place { last().and_then(|at| text.get(at..)).unwrap_or(text) } else { text }
}
