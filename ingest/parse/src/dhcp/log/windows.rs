//! Microsoft's DHCP server: a line of its audit log (`DhcpSrvLog-*.log`), by whatever brought it to syslog:
//! `10,11/20/26,12:00:00,Assign,10.0.0.5,laptop-7.example.com,020000000001,,2889234187,0,,,,0x4D53465420352E30,MSFT 5.0,,,,0`.
//!
//! Its time, which has no zone, is left alone. Deliberately absent: BOOTP, what it tells the DNS (30 to 35), and the log of version 6.

use tocsin_wire::events::Dhcp;
use tocsin_wire::events::dhcp::MessageType;

use super::{event, ip, mac};
use crate::dhcp::text::before_dot;
use crate::time;

/// What may stand before the line: a name that the forwarder gave it.
const MAX_NAME_BYTES: usize = 64;

// Not a part of its caller, through which every line goes.
#[inline(never)]
pub(super) fn read(message: &str) -> Option<Dhcp> {
    let (first, rest) = message.split_at_checked(memchr::memchr(b',', &message.as_bytes()[..message.len().min(MAX_NAME_BYTES)])?)?;
    let (id, fields) = (first.rsplit([' ', '\t']).next()?, rest.get(1..)?);
    if !is_date(fields) {
        return None;
    }
    // Date, time, description, address, name, hardware address, user, transaction, four more, vendor class in hexadecimal and as text.
    let mut fields = fields.split(',').skip(2);
    let mut next = || fields.next().unwrap_or_default();
    let (description, address, name, hardware, _user, transaction) = (next(), next(), next(), next(), next(), next());
    let vendor_class = fields.nth(5).unwrap_or_default();
    let message_type = message_type(id)?;
    let detail = match id {
        "10" | "11" | "12" => String::new(),
        // A finding tells the words alone: which scope is full belongs to them.
        "14" => format!("{description} {address}"),
        _ => description.to_owned(),
    };
    let dhcp = Dhcp {
        ip: ip(address).unwrap_or_default(),
        hostname: before_dot(name).to_owned(),
        transaction_id: transaction.parse().unwrap_or_default(),
        vendor_class: vendor_class.to_owned(),
        detail,
        ..event(message_type)
    };
    Some(with_hardware(hardware, dhcp))
}

/// By the number of what happened, as the head of each file lists them.
fn message_type(id: &str) -> Option<MessageType> {
    Some(match id {
        "10" | "11" => MessageType::Ack,
        "13" => MessageType::Abandoned,
        "14" => MessageType::NoFreeLeases,
        "15" => MessageType::Nak,
        // Released, and what the client has no more either: deleted, and expired.
        "12" | "16" | "17" | "18" => MessageType::Release,
        _ => return None,
    })
}

/// `mm/dd/yy,`
fn is_date(fields: &str) -> bool {
    let bytes = fields.as_bytes();
    [(0, b'/'), (3, b'/'), (6, b',')].into_iter().all(|(at, end)| time::digits(bytes, at, 2).is_some() && bytes.get(at + 2) == Some(&end))
}

/// `020000000001`; what is longer is a client id (of dial-in servers, of DUIDs).
fn with_hardware(digits: &str, dhcp: Dhcp) -> Dhcp {
    if !digits.len().is_multiple_of(2) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return dhcp;
    }
    match digits.len() {
        12 => {
            let pairs: Vec<_> = digits.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).unwrap_or_default()).collect();
            Dhcp { mac: mac(&pairs.join(":")), ..dhcp }
        }
        13.. => Dhcp { client_id: digits.to_ascii_lowercase(), ..dhcp },
        _ => dhcp,
    }
}
