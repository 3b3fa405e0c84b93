//! PDUs and their variable bindings (RFC 1157, 3416), and messages with a community.

use tocsin_wire::events::snmp_trap::Version;

use super::ber::{self, Malformed, Reader};
use super::oid::Oid;

/// What a PDU is, by its tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// GetRequest.
    Get = 0xa0,
    /// GetNextRequest.
    GetNext = 0xa1,
    /// Response.
    Response = 0xa2,
    /// SetRequest.
    Set = 0xa3,
    /// Trap of version 1.
    TrapV1 = 0xa4,
    /// GetBulkRequest.
    GetBulk = 0xa5,
    /// InformRequest.
    Inform = 0xa6,
    /// SNMPv2-Trap.
    Trap = 0xa7,
    /// Report.
    Report = 0xa8,
}

impl Kind {
    fn of(tag: u8) -> Option<Self> {
        use Kind::{Get, GetBulk, GetNext, Inform, Report, Response, Set, Trap, TrapV1};
        [Get, GetNext, Response, Set, TrapV1, GetBulk, Inform, Trap, Report].into_iter().find(|kind| *kind as u8 == tag)
    }
}

/// A value of a variable binding.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// INTEGER, Integer32.
    Integer(i64),
    /// OCTET STRING, BITS.
    Octets(&'a [u8]),
    /// NULL, the place of a value in a request.
    Null,
    /// OBJECT IDENTIFIER.
    Oid(Oid),
    /// IpAddress; four bytes from everybody who follows the RFC.
    IpAddress(&'a [u8]),
    /// Counter32.
    Counter32(u64),
    /// Gauge32, Unsigned32.
    Gauge32(u64),
    /// TimeTicks, hundredths of a second.
    TimeTicks(u64),
    /// Opaque.
    Opaque(&'a [u8]),
    /// Counter64.
    Counter64(u64),
    /// The device has no such object.
    NoSuchObject,
    /// The object has no such instance.
    NoSuchInstance,
    /// A walk came to its end.
    EndOfMibView,
    /// A tag that is none of SNMP's.
    Unknown(u8, &'a [u8]),
}

impl<'a> Value<'a> {
    fn read(tag: u8, content: &'a [u8]) -> Option<Self> {
        Some(match tag {
            ber::INTEGER => Self::Integer(ber::signed(content)?),
            ber::OCTET_STRING => Self::Octets(content),
            ber::NULL => Self::Null,
            ber::OBJECT_IDENTIFIER => Self::Oid(Oid::read(content)?),
            0x40 => Self::IpAddress(content),
            0x41 => Self::Counter32(ber::unsigned(content)?),
            0x42 => Self::Gauge32(ber::unsigned(content)?),
            0x43 => Self::TimeTicks(ber::unsigned(content)?),
            0x44 => Self::Opaque(content),
            0x46 => Self::Counter64(ber::unsigned(content)?),
            0x80 => Self::NoSuchObject,
            0x81 => Self::NoSuchInstance,
            0x82 => Self::EndOfMibView,
            other => Self::Unknown(other, content),
        })
    }

    /// As a value of BER.
    fn write(&self) -> Vec<u8> {
        match self {
            Self::Integer(value) => ber::write_integer(*value),
            Self::Octets(octets) => ber::write(ber::OCTET_STRING, &[octets]),
            Self::Null => ber::write(ber::NULL, &[]),
            Self::Oid(oid) => oid.write(),
            Self::IpAddress(octets) => ber::write(0x40, &[octets]),
            Self::Counter32(value) => ber::write_number(0x41, (*value).into()),
            Self::Gauge32(value) => ber::write_number(0x42, (*value).into()),
            Self::TimeTicks(value) => ber::write_number(0x43, (*value).into()),
            Self::Opaque(octets) => ber::write(0x44, &[octets]),
            Self::Counter64(value) => ber::write_number(0x46, (*value).into()),
            Self::NoSuchObject => ber::write(0x80, &[]),
            Self::NoSuchInstance => ber::write(0x81, &[]),
            Self::EndOfMibView => ber::write(0x82, &[]),
            Self::Unknown(tag, octets) => ber::write(*tag, &[octets]),
        }
    }

    /// The number that it is, for every type of number.
    pub fn number(&self) -> Option<i128> {
        match self {
            Self::Integer(value) => Some((*value).into()),
            Self::Counter32(value) | Self::Gauge32(value) | Self::TimeTicks(value) | Self::Counter64(value) => Some((*value).into()),
            _ => None,
        }
    }
}

/// One variable binding.
#[derive(Clone, Debug, PartialEq)]
pub struct Varbind<'a> {
    /// What it is the value of.
    pub oid: Oid,
    /// The value.
    pub value: Value<'a>,
}

/// A PDU of version 2 or 3; a GetBulk's non-repeaters and max-repetitions stand in the two error fields.
#[derive(Clone, Debug, PartialEq)]
pub struct Pdu<'a> {
    /// What it asks or tells.
    pub kind: Kind,
    /// Tells which answer belongs to which request.
    pub request_id: i32,
    /// error-status, or non-repeaters.
    pub error_status: i64,
    /// error-index, or max-repetitions.
    pub error_index: i64,
    /// The variable bindings.
    pub varbinds: Vec<Varbind<'a>>,
    /// The variable bindings as they came, for the answer to an inform.
    pub(crate) varbind_bytes: &'a [u8],
}

/// A trap of version 1.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TrapV1<'a> {
    pub(crate) enterprise: Oid,
    pub(crate) agent_address: &'a [u8],
    pub(crate) generic: i64,
    pub(crate) specific: i64,
    pub(crate) uptime_centiseconds: u64,
    pub(crate) varbinds: Vec<Varbind<'a>>,
}

