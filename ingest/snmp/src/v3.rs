//! Messages of version 3 (RFC 3412 6, RFC 3414 2.4).

use std::borrow::Cow;

use super::ber::{self, Malformed, Reader};
use super::pdu::{AnyPdu, Message, Pdu};
use super::usm::{Level, LocalKeys};

const AUTH_FLAG: u8 = 1;
const PRIVACY_FLAG: u8 = 2;
const REPORTABLE_FLAG: u8 = 4;
const USER_BASED: i64 = 3;
/// RFC 3411: SnmpEngineID; none where the sender asks for it.
pub(crate) const ENGINE_ID_BYTES: std::ops::RangeInclusive<usize> = 5..=32;
/// RFC 3414 2.4.
pub(crate) const MAX_USER_BYTES: usize = 32;
/// The largest message that we take: a datagram.
const MAX_MESSAGE_BYTES: i64 = 65_507;

/// A message as it stands on the wire, its parts not trusted yet.
#[derive(Clone, Copy, Debug)]
pub struct Incoming<'a> {
    /// msgID.
    pub msg_id: i32,
    pub(crate) is_reportable: bool,
    /// Protection that it claims.
    pub level: Level,
    /// msgAuthoritativeEngineID.
    pub engine_id: &'a [u8],
    /// snmpEngineBoots of that engine.
    pub boots: u32,
    /// snmpEngineTime of that engine.
    pub time: u32,
    pub(crate) user: &'a [u8],
    auth_parameters: &'a [u8],
    privacy_parameters: &'a [u8],
    /// A scoped PDU, or its encrypted bytes.
    data: &'a [u8],
}

/// Whose objects a message is about; an answer repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Context<'a> {
    /// contextEngineID.
    pub engine_id: &'a [u8],
    /// contextName.
    pub name: &'a [u8],
}

/// What a message is about, once it is readable.
#[derive(Clone, Debug, PartialEq)]
pub struct Scoped<'a> {
    pub(crate) context: Context<'a>,
    pub(crate) pdu: AnyPdu<'a>,
}

impl<'a> Incoming<'a> {
    /// Reads an answer to a poller.
    pub fn read_response(frame: &'a [u8]) -> Result<Self, Malformed> {
        match Message::read(frame)? {
            Message::V3(fields) => Self::read(fields),
            Message::Community(_) => Err(Reader::new(frame).malformed("a version other than 3")),
        }
    }

    /// Reads what stands behind the version.
    pub(crate) fn read(mut fields: Reader<'a>) -> Result<Self, Malformed> {
        let mut header = fields.sequence("the header")?;
        let msg_id = header.unsigned31("the message id")?.cast_signed();
        header.unsigned31("the maximum size")?;
        let at_flags = header;
        let [flags] = *header.octets("the flags")? else { return Err(at_flags.malformed("flags of other than one byte")) };
        let level = match (flags & AUTH_FLAG != 0, flags & PRIVACY_FLAG != 0) {
            (false, false) => Level::NoAuthNoPriv,
            (true, false) => Level::AuthNoPriv,
            (true, true) => Level::AuthPriv,
            (false, true) => return Err(at_flags.malformed("privacy without authentication")),
        };
        let at_model = header;
        if header.integer("the security model")? != USER_BASED {
            return Err(at_model.malformed("a security model other than the user-based one"));
        }
        let mut security = Reader::new(fields.octets("the security parameters")?).sequence("the security parameters")?;
        let at_engine_id = security;
        let engine_id = security.octets("the engine id")?;
        if !engine_id.is_empty() && !ENGINE_ID_BYTES.contains(&engine_id.len()) {
            return Err(at_engine_id.malformed("an engine id of other than 5 to 32 bytes"));
        }
        let boots = security.unsigned31("the engine's boots")?;
        let time = security.unsigned31("the engine's time")?;
        let at_user = security;
        let user = security.octets("the user name")?;
        if user.len() > MAX_USER_BYTES {
            return Err(at_user.malformed("a user name of more than 32 bytes"));
        }
        let auth_parameters = security.octets("the authentication parameters")?;
        let privacy_parameters = security.octets("the privacy parameters")?;
        let data = if level == Level::AuthPriv { fields.octets("the encrypted data")? } else { fields.rest() };
        let is_reportable = flags & REPORTABLE_FLAG != 0;
        Ok(Self { msg_id, is_reportable, level, engine_id, boots, time, user, auth_parameters, privacy_parameters, data })
    }

    /// Whether the user's key made this message; `frame` is the whole of it.
    pub fn is_authentic(&self, frame: &[u8], keys: &LocalKeys) -> bool {
        let Some(start) = offset(frame, self.auth_parameters) else { return false };
        let zeros = [0_u8; 64];
        let (Some(before), Some(after), Some(zeros)) =
            (frame.get(..start), frame.get(start + self.auth_parameters.len()..), zeros.get(..self.auth_parameters.len()))
        else {
            return false;
        };
        // Bytes behind the message do not belong to it.
        let after = &after[..after.len() - trailing_bytes(frame).min(after.len())];
        keys.is_authentic(&[before, zeros, after], self.auth_parameters)
    }

    /// The bytes of the scoped PDU, decrypted where they are encrypted. `None`: not with these keys.
    pub fn plain_data(&self, keys: &LocalKeys) -> Option<Cow<'a, [u8]>> {
        if self.level < Level::AuthPriv {
            return Some(Cow::Borrowed(self.data));
        }
        let data = keys.decrypt((self.boots, self.time), self.privacy_parameters, self.data)?;
        // A wrong key's bytes begin like a sequence once in 256 messages, but hardly ever go on like a context.
        Context::read(&data).is_ok().then_some(Cow::Owned(data))
    }
}

