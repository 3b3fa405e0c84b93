#![no_main]
//! Any text as a file of MIB modules: a table that can be loaded, never a panic.

use libfuzzer_sys::fuzz_target;
use tocsin_snmp::mib::{Source, compile};
use tocsin_snmp::names::Names;

fuzz_target!(|text: &str| {
    let compiled = compile(&[Source { name: "fuzz", text }], &Names::default());
    Names::default().add(&compiled.table).expect("what the compiler writes can be loaded");
});
