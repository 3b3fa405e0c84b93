#![no_main]
//! Any bytes as one frame: an answer, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::Format;

fuzz_target!(|frame: &[u8]| {
    let mut answers = 0;
    Format::Alert.parse(frame, 1_795_176_000_000_000_000, |_| answers += 1);
    assert!(answers > 0);
});
