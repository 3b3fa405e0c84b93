//! Communities: which are accepted, and where any stands in bytes that are refused.

use std::ops::Range;

use memchr::memmem;

use super::ber;

/// snmpTrapCommunity.0, as it stands in a variable binding.
const PROXIED: [u8; 12] = [ber::OBJECT_IDENTIFIER, 9, 0x2b, 6, 1, 6, 3, 18, 1, 4, 0, ber::OCTET_STRING];

/// The communities that are accepted.
pub(crate) struct Communities(Vec<Vec<u8>>);

impl Communities {
    pub(crate) fn new(accepted: Vec<Vec<u8>>) -> Self {
        Self(accepted)
    }

    pub(crate) fn accepts(&self, community: &[u8]) -> bool {
        self.0.iter().any(|accepted| accepted == community)
    }

    /// Where a community stands, or may stand, in bytes that nobody could read as a whole: behind what looks like a version, behind the name
    /// that proxies give theirs, and wherever one of ours is found.
    pub(crate) fn places(&self, frame: &[u8]) -> Vec<Range<usize>> {
        let proxied = memmem::find_iter(frame, &PROXIED).filter_map(|start| octets(frame, start + PROXIED.len() - 1));
        let ours = self.0.iter().flat_map(|ours| memmem::find_iter(frame, ours).map(|start| start..start + ours.len()));
        behind_version(frame).into_iter().chain(proxied).chain(ours).collect()
    }
}

/// The second field of a sequence whose length may be wrong.
fn behind_version(frame: &[u8]) -> Option<Range<usize>> {
    let version = content(frame, 0)?.start;
    octets(frame, content(frame, version)?.end)
}

/// The content of an OCTET STRING at `start`, as far as there are bytes.
fn octets(frame: &[u8], start: usize) -> Option<Range<usize>> {
    let content = content(frame, start)?;
    (frame[start] == ber::OCTET_STRING).then_some(content.start..content.end.min(frame.len()))
}

/// Where the content of a value at `start` begins, and where it says that it ends.
fn content(frame: &[u8], start: usize) -> Option<Range<usize>> {
    let (_tag, length) = (frame.get(start)?, *frame.get(start + 1)?);
    let digits = if length < 0x80 { 0 } else { usize::from(length & 0x7f) };
    let content = start + 2 + digits;
    let length = match digits {
        0 => usize::from(length & 0x7f),
        _ => {
            frame.get(start + 2..content)?.iter().fold(0_usize, |length, digit| length.saturating_mul(256).saturating_add((*digit).into()))
        }
    };
    (content <= frame.len()).then_some(content..content.saturating_add(length))
}
