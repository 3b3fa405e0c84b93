//! What is said, as the topic carries it; checked before it is sent.

use jiff::SignedDuration;
use tocsin_wire::acknowledgements::{Acknowledgement, Action};
use tocsin_wire::alerts::Severity;

use crate::Failure;

/// Hexadecimal digits of a whole one.
pub(crate) const FINGERPRINT_DIGITS: usize = 32;
/// Fewer digits are no name that a person has chosen.
const FEWEST_DIGITS: usize = 4;
/// The alerts job takes no more.
pub(crate) const MAX_BY_CHARS: usize = 100;
/// The alerts job takes no more.
pub(crate) const MAX_NOTE_CHARS: usize = 1_000;

/// A word of a person.
pub(super) struct Word<'a> {
    pub(super) action: Action,
    pub(super) note: &'a str,
    pub(super) for_seconds: u32,
}

impl Word<'_> {
    /// The word about an alert. When it is said is the broker's time of the record.
    pub(super) fn message(&self, fingerprint: &str, by: &str, severity: Severity) -> Result<Acknowledgement, Failure> {
        check_text("--by", by, MAX_BY_CHARS)?;
        check_text("the note", self.note, MAX_NOTE_CHARS)?;
        if by.is_empty() {
            return Err(Failure::usage("--by is empty", "say who acknowledges, for example --by ada"));
        }
        if self.action == Action::Note && self.note.is_empty() {
            return Err(Failure::usage("the note is empty", "write what others should know"));
        }
        Ok(Acknowledgement {
            acknowledgement_id: format!("{:032x}", fastrand::u128(..)),
            fingerprint: fingerprint.to_owned(),
            action: self.action.into(),
            by: by.to_owned(),
            note: self.note.to_owned(),
            for_seconds: self.for_seconds,
            severity: severity.into(),
            said_at_unix_nanos: 0,
        })
    }
}

fn check_text(what: &str, text: &str, most: usize) -> Result<(), Failure> {
    if text.chars().count() > most {
        return Err(Failure::usage(format!("{what} is longer than {most} characters"), "shorten it"));
    }
    if text.chars().any(char::is_control) {
        return Err(Failure::usage(format!("{what} has a line break or another control character"), "write it as one line"));
    }
    Ok(())
}

/// Refuses what can be no fingerprint, and what is too short to mean one alert.
pub(super) fn check_fingerprint(given: &str) -> Result<(), Failure> {
    let is_hexadecimal = given.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hexadecimal && (FEWEST_DIGITS..=FINGERPRINT_DIGITS).contains(&given.len()) {
        return Ok(());
    }
    Err(Failure::usage(
        format!("{given:?} is no fingerprint of an alert"),
        format!(
            "give its {FINGERPRINT_DIGITS} hexadecimal digits, or the first {FEWEST_DIGITS} or more of them; pages and dashboards show it"
        ),
    ))
}

/// Whole seconds of `2h`, `30m`, `1h 30m`.
pub(crate) fn seconds(text: &str) -> Result<u32, String> {
    let duration: SignedDuration = text.parse().map_err(|error: jiff::Error| error.to_string())?;
    match u32::try_from(duration.as_secs()) {
        Ok(seconds) if seconds > 0 => Ok(seconds),
        _ => Err("give at least a second, and less than 136 years, for example 2h".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FINGERPRINT: &str = "0123456789abcdef0123456789abcdef";

    #[test]
    fn a_word_says_who_what_and_how_bad_it_looked() {
        let word = Word { action: Action::Acknowledge, note: "on my way", for_seconds: 7_200 };
        let first = word.message(FINGERPRINT, "ada", Severity::Major).unwrap();
        assert_eq!(
            (first.fingerprint.as_str(), first.action(), first.by.as_str(), first.note.as_str(), first.for_seconds, first.severity()),
            (FINGERPRINT, Action::Acknowledge, "ada", "on my way", 7_200, Severity::Major)
        );
        let second = word.message(FINGERPRINT, "ada", Severity::Major).unwrap();
        assert_ne!(first.acknowledgement_id, second.acknowledgement_id);
    }

    #[test]
    fn what_the_job_would_refuse_is_not_sent() {
        for (by, note, action) in [
            ("", "", Action::Acknowledge),
            (&*"a".repeat(101), "", Action::Acknowledge),
            ("ada", &*"n".repeat(1_001), Action::Acknowledge),
            ("ada", "two\nlines", Action::Acknowledge),
            ("ada", "", Action::Note),
        ] {
            assert!(Word { action, note, for_seconds: 0 }.message(FINGERPRINT, by, Severity::Major).is_err(), "{by:?} {note:?}");
        }
    }

    #[test]
    fn fingerprints_are_hexadecimal_and_long_enough() {
        for given in ["abc", "abcg", "", "'; DROP", &format!("{FINGERPRINT}0")] {
            assert!(check_fingerprint(given).is_err(), "{given:?}");
        }
        for given in ["abcd", FINGERPRINT] {
            assert!(check_fingerprint(given).is_ok(), "{given:?}");
        }
    }

    #[test]
    fn durations_are_said_as_people_say_them() {
        assert_eq!(seconds("2h"), Ok(7_200));
        assert_eq!(seconds("1h 30m"), Ok(5_400));
        for text in ["0s", "-2h", "soon", "2"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
