//! Encoded records that are handed over together.

use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use tocsin_telemetry::Counters;
use tocsin_wire::events::Event;

use crate::{Record, Topic};

/// Records in order. The bytes of all stand in one buffer, which is used again for the next ones.
#[derive(Debug, Default)]
pub struct Records {
    bytes: Vec<u8>,
    places: Vec<Place>,
}

/// Where a record stands: the key, and the payload behind it.
#[derive(Clone, Copy, Debug)]
struct Place {
    topic: Topic,
    key_start: usize,
    payload_start: usize,
    payload_end: usize,
}

impl Place {
    /// The same, so many bytes further.
    fn moved(self, bytes: usize) -> Self {
        let Self { topic, key_start, payload_start, payload_end } = self;
        Self { topic, key_start: key_start + bytes, payload_start: payload_start + bytes, payload_end: payload_end + bytes }
    }
}

/// A record whose bytes are somebody else's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordRef<'a> {
    pub(crate) topic: Topic,
    pub(crate) key: &'a [u8],
    pub(crate) payload: &'a [u8],
}

impl Records {
    /// Encodes an event for its topic.
    pub fn push(&mut self, event: &Event) {
        let key_start = self.bytes.len();
        self.bytes.extend_from_slice(Topic::key_of(event).as_bytes());
        let payload_start = self.bytes.len();
        event.encode_raw(&mut self.bytes);
        self.places.push(Place { topic: Topic::of(event.body.as_ref()), key_start, payload_start, payload_end: self.bytes.len() });
    }

    /// A single one.
    pub(crate) fn one(record: RecordRef<'_>) -> Self {
        let mut records = Self::default();
        records.push_encoded(record);
        records
    }

    /// Copies a record.
    pub(crate) fn push_encoded(&mut self, record: RecordRef<'_>) {
        let key_start = self.bytes.len();
        self.bytes.extend_from_slice(record.key);
        let payload_start = self.bytes.len();
        self.bytes.extend_from_slice(record.payload);
        self.places.push(Place { topic: record.topic, key_start, payload_start, payload_end: self.bytes.len() });
    }

    /// Copies those that are for a topic, in one piece where all are.
    pub(crate) fn append(&mut self, records: &Self, topic: Topic) {
        if records.is_all_of(topic) {
            let start = self.bytes.len();
            self.bytes.extend_from_slice(&records.bytes);
            self.places.extend(records.places.iter().map(|place| place.moved(start)));
        } else {
            records.of(topic).for_each(|record| self.push_encoded(record));
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// How many there are for a topic, and bytes of their keys and payloads.
    pub(crate) fn size_of(&self, topic: Topic) -> (usize, usize) {
        let places = self.places.iter().filter(|place| place.topic == topic);
        places.fold((0, 0), |(count, bytes), place| (count + 1, bytes + place.payload_end - place.key_start))
    }

    /// Of all keys and payloads.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Forgets them all, and keeps the room.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.places.clear();
    }

    /// Each as a record of its own.
    pub fn to_records(&self, counters: Option<&Arc<Counters>>) -> impl Iterator<Item = Record> {
        self.iter().map(move |record| record.to_record(counters))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = RecordRef<'_>> + Clone {
        self.range(0..self.places.len())
    }

    /// Those that are for a topic.
    pub(crate) fn of(&self, topic: Topic) -> impl Iterator<Item = RecordRef<'_>> + Clone {
        self.iter().filter(move |record| record.topic == topic)
    }

    /// Those of these numbers.
    pub(crate) fn range(&self, numbers: Range<usize>) -> impl Iterator<Item = RecordRef<'_>> + Clone {
        self.places[numbers].iter().map(|place| RecordRef {
            topic: place.topic,
            key: &self.bytes[place.key_start..place.payload_start],
            payload: &self.bytes[place.payload_start..place.payload_end],
        })
    }

    fn is_all_of(&self, topic: Topic) -> bool {
        self.places.iter().all(|place| place.topic == topic)
    }
}

impl RecordRef<'_> {
    pub(crate) fn to_record(self, counters: Option<&Arc<Counters>>) -> Record {
        let Self { topic, key, payload } = self;
        let (key, payload) = (Bytes::copy_from_slice(key), Bytes::copy_from_slice(payload));
        Record { topic, key, payload, counters: counters.cloned(), is_published: false }
    }
}

#[cfg(test)]
mod tests {
    use tocsin_wire::Body;
    use tocsin_wire::events::{AlertUpdate, Syslog};

    use super::*;

    fn event(device: &str, body: Body) -> Event {
        Event { device: device.to_owned(), body: Some(body), ..Event::default() }
    }

    #[test]
    fn records_are_those_of_their_events_in_order_also_when_the_room_is_used_again() {
        let counters = Arc::new(Counters::new("l"));
        let mut records = Records::default();
        for devices in [["sw1", "sw2", "sw1"], ["core-1", "", "a-longer-name"]] {
            let bodies = [Body::Syslog(Syslog::default()), Body::AlertUpdate(AlertUpdate::default()), Body::Syslog(Syslog::default())];
            let events = devices.into_iter().zip(bodies).map(|(device, body)| event(device, body)).collect::<Vec<_>>();
            events.iter().for_each(|event| records.push(event));
            let expected = events.iter().map(|event| Record::new(event, Some(Arc::clone(&counters))));
            let parts =
                |record: Record| (record.topic, record.key, record.payload, record.counters.map(|counters| counters.name().to_owned()));
            assert!(records.to_records(Some(&counters)).map(parts).eq(expected.map(parts)));
            records.clear();
            assert!(records.is_empty() && records.bytes() == 0);
        }
    }

    #[test]
    fn those_of_a_topic_are_appended_in_order_also_where_others_stand_between_them() {
        let mut records = Records::default();
        let bodies = || [Body::Syslog(Syslog::default()), Body::AlertUpdate(AlertUpdate::default()), Body::Syslog(Syslog::default())];
        ["a", "b", "c"].into_iter().zip(bodies()).for_each(|(device, body)| records.push(&event(device, body)));
        let mut of_syslog = Records::default();
        of_syslog.append(&records, Topic::Syslog);
        let mut twice = Records::default();
        twice.append(&of_syslog, Topic::Syslog);
        twice.append(&of_syslog, Topic::Syslog);
        let expected = || records.of(Topic::Syslog).map(|record| (record.key, record.payload));
        assert!(of_syslog.iter().map(|record| (record.key, record.payload)).eq(expected()));
        assert!(twice.iter().map(|record| (record.key, record.payload)).eq(expected().chain(expected())));
        assert_eq!((expected().count(), twice.len(), twice.size_of(Topic::Alert)), (2, 4, (0, 0)));
    }
}
