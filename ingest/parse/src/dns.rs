//! DNS queries and answers (RFC 1035), as far as a probe needs them: one question, the code of its answer, and the records in a form in which
//! two resolvers can be compared.
//!
//! Deliberately absent: validating DNSSEC. A resolver that does so says it by a bit (RFC 6840 section 5.8), which is read.

use std::fmt::Write;
use std::net::{Ipv4Addr, Ipv6Addr};

use serde::{Deserialize, Serialize};

const HEADER_BYTES: usize = 12;
const CLASS_IN: u16 = 1;
const TYPE_SOA: u16 = 6;
const TYPE_OPT: u16 = 41;
/// What fits into one datagram on nearly every path (dnsflagday.net/2020).
const MAX_ANSWER_BYTES: u16 = 1232;
const MAX_NAME_BYTES: usize = 255;
const MAX_LABEL_BYTES: usize = 63;

/// Types of records that can be asked for and are written in their own form.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum RecordType {
    /// IPv4 address.
    #[default]
    A = 1,
    /// Name server.
    Ns = 2,
    /// Canonical name.
    Cname = 5,
    /// Start of authority.
    Soa = 6,
    /// Pointer, for reverse lookups.
    Ptr = 12,
    /// Mail exchange.
    Mx = 15,
    /// Text.
    Txt = 16,
    /// IPv6 address.
    Aaaa = 28,
    /// Service.
    Srv = 33,
}

impl RecordType {
    /// As zone files write it.
    pub fn word(self) -> &'static str {
        match self {
            Self::A => "A",
            Self::Ns => "NS",
            Self::Cname => "CNAME",
            Self::Soa => "SOA",
            Self::Ptr => "PTR",
            Self::Mx => "MX",
            Self::Txt => "TXT",
            Self::Aaaa => "AAAA",
            Self::Srv => "SRV",
        }
    }
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    name: Vec<u8>,
    record_type: RecordType,
}

/// What a server answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// `NOERROR`, `NXDOMAIN`, `REFUSED`, ... (RFC 6895).
    pub code: String,
    /// The answer section's records as text, sorted and lower-case, without their times to live. One of another type than was asked for
    /// carries its type in front.
    pub records: Vec<String>,
    /// How long the server may go on answering so without asking anybody, seconds: the shortest time to live of the records, or of what
    /// denies them (RFC 2308 section 5). `None` where nothing tells.
    pub ttl_s: Option<u32>,
    /// The server has validated the answer, or has authority over a secure zone (bit AD).
    pub is_authenticated: bool,
    /// The answer did not fit into a datagram, and is to be asked for over TCP (bit TC).
    pub is_truncated: bool,
    /// Why the records are not all there; empty where they are.
    pub flaw: &'static str,
}

/// A name that cannot be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadName {
    /// Nothing between two dots, or nothing at all.
    EmptyLabel,
    /// More than 63 bytes between two dots.
    LongLabel,
    /// More than 255 bytes as a whole.
    TooLong,
}

impl BadName {
    /// What is wrong, for a person.
    pub fn text(self) -> &'static str {
        match self {
            Self::EmptyLabel => "has nothing between two dots",
            Self::LongLabel => "has more than 63 bytes between two dots",
            Self::TooLong => "is longer than 255 bytes",
        }
    }
}

impl Question {
    /// A question for a name, with or without the last dot.
    pub fn new(name: &str, record_type: RecordType) -> Result<Self, BadName> {
        let name = name.strip_suffix('.').unwrap_or(name);
        let mut encoded = Vec::with_capacity(name.len() + 2);
        // "." is the root, which has no labels.
        for label in name.split('.').filter(|_| !name.is_empty()) {
            match u8::try_from(label.len()) {
                Ok(0) => return Err(BadName::EmptyLabel),
                Ok(length) if usize::from(length) <= MAX_LABEL_BYTES => encoded.push(length),
                _ => return Err(BadName::LongLabel),
            }
            encoded.extend_from_slice(label.as_bytes());
        }
        encoded.push(0);
        if encoded.len() > MAX_NAME_BYTES { Err(BadName::TooLong) } else { Ok(Self { name: encoded, record_type }) }
    }

    /// The query, with recursion desired, room for larger answers (RFC 6891), and the wish to know whether the answer is authenticated
    /// (RFC 6840 section 5.7).
    pub fn query(&self, id: u16) -> Vec<u8> {
        let mut packet = Vec::with_capacity(HEADER_BYTES + self.name.len() + 15);
        packet.extend(id.to_be_bytes());
        // RD and AD; one question, one additional record.
        packet.extend([0x01, 0x20, 0, 1, 0, 0, 0, 0, 0, 1]);
        packet.extend(&self.name);
        packet.extend((self.record_type as u16).to_be_bytes());
        packet.extend(CLASS_IN.to_be_bytes());
        // OPT: root, type, payload size in the place of the class, extended code and flags 0, no data.
        packet.push(0);
        packet.extend(TYPE_OPT.to_be_bytes());
        packet.extend(MAX_ANSWER_BYTES.to_be_bytes());
        packet.extend([0; 6]);
        packet
    }

