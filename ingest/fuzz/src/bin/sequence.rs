#![no_main]
//! Any numbers of one sender: gaps make sense, memory is bounded. Each pair of bytes is a step of the number and of the time.

use libfuzzer_sys::fuzz_target;
use tocsin_parse::sequence::{Gap, Sequences};

fuzz_target!(|steps: &[u8]| {
    let mut sequences = Sequences::default();
    let (mut number, mut at_unix_nanos) = (2_147_483_600_u64, 0_u64);
    let check = |gap: Gap, _: ()| assert!(gap.missing > 0 && gap.last_before != gap.first_after, "{gap:?}");
    for step in steps.chunks_exact(2) {
        number = match step[0] {
            0 => 1,
            1 => u64::MAX,
            2 => 4_294_967_290,
            step => number.wrapping_add(u64::from(step)).wrapping_sub(100),
        };
        at_unix_nanos += u64::from(step[1]) * 50_000_000;
        sequences.see(([192, 0, 2, 1].into(), String::new()), number, at_unix_nanos, || (), check);
    }
    sequences.finish(check);
});
