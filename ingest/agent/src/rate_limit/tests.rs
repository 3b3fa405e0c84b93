use super::*;

const SECOND: u64 = 1_000_000_000;

fn limit(keys: &str) -> RateLimit {
    let yaml = format!("listeners: [{{name: l, kind: syslog, listen: '[::]:0', max_message: 64, rate_limit: {{{keys}}}}}]");
    RateLimit::new(crate::Config::parse(&yaml).unwrap().listeners[0].rate_limit.clone().unwrap())
}

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn takes(limit: &RateLimit, last: u8, bytes: u64, at_unix_nanos: u64) -> bool {
    let mut is_taken = false;
    limit.judge(|judge| is_taken = judge.takes(address(last), bytes, at_unix_nanos));
    is_taken
}

/// What is told when sender 1 sends so many messages of 5 bytes.
fn violations(limit: &RateLimit, messages: usize, at_unix_nanos: u64) -> Vec<Violation> {
    limit.judge(|judge| {
        for _ in 0..messages {
            judge.takes(address(1), 5, at_unix_nanos);
        }
    })
}

/// Numbers without an end from a fixed seed (Numerical Recipes' LCG).
fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed;
    move |below| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    }
}

#[test]
fn what_is_above_the_limit_is_refused_and_one_sender_s_excess_costs_no_other() {
    let limit = limit("messages: 3");
    let taken = (0..10).filter(|_| takes(&limit, 1, 10, SECOND)).count();
    assert_eq!(taken, 3);
    assert!(takes(&limit, 2, 10, SECOND));
}

#[test]
fn bytes_are_limited_over_a_period_of_their_own() {
    let limit = limit("bytes: 100, bytes_period: 1s, messages: 1000, messages_period: 1m");
    assert!(takes(&limit, 1, 60, SECOND));
    assert!(!takes(&limit, 1, 60, SECOND), "would be 120 within a second");
    assert!(takes(&limit, 1, 40, SECOND));
    assert!(takes(&limit, 1, 60, 3 * SECOND));
}

#[test]
fn within_no_period_more_is_taken_than_is_allowed() {
    let (limit, mut next, mut at) = (limit("messages: 20, messages_period: 1s"), random(7), 5 * SECOND);
    let mut taken = Vec::new();
    for _ in 0..20_000 {
        // Quiet spells and bursts.
        at += if next(50) == 0 { next(2 * SECOND) } else { next(SECOND / 100) };
        if takes(&limit, 1, 1, at) {
            taken.push(at);
        }
    }
    assert!(taken.len() > 1_000, "{}", taken.len());
    assert!(taken.windows(21).all(|window| window[20] - window[0] >= SECOND), "more than 20 in a second");
}

#[test]
fn who_stays_a_tenth_below_the_limit_is_never_refused() {
    let limit = limit("messages: 110, messages_period: 1s");
    assert!((0..10_000_u64).all(|number| takes(&limit, 1, 1, SECOND + number * SECOND / 100)));
}

#[test]
fn a_penalty_refuses_everything_for_its_time_and_ends() {
    let limit = limit("messages: 2, messages_period: 1s, penalty: 1m");
    let taken = [0, 0, 0].map(|second| takes(&limit, 1, 1, (10 + second) * SECOND));
    assert_eq!(taken, [true, true, false]);
    assert!(!takes(&limit, 1, 1, 40 * SECOND), "one message in 30 s, but in the penalty");
    assert!(takes(&limit, 1, 1, 71 * SECOND));
}

#[test]
fn allowed_networks_are_never_limited() {
    let limit = limit("messages: 1, allow: [192.0.2.8/29, '2001:db8::/32']");
    assert!((0..5).all(|_| takes(&limit, 9, 1, SECOND)));
    assert_eq!((0..5).filter(|_| takes(&limit, 1, 1, SECOND)).count(), 1);
}