    /// Reads an answer to the query of this id. `None`: it is not one. What cannot be read is left out and told as a flaw: the server has
    /// answered.
    pub fn answer(&self, id: u16, packet: &[u8]) -> Option<Answer> {
        let header = packet.get(..HEADER_BYTES)?;
        let field = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let (flags, questions) = (field(2), field(4));
        if field(0) != id || flags & 0x8000 == 0 {
            return None;
        }
        let mut reader = Reader { packet, at: HEADER_BYTES };
        // A server that could not read the question need not repeat it.
        if questions > 0 && !self.is_asked(&mut reader)? {
            return None;
        }
        let is_truncated = flags & 0x0200 != 0;
        let flaw = if is_truncated { "truncated" } else { "" };
        let mut answer = Answer { is_authenticated: flags & 0x0020 != 0, is_truncated, flaw, ..Answer::default() };
        let counts = (questions <= 1).then_some((field(6), u32::from(field(8)) + u32::from(field(10))));
        let high_bits = counts.and_then(|(answers, others)| self.read_records(&mut reader, answers, others, &mut answer));
        if high_bits.is_none() && answer.flaw.is_empty() {
            answer.flaw = "a record cannot be read";
        }
        answer.records.sort();
        answer.records.dedup();
        answer.code = code_word(high_bits.unwrap_or(0) << 4 | flags & 0x0f);
        Some(answer)
    }

    /// Whether the question section repeats this question.
    fn is_asked(&self, reader: &mut Reader<'_>) -> Option<bool> {
        let asked = reader.bytes(self.name.len())?;
        let record_type = reader.number()?;
        let class = reader.number()?;
        Some(asked.eq_ignore_ascii_case(&self.name) && record_type == self.record_type as u16 && class == CLASS_IN)
    }

    /// Reads the answer section, then looks through the others for what denies a record and for the high bits of the code. `None` where a
    /// record cannot be read.
    fn read_records(&self, reader: &mut Reader<'_>, answers: u16, others: u32, answer: &mut Answer) -> Option<u16> {
        for _ in 0..answers {
            let (record, ttl_s) = self.record(reader)?;
            answer.records.push(record);
            answer.lives_at_most(ttl_s);
        }
        for _ in 0..others {
            reader.name()?;
            let record_type = reader.number()?;
            reader.number()?;
            let ttl = reader.bytes(4)?;
            let length = reader.number()?;
            let data = reader.bytes(usize::from(length))?;
            match record_type {
                // In the place of its time to live.
                TYPE_OPT => return Some(u16::from(ttl[0])),
                TYPE_SOA if answers == 0 => {
                    let minimum = *data.last_chunk::<4>()?;
                    answer.lives_at_most(u32::from_be_bytes(ttl.try_into().ok()?).min(u32::from_be_bytes(minimum)));
                }
                _ => {}
            }
        }
        Some(0)
    }

    /// The next record as text, and its time to live.
    fn record(&self, reader: &mut Reader<'_>) -> Option<(String, u32)> {
        reader.name()?;
        let record_type = reader.number()?;
        reader.number()?;
        let ttl_s = reader.long_number()?;
        let length = usize::from(reader.number()?);
        let end = reader.at.checked_add(length).filter(|end| *end <= reader.packet.len())?;
        // Names in the data may point to anywhere before, but the data itself ends here.
        let mut data = Reader { packet: reader.packet.get(..end)?, at: reader.at };
        let (word, text) = data.record_text(record_type)?;
        reader.at = end;
        Some((if record_type == self.record_type as u16 { text } else { format!("{word} {text}") }, ttl_s))
    }
}

impl Answer {
    /// Serial of the zone, where its start of authority was asked for.
    pub fn serial(&self) -> Option<u32> {
        self.records.iter().find_map(|record| match record.split(' ').collect::<Vec<_>>()[..] {
            [_, _, serial, _, _, _, _] => serial.parse().ok(),
            _ => None,
        })
    }

    fn lives_at_most(&mut self, ttl_s: u32) {
        self.ttl_s = Some(self.ttl_s.map_or(ttl_s, |known| known.min(ttl_s)));
    }
}

