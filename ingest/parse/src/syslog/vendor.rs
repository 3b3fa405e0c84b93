//! Vendors whose messages have no TAG of RFC 3164, or write what names the message into its text.
//!
//! The first bytes tell which; no form costs a message that is not of it more than a look at them.

use super::Header;
use super::key_value;
use super::word::{is_host, read_tag};
use crate::time;

/// Reads what follows the time and host; false where it is no vendor's own form.
pub(super) fn parse(content: &str, header: &mut Header) -> bool {
    let found = match content.as_bytes() {
        [b'%', b'%', ..] => comware(content, header),
        [b'<', ..] => extreme(content, header),
        [b'0'..=b'9', ..] => palo_alto(content, header)
            .or_else(|| numbered(content, header))
            .or_else(|| netscaler(content, header))
            .or_else(|| access_point(content, header)),
        [b'C', b'E', b'F', b':', ..] | [b'L', b'E', b'E', b'F', b':', ..] => event_format(content, header),
        [b'C', b'I', b'S', b'E', b'_', ..] => identity_services(content, header),
        [b'M', b'S', b'W', ..] => snare(content, header),
        [b'S', b'e', b'v', ..] => idrac(content, header),
        [first, ..] if first.is_ascii_lowercase() => {
            let word_end = content.bytes().take(160).position(|byte| b" =,:[\t".contains(&byte)).unwrap_or(0);
            match content.as_bytes().get(word_end) {
                Some(b'=') => key_value::parse(content, header),
                Some(b',') => routeros(content, header).or_else(|| access_point(content, header)),
                Some(b' ') => after_level(content, word_end, header),
                _ => None,
            }
        }
        [b'A'..=b'Z', ..] => access_point(content, header),
        _ => None,
    };
    found.is_some()
}

fn set(header: &mut Header, app_name: &str, msg_id: &str, message: &str) -> Option<()> {
    header.syslog.app_name = app_name.to_owned();
    header.syslog.msg_id = msg_id.to_owned();
    header.syslog.message = message.to_owned();
    Some(())
}

/// Huawei VRP, H3C and HP Comware: `%%01MODULE/SEVERITY/MNEMONIC(l)[NUMBER]:TEXT`; the number and what is in parentheses may be missing.
fn comware(content: &str, header: &mut Header) -> Option<()> {
    let rest = content.strip_prefix("%%")?;
    let rest = rest.trim_start_matches(|first: char| first.is_ascii_digit());
    let (module, rest) = rest.split_once('/')?;
    let (severity, rest) = rest.split_once('/')?;
    let end = rest.find(|letter: char| !letter.is_ascii_alphanumeric() && !"_-".contains(letter))?;
    let (mnemonic, rest) = rest.split_at_checked(end)?;
    if module.is_empty() || module.len() > 64 || mnemonic.is_empty() || severity.parse::<u8>().ok()? > 7 {
        return None;
    }
    let rest = match rest.strip_prefix('(') {
        Some(inside) => inside.split_once(')')?.1,
        None => rest,
    };
    let rest = match rest.strip_prefix('[') {
        Some(inside) => {
            let (number, rest) = inside.split_once(']')?;
            header.syslog.sequence = number.parse().ok();
            rest
        }
        None => rest,
    };
    set(header, module, mnemonic, rest.trim_start_matches([':', ';']).trim_start())
}

/// Extreme EXOS without a process: `<Info:vlan.msgs.portLinkStateUp> TEXT`. The part up to the first dot is the component.
fn extreme(content: &str, header: &mut Header) -> Option<()> {
    let msg_id = exos_event(content)?;
    set(header, msg_id.split('.').next()?, msg_id, content)
}

fn exos_event(text: &str) -> Option<&str> {
    let (level, rest) = text.strip_prefix('<')?.split_once(':')?;
    let (event, _) = rest.split_once('>')?;
    let is_event = event.contains('.') && event.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_event && (3..=8).contains(&level.len()) && level.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(event)
}

/// Palo Alto: `1,2026/11/20 11:59:59,SERIAL,TYPE,SUBTYPE,...`.
fn palo_alto(content: &str, header: &mut Header) -> Option<()> {
    let mut fields = content.splitn(6, ',');
    let (first, date, _serial, kind, subtype) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let is_word = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let is_date = date.as_bytes().get(4) == Some(&b'/');
    if !is_date
        || !first.bytes().all(|byte| byte.is_ascii_digit())
        || !kind.bytes().all(|byte| byte.is_ascii_uppercase() || b"-_0123456789".contains(&byte))
    {
        return None;
    }
    is_word(kind).then_some(())?;
    set(header, kind, if is_word(subtype) { subtype } else { "" }, content)
}

