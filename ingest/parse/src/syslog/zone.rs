//! Names of time zones. They are ambiguous by nature (CST is in America and in China); what stands here is what devices mean by default.

const HOUR: i32 = 3600;

/// Seconds east of UTC. Sorted by what is met most.
const ZONES: [(&str, i32); 52] = [
    ("UTC", 0),
    ("GMT", 0),
    ("Z", 0),
    ("CET", HOUR),
    ("CEST", 2 * HOUR),
    ("EST", -5 * HOUR),
    ("EDT", -4 * HOUR),
    ("CST", -6 * HOUR),
    ("CDT", -5 * HOUR),
    ("MST", -7 * HOUR),
    ("MDT", -6 * HOUR),
    ("PST", -8 * HOUR),
    ("PDT", -7 * HOUR),
    ("WET", 0),
    ("WEST", HOUR),
    ("BST", HOUR),
    ("MET", HOUR),
    ("MEZ", HOUR),
    ("MESZ", 2 * HOUR),
    ("MEST", 2 * HOUR),
    ("EET", 2 * HOUR),
    ("EEST", 3 * HOUR),
    ("MSK", 3 * HOUR),
    ("TRT", 3 * HOUR),
    ("CAT", 2 * HOUR),
    ("EAT", 3 * HOUR),
    ("SAST", 2 * HOUR),
    ("GST", 4 * HOUR),
    ("PKT", 5 * HOUR),
    ("IST", 5 * HOUR + HOUR / 2),
    ("ICT", 7 * HOUR),
    ("WIB", 7 * HOUR),
    ("SGT", 8 * HOUR),
    ("HKT", 8 * HOUR),
    ("PHT", 8 * HOUR),
    ("AWST", 8 * HOUR),
    ("JST", 9 * HOUR),
    ("KST", 9 * HOUR),
    ("ACST", 9 * HOUR + HOUR / 2),
    ("ACDT", 10 * HOUR + HOUR / 2),
    ("AEST", 10 * HOUR),
    ("AEDT", 11 * HOUR),
    ("NZST", 12 * HOUR),
    ("NZDT", 13 * HOUR),
    ("AST", -4 * HOUR),
    ("ADT", -3 * HOUR),
    ("AKST", -9 * HOUR),
    ("AKDT", -8 * HOUR),
    ("HST", -10 * HOUR),
    ("BRT", -3 * HOUR),
    ("ART", -3 * HOUR),
    ("CLT", -4 * HOUR),
];

/// Seconds east of UTC of a zone's name, or of `UTC+1`, `GMT-05:30`, `UTC+0100` as clocks are named by hand.
pub(super) fn offset_seconds(name: &str) -> Option<i32> {
    if let Some((_, seconds)) = ZONES.iter().find(|(zone, _)| *zone == name) {
        return Some(*seconds);
    }
    let offset = name.strip_prefix("UTC").or_else(|| name.strip_prefix("GMT"))?;
    let (sign, digits) = match offset.as_bytes() {
        [b'+', ..] => (1, offset.get(1..)?),
        [b'-', ..] => (-1, offset.get(1..)?),
        _ => return None,
    };
    let (hours, minutes) = match digits.split_once(':') {
        Some(parts) => parts,
        None if digits.len() == 4 => digits.split_at_checked(2)?,
        None => (digits, "0"),
    };
    let number = |text: &str| text.parse::<i32>().ok().filter(|_| text.len() <= 2 && text.bytes().all(|byte| byte.is_ascii_digit()));
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours <= 14 && minutes < 60).then_some(sign * (hours * HOUR + minutes * 60))
}

/// Whether a word has the form of a zone's name: two to five capitals, perhaps with an offset.
pub(super) fn is_name(word: &str) -> bool {
    let offset = word.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let is_offset = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    (2..=5).contains(&(word.len() - offset.len())) && (offset.is_empty() || offset.strip_prefix(['+', '-']).is_some_and(is_offset))
}