/// Either form of a PDU.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AnyPdu<'a> {
    TrapV1(TrapV1<'a>),
    Other(Pdu<'a>),
}

impl<'a> AnyPdu<'a> {
    pub(crate) fn read(reader: &mut Reader<'a>) -> Result<Self, Malformed> {
        let before = *reader;
        let (tag, content) = reader.next()?;
        let kind = Kind::of(tag).ok_or(before.malformed("a PDU that SNMP does not know"))?;
        let mut fields = Reader::new(content);
        if kind == Kind::TrapV1 { TrapV1::read(&mut fields).map(Self::TrapV1) } else { Pdu::read(kind, &mut fields).map(Self::Other) }
    }
}

impl<'a> TrapV1<'a> {
    fn read(fields: &mut Reader<'a>) -> Result<Self, Malformed> {
        let at_enterprise = *fields;
        let enterprise = Oid::read(fields.expect(ber::OBJECT_IDENTIFIER, "the enterprise of a trap")?);
        let enterprise = enterprise.ok_or(at_enterprise.malformed("the enterprise of a trap"))?;
        let agent_address = fields.expect(0x40, "the agent address of a trap")?;
        let generic = fields.integer("the generic number of a trap")?;
        let specific = fields.integer("the specific number of a trap")?;
        let at_uptime = *fields;
        let uptime_centiseconds = match fields.next()? {
            // Some agents write the time as a plain integer.
            (0x43 | ber::INTEGER, content) => ber::unsigned(content).ok_or(at_uptime.malformed("the time of a trap"))?,
            _ => return Err(at_uptime.malformed("the time of a trap")),
        };
        let varbinds = read_varbinds(fields.expect(ber::SEQUENCE, "the variable bindings")?)?;
        Ok(Self { enterprise, agent_address, generic, specific, uptime_centiseconds, varbinds })
    }
}

impl<'a> Pdu<'a> {
    /// A request for these objects.
    pub fn request(kind: Kind, request_id: i32, oids: &[Oid]) -> Self {
        Self::new(kind, request_id, oids.iter().map(|oid| Varbind { oid: oid.clone(), value: Value::Null }).collect())
    }

    /// A PDU with these variable bindings and no error.
    pub fn new(kind: Kind, request_id: i32, varbinds: Vec<Varbind<'a>>) -> Self {
        Self { kind, request_id, error_status: 0, error_index: 0, varbinds, varbind_bytes: &[] }
    }

    fn read(kind: Kind, fields: &mut Reader<'a>) -> Result<Self, Malformed> {
        let before = *fields;
        let request_id = fields.integer("the request id")?;
        let request_id = i32::try_from(request_id).or(u32::try_from(request_id).map(u32::cast_signed));
        let request_id = request_id.map_err(|_| before.malformed("the request id"))?;
        let error_status = fields.integer("the error status")?;
        let error_index = fields.integer("the error index")?;
        let varbind_bytes = fields.expect(ber::SEQUENCE, "the variable bindings")?;
        Ok(Self { kind, request_id, error_status, error_index, varbinds: read_varbinds(varbind_bytes)?, varbind_bytes })
    }

    /// As a value of BER.
    pub fn write(&self) -> Vec<u8> {
        let varbinds: Vec<u8> =
            self.varbinds.iter().flat_map(|varbind| ber::write(ber::SEQUENCE, &[&varbind.oid.write(), &varbind.value.write()])).collect();
        write_pdu(self.kind, self.request_id, self.error_status, self.error_index, &varbinds)
    }
}

/// A PDU around variable bindings that are bytes already.
pub(crate) fn write_pdu(kind: Kind, request_id: i32, error_status: i64, error_index: i64, varbinds: &[u8]) -> Vec<u8> {
    let header = [ber::write_integer(request_id.into()), ber::write_integer(error_status), ber::write_integer(error_index)];
    ber::write(kind as u8, &[&header[0], &header[1], &header[2], &ber::write(ber::SEQUENCE, &[varbinds])])
}

fn read_varbinds(content: &[u8]) -> Result<Vec<Varbind<'_>>, Malformed> {
    let mut reader = Reader::new(content);
    let mut varbinds = Vec::with_capacity(8);
    while !reader.is_empty() {
        let before = reader;
        let mut pair = reader.sequence("a variable binding")?;
        let oid = Oid::read(pair.expect(ber::OBJECT_IDENTIFIER, "the name of a variable binding")?);
        let (tag, content) = pair.next()?;
        let value = Value::read(tag, content);
        let (Some(oid), Some(value)) = (oid, value) else { return Err(before.malformed("a variable binding")) };
        varbinds.push(Varbind { oid, value });
    }
    Ok(varbinds)
}

