use super::*;

fn at(seconds: u64, uptime_seconds: u64) -> Moment {
    Moment { monotonic_ms: seconds * 1_000, uptime_centiseconds: uptime_seconds * 100 }
}

fn reading(in_octets: u64, bits: u32) -> Reading {
    let counter = |value| Counter { value, bits };
    Reading {
        name: "ge-0/0/1".to_owned(),
        in_octets: counter(in_octets),
        out_octets: counter(0),
        out_discards: Counter { value: in_octets / 1_000, bits: 32 },
        speed_bps: 1_000_000_000,
        ..Reading::default()
    }
}

fn in_bps(before: (u64, Moment), now: (u64, Moment), bits: u32) -> Option<f64> {
    counters((&reading(now.0, bits), now.1), Some((&reading(before.0, bits), before.1))).in_bps
}

#[test]
fn rates_are_per_second_of_the_device_s_clock() {
    let body = counters((&reading(1_250_000, 64), at(70, 1_010)), Some((&reading(0, 64), at(60, 1_000))));
    assert_eq!((body.in_bps, body.in_load, body.out_bps, body.interval_ms), (Some(1_000_000.0), Some(0.001), Some(0.0), 10_000));
    assert_eq!((body.out_discards_per_second, body.in_errors_per_second), (Some(125.0), None));
}

#[test]
fn the_first_poll_has_counters_and_no_rates() {
    let body = counters((&reading(5, 64), at(1, 1)), None);
    assert_eq!((body.in_octets, body.in_bps, body.in_load, body.interval_ms), (5, None, None, 0));
}

#[test]
fn a_32_bit_counter_that_begins_again_has_gone_on_and_a_64_bit_one_was_set_back() {
    let (before, now) = ((WRAP_32 - 1_000, at(0, 100)), (250, at(10, 110)));
    assert_eq!(in_bps(before, now, 32), Some(1_000.0));
    assert_eq!(in_bps(before, now, 64), None);
    // Set back to nothing, it would have carried far more than the interface can.
    assert_eq!(in_bps((3_000_000_000, at(0, 100)), (0, at(1, 101)), 32), None);
}

#[test]
fn a_restart_shows_in_the_uptime_also_when_it_is_larger_than_before() {
    assert_eq!(in_bps((100, at(0, 90_000)), (200, at(60, 20)), 64), None, "it went back");
    assert_eq!(in_bps((100, at(0, 10)), (200, at(60, 30)), 64), None, "it advanced by less than the time that passed");
    assert!(in_bps((100, at(0, 10)), (200, at(60, 68)), 64).is_some(), "a clock that is a little slow is none");
}

#[test]
fn an_uptime_that_begins_again_after_497_days_is_no_restart() {
    let last = WRAP_32 / 100;
    let before = Moment { monotonic_ms: 0, uptime_centiseconds: WRAP_32 - 3_000 };
    let now = Moment { monotonic_ms: 60_000, uptime_centiseconds: 3_000 };
    assert!(last > 497 * 86_400);
    assert_eq!(in_bps((0, before), (7_500, now), 64), Some(1_000.0));
}

#[test]
fn a_discontinuity_or_another_interface_at_the_index_has_no_rates() {
    let before = reading(100, 64);
    let discontinued = Reading { discontinuity_centiseconds: 77, ..reading(200, 64) };
    let renamed = Reading { name: "ge-0/0/2".to_owned(), ..reading(200, 64) };
    for now in [&discontinued, &renamed] {
        assert_eq!(counters((now, at(60, 160)), Some((&before, at(0, 100)))).in_bps, None);
    }
}

#[test]
fn columns_become_readings_with_the_best_that_a_device_has() {
    let mut table = Table::default();
    let row = |column, index, cell| Row { column, instance: vec![index], cell };
    let number = |value, bits| Cell::Number { value, bits };
    let text = |text: &str| Cell::Octets(text.as_bytes().to_vec());
    table.take(
        0,
        vec![row(0, 1, text("Gi0/1")), row(1, 1, text("GigabitEthernet0/1")), row(2, 1, text("uplink")), row(4, 1, number(2, 32))],
    );
    table.take(0, vec![row(1, 2, text("old port\0"))]);
    table.take(1, vec![row(0, 1, number(1 << 40, 64))]);
    table.take(
        3,
        vec![row(0, 1, number(10_000, 32)), row(1, 2, number(100_000_000, 32)), row(2, 1, number(7, 32)), row(2, 2, number(9, 32))],
    );
    table.take(3, vec![Row { column: 0, instance: vec![1, 2], cell: number(1, 32) }]);
    let readings = table.into_readings();
    assert_eq!((readings[0].name.as_str(), readings[0].alias.as_str(), readings[0].oper_status), ("Gi0/1", "uplink", 2));
    assert_eq!((readings[0].in_octets, readings[0].speed_bps), (Counter { value: 1 << 40, bits: 64 }, 10_000_000_000));
    assert_eq!(
        (readings[1].name.as_str(), readings[1].in_octets, readings[1].speed_bps),
        ("old port", Counter { value: 9, bits: 32 }, 100_000_000)
    );
    assert_eq!(readings.len(), 2);
}
