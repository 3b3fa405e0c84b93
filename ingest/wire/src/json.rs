//! Events in protobuf's JSON form, as people write them into golden messages and scenarios.

use std::sync::OnceLock;

use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};

use crate::events::Event;

const EVENT: &str = "tocsin.events.v1.Event";

/// Reads an event from its JSON form: `{"agentId": "a", "device": "gw1", "linkProbe": {...}}`. An unknown field is an error that names it.
pub fn event_from_json(json: &serde_json::Value) -> Result<Event, String> {
    let message = DynamicMessage::deserialize(descriptor()?, json).map_err(|error| error.to_string())?;
    Event::decode(message.encode_to_vec().as_slice()).map_err(|error| error.to_string())
}

/// An event in its JSON form. Fields that are empty are left away, as protobuf's JSON mapping does.
pub fn event_to_json(event: &Event) -> Result<serde_json::Value, String> {
    let message = DynamicMessage::decode(descriptor()?, event.encode_to_vec().as_slice()).map_err(|error| error.to_string())?;
    serde_json::to_value(&message).map_err(|error| error.to_string())
}

fn descriptor() -> Result<MessageDescriptor, String> {
    static DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
    static POOL: OnceLock<Result<DescriptorPool, String>> = OnceLock::new();
    let pool = POOL.get_or_init(|| DescriptorPool::decode(DESCRIPTORS).map_err(|error| error.to_string()));
    pool.as_ref().map_err(Clone::clone)?.get_message_by_name(EVENT).ok_or_else(|| format!("{EVENT} is not in the schemas"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Body;

    #[test]
    fn an_event_is_read_with_its_body() {
        let event = event_from_json(&json!({"agentId": "a", "device": "fw1", "gauge": {"name": "connections", "value": 5.0}})).unwrap();
        assert_eq!((event.agent_id.as_str(), event.device.as_str()), ("a", "fw1"));
        assert!(matches!(event.body, Some(Body::Gauge(gauge)) if gauge.name == "connections" && gauge.value == 5.0));
    }

    #[test]
    fn an_event_comes_back_from_its_json() {
        let json = json!({"agentId": "a", "bootId": "7", "raw": "cmF3", "syslog": {"facility": 23, "appName": "LINK", "message": "m"}});
        assert_eq!(event_to_json(&event_from_json(&json).unwrap()), Ok(json));
    }

    #[test]
    fn an_unknown_field_is_an_error_that_names_it() {
        let error = event_from_json(&json!({"agentId": "a", "gauge": {"nam": "connections"}})).unwrap_err();
        assert!(error.contains("nam"), "{error}");
    }
}
