//! RELP, rsyslog's reliable transport: a stream of `TXNR SP COMMAND SP DATALEN [SP DATA] LF`, each frame of which is answered by its number.
//! (rsyslog.com/doc/relp.html, and librelp for what that leaves open)

use bytes::{Buf, Bytes, BytesMut};

use crate::framing::Frame;

/// Digits of a transaction's number, and of a length.
const MAX_DIGITS: usize = 9;
/// Both numbers, a command of 32 letters, and what ends each.
const MAX_HEADER_BYTES: usize = 2 * MAX_DIGITS + 32 + 3;
const NO_FRAME: &str = "it is no RELP frame: TXNR, COMMAND and DATALEN are wanted";

/// What a peer asks, and the number that its answer carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Number of the transaction.
    pub transaction: u32,
    /// What is asked.
    pub command: Command,
}

/// The commands of a sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Begins a session; what it offers is of no interest.
    Open,
    /// One message.
    Syslog(Frame),
    /// Ends the session.
    Close,
    /// One that we do not know.
    Unknown,
}

/// A frame that is longer than the limit, while the rest of it passes.
#[derive(Debug)]
struct Skipped {
    header: Header,
    beginning: Bytes,
    left_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Header {
    transaction: u32,
    command: fn(Frame) -> Command,
    data_bytes: usize,
}

/// Cuts one stream into requests.
#[derive(Debug)]
pub struct Decoder {
    max_message_bytes: usize,
    buffer: BytesMut,
    skipped: Option<Skipped>,
}

impl Decoder {
    /// Messages above the limit keep their beginning.
    pub fn new(max_message_bytes: usize) -> Self {
        Self { max_message_bytes, buffer: BytesMut::new(), skipped: None }
    }

    /// Where the next bytes of the stream go.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// The next whole request; `None` until there are more bytes. After an error, a clause that says what is wrong, the stream is lost.
    pub fn next_request(&mut self) -> Result<Option<Request>, &'static str> {
        if self.skipped.is_none() {
            let Some((header, header_bytes)) = header(&self.buffer)? else { return Ok(None) };
            let kept_bytes = header.data_bytes.min(self.max_message_bytes);
            if self.buffer.len() < header_bytes + kept_bytes {
                return Ok(None);
            }
            self.buffer.advance(header_bytes);
            let beginning = self.buffer.split_to(kept_bytes).freeze();
            self.skipped = Some(Skipped { header, beginning, left_bytes: header.data_bytes - kept_bytes });
        }
        let Some(skipped) = &mut self.skipped else { return Ok(None) };
        let now_bytes = skipped.left_bytes.min(self.buffer.len());
        self.buffer.advance(now_bytes);
        skipped.left_bytes -= now_bytes;
        let Some(end) = self.buffer.first() else { return Ok(None) };
        if *end != b'\n' {
            return Err("a RELP frame does not end where its DATALEN says");
        }
        self.buffer.advance(1);
        Ok(self.skipped.take().map(|Skipped { header, beginning, .. }| {
            let original_bytes = header.data_bytes as u64;
            let is_whole = beginning.len() as u64 == original_bytes;
            let frame = if is_whole { Frame::Message(beginning) } else { Frame::Oversize { beginning, original_bytes } };
            Request { transaction: header.transaction, command: (header.command)(frame) }
        }))
    }
}

/// The header at the beginning of these bytes and its length; without data its end is that of the frame.
fn header(bytes: &[u8]) -> Result<Option<(Header, usize)>, &'static str> {
    let mut ends = bytes.iter().take(MAX_HEADER_BYTES).enumerate().filter(|(_, byte)| matches!(byte, b' ' | b'\n')).map(|(index, _)| index);
    let (Some(first), Some(second), Some(third)) = (ends.next(), ends.next(), ends.next()) else {
        return if bytes.len() < MAX_HEADER_BYTES { Ok(None) } else { Err(NO_FRAME) };
    };
    let (transaction, data_bytes) = (number(&bytes[..first])?, number(&bytes[second + 1..third])? as usize);
    let ends_frame = bytes[third] == b'\n';
    if bytes[first] != b' ' || bytes[second] != b' ' || (ends_frame && data_bytes > 0) {
        return Err(NO_FRAME);
    }
    let command: fn(Frame) -> Command = match &bytes[first + 1..second] {
        b"open" => |_| Command::Open,
        b"syslog" => Command::Syslog,
        b"close" => |_| Command::Close,
        _ => |_| Command::Unknown,
    };
    Ok(Some((Header { transaction, command, data_bytes }, if ends_frame { third } else { third + 1 })))
}

fn number(digits: &[u8]) -> Result<u32, &'static str> {
    let is_number = (1..=MAX_DIGITS).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    if is_number { Ok(digits.iter().fold(0, |number, digit| number * 10 + u32::from(digit - b'0'))) } else { Err(NO_FRAME) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requests(stream: &[u8], piece_bytes: usize) -> Result<Vec<Request>, &'static str> {
        let mut decoder = Decoder::new(16);
        let mut requests = Vec::new();
        for piece in stream.chunks(piece_bytes) {
            decoder.buffer().extend_from_slice(piece);
            while let Some(request) = decoder.next_request()? {
                requests.push(request);
            }
        }
        Ok(requests)
    }

    #[test]
    fn a_session_is_the_same_however_the_stream_is_cut() {
        let stream =
            b"1 open 15 relp_version=0\n\n2 syslog 8 <13>o\nne\n3 syslog 20 <13>4567890123456789\n4 starttls 0\n5 syslog 0\n6 close 0\n";
        let message = |text: &'static str| Command::Syslog(Frame::Message(text.into()));
        let oversize = Command::Syslog(Frame::Oversize { beginning: Bytes::from_static(b"<13>456789012345"), original_bytes: 20 });
        let expected = [Command::Open, message("<13>o\nne"), oversize, Command::Unknown, message(""), Command::Close];
        let expected: Vec<_> = expected.into_iter().zip(1..).map(|(command, transaction)| Request { transaction, command }).collect();
        for piece_bytes in [1, 2, 3, 7, 1_000] {
            assert_eq!(requests(stream, piece_bytes).as_ref(), Ok(&expected), "pieces of {piece_bytes}");
        }
    }

    #[test]
    fn what_is_no_relp_is_told_before_much_of_it_is_kept() {
        for stream in [
            &b"<13>Nov 20 12:00:00 n1 hello\n"[..],
            b"1 syslog x data\n",
            b"1234567890 syslog 1 a\n",
            b"1 syslog 5\nhello\n",
            b"\x16\x03\x01 \x02 \x01 ",
            &[b'1'; MAX_HEADER_BYTES],
        ] {
            assert!(requests(stream, 1).unwrap_err().contains("RELP"), "{:?}", stream.escape_ascii().to_string());
        }
        assert!(requests(b"1 syslog 3 abcd\n", 5).unwrap_err().contains("DATALEN"));
    }
}
