#![no_main]
//! Any bytes as a stream: the frames do not depend on how it was cut. The first byte chooses the size of the pieces.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::framing::{Decoder, Frame};

fn frames(stream: &[u8], piece_bytes: usize) -> Vec<Frame> {
    let mut decoder = Decoder::new(64);
    let mut frames = Vec::new();
    for piece in stream.chunks(piece_bytes.max(1)) {
        decoder.buffer().extend_from_slice(piece);
        frames.extend(std::iter::from_fn(|| decoder.next_frame()));
    }
    frames.extend(decoder.finish());
    frames
}

fuzz_target!(|bytes: &[u8]| {
    if let Some((piece_bytes, stream)) = bytes.split_first() {
        assert_eq!(frames(stream, usize::from(*piece_bytes)), frames(stream, stream.len()));
    }
});
