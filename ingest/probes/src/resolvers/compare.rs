//! Which resolvers of a group answer differently from the others. Pure.
//!
//! Deliberately absent: who is right. An answer that most give is what the others are told to differ from; a code that is no answer, such as
//! REFUSED, never is.

use std::cmp::Reverse;

use tocsin_parse::dns::{Answer, RecordType};
use tocsin_wire::events::dns_answer::Disagreement;

use super::config::Compare;

/// In what one answer differs, and from what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) disagreement: Disagreement,
    /// What the others answered; empty where it does not differ.
    pub(crate) expected: String,
}

/// Compares the answers to one question, `None` where none came; one verdict for each, in the same order.
pub(crate) fn compare(answers: &[Option<&Answer>], record_type: RecordType, what: Compare) -> Vec<Verdict> {
    let present = || answers.iter().copied().flatten();
    let Some(code) = expected_code(&present().collect::<Vec<_>>()) else { return vec![Verdict::default(); answers.len()] };
    let alike: Vec<&Answer> = present().filter(|answer| answer.code == code && answer.flaw.is_empty()).collect();
    let records = most_frequent(&alike);
    let serial = alike.iter().filter_map(|answer| answer.serial()).reduce(newer);
    let verdict = |answer: &Answer| {
        if answer.code != code {
            let expected = records.map_or(code.to_owned(), |records| format!("{code} {}", records.join(","))).trim_end().to_owned();
            return Verdict { disagreement: Disagreement::AnswerCode, expected };
        }
        if what == Compare::Code || !answer.flaw.is_empty() {
            return Verdict::default();
        }
        match (record_type, answer.serial(), serial) {
            (RecordType::Soa, Some(own), Some(newest)) => {
                if own == newest {
                    Verdict::default()
                } else {
                    Verdict { disagreement: Disagreement::OldSerial, expected: newest.to_string() }
                }
            }
            _ if records.is_none_or(|records| answer.records == records) => Verdict::default(),
            _ => Verdict { disagreement: Disagreement::Records, expected: records.unwrap_or_default().join(",") },
        }
    };
    answers.iter().map(|answer| answer.map(verdict).unwrap_or_default()).collect()
}

/// NOERROR or NXDOMAIN, whichever more say, NOERROR where as many do. `None` where nobody says either.
fn expected_code(answers: &[&Answer]) -> Option<&'static str> {
    let count = |code: &str| answers.iter().filter(|answer| answer.code == code).count();
    match (count("NOERROR"), count("NXDOMAIN")) {
        (0, 0) => None,
        (there, denied) if there >= denied => Some("NOERROR"),
        _ => Some("NXDOMAIN"),
    }
}

/// The records that most have; among as many those that may be kept longest, which were fetched last, then those that come first.
fn most_frequent<'a>(answers: &[&'a Answer]) -> Option<&'a [String]> {
    let rank = |answer: &Answer| {
        let same = answers.iter().filter(|other| other.records == answer.records);
        (same.clone().count(), same.filter_map(|other| other.ttl_s).max())
    };
    answers.iter().enumerate().max_by_key(|(index, answer)| (rank(answer), Reverse(*index))).map(|(_, answer)| answer.records.as_slice())
}

