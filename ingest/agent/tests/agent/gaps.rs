//! Gaps in the numbers that senders give their messages.

use tocsin_publish::Topic;
use tocsin_wire::Body;
use tocsin_wire::events::{Event, SequenceGap};

use crate::running::{Running, events, sender, start, v4};

fn cisco(number: u64) -> String {
    format!("<189>{number}: sw1: Nov 20 11:59:59.001 UTC: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down")
}

fn gaps(events: &[Event]) -> Vec<(&Event, &SequenceGap)> {
    events.iter().filter_map(|event| if let Some(Body::SequenceGap(gap)) = &event.body { Some((event, gap)) } else { None }).collect()
}

fn send(running: &Running, messages: impl IntoIterator<Item = String>) {
    let socket = sender(v4(running.port()));
    for message in messages {
        socket.send(message.as_bytes()).unwrap();
    }
}

#[test]
fn missing_numbers_become_an_event_with_the_envelope_of_the_message_after_them() {
    let running = start("kind: syslog, listen: '[::]:0', site: fra1");
    send(&running, [1, 2, 6, 7].map(cisco));
    let stats = running.wait_for(|stats| stats.acked == 5);
    assert_eq!((stats.received, stats.events, stats.malformed), (4, 5, 0));
    let events = running.events();
    let [(event, gap)] = gaps(&events)[..] else { panic!("{events:?}") };
    assert_eq!(*gap, SequenceGap { last_before: 2, first_after: 6, missing: 3 });
    assert_eq!((event.device.as_str(), event.site.as_str(), event.listener.as_str()), ("sw1", "fra1", "l"));
    assert_eq!(event.raw.as_ref(), cisco(6).as_bytes());
    let after = events.iter().find(|other| other.raw == event.raw && matches!(other.body, Some(Body::Syslog(_)))).unwrap();
    assert_eq!(
        (event.received_at_unix_nanos, event.event_time_unix_nanos, &event.source_ip),
        (after.received_at_unix_nanos, after.event_time_unix_nanos, &after.source_ip)
    );
    assert_ne!(event.event_id, after.event_id);
    let record = running.publisher.records().into_iter().find(|record| record.payload.ends_with(&[0x18, 3])).unwrap();
    assert_eq!((record.topic, record.key.as_ref()), (Topic::Syslog, b"sw1".as_slice()));
}

#[test]
fn a_gap_that_is_open_at_a_stop_is_told_and_the_balance_closes() {
    let running = start("kind: syslog, listen: '[::]:0'");
    let counters = running.counters.clone();
    let publisher = std::sync::Arc::clone(&running.publisher);
    send(&running, [10, 12].map(|number| format!("<13>1 - h a - - [meta sequenceId=\"{number}\"] m")));
    running.wait_for(|stats| stats.received == 2);
    running.agent.drain();
    let events = events(&publisher);
    assert_eq!(gaps(&events).iter().map(|(_, gap)| gap.missing).sum::<u64>(), 1);
    let stats = counters[0].snapshot();
    assert_eq!((stats.events, stats.published, stats.acked), (3, 3, 3));
}

#[test]
fn several_readers_tell_the_gaps_of_one_address_and_no_false_ones() {
    let running = start("kind: syslog, listen: '[::]:0', readers: 4");
    send(&running, (1..=200).filter(|number| *number != 100).map(cisco));
    // A port of its own for each message, as `logger` has.
    for number in (201..=400).filter(|number| *number != 300) {
        send(&running, [cisco(number)]);
    }
    running.wait_for(|stats| stats.received == 398);
    let publisher = std::sync::Arc::clone(&running.publisher);
    running.agent.drain();
    let events = events(&publisher);
    assert_eq!(gaps(&events).iter().map(|(_, gap)| gap.last_before).collect::<Vec<_>>(), [99, 299]);
}

#[test]
fn messages_without_numbers_have_no_gaps() {
    let running = start("kind: syslog, listen: '[::]:0'");
    send(&running, (0..20).map(|number| format!("<13>Nov 20 11:59:59 h app[{number}]: m")));
    running.wait_for(|stats| stats.acked == 20);
    let publisher = std::sync::Arc::clone(&running.publisher);
    running.agent.drain();
    assert_eq!(gaps(&events(&publisher)).len(), 0);
}