/// HP ProCurve and ArubaOS-Switch: `00077 ports: TEXT`.
fn numbered(content: &str, header: &mut Header) -> Option<()> {
    let (number, rest) = content.split_once(' ')?;
    if number.len() != 5 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (module, message) = rest.split_once(':')?;
    if module.is_empty() || module.len() > 32 || module.contains(' ') {
        return None;
    }
    set(header, module, number, message.trim_start())
}

/// Ubiquiti: `f09fc2aabbcc,UAP-AC-Pro-Gen2-4.3.28+11361: hostapd: TEXT`, or model, address and version in another order.
fn access_point(content: &str, header: &mut Header) -> Option<()> {
    let (identity, rest) = content.split_once(": ").filter(|(identity, _)| identity.len() <= 96 && identity.contains(','))?;
    let is_address = |part: &str| part.len() == 12 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if identity.contains(' ') || !identity.split(',').any(is_address) {
        return None;
    }
    read_tag(rest, header);
    Some(())
}

/// ArcSight CEF and QRadar LEEF: `CEF:0|VENDOR|PRODUCT|VERSION|EVENT|...`.
fn event_format(content: &str, header: &mut Header) -> Option<()> {
    let mut fields = content.splitn(6, '|').skip(2);
    let (product, _version, event) = (fields.next()?, fields.next()?, fields.next()?);
    set(header, product, event, content)
}

/// Cisco ISE: `CISE_Passed_Authentications NUMBER PARTS PART TIME ZONE COUNTER EVENT LEVEL ...`.
fn identity_services(content: &str, header: &mut Header) -> Option<()> {
    let mut words = content.split(' ');
    let category = words.next()?;
    let event = words.nth(7).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    set(header, category, event.unwrap_or_default(), content)
}

/// Snare on Windows: fields between tabs, `MSWinEventLog CRITICALITY LOG COUNTER TIME EVENT SOURCE ...`. Its tabs may come as `#011`.
fn snare(content: &str, header: &mut Header) -> Option<()> {
    let separator = if content.contains('\t') { "\t" } else { "#011" };
    let mut fields = content.strip_prefix("MSWinEventLog")?.strip_prefix(separator)?.split(separator);
    let (counter, event, source) = (fields.nth(2)?, fields.nth(1)?, fields.next()?);
    header.syslog.sequence = counter.parse().ok();
    set(header, source, event, content)
}

/// Dell iDRAC: `Severity: X, Category: Y, MessageID: Z, Message: TEXT`.
fn idrac(content: &str, header: &mut Header) -> Option<()> {
    let (_, rest) = content.split_once("MessageID: ")?;
    let (msg_id, rest) = rest.split_once(',')?;
    let (_, message) = rest.split_once("Message: ")?;
    let category = content.split_once("Category: ").and_then(|(_, rest)| rest.split_once(',')).map_or("", |(category, _)| category);
    set(header, category, msg_id, message)
}

/// MikroTik RouterOS: `system,info,account TEXT`, its topics separated by commas, one of them the level.
fn routeros(content: &str, header: &mut Header) -> Option<()> {
    const LEVELS: [&str; 8] = ["info", "error", "warning", "critical", "debug", "packet", "raw", "notice"];
    let (topics, message) = content.split_once([' ', ':'])?;
    let is_topic =
        |topic: &str| !topic.is_empty() && topic.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if !topics.split(',').all(is_topic) || !topics.split(',').any(|topic| LEVELS.contains(&topic)) {
        return None;
    }
    set(header, topics.split(',').next()?, topics, message.trim_start())
}

/// F5 BIG-IP writes the level before the process: `notice mcpd[5678]: TEXT`.
fn after_level(content: &str, word_end: usize, header: &mut Header) -> Option<()> {
    const LEVELS: [&str; 12] =
        ["emerg", "alert", "crit", "err", "error", "warning", "warn", "notice", "info", "debug", "informational", "critical"];
    let (level, rest) = content.split_at_checked(word_end)?;
    if !LEVELS.contains(&level) {
        return None;
    }
    read_tag(rest.trim_start(), header);
    (!header.syslog.app_name.is_empty()).then_some(())
}

/// Cisco Meraki: `1 1795175999.123456789 HOST KIND TEXT`, which looks like RFC 5424.
pub(super) fn meraki(rest: &str) -> Option<Header> {
    // Most have a date here.
    if rest.as_bytes().get(4) == Some(&b'-') {
        return None;
    }
    let (seconds, rest) = rest.split_once(' ')?;
    if !seconds.contains('.') || seconds.contains('-') {
        return None;
    }
    let event_time_unix_nanos = Some(time::unix_seconds(seconds)?);
    let (host, content) = rest.split_once(' ')?;
    let (kind, message) = content.split_once(' ').unwrap_or((content, ""));
    let mut header = Header { host: is_host(host).then(|| host.to_owned()), event_time_unix_nanos, ..Header::default() };
    set(&mut header, kind, "", message)?;
    Some(header)
}

