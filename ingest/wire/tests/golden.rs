//! Golden messages: `schemas/golden/<message>/<case>.json` is written by hand (protobuf's JSON mapping), `<case>.bin` holds its canonical
//! bytes. Java decodes the same files, so both languages read the same.
//!
//! A new case is a new `.json`; `TOCSIN_WRITE_GOLDEN=1 cargo test --release -p tocsin-wire --test golden` writes its `.bin`. A `.bin` of a
//! released case must never change: that would be another wire format.

use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use tocsin_wire::alerts::Alert;
use tocsin_wire::events::Event;
use tocsin_wire::registrations::LeaseLatency;

const WRITE: &str = "TOCSIN_WRITE_GOLDEN";

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

fn descriptor(message: &str) -> MessageDescriptor {
    let descriptors: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
    DescriptorPool::decode(descriptors).unwrap().get_message_by_name(message).unwrap()
}

/// Checks every case of a folder; returns how many there are.
fn check<M: Message + Default + PartialEq + Debug>(folder: &str, message: &str) -> usize {
    let descriptor = descriptor(message);
    let mut cases = 0;
    for item in fs::read_dir(schemas().join("golden").join(folder)).unwrap() {
        let json_path = item.unwrap().path();
        if json_path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        cases += 1;
        let case = json_path.display();
        let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(&json_path).unwrap()).unwrap();
        let from_json = DynamicMessage::deserialize(descriptor.clone(), json.clone()).unwrap_or_else(|error| panic!("{case}: {error}"));
        let typed = M::decode(from_json.encode_to_vec().as_slice()).unwrap();

        let bin_path = json_path.with_extension("bin");
        if std::env::var_os(WRITE).is_some() {
            fs::write(&bin_path, typed.encode_to_vec()).unwrap();
        }
        let bytes = fs::read(&bin_path).unwrap_or_else(|error| panic!("{}: {error}; write it with {WRITE}=1", bin_path.display()));
        let decoded = M::decode(bytes.as_slice()).unwrap();
        assert_eq!(decoded, typed, "{case}: the bytes say something else than the JSON");
        assert_eq!(decoded.encode_to_vec(), bytes, "{case}: the bytes are not canonical");
        let again = DynamicMessage::decode(descriptor.clone(), bytes.as_slice()).unwrap();
        assert_eq!(serde_json::to_value(&again).unwrap(), json, "{case}: the JSON does not come back");
    }
    cases
}

#[test]
fn every_golden_event_has_the_same_meaning_in_json_and_in_bytes() {
    assert!(check::<Event>("event", "tocsin.events.v1.Event") >= 6);
}

#[test]
fn every_golden_lease_latency_has_the_same_meaning_in_json_and_in_bytes() {
    assert!(check::<LeaseLatency>("lease_latency", "tocsin.registrations.v1.LeaseLatency") >= 1);
}

#[test]
fn every_golden_alert_has_the_same_meaning_in_json_and_in_bytes() {
    assert!(check::<Alert>("alert", "tocsin.alerts.v1.Alert") >= 2);
}
