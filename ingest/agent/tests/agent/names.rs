//! Names of addresses through the whole agent: each source, and a list that changes.

use std::fs;
use std::time::Instant;

use tocsin_wire::events::Event;

use crate::running::{PATIENCE, Running, sender, start_with, v4};

const SYSLOG: &str = "listeners: [{name: l, kind: syslog, listen: '[::]:0'}]";

/// A line without a name; its event.
fn said(running: &Running) -> Event {
    let before = running.events().len();
    sender(v4(running.port())).send(b"<13>link up").unwrap();
    let deadline = Instant::now() + PATIENCE;
    loop {
        let events = running.events();
        if events.len() > before {
            return events[before].clone();
        }
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain");
        std::thread::yield_now();
    }
}

#[test]
fn a_list_of_devices_names_them_and_their_site_and_is_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("devices.csv");
    fs::write(&list, "Name,Status,Site,Role,IP Address\nedge1,Active,FRA1,Edge,127.0.0.1/24\n").unwrap();
    let running = start_with(&format!("devices: {{inventory: {}}}\n{SYSLOG}", list.display()));
    let event = said(&running);
    assert_eq!((event.device.as_str(), event.site.as_str(), event.role.as_str()), ("edge1", "FRA1", "Edge"));

    fs::write(&list, "Name,Status,Site,IP Address\nedge1-renamed,Active,FRA1,127.0.0.1/24\n").unwrap();
    running.agent.report();
    assert_eq!(said(&running).device, "edge1-renamed");
    fs::write(&list, "Name,Status,Site,IP Address\nedge1,Active,FRA1,127.0.0.999\n").unwrap();
    running.agent.report();
    assert_eq!(said(&running).device, "edge1-renamed", "a list with a mistake changes nothing");
}

#[test]
fn the_system_s_resolver_names_a_sender_for_its_later_messages() {
    let running = start_with(&format!("devices: {{order: [names, reverse_dns]}}\n{SYSLOG}"));
    assert_eq!(said(&running).device, "127.0.0.1", "nobody has waited for an answer");
    let deadline = Instant::now() + PATIENCE;
    while !said(&running).device.starts_with("localhost") {
        assert!(Instant::now() < deadline, "waited {PATIENCE:?} in vain");
    }
}