/// The later of two serials, which come round (RFC 1982).
fn newer(one: u32, other: u32) -> u32 {
    if other.wrapping_sub(one).cast_signed() > 0 { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(code: &str, records: &[&str], ttl_s: u32) -> Answer {
        let records = records.iter().map(|record| (*record).to_owned()).collect();
        Answer { code: code.to_owned(), records, ttl_s: Some(ttl_s), ..Answer::default() }
    }

    fn address(record: &str) -> Answer {
        answer("NOERROR", &[record], 60)
    }

    fn authority(serial: u32) -> Answer {
        answer("NOERROR", &[&format!("ns1.example.com admin.example.com {serial} 1 2 3 4")], 60)
    }

    fn verdicts(answers: &[Answer], record_type: RecordType, what: Compare) -> Vec<(Disagreement, String)> {
        let answers: Vec<_> = answers.iter().map(Some).collect();
        compare(&answers, record_type, what).into_iter().map(|verdict| (verdict.disagreement, verdict.expected)).collect()
    }

    fn of_addresses(answers: &[Answer]) -> Vec<(Disagreement, String)> {
        verdicts(answers, RecordType::A, Compare::Records)
    }

    fn none() -> (Disagreement, String) {
        (Disagreement::Unspecified, String::new())
    }

    #[test]
    fn a_code_that_differs_is_told_with_what_others_answer() {
        let told = of_addresses(&[address("192.0.2.1"), answer("NXDOMAIN", &[], 60), address("192.0.2.1")]);
        assert_eq!(told, [none(), (Disagreement::AnswerCode, "NOERROR 192.0.2.1".to_owned()), none()]);
        let told = of_addresses(&[answer("NXDOMAIN", &[], 60), answer("NXDOMAIN", &[], 60), address("192.0.2.1")]);
        assert_eq!(told, [none(), none(), (Disagreement::AnswerCode, "NXDOMAIN".to_owned())]);
    }

    #[test]
    fn what_is_no_answer_is_never_right_however_many_say_it() {
        let refused = || answer("REFUSED", &[], 60);
        let told = of_addresses(&[refused(), address("192.0.2.1"), refused()]);
        assert_eq!(
            told.iter().map(|(what, _)| *what).collect::<Vec<_>>(),
            [Disagreement::AnswerCode, Disagreement::Unspecified, Disagreement::AnswerCode]
        );
        assert_eq!(of_addresses(&[refused(), answer("SERVFAIL", &[], 60)]), [none(), none()]);
    }

    #[test]
    fn other_records_differ_from_those_that_most_have_or_that_were_fetched_last() {
        let told = of_addresses(&[address("192.0.2.9"), address("192.0.2.1"), address("192.0.2.1")]);
        assert_eq!(told, [(Disagreement::Records, "192.0.2.1".to_owned()), none(), none()]);
        let told = of_addresses(&[answer("NOERROR", &["192.0.2.9"], 10), answer("NOERROR", &["192.0.2.1"], 3600)]);
        assert_eq!(told, [(Disagreement::Records, "192.0.2.1".to_owned()), none()]);
        let told = of_addresses(&[address("192.0.2.9"), address("192.0.2.1")]);
        assert_eq!(told, [none(), (Disagreement::Records, "192.0.2.9".to_owned())]);
    }

    #[test]
    fn names_that_differ_on_purpose_are_compared_by_code_alone() {
        assert_eq!(verdicts(&[address("192.0.2.9"), address("192.0.2.1")], RecordType::A, Compare::Code), [none(), none()]);
    }

    #[test]
    fn a_serial_is_old_where_another_is_newer_also_when_they_have_come_round() {
        let told =
            |serials: &[u32]| verdicts(&serials.iter().copied().map(authority).collect::<Vec<_>>(), RecordType::Soa, Compare::Records);
        assert_eq!(told(&[7, 7]), [none(), none()]);
        assert_eq!(told(&[7, 8, 7]), [(Disagreement::OldSerial, "8".to_owned()), none(), (Disagreement::OldSerial, "8".to_owned())]);
        assert_eq!(told(&[u32::MAX, 3]), [(Disagreement::OldSerial, "3".to_owned()), none()]);
    }

    #[test]
    fn who_did_not_answer_or_not_as_a_whole_is_not_compared() {
        let (good, other) = (address("192.0.2.1"), Answer { flaw: "truncated", ..address("192.0.2.9") });
        let told = compare(&[None, Some(&good), Some(&other)], RecordType::A, Compare::Records);
        assert_eq!(told, vec![Verdict::default(); 3]);
        assert_eq!(compare(&[None, None], RecordType::A, Compare::Records), vec![Verdict::default(); 2]);
    }
}