/// Reads from the beginning of a packet on, because names point back into it.
struct Reader<'a> {
    packet: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn bytes(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.packet.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    fn number(&mut self) -> Option<u16> {
        self.bytes(2).map(|bytes| u16::from_be_bytes([bytes[0], bytes[1]]))
    }

    fn long_number(&mut self) -> Option<u32> {
        self.bytes(4).map(|bytes| u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// A name as text, lower-case, without the last dot. Bytes that are no letters, digits, `-` or `_` are `\DDD` (RFC 4343 section 2.1).
    fn name(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut at = self.at;
        // Set at the first pointer: the reader goes on behind it. A pointer must point before itself, so every name ends.
        let mut limit = self.packet.len();
        let mut after = None;
        loop {
            let length = usize::from(*self.packet.get(at)?);
            match length {
                0 => break,
                1..=MAX_LABEL_BYTES => {
                    let label = self.packet.get(at + 1..at + 1 + length)?;
                    if !text.is_empty() {
                        text.push('.');
                    }
                    push_label(&mut text, label);
                    at += 1 + length;
                }
                0xc0..=0xff => {
                    let target = (length & 0x3f) << 8 | usize::from(*self.packet.get(at + 1)?);
                    after.get_or_insert(at + 2);
                    if target >= limit.min(at) {
                        return None;
                    }
                    limit = target;
                    at = target;
                }
                _ => return None,
            }
            if text.len() > 4 * MAX_NAME_BYTES {
                return None;
            }
        }
        self.at = after.unwrap_or(at + 1);
        Some(if text.is_empty() { ".".to_owned() } else { text })
    }

    /// The rest of the packet as the data of one record: the type's word, and its text.
    fn record_text(&mut self, record_type: u16) -> Option<(String, String)> {
        let word = |known: RecordType| known.word().to_owned();
        Some(match record_type {
            1 => (word(RecordType::A), Ipv4Addr::from(self.long_number()?).to_string()),
            2 => (word(RecordType::Ns), self.name()?),
            5 => (word(RecordType::Cname), self.name()?),
            6 => (word(RecordType::Soa), self.authority()?),
            12 => (word(RecordType::Ptr), self.name()?),
            15 => (word(RecordType::Mx), format!("{} {}", self.number()?, self.name()?)),
            16 => (word(RecordType::Txt), self.strings()?),
            28 => (word(RecordType::Aaaa), Ipv6Addr::from(<[u8; 16]>::try_from(self.bytes(16)?).ok()?).to_string()),
            33 => (word(RecordType::Srv), format!("{} {} {} {}", self.number()?, self.number()?, self.number()?, self.name()?)),
            // RFC 3597: types that are not known.
            other => {
                let data = self.packet.get(self.at..)?;
                let mut text = format!("\\# {}", data.len());
                text.extend((!data.is_empty()).then_some(' '));
                data.iter().for_each(|byte| push_formatted(&mut text, format_args!("{byte:02x}")));
                (format!("TYPE{other}"), text)
            }
        })
    }

    fn authority(&mut self) -> Option<String> {
        let mut text = format!("{} {}", self.name()?, self.name()?);
        for _ in 0..5 {
            push_formatted(&mut text, format_args!(" {}", self.long_number()?));
        }
        Some(text)
    }

    fn strings(&mut self) -> Option<String> {
        let mut text = String::new();
        while self.at < self.packet.len() {
            let length = usize::from(self.bytes(1)?[0]);
            if !text.is_empty() {
                text.push(' ');
            }
            text.push('"');
            for byte in self.bytes(length)? {
                match byte {
                    b'"' | b'\\' => push_formatted(&mut text, format_args!("\\{}", char::from(*byte))),
                    b' '..=b'~' => text.push(char::from(*byte)),
                    other => push_formatted(&mut text, format_args!("\\{other:03}")),
                }
            }
            text.push('"');
        }
        Some(text)
    }
}

fn push_label(text: &mut String, label: &[u8]) {
    for byte in label {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'*' | b'/' => text.push(char::from(byte.to_ascii_lowercase())),
            other => push_formatted(text, format_args!("\\{other:03}")),
        }
    }
}

fn push_formatted(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing into a String cannot fail.
    let _ = text.write_fmt(arguments);
}

/// The names of RFC 6895 section 2.3.
fn code_word(code: u16) -> String {
    let known = match code {
        0 => "NOERROR",
        1 => "FORMERR",
        2 => "SERVFAIL",
        3 => "NXDOMAIN",
        4 => "NOTIMP",
        5 => "REFUSED",
        6 => "YXDOMAIN",
        7 => "YXRRSET",
        8 => "NXRRSET",
        9 => "NOTAUTH",
        10 => "NOTZONE",
        16 => "BADVERS",
        23 => "BADCOOKIE",
        other => return format!("RCODE{other}"),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests;
