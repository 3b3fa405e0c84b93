//! A notification PDU as an event body.

use std::net::{IpAddr, Ipv4Addr};
use std::ops::Range;

use sha2::{Digest, Sha256};
use tocsin_wire::events::SnmpTrap;
use tocsin_wire::events::snmp_trap::{self, Version};
use tocsin_wire::rejects::Reason;

use super::names::Names;
use super::oid::Oid;
use super::pdu::{TrapV1, Value, Varbind};
use super::{render, v3};
use tocsin_parse::Refusal;

/// sysUpTime.0.
pub(crate) const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];
/// snmpTrapOID.0.
pub(crate) const SNMP_TRAP_OID: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0];
/// snmpTrapEnterprise.0.
const SNMP_TRAP_ENTERPRISE: [u32; 11] = [1, 3, 6, 1, 6, 3, 1, 1, 4, 3, 0];
/// snmpTrapAddress.0 and snmpTrapCommunity.0 (RFC 3584 3.1), written by proxies.
const SNMP_TRAP_ADDRESS: [u32; 10] = [1, 3, 6, 1, 6, 3, 18, 1, 3, 0];
const SNMP_TRAP_COMMUNITY: [u32; 10] = [1, 3, 6, 1, 6, 3, 18, 1, 4, 0];
/// coldStart (0) to egpNeighborLoss (5) below it, one more each.
const SNMP_TRAPS: [u32; 9] = [1, 3, 6, 1, 6, 3, 1, 1, 5];
const ENTERPRISE_SPECIFIC: i64 = 6;
/// In place of a community that a proxy sent along.
const HIDDEN: &str = "(hidden)";
/// What may be written out of a datagram, as a multiple of its bytes: with the bytes themselves four times as much is stored.
const MAX_TIMES_WRITTEN: usize = 3;
/// The same beside the multiple: room for the names of some 30 variable bindings with long names and short values.
const MAX_BYTES_WRITTEN: usize = 1_024;
/// Of a variable binding beside its text.
const VARBIND_OVERHEAD_BYTES: usize = 12;
/// Name of the entry that tells how many variable bindings stand in the raw bytes alone.
const LEFT_OUT: &str = "(left out)";

/// First 16 hexadecimal digits of SHA-256 of a community or user name.
pub fn identity_hash(identity: &[u8]) -> String {
    render::hex(&Sha256::digest(identity)[..8])
}

/// A body with what only the PDU says. `secrets` are the places in `frame` that hold a community.
pub(crate) fn of_v1(trap: &TrapV1<'_>, names: &Names, frame: &[u8], secrets: &mut Vec<Range<usize>>) -> Result<SnmpTrap, Refusal> {
    let oid = v1_trap_oid(trap)?;
    let mut body = SnmpTrap {
        version: Version::V1.into(),
        trap_name: names.name(oid.arcs()).0,
        trap_oid: oid.to_string(),
        uptime_centiseconds: trap.uptime_centiseconds,
        agent_address: address(trap.agent_address),
        ..SnmpTrap::default()
    };
    body.varbinds.reserve(trap.varbinds.len() + 1);
    for varbind in &trap.varbinds {
        push(varbind, names, frame, &mut body, secrets);
    }
    // RFC 3584 3.1 (4): a generic trap's enterprise says what kind of device it is, and stands nowhere else.
    if trap.generic != ENTERPRISE_SPECIFIC {
        let enterprise = Varbind { oid: Oid::new(&SNMP_TRAP_ENTERPRISE), value: Value::Oid(trap.enterprise.clone()) };
        push(&enterprise, names, frame, &mut body, secrets);
    }
    shorten(&mut body, frame.len());
    Ok(body)
}

/// RFC 3584 3.1 (2).
fn v1_trap_oid(trap: &TrapV1<'_>) -> Result<Oid, Refusal> {
    let number = |value: i64, what: &str| {
        u32::try_from(value)
            .map_err(|_| Refusal::new(Reason::InvalidValue, format!("the {what} number of the trap is {value}; 0 is the least")))
    };
    match trap.generic {
        0..ENTERPRISE_SPECIFIC => Ok(Oid::new(&SNMP_TRAPS).with(&[number(trap.generic, "generic")? + 1])),
        ENTERPRISE_SPECIFIC => Ok(trap.enterprise.with(&[0, number(trap.specific, "specific")?])),
        other => Err(Refusal::new(Reason::InvalidValue, format!("the generic number of the trap is {other}; RFC 1157 has 0 to 6"))),
    }
}

