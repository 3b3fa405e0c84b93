//! What names a message inside its text, behind a TAG or in the MSG of RFC 5424: mnemonics and numbers of vendors. Unless told otherwise it stays
//! in the text.

use super::Header;
use super::host::is_host;
use super::key_value;

/// Takes msg_id, and a number that the sender gave, from the text.
pub(super) fn name(header: &mut Header) {
    if let Some((number, rest)) = leading_number(&header.syslog.message) {
        header.syslog.sequence = Some(number);
        header.syslog.message = rest.to_owned();
    }
    if let Some(number) = fastpath_number(&header.syslog.message) {
        header.syslog.sequence = Some(number);
    }
    if header.syslog.msg_id.is_empty() {
        msg_id(header);
    }
}

fn msg_id(header: &mut Header) {
    let Header { host, syslog, .. } = header;
    let message = syslog.message.as_str();
    let numbered = match syslog.app_name.as_str() {
        "TMNX" => nokia(message),
        "raslogd" => fabric_os(message),
        _ => None,
    };
    if let Some((number, name)) = numbered {
        syslog.sequence = number;
        syslog.msg_id = name.to_owned();
    } else if let Some((device, name)) = screen_os(message) {
        syslog.app_name = "NetScreen".to_owned();
        syslog.msg_id = name.to_owned();
        host.get_or_insert_with(|| device.to_owned());
    } else if let Some((product, event)) = event_format_names(message) {
        // Behind a process whose name may have a number of its own.
        syslog.app_name = product.to_owned();
        syslog.msg_id = event.to_owned();
    } else if let Some(name) = name_in_text(message) {
        syslog.msg_id = name.to_owned();
    }
}

/// What the first bytes of a text show.
fn name_in_text(message: &str) -> Option<&str> {
    match message.as_bytes() {
        [b'%', ..] => code(message),
        [b'<', ..] => exos_event(message).or_else(|| number_in_brackets(message)),
        [b'[', b'I', b'D', b' ', ..] => message.get(4..)?.split_once(' ').map(|(number, _)| number),
        [b'E', b'v', b'e', b'n', b't', b'|', ..] => message.split('|').nth(1),
        [b'0'..=b'9', ..] => error_number(message),
        [b'A'..=b'Z', ..] => upper_case_name(message),
        [b'm', b's', b'g', b'_', b'i', b'd', b'=', ..] => key_value::value(message, "msg_id"),
        [b'i', b'd', b'=', ..] => key_value::value(message, "msg").and_then(secure_connect),
        [b'i', b'v', b'e', b' ', b'|', ..] => message.split(" | ").nth(2),
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

/// Extreme EXOS: `<Info:vlan.msgs.portLinkStateUp> TEXT`.
pub(super) fn exos_event(text: &str) -> Option<&str> {
    let (level, rest) = text.strip_prefix('<')?.split_once(':')?;
    let (event, _) = rest.split_once('>')?;
    let is_event = event.contains('.') && event.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    (is_event && (3..=8).contains(&level.len()) && level.bytes().all(|byte| byte.is_ascii_alphabetic())).then_some(event)
}

/// PRODUCT and EVENT of a text in CEF or LEEF.
pub(super) fn event_format_names(text: &str) -> Option<(&str, &str)> {
    if !text.starts_with("CEF:") && !text.starts_with("LEEF:") {
        return None;
    }
    let mut fields = text.splitn(6, '|').skip(2);
    let (product, _version, event) = (fields.next()?, fields.next()?, fields.next()?);
    Some((product, event))
}

/// Aruba: `<522008> <NOTI> |authmgr| TEXT`.
fn number_in_brackets(message: &str) -> Option<&str> {
    let (number, _) = message.strip_prefix('<')?.split_once('>')?;
    ((4..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// F5: `01070638:5: TEXT`, eight hexadecimal digits and the level.
fn error_number(message: &str) -> Option<&str> {
    let (number, rest) = message.split_at_checked(8)?;
    let is_level = matches!(rest.as_bytes(), [b':', b'0'..=b'7', b':', ..]);
    (is_level && number.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(number)
}

/// Juniper: `SNMP_TRAP_LINK_DOWN: TEXT`, capitals with an underscore.
fn upper_case_name(message: &str) -> Option<&str> {
    let end = message.bytes().take(80).position(|byte| !(byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'))?;
    let (name, rest) = message.split_at_checked(end)?;
    (rest.starts_with(':') && name.len() > 4 && name.contains('_')).then_some(name)
}

/// The number that FASTPATH switches (Dell N, Netgear, Ubiquiti EdgeSwitch) give: `traputil.c(721) 98 %% TEXT`.
fn fastpath_number(message: &str) -> Option<u64> {
    const MAX_PLACE_BYTES: usize = 96;
    let (beginning, _) = message.split_at_checked(memchr::memchr(b'%', &message.as_bytes()[..message.len().min(MAX_PLACE_BYTES + 1)])?)?;
    let (place, number) = beginning.strip_suffix(' ')?.rsplit_once(") ")?;
    place.contains(".c(").then(|| number.parse().ok()).flatten()
}

/// What behind a process is not its text and is taken from it: the number before a mnemonic (Arista's `service sequence-numbers`) is taken from it.
fn leading_number(message: &str) -> Option<(u64, &str)> {
    let (number, rest) = message.split_at_checked(message.bytes().position(|byte| !byte.is_ascii_digit()).filter(|end| *end > 0)?)?;
    let rest = rest.strip_prefix(": ").filter(|rest| rest.starts_with('%'))?;
    Some((number.parse().ok()?, rest))
}

/// Nokia SR OS behind `TMNX: `: `1234 Base PORT-WARNING-linkDown-2004 [...]: TEXT`: number and name.
fn nokia(message: &str) -> Option<(Option<u64>, &str)> {
    let mut words = message.split(' ');
    let (number, _router, name) = (words.next()?, words.next()?, words.next()?);
    Some((Some(number.parse().ok()?), name)).filter(|(_, name)| name.contains('-'))
}

/// Brocade Fabric OS behind `raslogd: `: `2026/11/20-11:59:58, [FW-1424], 5142, ...`; an audit has no number.
fn fabric_os(message: &str) -> Option<(Option<u64>, &str)> {
    let mut fields = message.split(", ").skip_while(|field| !field.starts_with('[')).take(2);
    let name = fields.next()?.strip_prefix('[')?.strip_suffix(']')?;
    Some((fields.next().and_then(|number| number.parse().ok()), name))
}

/// Juniper ScreenOS: `NetScreen device_id=fw9  [Root]system-notification-00257(traffic): ...`: device and name.
fn screen_os(message: &str) -> Option<(&str, &str)> {
    let (device, rest) = message.strip_prefix("NetScreen device_id=")?.split_once(' ')?;
    let (_, name) = rest.trim_start().strip_prefix('[')?.split_once(']')?;
    let name = name.get(..name.find(['(', ':'])?)?;
    (name.len() <= 64 && is_host(device)).then_some((device, name))
}

/// Pulse (Ivanti) Connect Secure: `AUT23457: TEXT` as the value of `msg`.
fn secure_connect(msg: &str) -> Option<&str> {
    let (name, _) = msg.split_once(':')?;
    let is_name = (4..=12).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    is_name.then_some(name)
}
