//! Compiles `schemas/proto` with a compiler written in Rust (protox), so that building needs no `protoc`.

use std::path::Path;

use prost::Message;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/proto");
    let files = [
        "tocsin/events/v1/event.proto",
        "tocsin/alerts/v1/alert.proto",
        "tocsin/alerts/v1/acknowledgement.proto",
        "tocsin/registrations/v1/registration.proto",
        "tocsin/registrations/v1/device.proto",
        "tocsin/registrations/v1/lease_latency.proto",
    ];
    println!("cargo:rerun-if-changed={}", proto.display());

    let descriptors = protox::compile(files, [&proto])?;
    // The JSON form of an event is read by its descriptor.
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("descriptors.bin"), descriptors.encode_to_vec())?;
    prost_build::Config::new()
        // Ordered maps make the same event the same bytes.
        .btree_map(["."])
        .bytes(["."])
        .include_file("mod.rs")
        .compile_fds(descriptors)?;
    Ok(())
}
