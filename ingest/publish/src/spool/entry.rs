//! One record in a segment file:
//! `u32 body length | u32 CRC-32 of the body | u8 topic | u8 is_published | u16 name length | u32 key length | listener name | key | payload`,
//! numbers in little-endian. The listener's name is empty for records that the balance sheet does not count.

use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes};
use tocsin_telemetry::Counters;

use crate::{Record, Topic};

/// Length and checksum in front of a body.
pub(super) const PREFIX_BYTES: usize = 8;

/// An entry that was read back.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) listener: Option<String>,
    topic: Topic,
    is_published: bool,
    key: Bytes,
    payload: Bytes,
}

impl Entry {
    pub(super) fn into_record(self, counters: Option<Arc<Counters>>) -> Record {
        Record { topic: self.topic, key: self.key, payload: self.payload, counters, is_published: self.is_published }
    }
}

/// What an entry is longer than its key and payload.
pub(crate) fn overhead_bytes(counters: Option<&Counters>) -> usize {
    PREFIX_BYTES + 8 + counters.map_or(0, |counters| counters.name().len())
}

pub(super) fn encode(record: &Record) -> Vec<u8> {
    let counters = record.counters.as_deref();
    let name = counters.map_or("", Counters::name);
    let mut entry = Vec::with_capacity(overhead_bytes(counters) + record.key.len() + record.payload.len());
    entry.put_u64_le(0);
    entry.put_u8(record.topic as u8);
    entry.put_u8(u8::from(record.is_published));
    // The config refuses longer names, and keys are names too.
    entry.put_u16_le(u16::try_from(name.len()).unwrap_or(0));
    entry.put_u32_le(u32::try_from(record.key.len()).unwrap_or(0));
    entry.put_slice(name.as_bytes());
    entry.put_slice(&record.key);
    entry.put_slice(&record.payload);
    let (prefix, body) = entry.split_at_mut(PREFIX_BYTES);
    let mut prefix = &mut prefix[..];
    prefix.put_u32_le(u32::try_from(body.len()).unwrap_or(0));
    prefix.put_u32_le(crc32fast::hash(body));
    entry
}

/// Body length and checksum.
pub(super) fn prefix(bytes: [u8; PREFIX_BYTES]) -> (usize, u32) {
    let mut bytes = bytes.as_slice();
    (bytes.get_u32_le() as usize, bytes.get_u32_le())
}

/// A body whose checksum was right; `None` where it is not what [`encode`] writes.
pub(super) fn decode(mut body: Bytes) -> Option<Entry> {
    let topic = *Topic::ALL.get(usize::from(body.try_get_u8().ok()?))?;
    let is_published = body.try_get_u8().ok()? != 0;
    let name_bytes = usize::from(body.try_get_u16_le().ok()?);
    let key_bytes = body.try_get_u32_le().ok()? as usize;
    if body.len() < name_bytes.checked_add(key_bytes)? {
        return None;
    }
    let name = String::from_utf8(body.split_to(name_bytes).to_vec()).ok()?;
    let key = body.split_to(key_bytes);
    Some(Entry { listener: Some(name).filter(|name| !name.is_empty()), topic, is_published, key, payload: body })
}
