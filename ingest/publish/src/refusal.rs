//! A record that Kafka refuses for good becomes a reject record in its place, with the same event id.

use bytes::Bytes;
use prost::Message;
use tocsin_wire::Body;
use tocsin_wire::events::Event;
use tocsin_wire::rejects::{Reason, Reject, Stage};

use crate::Record;

/// Raw bytes that a reject keeps: enough to recognise the sender, little enough that no broker refuses it.
const MAX_RAW_BYTES: usize = 16 * 1024;

/// The reject for a refused record; `None` for what is no event, or a reject that was refused in turn.
pub(crate) fn reject_for(record: &Record, error: &str) -> Option<Record> {
    let event = Event::decode(record.payload.clone()).ok()?;
    if matches!(event.body, Some(Body::Reject(Reject { reason, .. })) if reason == i32::from(Reason::RefusedByBroker)) {
        return None;
    }
    let detail = format!(
        "Kafka refused the record of {} bytes for {}: {error}; raise max.message.bytes of the topic and message.max.bytes in kafka.options, or \
         lower the listener's max_message",
        record.payload.len(),
        record.topic.name()
    );
    let reject =
        Reject { stage: Stage::Publish.into(), reason: Reason::RefusedByBroker.into(), detail, original_bytes: event.raw.len() as u64 };
    let raw: Bytes = event.raw.slice(..event.raw.len().min(MAX_RAW_BYTES));
    Some(Record::new(&Event { raw, body: Some(Body::Reject(reject)), ..event }, None))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Topic;
    use tocsin_wire::events::Syslog;

    #[test]
    fn a_refused_event_becomes_a_reject_with_its_id_and_the_beginning_of_its_bytes() {
        let event = Event {
            event_id: "a-1-7".to_owned(),
            device: "n1".to_owned(),
            raw: vec![b'x'; 100_000].into(),
            body: Some(Body::Syslog(Syslog::default())),
            ..Event::default()
        };
        let record = reject_for(&Record::new(&event, None), "too large").unwrap();
        assert_eq!((record.topic, record.key.as_ref()), (Topic::Rejects, b"n1".as_slice()));
        let reject = Event::decode(record.payload.clone()).unwrap();
        assert_eq!((reject.event_id.as_str(), reject.raw.len()), ("a-1-7", MAX_RAW_BYTES));
        let Some(Body::Reject(body)) = reject.body else { panic!("{reject:?}") };
        assert_eq!((body.reason(), body.original_bytes), (Reason::RefusedByBroker, 100_000));
        assert!(reject_for(&record, "too large").is_none(), "a refused reject must not be rejected for ever");
    }
}
