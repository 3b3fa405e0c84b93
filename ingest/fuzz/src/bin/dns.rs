#![no_main]
//! Any bytes as the answer to a query, its id put right so that the records are reached: an answer or none, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::dns::{Question, RecordType};

fuzz_target!(|packet: &[u8]| {
    let question = Question::new("www.example.com", RecordType::A).expect("a good name");
    let _ = question.answer(7, packet);
    let mut answer = question.query(7);
    answer[2] |= 0x80;
    if let Some((counts, records)) = packet.split_at_checked(6) {
        answer[6..12].copy_from_slice(counts);
        answer.truncate(33);
        answer.extend_from_slice(records);
        let answer = question.answer(7, &answer).expect("it answers the question");
        assert!(answer.records.is_sorted());
    }
});
