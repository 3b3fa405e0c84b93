use super::*;

const SECOND: u64 = 1_000_000_000;

fn sender(name: &str) -> Sender {
    ([192, 0, 2, 1].into(), name.to_owned())
}

fn gap(last_before: u64, first_after: u64, missing: u64) -> Gap {
    Gap { last_before, first_after, missing }
}

/// What is told of numbers that arrive within a millisecond each, and then of a silence.
fn gaps(numbers: impl IntoIterator<Item = u64>) -> Vec<Gap> {
    let mut sequences = Sequences::default();
    let mut told = Vec::new();
    for (at, number) in numbers.into_iter().enumerate() {
        sequences.see(sender("sw1"), number, at as u64 * 1_000_000, || number, |gap, _| told.push(gap));
    }
    sequences.finish(|gap, _| told.push(gap));
    told
}

#[test]
fn numbers_without_a_gap_tell_nothing() {
    assert_eq!(gaps([7, 8, 9, 10]), []);
    assert_eq!(gaps([5]), []);
}

#[test]
fn a_gap_is_told_with_the_numbers_around_it_and_the_message_after_it() {
    let mut sequences = Sequences::default();
    let mut told = Vec::new();
    for number in [100, 101, 105, 106] {
        sequences.see(sender("sw1"), number, SECOND, || number, |gap, message| told.push((gap, message)));
    }
    assert_eq!(told, [], "it may still be filled");
    sequences.expire(SECOND + HOLD_NANOS, |gap, message| told.push((gap, message)));
    assert_eq!(told, [(gap(101, 105, 3), 105)]);
}

#[test]
fn a_gap_is_held_for_its_time_and_no_longer() {
    let mut sequences = Sequences::default();
    let mut told = Vec::new();
    for (number, at) in [(1, 0), (3, 10), (4, HOLD_NANOS), (5, HOLD_NANOS + 10)] {
        sequences.see(sender("sw1"), number, at, || (), |gap, ()| told.push((number, gap)));
    }
    assert_eq!(told, [(5, gap(1, 3, 1))]);
}

#[test]
fn reordered_numbers_are_no_gap() {
    assert_eq!(gaps([1, 3, 2, 4]), []);
    assert_eq!(gaps([1, 5, 4, 3, 2, 6]), []);
    assert_eq!(gaps([2, 1, 3]), []);
    // Any distance, within the time.
    assert_eq!(gaps(std::iter::once(0).chain((500..1_000).chain(1..500))), []);
}

#[test]
fn a_late_number_leaves_the_gaps_before_and_after_it() {
    assert_eq!(gaps([1, 9, 5]), [gap(1, 5, 3), gap(5, 9, 3)]);
    assert_eq!(gaps([1, 9, 2, 8]), [gap(2, 8, 5)]);
}

#[test]
fn a_number_that_comes_after_its_gap_was_told_changes_nothing() {
    let mut sequences = Sequences::default();
    let mut told = Vec::new();
    for (number, at) in [(1, 0), (3, 1), (4, 2 * SECOND), (2, 2 * SECOND), (5, 2 * SECOND)] {
        sequences.see(sender("sw1"), number, at, || (), |gap, ()| told.push(gap));
    }
    sequences.finish(|gap, ()| told.push(gap));
    assert_eq!(told, [gap(1, 3, 1)]);
}

#[test]
fn repeated_numbers_are_no_gap() {
    assert_eq!(gaps([1, 1, 2, 2, 3, 3, 4, 4]), []);
    assert_eq!(gaps([1, 2, 1, 2, 3, 4, 3, 4, 5]), []);
}

#[test]
fn a_restart_is_no_gap_and_gaps_after_it_are_found() {
    assert_eq!(gaps([50_000, 50_001, 1, 2, 3]), []);
    assert_eq!(gaps([50_000, 50_001, 1, 2, 6]), [gap(2, 6, 3)]);
    // A counter that had not come far.
    assert_eq!(gaps([10, 11, 12, 1, 2, 3, 6]), [gap(3, 6, 2)]);
}

#[test]
fn a_gap_before_a_restart_is_told() {
    assert_eq!(gaps([50_000, 50_003, 1, 2]), [gap(50_000, 50_003, 2)]);
}

