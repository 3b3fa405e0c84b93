//! Made-up traffic: what a network's devices might say, numbered, reproducible by its seed.
//!
//! Every message carries `seq=000001` and counting, so that a loss can be named, and has exactly the size that was asked for.

use std::io::Write;

use super::dhcp;
use super::target::{MAX_DATAGRAM_BYTES, Target};
use crate::Failure;

/// Makes messages. Message `index` is the same for the same fields, but for its time.
#[derive(Debug)]
pub struct Generator {
    /// Number of messages.
    pub count: u64,
    /// Where they go; decides what they are.
    pub target: Target,
    /// Bytes of each payload.
    size: usize,
    /// Device names used in turn, from `gen-0001`.
    sources: u32,
    seed: u64,
    /// Words to pad with; each message takes another stretch, so that compression has something to do.
    padding: Vec<u8>,
}

/// facility (RFC 5424 table 1), severity (table 2), APP-NAME, MSGID, text.
const SYSLOG_LINES: &[(u8, u8, &str, &str, &str)] = &[
    (4, 6, "sshd", "-", "Accepted publickey for operator from 192.0.2.17 port 50022 ssh2"),
    (4, 5, "sshd", "-", "Failed password for invalid user admin from 198.51.100.9 port 41812 ssh2"),
    (0, 4, "kernel", "-", "eth0: NIC link is down"),
    (0, 6, "kernel", "-", "eth0: NIC link is up 10000 Mbps full duplex"),
    (3, 6, "dhcpd", "-", "DHCPACK on 192.0.2.131 to 00:00:5e:00:53:1f via eth1"),
    (9, 6, "CRON", "-", "(root) CMD (/usr/lib/sysstat/sa1 1 1)"),
    (23, 3, "LINK", "UPDOWN", "Interface GigabitEthernet1/0/24, changed state to down"),
    (23, 5, "LINEPROTO", "UPDOWN", "Line protocol on interface GigabitEthernet1/0/24, changed state to up"),
    (23, 4, "OSPF", "ADJCHG", "Process 1, neighbor 192.0.2.254 on Vlan20 from FULL to DOWN, dead timer expired"),
    (16, 6, "haproxy", "-", "backend web/srv3 200 1523 0/0/1/4/5 ---- 12/12/0/0/0 0/0"),
];

/// check, severity, text.
const ALERT_UPDATES: &[(&str, &str, &str)] = &[
    ("node", "critical", "node does not answer"),
    ("fan", "minor", "fan 2 turns at 900 rpm"),
    ("disk", "major", "array md0 is degraded"),
    ("load", "warning", "load average 41.2 on 16 cores"),
];

const WORDS: &[&str] = &[
    "queue", "latency", "retry", "peer", "session", "timeout", "buffer", "route", "prefix", "port", "vlan", "lease", "probe", "link",
    "frame", "packet", "carrier", "window", "segment", "token",
];

impl Generator {
    /// A generator of `count` messages of `size` bytes that name `sources` devices in turn. Refused: a size that the fields in front
    /// of the text alone exceed, or that no datagram holds.
    pub fn new(target: Target, count: u64, size: usize, sources: u32, seed: u64) -> Result<Self, Failure> {
        if target == Target::DhcpUdp {
            return Ok(Self { count, target, size: 0, sources, seed, padding: Vec::new() });
        }
        if target == Target::SnmpUdp {
            return Err(Failure::usage(
                "--generate makes no traps",
                "give an events file with lines {\"trap\": {...}}; \"repeat\" and --full-speed make load of it",
            ));
        }
        let mut generator = Self { count, target, size: 0, sources, seed, padding: padding(seed, size) };
        let kinds = SYSLOG_LINES.len().max(ALERT_UPDATES.len());
        let minimum = (0..kinds).map(|kind| generator.fixed_part(kind, count, "2026-11-20T12:00:00.123456Z").len()).max().unwrap_or(0);
        if size < minimum {
            return Err(Failure::usage(
                format!("--size {size} is too small for {}: its fields alone take {minimum} bytes", target.name()),
                format!("give --size {minimum} or more"),
            ));
        }
        if target.is_datagram() && size > MAX_DATAGRAM_BYTES {
            return Err(Failure::usage(
                format!("--size {size} is more than a datagram holds"),
                format!("give --size {MAX_DATAGRAM_BYTES} or less, or send to syslog-tcp"),
            ));
        }
        generator.size = size;
        Ok(generator)
    }

    /// Appends message `index` (from 0); `now` is its time, RFC 3339.
    pub fn write(&self, index: u64, now: &str, payload: &mut Vec<u8>) {
        let start = payload.len();
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
        match self.target {
            Target::AlertUdp => {
                // A device's trouble stays the same from update to update, so that N sources make N alerts.
                let kind = (index % u64::from(self.sources)) as usize;
                self.write_alert_head(kind, index, now, payload);
                let text = ALERT_UPDATES[kind % ALERT_UPDATES.len()].2;
                self.fill(text, self.size.saturating_sub(payload.len() - start + 2), &mut random, payload);
                payload.extend_from_slice(b"\"}");
            }
            Target::SyslogUdp | Target::SyslogTcp => {
                let kind = random.usize(..SYSLOG_LINES.len());
                self.write_syslog_head(kind, index, now, payload);
                let text = SYSLOG_LINES[kind].4;
                self.fill(text, self.size.saturating_sub(payload.len() - start), &mut random, payload);
            }
            Target::DhcpUdp => {
                let packet = dhcp::generated(index, self.sources).bytes();
                payload.extend_from_slice(&packet.expect("generated packets have fields that can be sent"));
            }
            Target::SnmpUdp => {}
        }
    }

