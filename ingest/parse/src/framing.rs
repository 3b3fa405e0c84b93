//! A byte stream -> frames, RFC 6587: octet counting (`MSG-LEN SP MSG`) or one line a message.
//!
//! Incremental and bounded: bytes go in as they arrive, at most `max_frame_bytes` of an unfinished frame are kept. Both methods can be told
//! apart by a frame's first byte, because a line begins with `<`, a letter or a brace; the method of a connection's first frame decides the
//! doubtful cases that follow.

use bytes::{Buf, Bytes, BytesMut};

/// Digits of MSG-LEN; more than any limit needs, few enough that a line of digits is no length.
const MAX_LENGTH_DIGITS: usize = 9;

/// One frame cut from a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A whole message, without its framing.
    Message(Bytes),
    /// Longer than the limit: its beginning, and how long it was.
    Oversize {
        /// The first `max_frame_bytes` bytes.
        beginning: Bytes,
        /// Size of the whole frame.
        original_bytes: u64,
    },
    /// The stream ended inside an octet-counted frame: what had arrived, and how long it should have been.
    Truncated {
        /// The bytes that arrived.
        beginning: Bytes,
        /// MSG-LEN.
        announced_bytes: u64,
    },
    /// The connection did not begin as its listener wants it.
    Refused {
        /// The bytes that arrived.
        beginning: Bytes,
        /// A clause that says what is wrong with them.
        problem: &'static str,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Method {
    OctetCounting,
    Line,
}

#[derive(Debug)]
enum State {
    /// At the first byte of a frame.
    Start,
    /// Inside an octet-counted frame of this many bytes.
    Counted { bytes: usize },
    /// Inside a line; the first `searched` bytes hold no newline.
    Line { searched: usize },
    /// The rest of an octet-counted frame over the limit.
    SkipCounted { beginning: Bytes, original_bytes: u64, left: usize },
    /// The rest of a line over the limit.
    SkipLine { beginning: Bytes, original_bytes: u64 },
}

/// Cuts one connection's bytes into frames.
#[derive(Debug)]
pub struct Decoder {
    max_frame_bytes: usize,
    buffer: BytesMut,
    state: State,
    /// Method of the frame before; `None` until the first one.
    method: Option<Method>,
}

/// What the first bytes of a frame say about its framing.
enum Opening {
    Counted { bytes: usize, prefix_bytes: usize },
    Line,
    Unknown,
}

impl Decoder {
    /// A decoder for one connection that keeps at most `max_frame_bytes` of a frame.
    pub fn new(max_frame_bytes: usize) -> Self {
        Self { max_frame_bytes, buffer: BytesMut::new(), state: State::Start, method: None }
    }

    /// Where received bytes are appended. Call [`Decoder::next_frame`] until it is `None` after each append.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The next whole frame, or `None` when more bytes are needed.
    pub fn next_frame(&mut self) -> Option<Frame> {
        loop {
            match std::mem::replace(&mut self.state, State::Start) {
                State::Start => self.start(false)?,
                State::Counted { bytes } => return self.counted(bytes),
                State::Line { searched } => {
                    if let Some(frame) = self.line(searched)? {
                        return Some(frame);
                    }
                }
                State::SkipCounted { beginning, original_bytes, left } => {
                    let skipped = left.min(self.buffer.len());
                    self.buffer.advance(skipped);
                    if skipped == left {
                        return Some(Frame::Oversize { beginning, original_bytes });
                    }
                    self.state = State::SkipCounted { beginning, original_bytes, left: left - skipped };
                    return None;
                }
                State::SkipLine { beginning, original_bytes } => {
                    let newline = self.buffer.iter().position(|byte| *byte == b'\n');
                    let skipped = newline.unwrap_or(self.buffer.len());
                    let original_bytes = original_bytes + skipped as u64;
                    self.buffer.advance(newline.map_or(skipped, |at| at + 1));
                    if newline.is_some() {
                        return Some(Frame::Oversize { beginning, original_bytes });
                    }
                    self.state = State::SkipLine { beginning, original_bytes };
                    return None;
                }
            }
        }
    }