/// A body of a version 2 notification that came with `frame`, without version and identity.
pub(crate) fn of_v2(varbinds: &[Varbind<'_>], names: &Names, frame: &[u8], secrets: &mut Vec<Range<usize>>) -> Result<SnmpTrap, Refusal> {
    let mut body = SnmpTrap::default();
    body.varbinds.reserve(varbinds.len());
    let mut is_named = false;
    for varbind in varbinds {
        match &varbind.value {
            Value::TimeTicks(ticks) if varbind.oid.arcs() == SYS_UP_TIME && body.uptime_centiseconds == 0 => {
                body.uptime_centiseconds = *ticks
            }
            Value::Oid(oid) if varbind.oid.arcs() == SNMP_TRAP_OID && !is_named => {
                is_named = true;
                body.trap_name = names.name(oid.arcs()).0;
                body.trap_oid = oid.to_string();
            }
            _ => push(varbind, names, frame, &mut body, secrets),
        }
    }
    if !is_named {
        let detail = "no snmpTrapOID.0 among the variable bindings, so nothing says what happened (RFC 3416 4.2.6); correct the sender";
        return Err(Refusal::new(Reason::MissingField, detail));
    }
    shorten(&mut body, frame.len());
    Ok(body)
}

fn push(varbind: &Varbind<'_>, names: &Names, frame: &[u8], body: &mut SnmpTrap, secrets: &mut Vec<Range<usize>>) {
    let (name, object) = names.name(varbind.oid.arcs());
    let mut value = render::text(&varbind.value, object, names);
    match &varbind.value {
        Value::Octets(community) if varbind.oid.arcs() == SNMP_TRAP_COMMUNITY => {
            secrets.extend(v3::offset(frame, community).map(|start| start..start + community.len()));
            HIDDEN.clone_into(&mut value);
        }
        Value::IpAddress(octets) if varbind.oid.arcs() == SNMP_TRAP_ADDRESS => body.agent_address = address(octets),
        _ => {}
    }
    let r#type = render::type_name(&varbind.value, object);
    body.varbinds.push(snmp_trap::Varbind { oid: varbind.oid.to_string(), name, r#type, value });
}

/// Keeps what is written out in proportion to the datagram: where names are too much for that it is numbers alone, and where these are, too, the
/// rest is left to the raw bytes.
fn shorten(body: &mut SnmpTrap, frame_bytes: usize) {
    let max_bytes = (MAX_TIMES_WRITTEN * frame_bytes + MAX_BYTES_WRITTEN).saturating_sub(body.trap_oid.len() + body.trap_name.len());
    if body.varbinds.iter().map(written_bytes).sum::<usize>() <= max_bytes {
        return;
    }
    for varbind in &mut body.varbinds {
        varbind.name = std::mem::take(&mut varbind.oid);
        varbind.r#type.clear();
    }
    let mut bytes = 0;
    let fitting = body.varbinds.iter().take_while(|varbind| {
        bytes += written_bytes(varbind);
        bytes <= max_bytes
    });
    let (all, fitting) = (body.varbinds.len(), fitting.count());
    if fitting < all {
        body.varbinds.truncate(fitting);
        let value = format!("{} of {all} variable bindings: raw has them", all - fitting);
        body.varbinds.push(snmp_trap::Varbind { name: LEFT_OUT.to_owned(), value, ..snmp_trap::Varbind::default() });
    }
}

fn written_bytes(varbind: &snmp_trap::Varbind) -> usize {
    VARBIND_OVERHEAD_BYTES + varbind.oid.len() + varbind.name.len() + varbind.r#type.len() + varbind.value.len()
}

/// An agent address as text; empty where it tells nothing.
fn address(octets: &[u8]) -> String {
    match <[u8; 4]>::try_from(octets).map(Ipv4Addr::from) {
        Ok(address) if !address.is_unspecified() => IpAddr::V4(address).to_string(),
        _ => String::new(),
    }
}
