//! The agent's own host, read while it runs.

use std::time::Instant;

use tocsin_wire::Body;
use tocsin_wire::events::Gauge;

use crate::running::{PATIENCE, start_with};

#[test]
fn this_host_s_figures_are_events_and_stand_on_the_sheet() {
    let running = start_with(
        "listeners: [{name: l, kind: alert, listen: '[::]:0'}]\nhost: {interval: 1s, device: this-host, site: fra1}\n\
         devices: {names: {10.1.2.3: this-host}, sites: {10.1.0.0/16: zrh1}, roles: {10.1.0.0/16: database}}\n",
    );
    let deadline = Instant::now() + PATIENCE;
    let (events, cpu) = loop {
        let events = running.events();
        let is_cpu = |gauge: &&Gauge| gauge.name == "cpu_busy";
        let gauges = events.iter().filter_map(|event| if let Some(Body::Gauge(gauge)) = &event.body { Some(gauge) } else { None });
        match gauges.clone().find(is_cpu).cloned() {
            Some(cpu) => break (events, cpu),
            None => assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain"),
        }
        std::thread::yield_now();
    };

    assert!((0.0..=100.0).contains(&cpu.value) && cpu.unit == "percent", "{cpu:?}");
    let of_host = events.iter().filter(|event| event.listener == "host");
    assert!(
        of_host.clone().all(|event| (event.device.as_str(), event.site.as_str(), event.role.as_str()) == ("this-host", "fra1", "database"))
    );
    let counters = running.agent.inputs().into_iter().find(|input| input.counters.name() == "host").unwrap().counters;
    assert!(counters.snapshot().received >= of_host.count() as u64);
}
