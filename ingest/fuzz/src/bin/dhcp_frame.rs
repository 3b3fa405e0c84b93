#![no_main]
//! Any bytes as a captured Ethernet frame: never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::dhcp;

fuzz_target!(|frame: &[u8]| {
    let _ = dhcp::source_of_captured(frame);
    let _ = dhcp::parse_captured(frame, "eth0");
});