#[test]
fn a_sender_over_its_limit_is_told_once_then_each_minute_then_that_it_is_over() {
    let limit = limit("messages: 1, messages_period: 10s");
    assert_eq!(violations(&limit, 4, 100 * SECOND), [Violation { address: address(1), messages: 3, bytes: 15, is_over: true }]);
    assert!(violations(&limit, 1, 101 * SECOND).is_empty(), "told of before");
    assert!(limit.renewed(102 * SECOND).is_empty());
    for second in 103..165 {
        violations(&limit, 1, second * SECOND);
    }
    let renewed = limit.renewed(165 * SECOND);
    assert!(matches!(renewed[..], [Violation { is_over: true, messages, .. }] if messages > 50), "{renewed:?}");
    let ended = limit.renewed(175 * SECOND);
    assert!(matches!(ended[..], [Violation { is_over: false, .. }]), "{ended:?}");
    assert!(limit.renewed(176 * SECOND).is_empty());
}

#[test]
fn at_a_stop_every_sender_that_is_over_is_told_to_be_no_longer_watched() {
    let limit = limit("messages: 1");
    violations(&limit, 4, 100 * SECOND);
    assert!(matches!(limit.rest()[..], [Violation { is_over: false, messages: 3, .. }]));
    assert!(limit.rest().is_empty());
}

#[test]
fn a_flood_of_forged_addresses_shuts_nobody_out_and_is_forgotten() {
    let limit = limit("messages: 1, messages_period: 1s");
    assert!(takes(&limit, 1, 1, SECOND) && !takes(&limit, 1, 1, SECOND));
    limit.judge(|judge| {
        let flood = (0..MAX_SENDERS as u32 + 10).map(|number| IpAddr::from((0x0a00_0000 + number).to_be_bytes()));
        assert!(flood.into_iter().all(|address| judge.takes(address, 1, SECOND)));
    });
    assert_eq!(limit.lock().senders.len(), MAX_SENDERS);
    assert!(!takes(&limit, 1, 1, SECOND), "who is known stays limited");
    limit.renewed(40 * SECOND);
    let table = limit.lock();
    assert_eq!((table.senders.len(), table.over.len()), (0, 0));
}

#[test]
fn a_clock_that_is_set_back_does_not_shut_a_sender_out() {
    let limit = limit("messages: 1, messages_period: 1s");
    assert!(takes(&limit, 1, 1, 1_000 * SECOND));
    assert!(takes(&limit, 1, 1, 500 * SECOND));
}

#[test]
fn a_flood_of_forged_addresses_lifts_no_limit() {
    let limit = limit("messages: 1, messages_period: 1s");
    limit.judge(|judge| {
        let flood = (0..MAX_SENDERS as u32).map(|number| IpAddr::from((0x0a00_0000 + number).to_be_bytes()));
        assert!(flood.into_iter().all(|address| judge.takes(address, 1, SECOND)));
    });
    assert_eq!(
        [takes(&limit, 1, 1, SECOND), takes(&limit, 1, 1, SECOND)],
        [true, false],
        "who comes when the table is full is limited, too"
    );
    assert_eq!(limit.lock().senders.len(), MAX_SENDERS);
}

#[test]
fn no_more_alerts_are_raised_than_a_person_could_read() {
    let limit = limit("messages: 1, messages_period: 1s");
    let told = limit.judge(|judge| {
        for number in 0..MAX_TOLD as u32 + 10 {
            let address = IpAddr::from((0x0a00_0000 + number).to_be_bytes());
            assert_eq!([judge.takes(address, 1, SECOND), judge.takes(address, 1, SECOND)], [true, false]);
        }
    });
    assert_eq!(told.len(), MAX_TOLD);
}

#[test]
fn the_addresses_of_one_64_are_one_sender() {
    let limit = limit("messages: 3");
    let takes = |text: &str| {
        let mut is_taken = false;
        limit.judge(|judge| is_taken = judge.takes(text.parse().unwrap(), 1, SECOND));
        is_taken
    };
    assert!(takes("2001:db8::1") && takes("2001:db8::2") && takes("2001:db8::ffff:1:2:3"));
    assert!(!takes("2001:db8::4"), "the fourth of the same network");
    assert!(takes("2001:db8:0:1::1"));
}
