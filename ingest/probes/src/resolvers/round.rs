//! One question to all resolvers of a group at the same moment, and what they answered, compared.

use std::net::SocketAddr;

use bytes::Bytes;
use tocsin_parse::dns::{Answer, RecordType};
use tocsin_wire::events::DnsAnswer;
use tokio::task::JoinSet;

use super::ask::{Reply, ask};
use super::compare::{Verdict, compare};
use super::config::{GroupConfig, GroupQuestion, ServerConfig};
use crate::outcome::milliseconds;

/// What one resolver answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Asked {
    /// Configured name of the resolver.
    pub resolver: String,
    /// Who was asked.
    pub target: SocketAddr,
    /// The result.
    pub body: DnsAnswer,
    /// The answer as received; empty where none came.
    pub raw: Bytes,
}

/// Asks, waits until the last has answered or its time is over, and compares. One result a resolver, in the order of the config.
pub async fn ask_all(group: &GroupConfig, question: &GroupQuestion) -> Vec<Asked> {
    let mut asking = JoinSet::new();
    for (index, server) in group.servers.iter().enumerate() {
        let (target, packet, timeout) = (server.socket_address(), question.packet.clone(), group.timeout);
        asking.spawn(async move { (index, ask(target, &packet, timeout).await) });
    }
    let mut replies = asking.join_all().await;
    replies.sort_by_key(|(index, _)| *index);
    let answers: Vec<Option<&Answer>> = replies.iter().map(|(_, reply)| reply.answer()).collect();
    let verdicts = compare(&answers, question.record_type, question.compare);
    let results = group.servers.iter().zip(replies).zip(verdicts);
    results.map(|((server, (_, reply)), verdict)| asked(group, server, question, reply, verdict)).collect()
}

fn asked(group: &GroupConfig, server: &ServerConfig, question: &GroupQuestion, reply: Reply, verdict: Verdict) -> Asked {
    let (resolver, target) = (server.id.clone(), server.socket_address());
    let mut body = DnsAnswer {
        resolver_group: group.id.clone(),
        target: target.to_string(),
        query_name: question.name.clone(),
        query_type: question.record_type.word().to_owned(),
        disagreement: verdict.disagreement.into(),
        expected: verdict.expected,
        interval_ms: milliseconds(group.interval),
        timeout_ms: milliseconds(group.timeout),
        ..DnsAnswer::default()
    };
    match reply {
        Reply::Answered { answer, raw, transport, rtt, detail } => {
            body.rtt_ms = Some(rtt.as_secs_f64() * 1000.0);
            body.transport = transport.into();
            body.serial = answer.serial().filter(|_| question.record_type == RecordType::Soa);
            body.ttl_s = answer.ttl_s;
            body.authenticated = answer.is_authenticated;
            body.answer = answer.records.join(",");
            body.answer_code = answer.code;
            body.detail = detail;
            Asked { resolver, target, body, raw }
        }
        Reply::Lost { reason, detail } => {
            body.lost = true;
            body.loss_reason = reason.into();
            body.detail = detail;
            Asked { resolver, target, body, raw: Bytes::new() }
        }
    }
}