    /// What is left when the stream has ended. A line without its newline is a message, an octet-counted frame is not.
    pub fn finish(&mut self) -> Option<Frame> {
        if let State::Start = self.state {
            self.start(true);
        }
        let rest = self.buffer.split().freeze();
        match std::mem::replace(&mut self.state, State::Start) {
            State::Start => None,
            State::Counted { bytes } => Some(Frame::Truncated { beginning: rest, announced_bytes: bytes as u64 }),
            State::Line { .. } => Some(Frame::Message(without_carriage_return(rest))),
            State::SkipCounted { beginning, original_bytes, .. } => Some(Frame::Truncated { beginning, announced_bytes: original_bytes }),
            State::SkipLine { beginning, original_bytes } => Some(Frame::Oversize { beginning, original_bytes }),
        }
    }

    /// Decides the framing of the next frame; `None` when more bytes are needed.
    fn start(&mut self, is_end: bool) -> Option<()> {
        // Senders that count and still end their messages with a newline or a zero byte outside the count; and empty lines, of which a
        // stranger can send one a byte.
        let line_ends = self.buffer.iter().take_while(|byte| matches!(byte, b'\n' | b'\r' | b'\0')).count();
        self.buffer.advance(line_ends);
        if self.buffer.is_empty() {
            return None;
        }
        match self.opening() {
            Opening::Counted { bytes, prefix_bytes } => {
                self.buffer.advance(prefix_bytes);
                self.method = Some(Method::OctetCounting);
                self.state = State::Counted { bytes };
            }
            Opening::Unknown if !is_end => return None,
            Opening::Line | Opening::Unknown => {
                self.method.get_or_insert(Method::Line);
                self.state = State::Line { searched: 0 };
            }
        }
        Some(())
    }

    /// `MSG-LEN SP` at the start of the buffer. In a connection of lines a length must be followed by PRI, because a line without PRI can
    /// begin with a number; so must a first length over the limit, which would swallow all that follows if it were none.
    fn opening(&self) -> Opening {
        let digits = self.buffer.iter().take(MAX_LENGTH_DIGITS + 1).take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 || digits > MAX_LENGTH_DIGITS || self.buffer.first() == Some(&b'0') {
            return Opening::Line;
        }
        let bytes = self.buffer.iter().take(digits).fold(0, |value, digit| value * 10 + usize::from(digit - b'0'));
        let is_doubtful = match self.method {
            Some(method) => method == Method::Line,
            None => bytes > self.max_frame_bytes,
        };
        match (self.buffer.get(digits), self.buffer.get(digits + 1)) {
            (None, _) => Opening::Unknown,
            (Some(b' '), None) if is_doubtful => Opening::Unknown,
            (Some(b' '), Some(first)) if is_doubtful && *first != b'<' => Opening::Line,
            (Some(b' '), _) => Opening::Counted { bytes, prefix_bytes: digits + 1 },
            _ => Opening::Line,
        }
    }

    fn counted(&mut self, bytes: usize) -> Option<Frame> {
        if bytes > self.max_frame_bytes && self.buffer.len() >= self.max_frame_bytes {
            let beginning = self.buffer.split_to(self.max_frame_bytes).freeze();
            self.state = State::SkipCounted { beginning, original_bytes: bytes as u64, left: bytes - self.max_frame_bytes };
            return self.next_frame();
        }
        if self.buffer.len() < bytes {
            self.state = State::Counted { bytes };
            return None;
        }
        Some(Frame::Message(self.buffer.split_to(bytes).freeze()))
    }

    /// The outer `None`: more bytes are needed; the inner one: the line is over the limit and is skipped from now on.
    fn line(&mut self, searched: usize) -> Option<Option<Frame>> {
        let newline = self.buffer.iter().skip(searched).position(|byte| *byte == b'\n').map(|at| at + searched);
        let line_bytes = newline.unwrap_or(self.buffer.len());
        if line_bytes > self.max_frame_bytes {
            let beginning = self.buffer.split_to(self.max_frame_bytes).freeze();
            self.state = State::SkipLine { beginning, original_bytes: self.max_frame_bytes as u64 };
            return Some(None);
        }
        if newline.is_none() {
            self.state = State::Line { searched: line_bytes };
            return None;
        }
        let line = self.buffer.split_to(line_bytes).freeze();
        self.buffer.advance(1);
        Some(Some(Frame::Message(without_carriage_return(line))))
    }
}