/// A message of version 1 or 2c.
#[derive(Clone, Debug, PartialEq)]
pub struct CommunityMessage<'a> {
    pub(crate) version: Version,
    pub(crate) community: &'a [u8],
    /// The PDU, not read yet.
    pub(crate) pdu: &'a [u8],
}

/// What a datagram begins with.
pub(crate) enum Message<'a> {
    Community(CommunityMessage<'a>),
    /// The rest of a version 3 message, behind its version.
    V3(Reader<'a>),
}

impl<'a> Message<'a> {
    pub(crate) fn read(frame: &'a [u8]) -> Result<Self, Malformed> {
        let mut fields = Reader::new(frame).sequence("the outer sequence")?;
        let before = fields;
        let version = match fields.integer("the version")? {
            0 => Version::V1,
            1 => Version::V2c,
            3 => return Ok(Self::V3(fields)),
            _ => return Err(before.malformed("a version other than 1, 2c and 3")),
        };
        let community = fields.octets("the community")?;
        Ok(Self::Community(CommunityMessage { version, community, pdu: fields.rest() }))
    }
}

impl<'a> CommunityMessage<'a> {
    /// Reads an answer to a poller.
    pub fn read_response(frame: &'a [u8]) -> Result<Pdu<'a>, Malformed> {
        let Message::Community(message) = Message::read(frame)? else { return Err(Reader::new(frame).malformed("version 3")) };
        match AnyPdu::read(&mut Reader::new(message.pdu))? {
            AnyPdu::Other(pdu) => Ok(pdu),
            AnyPdu::TrapV1(_) => Err(Reader::new(message.pdu).malformed("a trap in place of an answer")),
        }
    }

    /// A message of version 2c, or of version 1 where `is_v1`.
    pub fn write(is_v1: bool, community: &[u8], pdu: &[u8]) -> Vec<u8> {
        let version = ber::write_integer(i64::from(!is_v1));
        ber::write(ber::SEQUENCE, &[&version, &ber::write(ber::OCTET_STRING, &[community]), pdu])
    }
}
