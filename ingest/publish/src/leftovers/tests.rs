use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::time::Duration;

use prost::Message as _;
use tocsin_wire::Body;
use tocsin_wire::events::{AlertUpdate, Event};
use tocsin_wire::rejects::Reject;

use super::search::{LogReader, Stopped};
use super::*;

fn event(event_id: &str, received_at_unix_nanos: u64) -> Event {
    Event {
        event_id: event_id.to_owned(),
        received_at_unix_nanos,
        body: Some(Body::AlertUpdate(AlertUpdate::default())),
        ..Event::default()
    }
}

fn payload(event_id: &str) -> Vec<u8> {
    event(event_id, 0).encode_to_vec()
}

fn leftovers(event_ids: &[&str]) -> Leftovers {
    let mut leftovers = Leftovers::default();
    for event_id in event_ids {
        leftovers.add(&Record::new(&event(event_id, 100_000_000_000_000_000), None));
    }
    leftovers
}

fn unsettled<'a>(leftovers: &Leftovers, event_ids: &[&'a str]) -> Vec<&'a str> {
    event_ids.iter().copied().filter(|event_id| !leftovers.is_settled(&payload(event_id))).collect()
}

/// What a broker stores, and how often it fails before it does what it is asked.
#[derive(Default)]
struct MemoryLog {
    stored: Vec<(Topic, &'static str)>,
    failures: Cell<u32>,
    /// What the account may not read.
    forbidden: Option<Topic>,
    seeks: RefCell<Vec<(Topic, i64)>>,
    reads: Cell<u32>,
    unread: RefCell<VecDeque<&'static str>>,
}

impl MemoryLog {
    fn holding(stored: &[(Topic, &'static str)]) -> Self {
        Self { stored: stored.to_owned(), ..Self::default() }
    }

    fn fail(&self) -> Result<(), String> {
        match self.failures.get() {
            0 => Ok(()),
            left => {
                self.failures.set(left - 1);
                Err("broker away".to_owned())
            }
        }
    }

    /// Searches with at most `max_pauses` pauses that last; returns the problems that were heard of.
    fn search(&self, leftovers: &mut Leftovers, max_pauses: u32) -> (Result<(), Stopped>, usize) {
        let (pauses, problems) = (Cell::new(0), Cell::new(0));
        let pause = |duration: Duration| {
            pauses.set(pauses.get() + u32::from(!duration.is_zero()));
            pauses.get() <= max_pauses
        };
        let problem = |_: &str| problems.set(problems.get() + 1);
        (Search::new(self, &pause, &problem).run(leftovers), problems.get())
    }
}

impl LogReader for &MemoryLog {
    fn connect(&mut self) -> Result<(), String> {
        self.fail()
    }

    fn seek(&mut self, topic: Topic, since_unix_millis: i64) -> Result<(), String> {
        self.fail()?;
        if self.forbidden == Some(topic) {
            return Err("topic authorization failed".to_owned());
        }
        self.seeks.borrow_mut().push((topic, since_unix_millis));
        *self.unread.borrow_mut() =
            self.stored.iter().filter(|(stored_in, _)| *stored_in == topic).map(|(_, event_id)| *event_id).collect();
        Ok(())
    }

    fn read(&mut self, visit: &mut dyn FnMut(&[u8])) -> Result<u64, String> {
        self.reads.set(self.reads.get() + 1);
        self.fail()?;
        let mut unread = self.unread.borrow_mut();
        if let Some(event_id) = unread.pop_front() {
            visit(&payload(event_id));
        }
        Ok(unread.len() as u64)
    }
}

#[test]
fn what_kafka_has_is_settled_and_nothing_else() {
    let ids = ["a-1-1", "a-1-2", "a-2-1", "b-c-1-2", "a-1-30"];
    let mut leftovers = leftovers(&ids);
    let log = MemoryLog::holding(&[
        (Topic::Alert, "a-1-2"),
        (Topic::Alert, "a-1-3"),
        (Topic::Alert, "c-1-1"),
        (Topic::Alert, "b-c-1-2"),
        (Topic::Alert, "b-c-1-2"),
        (Topic::Syslog, "a-1-1"),
    ]);
    assert_eq!(log.search(&mut leftovers, 1), (Ok(()), 0));
    assert_eq!(unsettled(&leftovers, &ids), ["a-1-1", "a-2-1", "a-1-30"]);
    assert_eq!((leftovers.records(), leftovers.settled()), (5, 2));
}

#[test]
fn the_search_begins_a_minute_before_the_oldest_reception_in_the_topics_concerned() {
    let mut leftovers = Leftovers::default();
    for millis in [500_000, 400_000, 600_000] {
        leftovers.add(&Record::new(&event("a-1-1", millis * 1_000_000), None));
    }
    let log = MemoryLog::default();
    assert_eq!(log.search(&mut leftovers, 1).0, Ok(()));
    assert_eq!(log.seeks.take(), [(Topic::Alert, 340_000), (Topic::Rejects, 340_000)]);
}

#[test]
fn a_record_that_stands_there_as_a_refused_one_is_not_sent_again() {
    let mut leftovers = leftovers(&["a-1-1"]);
    assert_eq!(MemoryLog::holding(&[(Topic::Rejects, "a-1-1")]).search(&mut leftovers, 1).0, Ok(()));
    assert!(leftovers.is_settled(&payload("a-1-1")));
}

#[test]
fn the_search_waits_for_kafka_as_long_as_it_takes() {
    let ids = ["a-1-1", "a-1-2"];
    let mut leftovers = leftovers(&ids);
    let log = MemoryLog::holding(&[(Topic::Alert, "a-1-1")]);
    log.failures.set(100);
    assert_eq!(log.search(&mut leftovers, 1000), (Ok(()), 100));
    assert_eq!(unsettled(&leftovers, &ids), ["a-1-2"]);
}

#[test]
fn a_problem_while_reading_loses_nothing() {
    let ids = ["a-1-1", "a-1-2", "a-1-3"];
    let mut leftovers = leftovers(&ids);
    let log = MemoryLog::holding(&[(Topic::Alert, "a-1-1"), (Topic::Alert, "a-1-2")]);
    let mut reader = &log;
    reader.seek(Topic::Alert, 0).unwrap();
    log.failures.set(3);
    let (go_on, problems) = (|_| true, Cell::new(0));
    let problem = |_: &str| problems.set(problems.get() + 1);
    assert_eq!(Search::new(reader, &go_on, &problem).read_topic(Topic::Alert, &mut leftovers), Ok(true));
    assert_eq!((unsettled(&leftovers, &ids), problems.get()), (vec!["a-1-3"], 3));
}

#[test]
fn a_stop_ends_the_search() {
    let mut leftovers = leftovers(&["a-1-1"]);
    let log = MemoryLog::default();
    log.failures.set(u32::MAX);
    assert_eq!(log.search(&mut leftovers, 5), (Err(Stopped), 6));
    assert_eq!(leftovers.settled(), 0);
}

#[test]
fn when_everything_was_found_no_more_is_read() {
    let mut leftovers = leftovers(&["a-1-1"]);
    let log = MemoryLog::holding(&[(Topic::Alert, "a-1-1"), (Topic::Alert, "a-1-2"), (Topic::Alert, "a-1-3")]);
    assert_eq!(log.search(&mut leftovers, 1).0, Ok(()));
    assert_eq!(log.reads.get(), 1);
}

#[test]
fn without_a_record_to_look_for_nobody_is_asked() {
    let log = MemoryLog::default();
    log.failures.set(u32::MAX);
    assert_eq!(log.search(&mut Leftovers::default(), 0), (Ok(()), 0));
}

#[test]
fn a_second_copy_of_a_record_that_was_handed_over_is_settled() {
    let mut leftovers = leftovers(&["a-1-1", "a-1-2", "a-1-1"]);
    assert_eq!(leftovers.records(), 2);
    leftovers.settle(&payload("a-1-1"));
    assert_eq!(unsettled(&leftovers, &["a-1-1", "a-1-2"]), ["a-1-2"]);
    // Its reject is a copy too.
    let reject = Event { body: Some(Body::Reject(Reject::default())), ..event("a-1-1", 0) };
    assert!(leftovers.is_settled(&reject.encode_to_vec()));
}

#[test]
fn what_has_no_usable_id_is_always_sent() {
    let mut leftovers = Leftovers::default();
    for event_id in ["", "7", "a-1-x"] {
        leftovers.add(&Record::new(&event(event_id, 1), None));
        leftovers.settle(&payload(event_id));
        assert!(!leftovers.is_settled(&payload(event_id)), "{event_id}");
    }
    leftovers.settle(b"\xff\xff");
    assert!(!leftovers.is_settled(b"\xff\xff"));
    assert_eq!(leftovers.records(), 0);
}

#[test]
fn a_topic_that_cannot_be_read_is_given_up_and_the_others_are_searched() {
    let ids = ["a-1-1", "a-1-2"];
    let mut leftovers = leftovers(&ids);
    let stored = MemoryLog::holding(&[(Topic::Alert, "a-1-2")]);
    let log = MemoryLog { forbidden: Some(Topic::Rejects), ..stored };
    assert_eq!(log.search(&mut leftovers, 40).0, Ok(()), "it ends by itself");
    assert_eq!(unsettled(&leftovers, &ids), ["a-1-1"]);
}