impl<'a> Context<'a> {
    /// The context that a scoped PDU begins with, and what follows it.
    fn read(scoped: &'a [u8]) -> Result<(Self, Reader<'a>), Malformed> {
        let mut fields = Reader::new(scoped).sequence("the scoped PDU")?;
        let context = Self { engine_id: fields.octets("the context's engine id")?, name: fields.octets("the context's name")? };
        Ok((context, fields))
    }
}

impl<'a> Scoped<'a> {
    /// Reads decrypted data.
    pub fn read(data: &'a [u8]) -> Result<Self, Malformed> {
        let (context, mut fields) = Context::read(data)?;
        Ok(Self { context, pdu: AnyPdu::read(&mut fields)? })
    }

    /// The PDU; `None` where it is a trap of version 1, which has no place here.
    pub fn into_pdu(self) -> Option<Pdu<'a>> {
        if let AnyPdu::Other(pdu) = self.pdu { Some(pdu) } else { None }
    }
}

/// Where `part` begins in `whole`, which it was cut from.
pub(crate) fn offset(whole: &[u8], part: &[u8]) -> Option<usize> {
    let offset = (part.as_ptr() as usize).checked_sub(whole.as_ptr() as usize)?;
    (offset + part.len() <= whole.len()).then_some(offset)
}

fn trailing_bytes(frame: &[u8]) -> usize {
    let mut reader = Reader::new(frame);
    if reader.next().is_ok() { reader.rest().len() } else { 0 }
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct Outgoing<'a> {
    /// msgID.
    pub msg_id: i32,
    /// Whether the receiver may report what is wrong with it: requests and informs.
    pub is_reportable: bool,
    /// Protection; needs keys that can give it.
    pub level: Level,
    /// msgAuthoritativeEngineID; empty to ask for it.
    pub engine_id: &'a [u8],
    /// Its boots.
    pub boots: u32,
    /// Its time.
    pub time: u32,
    /// msgUserName.
    pub user: &'a [u8],
    /// Whose objects it is about.
    pub context: Context<'a>,
    /// The PDU's bytes.
    pub pdu: &'a [u8],
}

impl Outgoing<'_> {
    /// The message's bytes. `salt` must be another one for each encrypted message. `None` where the keys do not allow its level.
    pub fn write(&self, keys: &LocalKeys, salt: u64) -> Option<Vec<u8>> {
        let octets = |content: &[u8]| ber::write(ber::OCTET_STRING, &[content]);
        let scoped = ber::write(ber::SEQUENCE, &[&octets(self.context.engine_id), &octets(self.context.name), self.pdu]);
        let (privacy_parameters, data) = if self.level == Level::AuthPriv {
            let (salt, data) = keys.encrypt((self.boots, self.time), salt, &scoped)?;
            (salt.to_vec(), octets(&data))
        } else {
            (Vec::new(), scoped)
        };
        let mac_bytes = if self.level == Level::NoAuthNoPriv { 0 } else { keys.mac_bytes() };
        if self.level > Level::NoAuthNoPriv && mac_bytes == 0 {
            return None;
        }
        let unsigned = self.assemble(&vec![0; mac_bytes], &privacy_parameters, &data);
        if mac_bytes == 0 {
            return Some(unsigned);
        }
        Some(self.assemble(&keys.authenticate(&unsigned), &privacy_parameters, &data))
    }

    fn assemble(&self, auth_parameters: &[u8], privacy_parameters: &[u8], data: &[u8]) -> Vec<u8> {
        let octets = |content: &[u8]| ber::write(ber::OCTET_STRING, &[content]);
        let level = match self.level {
            Level::NoAuthNoPriv => 0,
            Level::AuthNoPriv => AUTH_FLAG,
            Level::AuthPriv => AUTH_FLAG | PRIVACY_FLAG,
        };
        let flags = [level | if self.is_reportable { REPORTABLE_FLAG } else { 0 }];
        let number = ber::write_integer;
        let header = [number(self.msg_id.into()), number(MAX_MESSAGE_BYTES), octets(&flags), number(USER_BASED)].concat();
        let security = [
            octets(self.engine_id),
            number(self.boots.into()),
            number(self.time.into()),
            octets(self.user),
            octets(auth_parameters),
            octets(privacy_parameters),
        ]
        .concat();
        let security = octets(&ber::write(ber::SEQUENCE, &[&security]));
        ber::write(ber::SEQUENCE, &[&number(3), &ber::write(ber::SEQUENCE, &[&header]), &security, data])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::usm::{AuthProtocol, PrivacyProtocol, User};

    fn keys(privacy_password: &[u8]) -> LocalKeys {
        let auth = AuthProtocol::Sha256;
        User {
            name: "monitor".to_owned(),
            engine_id: None,
            auth: Some((auth, auth.key_of_password(b"auth-password"))),
            privacy: Some((PrivacyProtocol::Aes128, auth.key_of_password(privacy_password))),
            min_level: Level::AuthPriv,
        }
        .localize(b"engine")
    }

    #[test]
    fn what_another_key_encrypted_is_never_taken_for_a_scoped_pdu() {
        let (right, wrong) = (keys(b"right-password"), keys(b"wrong-password"));
        let message = Outgoing {
            msg_id: 1,
            is_reportable: false,
            level: Level::AuthPriv,
            engine_id: b"engine",
            boots: 1,
            time: 2,
            user: b"monitor",
            context: Context { engine_id: b"engine", name: b"" },
            pdu: &[0xa7, 0],
        };
        for salt in 0..5_000 {
            let frame = message.write(&right, salt).unwrap();
            let incoming = Incoming::read_response(&frame).unwrap();
            assert!(incoming.plain_data(&right).is_some());
            assert!(incoming.plain_data(&wrong).is_none(), "salt {salt}");
        }
    }
}
