//! Firewalls that write everything as `key=value`: Fortinet, SonicWall, Sophos, Stormshield.

use super::Header;
use super::host::is_host;
use super::timestamp;
use crate::time;

/// Reads a line of pairs; `None` where it is none of theirs.
pub(super) fn parse(content: &str, header: &mut Header) -> Option<()> {
    match content.split_once('=')?.0 {
        "date" | "logver" | "devname" | "eventtime" | "timestamp" => fortinet(content, header),
        "id" => sonicwall(content, header).or_else(|| stormshield(content, header)),
        "device" | "device_name" => sophos(content, header),
        _ => None,
    }
}

/// `date=2026-11-20 time=11:59:59 devname="fw1" eventtime=1795175999123456789 tz="+0100" logid="0000000013" type="traffic" ...`
fn fortinet(content: &str, header: &mut Header) -> Option<()> {
    let log_id = value(content, "logid").or_else(|| value(content, "log_id"))?;
    let own_name = value(content, "devname").or_else(|| value(content, "device_id"));
    header.host = own_name.filter(|name| is_host(name)).map(str::to_owned).or(header.host.take());
    header.set_own_time(fortinet_time(content), value(content, "eventtime").or(value(content, "tz")).is_none());
    header.syslog.app_name = value(content, "type").unwrap_or_default().to_owned();
    header.syslog.msg_id = log_id.to_owned();
    header.syslog.message = content.to_owned();
    Some(())
}

/// `eventtime` counts from 1970, in seconds or, since FortiOS 6.2, nanoseconds; without it date and time are those of the zone `tz`.
fn fortinet_time(content: &str) -> Option<u64> {
    if let Some(digits) = value(content, "eventtime") {
        let (seconds, fraction) = digits.split_at_checked(10).unwrap_or((digits, ""));
        return time::unix_seconds(&format!("{seconds}.{fraction}"));
    }
    local_time(content, value(content, "tz").unwrap_or_default())
}

/// `date` and `time`, which are those of a zone at this offset; UTC where it is empty.
fn local_time(content: &str, offset: &str) -> Option<u64> {
    time::rfc3339(&format!("{}T{}{offset}", value(content, "date")?, value(content, "time")?))
}

/// `id=firewall sn=0017C5000000 time="2026-11-20 11:59:59 UTC" fw=192.0.2.1 pri=6 c=1024 m=97 ...`
fn sonicwall(content: &str, header: &mut Header) -> Option<()> {
    let (id, event) = (value(content, "id")?, value(content, "m")?);
    let firewall = value(content, "fw")?;
    header.host = header.host.take().or_else(|| is_host(firewall).then(|| firewall.to_owned()));
    if let Some((time, _)) = value(content, "time").and_then(|text| timestamp::parse(text, 0)) {
        header.set_own_time(time.unix_nanos, time.is_zone_missing);
    }
    header.syslog.app_name = id.to_owned();
    header.syslog.msg_id = event.to_owned();
    header.syslog.message = content.to_owned();
    Some(())
}

/// `id=firewall time="2026-11-20 12:59:59" fw="SN310A17B0123A7" tz=+0100 startime="..." pri=4 ... alarmid=56 logtype="alarm"`
fn stormshield(content: &str, header: &mut Header) -> Option<()> {
    let (log_type, firewall) = (value(content, "logtype")?, value(content, "fw")?);
    let own_time = time::rfc3339(&format!("{}{}", value(content, "time")?.replacen(' ', "T", 1), value(content, "tz")?));
    header.host = header.host.take().or_else(|| is_host(firewall).then(|| firewall.to_owned()));
    header.set_own_time(own_time, false);
    header.syslog.app_name = log_type.to_owned();
    header.syslog.msg_id = value(content, "alarmid").unwrap_or_default().to_owned();
    header.syslog.message = content.to_owned();
    Some(())
}

/// `device="SFW" date=2026-11-20 time=11:59:59 timezone="CET" device_name="XG1" log_id=010101600001 log_type="Firewall" ...`, or
/// `device_name="XG1" timestamp="2026-11-20T11:59:59+0100" ...`.
fn sophos(content: &str, header: &mut Header) -> Option<()> {
    let log_id = value(content, "log_id")?;
    let name = value(content, "device_name").filter(|name| is_host(name));
    header.host = header.host.take().or_else(|| name.map(str::to_owned));
    let zone_seconds = value(content, "timezone").and_then(super::zone::offset_seconds).unwrap_or_default();
    let own_time = value(content, "timestamp")
        .and_then(time::rfc3339)
        .or_else(|| local_time(content, "")?.checked_add_signed(-i64::from(zone_seconds) * 1_000_000_000));
    header.set_own_time(own_time, value(content, "timezone").or(value(content, "timestamp")).is_none());
    header.syslog.app_name = value(content, "log_type").unwrap_or_default().to_owned();
    header.syslog.msg_id = log_id.to_owned();
    header.syslog.message = content.to_owned();
    Some(())
}

/// The value of a key, without its quotes.
pub(crate) fn value<'a>(content: &'a str, key: &str) -> Option<&'a str> {
    let is_start = |at: usize| at == 0 || content.as_bytes().get(at - 1).is_some_and(|before| b" ,\t".contains(before));
    let found = content.match_indices(key).find(|(at, _)| is_start(*at) && content.as_bytes().get(at + key.len()) == Some(&b'='))?.0;
    let rest = content.get(found + key.len() + 1..)?;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').map(|(value, _)| value),
        None => Some(rest.split([' ', ',', '\t']).next().unwrap_or_default()),
    }
}