fn without_carriage_return(mut line: Bytes) -> Bytes {
    if line.last() == Some(&b'\r') {
        line.truncate(line.len() - 1);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> Frame {
        Frame::Message(Bytes::copy_from_slice(text.as_bytes()))
    }

    /// Every frame of a stream, fed in pieces of `piece_bytes`.
    fn frames(stream: &[u8], max_frame_bytes: usize, piece_bytes: usize) -> Vec<Frame> {
        let mut decoder = Decoder::new(max_frame_bytes);
        let mut frames = Vec::new();
        for piece in stream.chunks(piece_bytes) {
            decoder.buffer().extend_from_slice(piece);
            frames.extend(std::iter::from_fn(|| decoder.next_frame()));
        }
        frames.extend(decoder.finish());
        frames
    }

    /// The frames must not depend on how the network cut the stream.
    #[track_caller]
    fn check(stream: &[u8], expected: &[Frame]) {
        for piece_bytes in 1..=stream.len() {
            assert_eq!(frames(stream, 20, piece_bytes), expected, "pieces of {piece_bytes} bytes");
        }
    }

    #[test]
    fn lines_end_with_a_newline_or_with_the_stream() {
        check(b"<13>one\n<13>two\r\n<13>three", &[message("<13>one"), message("<13>two"), message("<13>three")]);
    }

    #[test]
    fn counted_frames_may_hold_newlines() {
        check(b"9 <13>a\nb\nc8 <13>next", &[message("<13>a\nb\nc"), message("<13>next")]);
    }

    #[test]
    fn a_newline_after_a_counted_frame_is_no_frame() {
        check(b"7 <13>one\n7 <13>two\n", &[message("<13>one"), message("<13>two")]);
    }

    #[test]
    fn a_zero_byte_after_a_counted_frame_is_no_frame() {
        check(b"7 <13>one\x007 <13>two\0", &[message("<13>one"), message("<13>two")]);
    }

    #[test]
    fn an_empty_line_says_nothing_and_is_no_frame() {
        check(b"\n<13>one\n\n\r\n<13>two\n\n", &[message("<13>one"), message("<13>two")]);
    }

    #[test]
    fn a_line_that_begins_with_a_number_is_a_line_among_lines() {
        check(b"<13>one\n12 monkeys\n2026-11-20 x\n", &[message("<13>one"), message("12 monkeys"), message("2026-11-20 x")]);
    }

    #[test]
    fn both_methods_on_one_connection_are_told_apart_frame_by_frame() {
        check(
            b"<13>one\n7 <13>two<13>three\n7 <13>for",
            &[message("<13>one"), message("<13>two"), message("<13>three"), message("<13>for")],
        );
    }

    #[test]
    fn an_oversize_line_gives_its_beginning_and_the_next_line_is_whole() {
        let oversize = Frame::Oversize { beginning: Bytes::from_static(b"<13>4567890123456789"), original_bytes: 25 };
        check(b"<13>456789012345678901234\n<13>two\n", &[oversize.clone(), message("<13>two")]);
        check(b"<13>456789012345678901234", &[oversize]);
    }

    #[test]
    fn an_oversize_counted_frame_gives_its_beginning_and_the_next_frame_is_whole() {
        let oversize = Frame::Oversize { beginning: Bytes::from_static(b"<13>4567890123456789"), original_bytes: 25 };
        check(b"25 <13>4567890123456789012347 <13>two", &[oversize, message("<13>two")]);
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_whole() {
        check(b"<13>4567890123456789\n", &[message("<13>4567890123456789")]);
    }

    #[test]
    fn the_end_inside_a_counted_frame_is_truncation() {
        check(b"10 <13>on", &[Frame::Truncated { beginning: Bytes::from_static(b"<13>on"), announced_bytes: 10 }]);
        check(
            b"99 <13>456789012345678901234",
            &[Frame::Truncated { beginning: Bytes::from_static(b"<13>4567890123456789"), announced_bytes: 99 }],
        );
    }

    #[test]
    fn a_first_line_that_begins_with_a_great_number_does_not_swallow_the_connection() {
        check(b"20261120 x\n<13>one\n", &[message("20261120 x"), message("<13>one")]);
    }

    #[test]
    fn a_length_that_no_frame_has_is_a_line() {
        check(b"99999999999 x\n0 y\n", &[message("99999999999 x"), message("0 y")]);
    }
}
