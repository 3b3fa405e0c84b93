//! TAG with its process id, which every dialect has (RFC 3164 4.1.3).

use super::Header;
use super::in_text;

/// RFC 3164 allows 32 for TAG and RFC 5424 48 for APP-NAME; real ones are longer, sentences are not single words.
pub(super) const MAX_TAG_BYTES: usize = 128;

/// `TAG: `, `TAG[PID]: ` or `TAG[PID] ` becomes app_name and proc_id; where there is none, all is message.
pub(super) fn read_tag(content: &str, header: &mut Header) {
    let is_tag = |tag: &str| {
        !tag.is_empty()
            && tag.len() <= MAX_TAG_BYTES
            && tag.bytes().all(|byte| (byte.is_ascii_graphic() || byte == b' ') && !b"[]:\"<>{}=,".contains(&byte))
    };
    // `app:text` is a tag; a URL, a path of modules or a port number is not.
    let ends_tag = |message: &str| !message.starts_with(|first: char| first.is_ascii_digit() || "/\\:=".contains(first));
    let tag_end = content.find(['[', ':', ' ', '\t']).unwrap_or(content.len());
    let tag_end = if content.as_bytes().get(tag_end) == Some(&b' ') { spaced_tag(content).unwrap_or(tag_end) } else { tag_end };
    let (tag, rest) = content.split_at_checked(tag_end).unwrap_or((content, ""));
    header.syslog.message = content.to_owned();
    if !is_tag(tag) {
        return;
    }
    let (proc_id, message) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((proc_id, after)) if !proc_id.contains(' ') => match after.strip_prefix(':').or_else(|| after.strip_prefix(' ')) {
            Some(message) => (proc_id, message),
            None if after.is_empty() => (proc_id, after),
            None => return,
        },
        Some(_) => return,
        None => match rest.strip_prefix(':') {
            Some(message) if ends_tag(message) => ("", message),
            _ => return,
        },
    };
    header.syslog.app_name = tag.to_owned();
    if !proc_id.is_empty() {
        header.syslog.proc_id = proc_id.to_owned();
    }
    let message = message.strip_prefix(' ').unwrap_or(message);
    header.syslog.message = message.to_owned();
    in_text::name(header);
}

/// Where a TAG of several words ends: a product and its process id (`Microsoft Word[14463]:`), or a program and its version
/// (`syslogd 1.4.1:`). Words of a sentence are neither: those of a product begin with a capital or a digit.
fn spaced_tag(content: &str) -> Option<usize> {
    const MAX_WORDS: usize = 6;
    let end = content.bytes().take(MAX_TAG_BYTES).position(|byte| b"[:".contains(&byte))?;
    let (tag, rest) = content.split_at_checked(end)?;
    let starts = |word: &str, is: fn(&u8) -> bool| word.as_bytes().first().is_some_and(is);
    let is_product = || {
        let is_id = |id: &str| !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit());
        rest.strip_prefix('[').and_then(|rest| rest.split_once("]:")).is_some_and(|(id, _)| is_id(id))
            && tag.split(' ').count() <= MAX_WORDS
            && tag.split(' ').all(|word| starts(word, |first| first.is_ascii_uppercase() || first.is_ascii_digit()))
    };
    let is_version = || {
        tag.split_once(' ').is_some_and(|(_, version)| {
            starts(version, u8::is_ascii_digit)
                && version.contains('.')
                && version.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
        }) && rest.starts_with(": ")
    };
    (is_product() || is_version()).then_some(end)
}
