use std::collections::BTreeMap;
use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path as FilePath;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use prost::Message;
use tocsin_names::Names;
use tocsin_publish::{MemoryPublisher, Publisher, Record, Remainder};
use tocsin_snmp::Oid;
use tocsin_snmp::pdu::{self, CommunityMessage, Pdu, Value, Varbind};
use tocsin_telemetry::Inputs;
use tocsin_wire::EventSource;

use super::*;
use crate::config::DevicesConfig;
use crate::places::Places;
use crate::reject_limit::MAX_REJECTS;
use crate::time_zones::TimeZones;
use crate::{Config, snmp};

/// What a datagram may become, as a multiple of its bytes, beside [`fixed_bytes`].
const MAX_AMPLIFICATION: usize = 4;

/// What is stored of a datagram of one byte: id, agent, listener, addresses and times, and the sentence of a refusal; of a notification also the
/// names of some variable bindings.
fn fixed_bytes(kind: Kind) -> usize {
    match kind {
        Kind::Snmp => 1_700,
        Kind::Syslog | Kind::Alert | Kind::Dhcp => 700,
    }
}

/// Keeps how much was published.
#[derive(Default)]
struct Scales(AtomicUsize);

impl Publisher for Scales {
    fn publish(&self, record: Record) {
        self.0.fetch_add(record.key.len() + record.payload.len(), Ordering::Relaxed);
    }

    fn flush(&self, _timeout: Duration) -> bool {
        true
    }

    fn close(&self) -> Remainder {
        Remainder::default()
    }
}

fn pipeline(reading: Reading, publisher: Arc<dyn Publisher>) -> Pipeline {
    let config = Config { agent_id: "agent-1.example.net".to_owned(), ..Config::default() };
    let shared = Shared {
        events: Arc::new(EventSource::new(&config.agent_id, 1_795_176_000_000_000_000)),
        publisher,
        names: Names::default(),
        site: "agent-site".into(),
        places: Arc::new(Places::new(
            &DevicesConfig {
                sites: BTreeMap::from([("10.1.0.0/16".parse().unwrap(), "zrh".to_owned())]),
                roles: BTreeMap::from([("10.1.0.0/16".parse().unwrap(), "access".to_owned())]),
                ..DevicesConfig::default()
            },
            Names::default(),
        )),
        aliases: Arc::new((&BTreeMap::from([("*-re0".to_owned(), "*".to_owned()), ("*-re1".to_owned(), "*".to_owned())])).into()),
        time_zones: Arc::new(TimeZones::of(&BTreeMap::from([("10.2.0.0/16".to_owned(), "Asia/Kolkata".to_owned())])).unwrap()),
        snmp: Arc::new(snmp::receiver(&config, &Arc::new(config.snmp.names().unwrap()), 1).unwrap()),
    };
    Pipeline::new(shared, reading, &Inputs::default().begin("listener-udp", "site-1"))
}

impl Pipeline {
    fn take(&self, batch: Batch) {
        self.batch(batch, &mut Out::default());
    }
}

fn received(frame: impl Into<Bytes>) -> Received {
    Received {
        peer: ([192, 0, 2, 1], 1).into(),
        received_at_unix_nanos: 1_795_176_000_000_000_000,
        frame: Frame::Message(frame.into()),
        done: None,
    }
}

/// The kept corpus of a fuzz target.
fn corpus(target: &str) -> Vec<Vec<u8>> {
    let file = FilePath::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target).with_extension("txt");
    fs::read_to_string(file).unwrap().lines().map(unescaped).collect()
}

/// A line of a corpus, in which `\xNN` is a byte.
fn unescaped(line: &str) -> Vec<u8> {
    let mut parts = line.split("\\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        bytes.push(u8::from_str_radix(&part[..2], 16).unwrap());
        bytes.extend_from_slice(&part.as_bytes()[2..]);
    }
    bytes
}

