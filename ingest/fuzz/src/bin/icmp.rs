#![no_main]
//! Any bytes as what an ICMP socket gives: a reply, a returned request or neither, never a panic. What is read as a reply to this prober comes
//! back as it was sent.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::icmp::{self, Family};

fuzz_target!(|packet: &[u8]| {
    for family in [Family::V4, Family::V6] {
        let message = icmp::after_ipv4_header(packet).unwrap_or(packet);
        let _ = icmp::reply(family, message);
        if let Some(echo) = icmp::returned_request(family, message)
            && let Some(probe) = echo.probe
        {
            let request = icmp::request(family, echo.identifier, echo.sequence, probe);
            assert_eq!(icmp::returned_request(family, &request), Some(echo));
        }
    }
});
