#![no_main]
//! Any bytes as one copied DHCP packet: one answer, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::Format;

fuzz_target!(|frame: &[u8]| {
    let mut answers = 0;
    Format::Dhcp.parse(frame, 1_795_176_000_000_000_000, |_| answers += 1);
    assert_eq!(answers, 1);
});