/// Datagrams of 64 KiB that are all elements: what costs most of each format.
fn crowded() -> Vec<(Kind, Vec<u8>)> {
    let array = |element: &str| format!("[{}]", vec![element; 60_000 / element.len()].join(",")).into_bytes();
    let xml = |element: &str| format!("<a>{}</a>", element.repeat(60_000 / element.len())).into_bytes();
    let labels: Vec<_> = (0..6_000).map(|number| format!("l{number}=1")).collect();
    let parameters: Vec<_> = (0..5_000).map(|number| format!("p{number}=\"\"")).collect();
    let trap = |varbind: &Varbind<'_>, varbinds| {
        let named = Varbind { oid: "1.3.6.1.6.3.1.1.4.1.0".parse().unwrap(), value: Value::Oid("1.3.6.1.6.3.1.1.5.3".parse().unwrap()) };
        let varbinds = std::iter::once(named).chain(std::iter::repeat_n(varbind.clone(), varbinds)).collect();
        CommunityMessage::write(false, b"public", &Pdu::new(pdu::Kind::Trap, 1, varbinds).write())
    };
    // Each number of it is one byte on the wire and four in print.
    let long_oid = Oid::new(&[&[1, 3, 6, 1, 4, 1][..], &[127; 120]].concat());
    let varbind = |oid: &str, value| Varbind { oid: oid.parse::<Oid>().unwrap(), value };
    vec![
        (Kind::Alert, array(r#"{"action":"update","source":"s","device":"d","check":"c"}"#)),
        (Kind::Alert, xml(r#"<alert action="update" source="s" device="d" check="c"/>"#)),
        (Kind::Alert, array("0")),
        (Kind::Alert, format!("action=update source=s device=d check=c {}", labels.join(" ")).into_bytes()),
        (Kind::Syslog, format!("<13>1 - - - - - [a {}] x", parameters.join(" ")).into_bytes()),
        (Kind::Syslog, [b"<13>".as_slice(), &[0xff; 60_000]].concat()),
        (Kind::Snmp, trap(&varbind("1.3.6.1.2.1.2.2.1.8.3", Value::Integer(2)), 3_500)),
        (Kind::Snmp, trap(&varbind("1.3", Value::Null), 8_000)),
        (Kind::Snmp, trap(&Varbind { oid: long_oid.clone(), value: Value::Null }, 440)),
        (Kind::Snmp, trap(&Varbind { oid: long_oid.clone(), value: Value::Oid(long_oid) }, 230)),
        (Kind::Snmp, trap(&varbind("1.3.6.1.2.1.2.2.1.8.3", Value::Oid("1.3.6.1.6.3.1.1.5.3".parse().unwrap())), 2_400)),
        (Kind::Snmp, trap(&varbind("1.3.6.1.4.1.32473.1", Value::Octets(&[0xff; 8])), 2_400)),
    ]
}

#[test]
fn no_datagram_is_stored_as_more_than_four_times_its_bytes() {
    let kinds = [("alert", Kind::Alert), ("syslog", Kind::Syslog), ("framing", Kind::Syslog), ("dhcp", Kind::Dhcp), ("snmp", Kind::Snmp)];
    let kept = kinds.into_iter().flat_map(|(target, kind)| corpus(target).into_iter().map(move |frame| (kind, frame)));
    let mut excesses = Vec::new();
    let mut frames: u32 = 0;
    for kind in [Kind::Alert, Kind::Syslog, Kind::Dhcp, Kind::Snmp] {
        let scales = Arc::new(Scales::default());
        let pipeline = pipeline(kind.into(), Arc::clone(&scales) as _);
        for (_, frame) in kept.clone().chain(crowded()).filter(|(of, _)| *of == kind) {
            let bytes = frame.len();
            let beginning = frame[..bytes.min(60)].escape_ascii().to_string();
            // Each from a sender of its own: a number that does not follow the sender's last one is told beside the message.
            let peer = SocketAddr::new(Ipv4Addr::from_bits(0x0a00_0000 + frames).into(), 1);
            pipeline.take(vec![Received { peer, ..received(frame) }]);
            let stored = scales.0.swap(0, Ordering::Relaxed);
            frames += 1;
            if stored > MAX_AMPLIFICATION * bytes + fixed_bytes(kind) {
                excesses.push(format!("{kind:?}: {bytes} bytes became {stored}, {:.1} times: {beginning}", stored as f64 / bytes as f64));
            }
        }
    }
    assert!(frames > 400, "{frames}");
    assert!(excesses.is_empty(), "{}", excesses.join("\n"));
}

#[test]
fn a_parser_that_fails_makes_a_reject_of_the_frame_and_goes_on() {
    let publisher = Arc::new(MemoryPublisher::default());
    let pipeline = pipeline(Reading::Failing, Arc::clone(&publisher) as _);
    let (queue, batches) = mpsc::channel(4);
    queue.blocking_send(vec![received("one"), received("two")]).unwrap();
    queue.blocking_send(vec![received("three")]).unwrap();
    drop(queue);
    Pipeline::run(&watch::channel(Arc::new(pipeline.clone())).1, batches);

    let events = publisher.records().into_iter().map(|record| Event::decode(record.payload).unwrap());
    let rejected: Vec<_> = events
        .map(|event| {
            let Some(Body::Reject(reject)) = event.body else { panic!("{event:?}") };
            assert!(reject.detail.contains("no parser for") && reject.detail.contains("report"), "{}", reject.detail);
            (event.raw, reject.reason(), reject.original_bytes)
        })
        .collect();
    let expected = [("one", 3), ("two", 3), ("three", 5)];
    assert_eq!(rejected, expected.map(|(raw, bytes)| (Bytes::from_static(raw.as_bytes()), Reason::ParserFailed, bytes)));
    assert_eq!(pipeline.counters.rejects().collect::<Vec<_>>(), [(Reason::ParserFailed, 3)]);
}

#[test]
fn a_sender_of_nothing_but_rejects_is_kept_for_a_while_and_then_counted_and_the_sheet_closes() {
    const SENT: u64 = 5_000;
    let publisher = Arc::new(MemoryPublisher::default());
    let pipeline = pipeline(Reading::Message(Format::Alert), Arc::clone(&publisher) as _);
    let other = Received { peer: ([192, 0, 2, 2], 1).into(), ..received("no update") };
    pipeline.take((0..SENT).map(|_| received("[0]")).chain([other]).collect());
    pipeline.tell_last_rejects();

    let events: Vec<_> = publisher.records().into_iter().map(|record| Event::decode(record.payload).unwrap()).collect();
    let (of_sender, of_others): (Vec<_>, Vec<_>) = events.iter().partition(|event| event.device == "192.0.2.1");
    assert_eq!((of_sender.len() as u64, of_others.len()), (MAX_REJECTS + 1, 1));
    let summary = of_sender.last().unwrap();
    let Some(Body::Reject(reject)) = &summary.body else { panic!("{summary:?}") };
    let left_out = SENT - MAX_REJECTS;
    assert!(reject.detail.starts_with(&format!("{left_out} rejects more")), "{}", reject.detail);
    assert_eq!((reject.reason(), reject.original_bytes, summary.raw.len()), (Reason::Syntax, left_out * 3, 0));
    let stats = pipeline.counters.snapshot();
    assert_eq!((stats.malformed, stats.malformed + stats.rate_limited), (MAX_REJECTS + 2, SENT + 1), "each frame is counted once");
}

#[test]
fn an_event_has_the_site_and_the_role_of_its_network_else_the_site_of_its_listener() {
    let publisher = Arc::new(MemoryPublisher::default());
    let pipeline = pipeline(Reading::Message(Format::Syslog), Arc::clone(&publisher) as _);
    let inside = Received { peer: ([10, 1, 2, 3], 1).into(), ..received("<13>one") };
    pipeline.take(vec![inside, received("<13>two")]);

    let places: Vec<_> = publisher
        .records()
        .into_iter()
        .map(|record| Event::decode(record.payload).unwrap())
        .map(|event| (event.site, event.role))
        .collect();
    assert_eq!(places, [("zrh".to_owned(), "access".to_owned()), ("site-1".to_owned(), String::new())]);
}

#[test]
fn routing_engines_that_sign_for_themselves_are_one_device_and_their_lines_stay_as_they_were_sent() {
    let publisher = Arc::new(MemoryPublisher::default());
    let pipeline = pipeline(Reading::Message(Format::Syslog), Arc::clone(&publisher) as _);
    let line = |engine: &str| format!("<28>Nov 20 10:03:21 mx4-{engine} rpd[1812]: RPD_OSPF_NBRDOWN: OSPF neighbor 192.0.2.2 down");
    pipeline.take(vec![received(line("re0")), received(line("re1"))]);

    let events: Vec<_> = publisher.records().into_iter().map(|record| Event::decode(record.payload).unwrap()).collect();
    assert_eq!(events.iter().map(|event| event.device.as_str()).collect::<Vec<_>>(), ["mx4", "mx4"]);
    assert!(events[1].raw.windows(7).any(|bytes| bytes == b"mx4-re1"));
}

#[test]
fn a_line_of_local_time_without_a_zone_is_read_in_that_of_its_network() {
    let publisher = Arc::new(MemoryPublisher::default());
    let pipeline = pipeline(Reading::Message(Format::Syslog), Arc::clone(&publisher) as _);
    let inside = |line: &str| Received { peer: ([10, 2, 3, 4], 1).into(), ..received(line.to_owned()) };
    pipeline.take(vec![
        inside("<13>Nov 20 17:29:59 sw1 app: local"),
        inside("<13>2026 Nov 20 11:59:59.000 UTC sw1 app: zoned"),
        inside("<13>1 2026-11-20T11:59:59Z sw1 app - - - zoned"),
    ]);

    let times: Vec<_> =
        publisher.records().into_iter().map(|record| Event::decode(record.payload).unwrap().event_time_unix_nanos).collect();
    assert_eq!(times, [1_795_175_999_000_000_000; 3]);
}

/// What the agent says of itself has no copy elsewhere, and a listener without `copies` pays nothing for it.
#[test]
fn what_was_read_of_a_listener_with_copies_names_its_group() {
    let group = CopiesConfig { group: "core".to_owned(), agents: 2 };
    for config in [None, Some(&group)] {
        let publisher = Arc::new(MemoryPublisher::default());
        let pipeline = pipeline(Reading::Message(Format::Syslog), publisher.clone()).with_copies(config);
        pipeline.take(vec![received("<13>a line"), received("")]);
        let events: Vec<_> = publisher.records().iter().map(|record| Event::decode(record.payload.as_ref()).unwrap()).collect();
        let [line, reject] = &events[..] else { panic!("{events:?}") };
        assert_eq!(line.copies, config.map(|_| Copies { group: "core".to_owned(), agents: 2 }));
        assert!(matches!(&reject.body, Some(Body::Reject(_))) && reject.copies.is_none(), "{reject:?}");
        let without = Event { copies: None, ..line.clone() };
        assert_eq!(line.encoded_len() - without.encoded_len(), if config.is_some() { 10 } else { 0 });
    }
}
