//! What crosses a boundary: the messages of `schemas/proto` as Rust types, and the constructors that keep an event valid.
//!
//! Nobody fills an [`events::Event`] by hand: [`EventSource`] gives it its identity, [`Origin`] says where its bytes came from.

mod envelope;
mod json;
mod words;

/// Generated from `schemas/proto`; one module a package.
#[allow(missing_docs, clippy::doc_markdown)]
pub mod generated {
    include!(concat!(env!("OUT_DIR"), "/mod.rs"));
}

pub use envelope::{EventSource, Origin, address_text, source_ip_bytes};
pub use generated::tocsin::{alerts::v1 as alerts, events::v1 as events, registrations::v1 as registrations, rejects::v1 as rejects};
/// What people say of alerts.
pub mod acknowledgements {
    pub use crate::generated::tocsin::alerts::v1::{Acknowledgement, acknowledgement::Action};
}

pub use json::{event_from_json, event_to_json};
pub use words::word;

/// What an event says: the `body` of [`events::Event`].
pub type Body = events::event::Body;
