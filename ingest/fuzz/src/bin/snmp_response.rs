#![no_main]
//! Any bytes as a device's answer to the poller: rows or none, never a panic, and a walk that ends.

use libfuzzer_sys::fuzz_target;
use tocsin_snmp::interfaces::{Table, column_groups};
use tocsin_snmp::pdu::CommunityMessage;
use tocsin_snmp::v3::{Incoming, Scoped};
use tocsin_snmp::walk::Walk;

fuzz_target!(|frame: &[u8]| {
    let data;
    let pdu = match Incoming::read_response(frame) {
        Ok(message) => {
            data = message.plain_data(&Default::default()).unwrap_or_default();
            Scoped::read(&data).ok().and_then(Scoped::into_pdu)
        }
        Err(_) => CommunityMessage::read_response(frame).ok(),
    };
    let Some(pdu) = pdu else { return };
    let mut table = Table::default();
    for (group, columns) in column_groups().into_iter().enumerate() {
        let mut walk = Walk::new(&columns);
        let mut turns = 0;
        while !walk.next_request().is_empty() {
            table.take(group, walk.take(&pdu.varbinds));
            turns += 1;
            assert!(turns < 1_000, "the same answer again and again must end the walk");
        }
    }
    table.into_readings();
});
