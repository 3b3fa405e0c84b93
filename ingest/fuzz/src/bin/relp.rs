#![no_main]
//! Any bytes as a RELP stream: the requests do not depend on how it was cut. The first byte chooses the size of the pieces.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::relp::{Decoder, Request};

fn requests(stream: &[u8], piece_bytes: usize) -> Vec<Request> {
    let mut decoder = Decoder::new(64);
    let mut requests = Vec::new();
    for piece in stream.chunks(piece_bytes.max(1)) {
        decoder.buffer().extend_from_slice(piece);
        loop {
            match decoder.next_request() {
                Ok(Some(request)) => requests.push(request),
                Ok(None) => break,
                Err(_) => return requests,
            }
        }
    }
    requests
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((piece_bytes, stream)) = bytes.split_first() {
        assert_eq!(requests(stream, usize::from(*piece_bytes)), requests(stream, stream.len()));
    }
});
