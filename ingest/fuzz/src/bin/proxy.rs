#![no_main]
//! Any bytes as a PROXY header: it announces a bounded rest, and any rest is an address or a reason.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::proxy::{FIXED_BYTES, Header, MAX_REST_BYTES};

fuzz_target!(|bytes: &[u8]| {
    let Some((fixed, rest)) = bytes.split_first_chunk::<FIXED_BYTES>() else { return };
    if let Ok(header) = Header::read(fixed) {
        assert!(header.rest_bytes <= MAX_REST_BYTES);
        let _ = header.source(rest);
    }
});
