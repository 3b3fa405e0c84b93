//! Options of DHCPv4 (RFC 2132), with overload (option 52) and long options (RFC 3396).

use std::borrow::Cow;

use super::truncated;
use crate::Refusal;

const PAD: u8 = 0;
const END: u8 = 255;
const OVERLOAD: u8 = 52;

/// Fields of the fixed header that option 52 turns into room for options: `sname` and `file`.
pub(super) const SNAME: std::ops::Range<usize> = 44..108;
pub(super) const FILE: std::ops::Range<usize> = 108..236;
/// Where the options begin, after the magic cookie.
pub(super) const OPTIONS: usize = 240;

/// The options that become fields of an event; the numbers of RFC 2132 and its successors.
#[derive(Clone, Copy)]
pub(super) enum Code {
    SubnetMask = 1,
    Router = 3,
    HostName = 12,
    RequestedAddress = 50,
    LeaseTime = 51,
    MessageType = 53,
    ServerIdentifier = 54,
    ParameterList = 55,
    Message = 56,
    RenewalTime = 58,
    RebindingTime = 59,
    VendorClass = 60,
    ClientIdentifier = 61,
    ClientFqdn = 81,
    RelayAgent = 82,
}

const KEPT: [Code; 15] = [
    Code::SubnetMask,
    Code::Router,
    Code::HostName,
    Code::RequestedAddress,
    Code::LeaseTime,
    Code::MessageType,
    Code::ServerIdentifier,
    Code::ParameterList,
    Code::Message,
    Code::RenewalTime,
    Code::RebindingTime,
    Code::VendorClass,
    Code::ClientIdentifier,
    Code::ClientFqdn,
    Code::RelayAgent,
];

/// For each option number its place among the kept ones, counted from 1; 0 for the others.
const PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut index = 0;
    while index < KEPT.len() {
        places[KEPT[index] as usize] = index as u8 + 1;
        index += 1;
    }
    places
};

/// The kept options of one packet. Pieces of one option are put together in the order of RFC 3396 5: options, file, sname.
#[derive(Default)]
pub(super) struct Options<'a>([Option<Cow<'a, [u8]>>; KEPT.len()]);

impl<'a> Options<'a> {
    /// Reads the options of a packet of at least [`OPTIONS`] bytes.
    pub(super) fn read(packet: &'a [u8]) -> Result<Self, Refusal> {
        let mut options = Self::default();
        let overload = options.read_field(packet, OPTIONS..packet.len())?;
        if overload & 1 != 0 {
            options.read_field(packet, FILE)?;
        }
        if overload & 2 != 0 {
            options.read_field(packet, SNAME)?;
        }
        Ok(options)
    }

    /// Reads the options of one field up to its end mark, or its end: not every client writes the mark. Returns the value of option 52.
    fn read_field(&mut self, packet: &'a [u8], field: std::ops::Range<usize>) -> Result<u8, Refusal> {
        let bytes = packet.get(field.clone()).unwrap_or_default();
        let mut overload = 0;
        let mut at = 0;
        while let Some(&code) = bytes.get(at) {
            if code == END {
                break;
            }
            at += 1;
            if code == PAD {
                continue;
            }
            let begin = field.start + at - 1;
            let Some(&length) = bytes.get(at) else {
                return Err(truncated(begin, &format!("the length of option {code}"), 1, 0));
            };
            let value = at + 1..at + 1 + usize::from(length);
            let Some(value_bytes) = bytes.get(value.clone()) else {
                return Err(truncated(begin, &format!("option {code}"), value.len(), bytes.len() - value.start));
            };
            if code == OVERLOAD {
                overload = value_bytes.first().copied().unwrap_or_default();
            } else {
                self.keep(code, value_bytes);
            }
            at = value.end;
        }
        Ok(overload)
    }

    fn keep(&mut self, code: u8, value: &'a [u8]) {
        let place = usize::from(PLACES[usize::from(code)]);
        if let Some(kept) = place.checked_sub(1).and_then(|index| self.0.get_mut(index)) {
            match kept {
                Some(pieces) => pieces.to_mut().extend_from_slice(value),
                None => *kept = Some(Cow::Borrowed(value)),
            }
        }
    }

    /// The content of an option; `None` where the packet has none.
    pub(super) fn get(&self, code: Code) -> Option<&[u8]> {
        let index = usize::from(PLACES[code as usize]).checked_sub(1)?;
        self.0.get(index)?.as_deref()
    }

    /// The first four bytes of an option as a number; `None` where it is shorter.
    pub(super) fn number(&self, code: Code) -> Option<u32> {
        super::be_u32(self.get(code)?, 0)
    }
}

/// A sub-option of the relay agent information option (RFC 3046); `None` also where what stands before it is not well-formed.
pub(super) fn sub_option(mut bytes: &[u8], wanted: u8) -> Option<&[u8]> {
    loop {
        let (&[code, length], rest) = bytes.split_first_chunk()?;
        let value = rest.get(..usize::from(length))?;
        if code == wanted {
            return Some(value);
        }
        bytes = rest.get(usize::from(length)..)?;
    }
}