#[test]
fn a_sequence_id_begins_again_at_1_after_2147483647() {
    assert_eq!(gaps([2_147_483_646, 2_147_483_647, 1, 2]), []);
    assert_eq!(gaps([2_147_483_646, 2, 3]), [gap(2_147_483_646, 2, 2)]);
    assert_eq!(gaps([2_147_483_645, 2_147_483_646, 1, 2, 2_147_483_647, 3]), []);
    assert_eq!(gaps([2_147_483_647, 1, 2, 5]), [gap(2, 5, 2)]);
    assert_eq!(gaps([2_147_483_646, 1]), [gap(2_147_483_646, 1, 1)]);
}

#[test]
fn a_counter_of_32_bits_begins_again_at_0() {
    assert_eq!(gaps([4_294_967_294, 4_294_967_295, 0, 1, 2]), []);
    assert_eq!(gaps([4_294_967_295, 2]), [gap(4_294_967_295, 2, 2)]);
    assert_eq!(gaps([4_294_967_294, 1]), [gap(4_294_967_294, 1, 2)]);
}

#[test]
fn senders_do_not_mix() {
    let mut sequences = Sequences::default();
    let mut told = Vec::new();
    let other_address = (IpAddr::from([192, 0, 2, 2]), "sw1".to_owned());
    for (sender, number) in
        [(sender("sw1"), 1), (sender("sw2"), 100), (other_address.clone(), 7), (sender("sw1"), 2), (sender("sw2"), 101), (other_address, 8)]
    {
        sequences.see(sender, number, 0, || (), |gap, ()| told.push(gap));
    }
    sequences.finish(|gap, ()| told.push(gap));
    assert_eq!(told, []);
}

#[test]
fn several_counters_under_one_name_fall_silent() {
    let mut numbers = Vec::new();
    for step in 0..500 {
        numbers.extend([10_000 + step, 500_000 + step]);
    }
    assert!(gaps(numbers).len() <= usize::from(MAX_RESTARTS_PER_MINUTE));
}

#[test]
fn numbers_that_no_counter_reaches_are_ignored() {
    assert_eq!(gaps([1, u64::MAX, 2, u64::MAX - 1, 3]), []);
}

#[test]
fn open_gaps_are_bounded_and_the_oldest_is_told_early() {
    let mut sequences = Sequences::default();
    let mut told = 0;
    for number in 0..10_000 {
        sequences.see(
            sender("sw1"),
            number * 2,
            number,
            || (),
            |gap, ()| {
                assert_eq!(gap.missing, 1);
                told += 1;
            },
        );
    }
    assert_eq!(told, 9_999 - MAX_OPEN_GAPS_PER_SENDER);
    sequences.finish(|_, ()| told += 1);
    assert_eq!(told, 9_999);
}

#[test]
fn a_flood_of_names_is_bounded_and_loses_no_gap() {
    let mut sequences = Sequences::default();
    let mut told = 0;
    let names = 3 * MAX_SENDERS_PER_GENERATION as u64;
    for name in 0..names {
        for number in [1, 3] {
            sequences.see(sender(&name.to_string()), number, 0, || (), |_, ()| told += 1);
        }
    }
    assert!(sequences.young.len() + sequences.old.len() <= 2 * MAX_SENDERS_PER_GENERATION);
    assert!(sequences.opened.len() <= MAX_OPEN_GAPS);
    sequences.finish(|_, ()| told += 1);
    assert_eq!(told, names);
}

/// Whatever is lost and reordered: what is told missing is what did not come.
#[test]
fn what_is_told_missing_is_what_did_not_come() {
    let mut state = 0x7365_7175_656e_6365_u64;
    let mut below = move |bound: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % bound
    };
    for _ in 0..200 {
        // The first and the last arrive as such: what is lost before or after them cannot be known.
        let mut arrivals = vec![(0, 1_000), (u64::MAX, 1_399)];
        for number in 1_001..1_399 {
            if below(10) > 0 {
                arrivals.push((number * 10 + below(80), number));
            }
        }
        arrivals.sort_unstable();
        let lost = 400 - arrivals.len() as u64;
        let told: u64 = gaps(arrivals.into_iter().map(|(_, number)| number)).iter().map(|gap| gap.missing).sum();
        assert_eq!(told, lost);
    }
}