/// Citrix NetScaler behind its time and host: `0-PPE-0 : default TCP CONN_TERMINATE 1234567 0 : TEXT`.
fn netscaler(content: &str, header: &mut Header) -> Option<()> {
    let (engine, rest) = content.split_once(" : ").filter(|(engine, _)| is_packet_engine(engine))?;
    let rest = rest.trim_start();
    let mut words = rest.split(' ').filter(|word| !word.is_empty());
    let (_partition, module, event) = (words.next()?, words.next()?, words.next()?);
    let message = rest.split_once(" : ").map_or(rest, |(_, message)| message.trim_start());
    header.syslog.proc_id = engine.to_owned();
    set(header, module, event, message)
}

/// `0-PPE-0`, the packet engine of a NetScaler.
pub(super) fn is_packet_engine(word: &str) -> bool {
    word.len() <= 16 && word.contains("-PPE-")
}

/// What names a message inside its text, behind a process: Arista's and Juniper's mnemonics, numbers of F5, Aruba, Solaris and AOS-CX. It stays
/// in the text.
pub(super) fn name_in_text(message: &str) -> Option<&str> {
    match message.as_bytes() {
        [b'%', ..] => code(message),
        [b'<', ..] => exos_event(message).or_else(|| number_in_brackets(message)),
        [b'[', b'I', b'D', b' ', ..] => message.get(4..)?.split_once(' ').map(|(number, _)| number),
        [b'E', b'v', b'e', b'n', b't', b'|', ..] => message.split('|').nth(1),
        [b'0'..=b'9', ..] => error_number(message),
        [b'A'..=b'Z', ..] => upper_case_name(message),
        _ => None,
    }
}

/// `%FACILITY-SEVERITY-MNEMONIC: `, or `%NAME: ` (FRRouting).
fn code(message: &str) -> Option<&str> {
    let (code, _) = message.strip_prefix('%')?.split_once([':', ' '])?;
    let is_severity = |rest: &str| matches!(rest.as_bytes(), [b'-', b'0'..=b'7', b'-', _, ..]);
    let mnemonic = match code.match_indices('-').find(|(at, _)| code.get(*at..).is_some_and(is_severity)) {
        Some((at, _)) => code.get(at + 3..)?,
        None => code,
    };
    let is_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
    (mnemonic.len() > 2 && mnemonic.bytes().all(is_word)).then_some(mnemonic)
}

/// Aruba: `<522008> <NOTI> |authmgr| TEXT`.
fn number_in_brackets(message: &str) -> Option<&str> {
    let (number, _) = message.strip_prefix('<')?.split_once('>')?;
    ((4..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// F5: `01070638:5: TEXT`, eight hexadecimal digits and the level.
fn error_number(message: &str) -> Option<&str> {
    let (number, rest) = message.split_once(':')?;
    let is_level = matches!(rest.as_bytes(), [b'0'..=b'7', b':', ..]);
    (is_level && number.len() == 8 && number.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(number)
}

/// Juniper: `SNMP_TRAP_LINK_DOWN: TEXT`, capitals with an underscore.
fn upper_case_name(message: &str) -> Option<&str> {
    let end = message.bytes().take(80).position(|byte| !(byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'))?;
    let (name, rest) = message.split_at_checked(end)?;
    (rest.starts_with(':') && name.len() > 4 && name.contains('_')).then_some(name)
}

/// The number that FASTPATH switches (Dell N, Netgear, Ubiquiti EdgeSwitch) give: `traputil.c(721) 98 %% TEXT`.
pub(super) fn fastpath_number(message: &str) -> Option<u64> {
    const MAX_PLACE_BYTES: usize = 96;
    let (beginning, _) = message.split_at_checked(message.find('%').filter(|at| *at <= MAX_PLACE_BYTES)?)?;
    let (place, number) = beginning.strip_suffix(' ')?.rsplit_once(") ")?;
    place.contains(".c(").then(|| number.parse().ok()).flatten()
}

/// What behind a process is not its text: the number before a mnemonic (Arista's `service sequence-numbers`) is taken from it.
pub(super) fn leading_number(message: &str) -> Option<(u64, &str)> {
    if !message.as_bytes().first()?.is_ascii_digit() {
        return None;
    }
    let (number, rest) = message.split_once(": ")?;
    if !rest.starts_with('%') || !number.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some((number.parse().ok()?, rest))
}

/// Nokia SR OS behind `TMNX: `: `1234 Base PORT-WARNING-linkDown-2004 [...]: TEXT`: number and name.
pub(super) fn nokia(message: &str) -> Option<(u64, &str)> {
    let mut words = message.split(' ');
    let (number, _router, name) = (words.next()?, words.next()?, words.next()?);
    Some((number.parse().ok()?, name)).filter(|(_, name)| name.contains('-'))
}
