//! Time to read one frame, one row a format: `cargo bench -p tocsin-parse`.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tocsin_parse::Format;
use tocsin_parse::framing::Decoder;

const RECEIVED_AT: u64 = 1_795_176_000_000_000_000;

const FRAMES: [(&str, Format, &str); 6] = [
    (
        "syslog/rfc5424 200 bytes",
        Format::Syslog,
        "<165>1 2026-11-20T12:00:00.123456Z web-017.fra1.example.com nginx 4711 access - GET /index.html HTTP/1.1 200 5316 0.004 upstream 10.0.3.17:8080 \
         agent curl/8.5.0 request 7f3a9c21 cache miss bytes 5316",
    ),
    (
        "syslog/rfc5424 structured data",
        Format::Syslog,
        r#"<165>1 2026-11-20T12:00:00Z core-sw1 evntslog 8710 ID47 [exampleSDID@32473 iut="3" eventSource="Application"][meta sequenceId="29"] An event"#,
    ),
    ("syslog/rfc3164", Format::Syslog, "<38>Nov 20 11:59:59 web1 sshd[4711]: Accepted publickey for root from 192.0.2.7 port 51234 ssh2"),
    ("syslog/cisco", Format::Syslog, "<187>000123: sw1: Nov 20 11:59:59.001 UTC: %LINK-3-UPDOWN: Interface Gi1/0/1, changed state to down"),
    (
        "alert/json",
        Format::Alert,
        r#"{"action":"update","source":"hyak","device":"n0418","check":"node","severity":"critical","summary":"node down","time":"2026-11-20T12:00:00Z","labels":{"rack":"b4"}}"#,
    ),
    (
        "alert/xml",
        Format::Alert,
        r#"<alert action="update" source="hyak" device="n0418" check="node" severity="critical" summary="node down" time="2026-11-20T12:00:00Z" rack="b4"/>"#,
    ),
];

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("parse");
    for (name, format, frame) in FRAMES {
        group.throughput(Throughput::Bytes(frame.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| format.parse(black_box(frame.as_bytes()), RECEIVED_AT, |result| drop(black_box(result))));
        });
    }
    group.finish();
}

fn framing(criterion: &mut Criterion) {
    const LINES: usize = 100;
    let stream = format!("{}\n", FRAMES[0].2).repeat(LINES);
    let mut group = criterion.benchmark_group("framing");
    group.throughput(Throughput::Elements(LINES as u64));
    group.bench_function("100 lines of 200 bytes", |bencher| {
        bencher.iter(|| {
            let mut decoder = Decoder::new(65_536);
            decoder.buffer().extend_from_slice(black_box(stream.as_bytes()));
            while let Some(frame) = decoder.next_frame() {
                black_box(frame);
            }
        });
    });
    group.finish();
}

criterion_group!(benches, parse, framing);
criterion_main!(benches);
