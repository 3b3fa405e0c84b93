//! Vendors whose messages have no TAG of RFC 3164.
//!
//! The first bytes tell which; no form costs a message that is not of it more than a look at them.

use super::Header;
use super::host::is_host;
use super::in_text::{event_format_names, exos_event};
use super::key_value;
use super::tag::read_tag;
use crate::time;

/// Reads what follows the time and host; false where it is no vendor's own form.
pub(super) fn parse(content: &str, header: &mut Header) -> bool {
    let found = match content.as_bytes() {
        [b'%', b'%', ..] => comware(content, header),
        [b'<', ..] => extreme(content, header).or_else(|| instant(content, header)),
        [b'0'..=b'9', ..] => palo_alto(content, header)
            .or_else(|| numbered(content, header))
            .or_else(|| netscaler(content, header))
            .or_else(|| access_point(content, header))
            .or_else(|| firebox(content, header)),
        [b'C', b'E', b'F', b':', ..] | [b'L', b'E', b'E', b'F', b':', ..] => event_format(content, header),
        [b'C', b'I', b'S', b'E', b'_', ..] | [b'C', b'S', b'C', b'O', b'a', b'c', b's', b'_', ..] => identity_services(content, header),
        [b'[', ..] => bracketed(content, header),
        [b'(', ..] => firebox(content, header).or_else(|| access_point(content, header)),
        [b'M', b'S', b'W', ..] => snare(content, header),
        [b'S', b'e', b'v', ..] => idrac(content, header),
        [first, ..] if first.is_ascii_lowercase() => {
            let word_end = content.bytes().take(160).position(|byte| b" =,:[\t".contains(&byte)).unwrap_or(0);
            match content.as_bytes().get(word_end) {
                Some(b'=') => key_value::parse(content, header),
                Some(b',') => routeros(content, header).or_else(|| access_point(content, header)),
                Some(b' ') => after_level(content, header).or_else(|| omni_switch(content, header)),
                _ => None,
            }
        }
        [b'A'..=b'Z', ..] => access_point(content, header).or_else(|| firebox(content, header)).or_else(|| after_level(content, header)),
        _ => None,
    };
    found.is_some()
}

/// Severities by name, as syslog.conf and vendors abbreviate them.
pub(super) const LEVELS: [&str; 12] =
    ["emerg", "alert", "crit", "err", "error", "warning", "warn", "notice", "info", "debug", "informational", "critical"];

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

/// Aruba Instant: `<192.0.2.5 02:00:00:00:00:05> cli[2345]: TEXT`, the access point's addresses before the process.
fn instant(content: &str, header: &mut Header) -> Option<()> {
    let (addresses, rest) = content.strip_prefix('<')?.split_once("> ")?;
    let (address, hardware) = addresses.split_once(' ')?;
    address.parse::<std::net::IpAddr>().ok().filter(|_| hardware.len() == 17)?;
    read_tag(rest.trim_start(), header);
    Some(())
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

/// Ubiquiti: `f09fc2aabbcc,UAP-AC-Pro-Gen2-4.3.28+11361: hostapd: TEXT`, or model, address and version in another order, or these as
/// `("U7PG2,f09fc2aabbcc,v4.0.80.10875") hostapd: TEXT`.
fn access_point(content: &str, header: &mut Header) -> Option<()> {
    let (identity, rest) = match content.strip_prefix("(\"") {
        Some(quoted) => quoted.split_once("\") ")?,
        None => content.split_once(": ")?,
    };
    let is_address = |part: &str| part.len() == 12 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    if identity.len() > 96 || identity.contains(' ') || !identity.contains(',') || !identity.split(',').any(is_address) {
        return None;
    }
    read_tag(rest, header);
    Some(())
}

/// ArcSight CEF and QRadar LEEF: `CEF:0|VENDOR|PRODUCT|VERSION|EVENT|...`.
fn event_format(content: &str, header: &mut Header) -> Option<()> {
    let (product, event) = event_format_names(content)?;
    set(header, product, event, content)
}

/// Cisco ISE: `CISE_Passed_Authentications NUMBER PARTS PART TIME ZONE COUNTER EVENT LEVEL ...`; ACS, before it, with a colon.
fn identity_services(content: &str, header: &mut Header) -> Option<()> {
    let mut words = content.split(' ');
    let category = words.next()?;
    let event = words.nth(7).filter(|word| word.bytes().all(|byte| byte.is_ascii_digit()));
    set(header, category.trim_end_matches(':'), event.unwrap_or_default(), content)
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

/// F5 BIG-IP writes the level before the process: `notice mcpd[5678]: TEXT`, and Radware Alteon in capitals: `NOTICE  slb: TEXT`.
fn after_level(content: &str, header: &mut Header) -> Option<()> {
    let (level, rest) = content.split_once(' ')?;
    let is_in_capitals = level.bytes().all(|byte| byte.is_ascii_uppercase());
    if !LEVELS.iter().any(|name| *name == level || is_in_capitals && name.eq_ignore_ascii_case(level)) {
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

/// IBM DataPower: `[DOMAIN][0x88c00002][apigw][error] TEXT`, NetApp ONTAP, and Radware DefensePro: `[Device: NAME ADDRESS] M_20000: TEXT`.
fn bracketed(content: &str, header: &mut Header) -> Option<()> {
    if let Some(rest) = content.strip_prefix("[Device: ") {
        let (device, rest) = rest.split_once("] ")?;
        let (event, message) = rest.split_once(": ").filter(|(event, _)| event.starts_with("M_"))?;
        let device = device.split(' ').next().filter(|name| is_host(name))?;
        header.host.get_or_insert_with(|| device.to_owned());
        return set(header, "DefensePro", event, message);
    }
    if let Some((node, event, message)) = ontap(content) {
        header.host.get_or_insert_with(|| node.to_owned());
        return set(header, "", event, message);
    }
    let (_domain, rest) = content.split_once("][0x")?;
    let (code, rest) = rest.split_once("][")?;
    let (category, _) = rest.split_once(']')?;
    let is_code = code.len() == 8 && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_code.then_some(())?;
    set(header, category, &format!("0x{code}"), content)
}

/// NetApp ONTAP's event management: `[NODE:monitor.globalStatus.ok:info]: TEXT`, in older ones a space before the event.
fn ontap(content: &str) -> Option<(&str, &str, &str)> {
    let (name, message) = content.strip_prefix('[')?.split_once("]: ")?;
    let (node, name) = name.split_once(':').filter(|(node, _)| is_host(node))?;
    let (event, level) = name.trim_start().rsplit_once(':')?;
    let is_event = event.contains('.') && event.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_event && level.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some((node, event, message))
}

/// WatchGuard Firebox: `[SERIAL ](2026-11-20T11:59:58) http-proxy[2122]: TEXT`.
fn firebox(content: &str, header: &mut Header) -> Option<()> {
    let (serial, rest) = content.split_once('(')?;
    if serial.len() > 24 || !serial.trim_end().bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()) {
        return None;
    }
    let (own_time, rest) = rest.split_once(") ")?;
    time::rfc3339(own_time)?;
    read_tag(rest, header);
    (!header.syslog.app_name.is_empty()).then_some(())
}

/// Alcatel-Lucent OmniSwitch, AOS 8: `swlogd intfNi Mgr EVENT: TEXT`, without a colon behind the process.
fn omni_switch(content: &str, header: &mut Header) -> Option<()> {
    set(header, "swlogd", "", content.strip_prefix("swlogd ")?)
}
