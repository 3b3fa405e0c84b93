//! What is published: an encoded event, and where it goes.

use std::sync::Arc;

use bytes::Bytes;
use prost::Message;
use tocsin_telemetry::Counters;
use tocsin_wire::Body;
use tocsin_wire::events::Event;

use crate::records::RecordRef;

/// Kafka topics that an agent writes; the suffix is the version of the wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Topic {
    /// Syslog messages, keyed by device.
    Syslog,
    /// Alert updates, keyed by device.
    Alert,
    /// The agent's own counters, keyed by agent.
    AgentStats,
    /// What could not become an event, keyed by device.
    Rejects,
    /// DHCP messages, keyed by MAC.
    Dhcp,
    /// SNMP traps and informs, keyed by device.
    Snmp,
    /// Interface counters and gauges, keyed by device.
    Counters,
    /// WAN probes, keyed by link, and answers of resolvers, keyed by their group.
    Probe,
}

impl Topic {
    /// Every topic, in the order of their numbers in the spool.
    pub const ALL: [Self; 8] =
        [Self::Syslog, Self::Alert, Self::AgentStats, Self::Rejects, Self::Dhcp, Self::Snmp, Self::Counters, Self::Probe];

    /// The topic's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Syslog => "events-syslog-v1",
            Self::Alert => "events-alert-v1",
            Self::AgentStats => "agent-stats-v1",
            Self::Rejects => "rejects-v1",
            Self::Dhcp => "events-dhcp-v1",
            Self::Snmp => "events-snmp-v1",
            Self::Counters => "events-counters-v1",
            Self::Probe => "events-probe-v1",
        }
    }

    pub(crate) fn of(body: Option<&Body>) -> Self {
        match body {
            Some(Body::Syslog(_) | Body::SequenceGap(_)) => Self::Syslog,
            Some(Body::AlertUpdate(_)) => Self::Alert,
            Some(Body::AgentStats(_)) => Self::AgentStats,
            Some(Body::Reject(_)) | None => Self::Rejects,
            Some(Body::Dhcp(_)) => Self::Dhcp,
            Some(Body::SnmpTrap(_)) => Self::Snmp,
            Some(Body::InterfaceCounters(_) | Body::Gauge(_)) => Self::Counters,
            Some(Body::LinkProbe(_) | Body::DnsAnswer(_)) => Self::Probe,
        }
    }

    /// What keeps the records of one thing in order, as the topic's file in `schemas/topics` says.
    pub(crate) fn key_of(event: &Event) -> &str {
        match &event.body {
            Some(Body::AgentStats(_)) => &event.agent_id,
            Some(Body::Dhcp(dhcp)) if !dhcp.mac.is_empty() => &dhcp.mac,
            Some(Body::LinkProbe(probe)) => &probe.link_id,
            Some(Body::DnsAnswer(answer)) => &answer.resolver_group,
            _ => &event.device,
        }
    }
}

/// One Kafka record on its way.
#[derive(Clone, Debug)]
pub struct Record {
    /// Where it goes.
    pub topic: Topic,
    /// What the topic is keyed by: the device, a MAC, a link, a group of resolvers, or the agent for its counters.
    pub key: Bytes,
    /// An encoded [`Event`].
    pub payload: Bytes,
    /// Whose counters it moves; `None` for records that the balance sheet does not count: the agent's own counters, and rejects of the
    /// publish stage, whose event is counted as dropped.
    pub counters: Option<Arc<Counters>>,
    /// It was counted as published before and came back.
    pub(crate) is_published: bool,
}

impl Record {
    /// Encodes an event for its topic.
    pub fn new(event: &Event, counters: Option<Arc<Counters>>) -> Self {
        let key = Topic::key_of(event);
        let topic = Topic::of(event.body.as_ref());
        Self { topic, key: Bytes::copy_from_slice(key.as_bytes()), payload: event.encode_to_vec().into(), counters, is_published: false }
    }

    pub(crate) fn as_ref(&self) -> RecordRef<'_> {
        RecordRef { topic: self.topic, key: &self.key, payload: &self.payload }
    }
}