    /// What a message of this kind has besides its text.
    fn fixed_part(&self, kind: usize, index: u64, now: &str) -> Vec<u8> {
        let mut payload = Vec::new();
        match self.target {
            Target::AlertUdp => {
                self.write_alert_head(kind, index, now, &mut payload);
                payload.extend_from_slice(b"\"}");
            }
            Target::SyslogUdp | Target::SyslogTcp => self.write_syslog_head(kind % SYSLOG_LINES.len(), index, now, &mut payload),
            Target::DhcpUdp | Target::SnmpUdp => {}
        }
        payload
    }

    fn write_syslog_head(&self, kind: usize, index: u64, now: &str, payload: &mut Vec<u8>) {
        let (facility, severity, app_name, msg_id, _) = SYSLOG_LINES[kind];
        let priority = u16::from(facility) * 8 + u16::from(severity);
        let (device, sequence) = (self.device(index), index + 1);
        // Each device counts its own. RFC 5424 7.3.1: sequenceId wraps to 1 after 2147483647.
        let sequence_id = index / u64::from(self.sources) % 2_147_483_647 + 1;
        write!(
            payload,
            "<{priority}>1 {now} gen-{device:04} {app_name} 4711 {msg_id} [meta sequenceId=\"{sequence_id}\"] seq={sequence:06}"
        )
        .expect("writing to memory does not fail");
    }

    fn write_alert_head(&self, kind: usize, index: u64, now: &str, payload: &mut Vec<u8>) {
        let (check, severity, _) = ALERT_UPDATES[kind % ALERT_UPDATES.len()];
        let (device, sequence) = (self.device(index), index + 1);
        write!(
            payload,
            r#"{{"action":"update","source":"tocsin-send","device":"gen-{device:04}","check":"{check}","severity":"{severity}","time":"{now}","summary":"seq={sequence:06}"#
        )
        .expect("writing to memory does not fail");
    }

    /// Counts from 1.
    fn device(&self, index: u64) -> u64 {
        index % u64::from(self.sources) + 1
    }

    /// Appends ` text`, then words, `length` bytes in all.
    fn fill(&self, text: &str, length: usize, random: &mut fastrand::Rng, payload: &mut Vec<u8>) {
        let start = payload.len();
        for piece in [" ", text, " "] {
            let room = length - (payload.len() - start);
            payload.extend_from_slice(&piece.as_bytes()[..piece.len().min(room)]);
        }
        let room = length - (payload.len() - start);
        let from = random.usize(..self.padding.len() - room);
        payload.extend_from_slice(&self.padding[from..from + room]);
    }
}

/// Words enough to cut any stretch of `size` bytes from.
fn padding(seed: u64, size: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut padding = Vec::new();
    while padding.len() < size + 8192 {
        padding.extend_from_slice(WORDS[random.usize(..WORDS.len())].as_bytes());
        padding.push(b' ');
    }
    padding
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    const NOW: &str = "2026-11-20T12:00:00.123456Z";

    fn messages(target: Target, count: u64, size: usize, sources: u32, seed: u64) -> Vec<String> {
        let generator = Generator::new(target, count, size, sources, seed).unwrap();
        let message = |index| {
            let mut payload = Vec::new();
            generator.write(index, NOW, &mut payload);
            String::from_utf8(payload).unwrap()
        };
        (0..count).map(message).collect()
    }

    #[test]
    fn every_message_has_the_size_that_was_asked_for_and_its_number() {
        for (target, size) in [(Target::SyslogUdp, 200), (Target::SyslogTcp, 70_000), (Target::AlertUdp, 512), (Target::SyslogUdp, 110)] {
            for (index, message) in messages(target, 100, size, 3, 1).iter().enumerate() {
                assert_eq!(message.len(), size, "{message}");
                assert!(message.contains(&format!("seq={:06}", index + 1)), "{message}");
            }
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_traffic_and_another_seed_does_not() {
        let made = |seed| messages(Target::SyslogUdp, 50, 300, 5, seed);
        assert_eq!(made(7), made(7));
        assert_ne!(made(7), made(8));
    }

    #[test]
    fn sources_are_distinct_devices_used_in_turn() {
        let devices: BTreeSet<String> =
            messages(Target::SyslogUdp, 40, 200, 7, 1).iter().map(|message| message.split(' ').nth(2).unwrap().to_owned()).collect();
        assert_eq!(devices.len(), 7);
        assert!(devices.contains("gen-0001") && devices.contains("gen-0007"));
    }

    #[test]
    fn a_generated_alert_is_json_and_one_device_has_one_alert() {
        let mut checks = BTreeSet::new();
        for message in messages(Target::AlertUdp, 90, 300, 9, 1) {
            let update: serde_json::Value = serde_json::from_str(&message).unwrap();
            assert_eq!(update["time"], NOW);
            checks.insert((update["device"].to_string(), update["check"].to_string()));
        }
        assert_eq!(checks.len(), 9);
    }

    #[test]
    fn a_size_that_cannot_be_met_is_refused_with_one_that_can() {
        let failure = Generator::new(Target::SyslogUdp, 10, 20, 1, 1).unwrap_err().to_string();
        let remedy: usize = failure.rsplit_once("--size ").unwrap().1.split(' ').next().unwrap().parse().unwrap();
        assert!(messages(Target::SyslogUdp, 10, remedy, 1, 1).iter().all(|message| message.len() == remedy));
        assert!(Generator::new(Target::SyslogUdp, 10, 65_508, 1, 1).is_err());
    }
}
