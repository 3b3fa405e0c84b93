//! Probes through the whole agent. They ask by TCP, which needs no permission; how ICMP and DNS are asked is tested in `probes/tests`.

use std::collections::HashSet;
use std::net::TcpListener;

use tocsin_publish::Topic;
use tocsin_wire::Body;
use tocsin_wire::events::link_probe::LossReason;
use tocsin_wire::events::{Event, LinkProbe};

use crate::running::{events, start_with};

fn probe(event: &Event) -> &LinkProbe {
    let Some(Body::LinkProbe(probe)) = &event.body else { panic!("no probe: {event:?}") };
    probe
}

#[test]
fn every_probe_is_one_event_with_device_site_and_time_of_sending() {
    let open = TcpListener::bind("127.0.0.1:0").unwrap();
    let closed_port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let running = start_with(&format!(
        "site: ams2\nlisteners: []\ndevices: {{names: {{10.1.2.3: edge1}}, roles: {{10.1.0.0/16: edge}}}}\nlinks:\n\
         - {{id: up, method: tcp, target: 127.0.0.1, port: {}, interval: 20ms, device: edge1, interface: ge-0/0/1, remote_site: ams1, site: fra1}}\n\
         - {{id: down, method: tcp, target: 127.0.0.1, port: {closed_port}, interval: 20ms}}",
        open.local_addr().unwrap().port()
    ));
    running.wait_for(|stats| stats.acked >= 40);
    let publisher = std::sync::Arc::clone(&running.publisher);
    let counters = std::sync::Arc::clone(&running.counters[0]);
    assert!(running.agent.drain().is_all_acked);

    let stats = counters.snapshot();
    assert_eq!([stats.events, stats.published, stats.acked, stats.kernel_dropped], [stats.received, stats.received, stats.received, 0]);
    let records = publisher.records();
    let probes: Vec<_> = events(&publisher).into_iter().filter(|event| matches!(event.body, Some(Body::LinkProbe(_)))).collect();
    assert_eq!(probes.len() as u64, stats.received);
    assert!(records.iter().filter(|record| record.topic == Topic::Probe).all(|record| record.key == "up" || record.key == "down"));
    for (id, device, site, role, is_lost) in [("up", "edge1", "fra1", "edge", false), ("down", "test-agent", "ams2", "", true)] {
        let of_link: Vec<_> = probes.iter().filter(|event| probe(event).link_id == id).collect();
        let sequences: HashSet<_> = of_link.iter().map(|event| probe(event).sequence).collect();
        assert_eq!(sequences, (1..=of_link.len() as u64).collect(), "{id}: numbers have no gap");
        for event in of_link {
            let found = (event.listener.as_str(), event.device.as_str(), event.site.as_str(), event.role.as_str());
            assert_eq!(found, ("probes", device, site, role));
            assert_eq!((probe(event).lost, probe(event).rtt_ms.is_none()), (is_lost, is_lost), "{event:?}");
            assert_eq!(probe(event).loss_reason() == LossReason::Refused, is_lost);
            assert!(event.event_time_unix_nanos <= event.received_at_unix_nanos);
        }
    }
    let last = events(&publisher).pop().unwrap();
    let Some(Body::AgentStats(report)) = last.body else { panic!("the last record must be a report: {last:?}") };
    assert_eq!((last.listener.as_str(), report.received, report.acked), ("probes", stats.received, stats.received));
}
