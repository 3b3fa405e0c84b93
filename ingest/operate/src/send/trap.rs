//! SNMP traps of an events file as the datagrams that a device would send, version 2c.

use std::net::Ipv4Addr;
use std::sync::OnceLock;

use serde::Deserialize;
use tocsin_snmp::Oid;
use tocsin_snmp::names::Names;
use tocsin_snmp::pdu::{CommunityMessage, Kind, Pdu, Value, Varbind};

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
const TYPES: &str = "INTEGER, OCTET STRING, OBJECT IDENTIFIER, IpAddress, Counter32, Gauge32, TimeTicks or Counter64";

/// `trap` of a line. OIDs are dotted numbers or names of the shipped table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trap {
    oid: String,
    #[serde(default = "public")]
    community: String,
    #[serde(default)]
    uptime_centiseconds: u32,
    #[serde(default)]
    varbinds: Vec<TrapVarbind>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrapVarbind {
    oid: String,
    r#type: String,
    value: serde_json::Value,
}

fn public() -> String {
    "public".to_owned()
}

impl Trap {
    /// The datagram.
    pub fn bytes(&self) -> Result<Vec<u8>, String> {
        let names = names()?;
        let contents = self.varbinds.iter().map(|varbind| varbind.content(names)).collect::<Result<Vec<_>, _>>()?;
        let mut varbinds = vec![
            Varbind { oid: Oid::new(&SYS_UP_TIME), value: Value::TimeTicks(self.uptime_centiseconds.into()) },
            Varbind { oid: Oid::new(&SNMP_TRAP_OID), value: Value::Oid(names.oid(&self.oid)?) },
        ];
        varbinds.extend(contents.iter().map(|(oid, content)| Varbind { oid: oid.clone(), value: content.value() }));
        Ok(CommunityMessage::write(false, self.community.as_bytes(), &Pdu::new(Kind::Trap, 1, varbinds).write()))
    }
}

/// A value that owns its octets.
enum Content {
    Number(Value<'static>),
    Octets(Vec<u8>),
    Address([u8; 4]),
}

impl Content {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Number(value) => value.clone(),
            Self::Octets(octets) => Value::Octets(octets),
            Self::Address(octets) => Value::IpAddress(octets),
        }
    }
}

impl TrapVarbind {
    fn content(&self, names: &Names) -> Result<(Oid, Content), String> {
        let wrong = || format!("varbind {}: {} is no {}", self.oid, self.value, self.r#type);
        let number = || self.value.as_u64().ok_or_else(wrong);
        let text = || self.value.as_str().ok_or_else(wrong);
        let content = match self.r#type.as_str() {
            "INTEGER" => Content::Number(Value::Integer(self.value.as_i64().ok_or_else(wrong)?)),
            "Counter32" => Content::Number(Value::Counter32(number()?)),
            "Gauge32" => Content::Number(Value::Gauge32(number()?)),
            "TimeTicks" => Content::Number(Value::TimeTicks(number()?)),
            "Counter64" => Content::Number(Value::Counter64(number()?)),
            "OBJECT IDENTIFIER" => Content::Number(Value::Oid(names.oid(text()?)?)),
            "IpAddress" => Content::Address(text()?.parse::<Ipv4Addr>().map_err(|_| wrong())?.octets()),
            "OCTET STRING" => Content::Octets(octets(text()?).ok_or_else(wrong)?),
            other => return Err(format!("varbind {}: type {other:?}; use {TYPES}", self.oid)),
        };
        Ok((names.oid(&self.oid)?, content))
    }
}

/// Text as it is, or the bytes of `0x` and hexadecimal digits.
fn octets(text: &str) -> Option<Vec<u8>> {
    let Some(digits) = text.strip_prefix("0x") else { return Some(text.as_bytes().to_vec()) };
    let pair = |pair: &[u8]| std::str::from_utf8(pair).ok().filter(|_| pair.len() == 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    digits.as_bytes().chunks(2).map(pair).collect()
}

fn names() -> Result<&'static Names, String> {
    static NAMES: OnceLock<Result<Names, String>> = OnceLock::new();
    NAMES.get_or_init(|| Names::shipped().map_err(|error| error.to_string())).as_ref().map_err(Clone::clone)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tocsin_snmp::{OwnEngine, Receiver};
    use tocsin_wire::Body;

    use super::*;

    #[test]
    fn a_trap_is_received_as_it_stands_in_the_file() {
        let json = r#"{"oid": "IF-MIB::linkDown", "uptime_centiseconds": 42, "varbinds": [
            {"oid": "IF-MIB::ifOperStatus.3", "type": "INTEGER", "value": 2},
            {"oid": "1.3.6.1.4.1.32473.1", "type": "OCTET STRING", "value": "0x00ff"},
            {"oid": "1.3.6.1.4.1.32473.2", "type": "IpAddress", "value": "192.0.2.1"}]}"#;
        let datagram = serde_json::from_str::<Trap>(json).unwrap().bytes().unwrap();
        let receiver = Receiver::new(vec![b"public".to_vec()], vec![], OwnEngine::new(&[], "a", 0), Arc::new(Names::shipped().unwrap()), 0);
        let parsed = receiver.receive(&datagram, Ipv4Addr::LOCALHOST.into(), 1).parsed.unwrap().unwrap();
        let Body::SnmpTrap(trap) = parsed.body else { panic!("no trap") };
        assert_eq!((trap.trap_name.as_str(), trap.uptime_centiseconds), ("IF-MIB::linkDown", 42));
        let values: Vec<_> = trap.varbinds.iter().map(|varbind| varbind.value.as_str()).collect();
        assert_eq!(values, ["down(2)", "0x00ff", "192.0.2.1"]);
    }

    #[test]
    fn a_value_that_is_not_of_its_type_is_refused() {
        let trap = |varbind: &str| serde_json::from_str::<Trap>(&format!(r#"{{"oid":"1.3.6.1","varbinds":[{varbind}]}}"#)).unwrap().bytes();
        for (varbind, part) in [
            (r#"{"oid":"1.3.6","type":"INTEGER","value":"x"}"#, "is no INTEGER"),
            (r#"{"oid":"1.3.6","type":"IpAddress","value":"x"}"#, "is no IpAddress"),
            (r#"{"oid":"1.3.6","type":"Integer64","value":1}"#, "use INTEGER"),
            (r#"{"oid":"1.3.6","type":"OCTET STRING","value":"0xf"}"#, "is no OCTET STRING"),
        ] {
            assert!(trap(varbind).unwrap_err().contains(part), "{varbind}");
        }
    }
}
