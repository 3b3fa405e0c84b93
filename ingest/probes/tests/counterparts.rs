//! Our probes beside programs that this project did not write: ping and fping ask the same host, dnsmasq answers.

mod lab;

use std::time::Duration;

use lab::{FAR, FAR_V6, Lab, Probing, can_run, finish, ip, link, loss, median_ms};
use tocsin_probes::{LinkConfig, Method, Probed};
use tocsin_telemetry::Ignored;
use tocsin_wire::events::link_probe::LossReason;

const IP: (&str, &str) = ("ip", "iproute2");
const PING: (&str, &str) = ("ping", "iputils-ping");
const FPING: (&str, &str) = ("fping", "fping");
const NFT: (&str, &str) = ("nft", "nftables");
const DNSMASQ: (&str, &str) = ("dnsmasq", "dnsmasq-base");

/// Every probe of every link has exactly one result.
#[track_caller]
fn assert_no_gap(probes: &[Probed]) {
    for (index, probed) in probes.iter().enumerate() {
        let is_first = index == 0 || probes[index - 1].link != probed.link;
        let expected = if is_first { 1 } else { probes[index - 1].body.sequence + 1 };
        assert_eq!(probed.body.sequence, expected, "link {}", probed.body.link_id);
    }
}

/// Average round-trip time of ping's summary, milliseconds: `rtt min/avg/max/mdev = 0.043/0.048/0.052/0.003 ms`.
fn ping_average_ms(summary: &str) -> f64 {
    let times = summary.rsplit_once("= ").unwrap().1;
    times.split('/').nth(1).unwrap().parse().unwrap()
}

/// Loss and average round-trip time of fping's summary: `192.0.2.2 : xmt/rcv/%loss = 100/80/20%, min/avg/max = 0.03/0.04/0.08`.
fn fping_loss_and_average_ms(summary: &str) -> (f64, f64) {
    let line = summary.lines().find(|line| line.contains("xmt/rcv/%loss")).unwrap();
    let (counts, times) = line.split_once(", min/avg/max = ").unwrap();
    let percent = counts.rsplit('/').next().unwrap().trim_end_matches('%');
    (percent.parse::<f64>().unwrap() / 100.0, times.split('/').nth(1).unwrap().parse().unwrap())
}

#[test]
fn echoes_of_both_families_are_answered_over_raw_and_unprivileged_sockets() {
    if !can_run(&[IP, PING]) {
        return;
    }
    for group_range in ["1 0", "0 0"] {
        let lab = Lab::new();
        lab.near(&format!("sysctl -q -w net.ipv4.ping_group_range='{group_range}'"));
        let mut probing = lab.probe(vec![
            link("four", Method::Icmp, FAR),
            link("six", Method::Icmp, FAR_V6),
            LinkConfig { source: Some(ip("192.0.2.1")), ..link("from", Method::Icmp, FAR) },
        ]);
        probing.wait_for(|probes| (0..3).all(|link| probes.iter().filter(|probed| probed.link == link).count() >= 10));
        let probes = probing.stop();
        assert_no_gap(&probes);
        assert!(probes.iter().all(|probed| !probed.body.lost), "{group_range}: {:?}", probes.iter().find(|probed| probed.body.lost));
        assert!(probes.iter().all(|probed| probed.answer_bytes == 64 && probed.finished_at_unix_nanos > probed.sent_at_unix_nanos));
    }
}

#[test]
fn round_trip_times_on_a_congested_link_are_those_that_ping_sees() {
    if !can_run(&[IP, PING]) {
        return;
    }
    let lab = Lab::new();
    // 100 kbit/s, of which packets of 1,242 bytes alone want 110: each probe waits behind a queue of up to 6,000 bytes, 480 ms.
    lab.near("tc qdisc add dev near0 root tbf rate 100kbit burst 1600 limit 6000");
    let load = lab.begin_near(&format!("ping -q -i 0.09 -c 90 -s 1200 {FAR}"));
    let ping = lab.begin_near(&format!("ping -q -i 0.1 -c 60 {FAR}"));
    let mut probing = lab.probe(vec![LinkConfig {
        interval: Duration::from_millis(100),
        timeout: Duration::from_secs(5),
        ..link("congested", Method::Icmp, FAR)
    }]);
    probing.wait_for_results(60);
    let summary = finish("ping", ping);
    finish("load", load);
    let probes = probing.stop();
    assert_no_gap(&probes);
    let average_ms = probes.iter().filter_map(|probed| probed.body.rtt_ms).sum::<f64>()
        / probes.iter().filter(|probed| !probed.body.lost).count() as f64;
    let theirs_ms = ping_average_ms(&summary);
    println!("average round-trip time: ours {average_ms:.1} ms, ping's {theirs_ms:.1} ms");
    assert!(theirs_ms > 20.0, "the link was not congested: {summary}");
    assert!((average_ms - theirs_ms).abs() < 0.3 * theirs_ms, "ours {average_ms} ms, ping's {theirs_ms} ms");
}

#[test]
fn the_loss_of_a_link_that_drops_every_fifth_is_that_which_fping_sees() {
    if !can_run(&[IP, PING, FPING, NFT]) {
        return;
    }
    let lab = Lab::new();
    lab.filter_far("icmp type echo-request numgen inc mod 5 0 drop");
    let fping = lab.near(&format!("fping -q -c 100 -p 20 {FAR}"));
    let (theirs, _) = fping_loss_and_average_ms(&fping);
    let link = LinkConfig { timeout: Duration::from_millis(200), ..link("lossy", Method::Icmp, FAR) };
    let mut probing = lab.probe(vec![link]);
    probing.wait_for_results(100);
    let probes = probing.stop();
    assert_no_gap(&probes);
    let ours = loss(&probes);
    println!("loss: ours {ours:.3}, fping's {theirs:.3}");
    assert!((theirs - 0.2).abs() < 0.011 && (ours - 0.2).abs() < 0.011, "ours {ours}, fping's {theirs}");
    assert!(probes.iter().all(|probed| !probed.body.lost || probed.body.loss_reason() == LossReason::Timeout));
}

#[test]
fn on_a_quiet_link_the_median_is_near_fping_s_average() {
    if !can_run(&[IP, PING, FPING]) {
        return;
    }
    let lab = Lab::new();
    let mut probing = lab.probe(vec![link("quiet", Method::Icmp, FAR)]);
    let (_, theirs_ms) = fping_loss_and_average_ms(&lab.near(&format!("fping -q -c 100 -p 20 {FAR}")));
    probing.wait_for_results(100);
    let ours_ms = median_ms(&probing.stop());
    println!("quiet link: our median {ours_ms:.3} ms, fping's average {theirs_ms:.3} ms");
    // Both are some tens of microseconds; what differs is when a busy machine lets the reader run.
    assert!(ours_ms < theirs_ms + 1.0, "ours {ours_ms} ms, fping's {theirs_ms} ms");
}

#[test]
fn what_cannot_be_reached_says_so_and_what_is_refused_too() {
    if !can_run(&[IP, PING, NFT]) {
        return;
    }
    let lab = Lab::new();
    // Otherwise a host says so once a second.
    lab.far("sysctl -q -w net.ipv4.icmp_ratelimit=0 net.ipv6.icmp.ratelimit=0");
    lab.filter_far("meta l4proto icmp icmp type echo-request reject with icmp host-unreachable");
    lab.far("nft add rule inet lab in icmpv6 type echo-request reject with icmpv6 addr-unreachable");
    lab.far("nft add rule inet lab in tcp dport 81 reject with icmp host-unreachable");
    let tcp = |id, port| LinkConfig { port: Some(port), ..link(id, Method::Tcp, FAR) };
    let links = vec![
        link("rejected", Method::Icmp, FAR),
        link("rejected-v6", Method::Icmp, FAR_V6),
        link("no-route", Method::Icmp, "198.51.100.1"),
        tcp("closed", 80),
        tcp("filtered", 81),
        LinkConfig { query_name: "example.com".to_owned(), ..link("no-resolver", Method::Dns, FAR) },
        LinkConfig { source: Some(ip("203.0.113.9")), ..link("no-source", Method::Icmp, FAR) },
    ];
    let expected = [
        LossReason::Unreachable,
        LossReason::Unreachable,
        LossReason::Unreachable,
        LossReason::Refused,
        LossReason::Unreachable,
        LossReason::Refused,
        LossReason::NotSent,
    ];
    let count = links.len();
    let mut probing = lab.probe(links);
    probing.wait_for(|probes| (0..count).all(|link| probes.iter().filter(|probed| probed.link == link).count() >= 5));
    let probes = probing.stop();
    assert_no_gap(&probes);
    for probed in &probes {
        let body = &probed.body;
        assert!(body.lost && body.rtt_ms.is_none(), "{body:?}");
        assert_eq!(body.loss_reason(), expected[probed.link], "{body:?}");
        assert!(!body.detail.is_empty(), "{body:?}");
    }
}

#[test]
fn an_address_that_comes_later_is_probed_from_then_on() {
    if !can_run(&[IP, PING]) {
        return;
    }
    let lab = Lab::new();
    let mut probing = lab.probe(vec![LinkConfig { source: Some(ip("192.0.2.77")), ..link("late", Method::Icmp, FAR) }]);
    probing.wait_for(|probes| probes.iter().any(|probed| probed.body.loss_reason() == LossReason::NotSent));
    lab.near("ip address add 192.0.2.77/24 dev near0");
    probing.wait_for(|probes| probes.iter().any(|probed| !probed.body.lost));
    assert_no_gap(&probing.stop());
}

#[test]
fn a_tcp_connection_takes_as_long_as_an_echo() {
    if !can_run(&[IP, PING, ("python3", "python3")]) {
        return;
    }
    let mut lab = Lab::new();
    lab.serve_far("python3 -m http.server 80");
    let tcp = |id, target| LinkConfig { port: Some(80), ..link(id, Method::Tcp, target) };
    let mut probing = lab.probe(vec![tcp("tcp", FAR), link("icmp", Method::Icmp, FAR)]);
    probing.wait_for(|probes| probes.iter().filter(|probed| probed.link == 0 && !probed.body.lost).count() >= 50);
    let probes = probing.stop();
    assert_no_gap(&probes);
    let (tcp, icmp): (Vec<_>, Vec<_>) = probes.into_iter().partition(|probed| probed.link == 0);
    assert_eq!(tcp[0].body.target, "192.0.2.2:80");
    println!("median: TCP {:.3} ms, ICMP {:.3} ms", median_ms(&tcp), median_ms(&icmp));
    assert!(median_ms(&tcp) < median_ms(&icmp) + 2.0);
}

/// Two resolvers of two minds: what one knows the other denies, so their answers can be compared by what is stored.
#[test]
fn resolvers_are_told_apart_by_code_and_records() {
    if !can_run(&[IP, PING, DNSMASQ]) {
        return;
    }
    let mut lab = Lab::new();
    let serve = "dnsmasq --keep-in-foreground --no-hosts --no-resolv --conf-file=/dev/null --pid-file --bind-interfaces --listen-address";
    lab.far("ip address add 192.0.2.3/24 dev far0");
    lab.serve_far(&format!(
        "{serve}={FAR} --host-record=www.lab.test,198.51.100.7,2001:db8::7 --address=/pool.lab.test/198.51.100.9 \
         --mx-host=lab.test,mail.lab.test,10 --txt-record=lab.test,one --cname=alias.lab.test,www.lab.test --local=/lab.test/"
    ));
    lab.serve_far(&format!("{serve}=192.0.2.3 --host-record=www.lab.test,198.51.100.8"));
    let ask = |id: &str, resolver, name: &str, record_type: &str| LinkConfig {
        query_name: name.to_owned(),
        query_type: serde_json::from_value(record_type.into()).unwrap(),
        ..link(id, Method::Dns, resolver)
    };
    let links = vec![
        ask("a", FAR, "www.lab.test", "A"),
        ask("aaaa", FAR, "www.lab.test.", "AAAA"),
        ask("mx", FAR, "lab.test", "MX"),
        ask("txt", FAR, "lab.test", "TXT"),
        ask("alias", FAR, "alias.lab.test", "A"),
        ask("unknown", FAR, "nobody.lab.test", "A"),
        ask("other", "192.0.2.3", "www.lab.test", "A"),
        ask("refuses", "192.0.2.3", "example.com", "A"),
    ];
    let expected = [
        ("NOERROR", "198.51.100.7"),
        ("NOERROR", "2001:db8::7"),
        ("NOERROR", "10 mail.lab.test"),
        ("NOERROR", "\"one\""),
        ("NOERROR", "198.51.100.7,CNAME www.lab.test"),
        ("NXDOMAIN", ""),
        ("NOERROR", "198.51.100.8"),
        ("REFUSED", ""),
    ];
    let count = links.len();
    let mut probing = lab.probe(links);
    // The servers take a moment to start; until then the port is refused.
    probing.wait_for(|probes| (0..count).all(|link| probes.iter().filter(|probed| probed.link == link && !probed.body.lost).count() >= 5));
    let probes = probing.stop();
    assert_no_gap(&probes);
    for probed in probes.iter().filter(|probed| !probed.body.lost) {
        let body = &probed.body;
        assert_eq!((body.answer_code.as_str(), body.answer.as_str()), expected[probed.link], "{}", body.link_id);
        assert!(body.rtt_ms.is_some() && !probed.raw.is_empty());
    }
}

#[test]
fn a_name_is_looked_up_and_one_without_an_address_is_told_as_not_sent() {
    if !can_run(&[IP, PING]) {
        return;
    }
    let mut probing = Probing::here(vec![link("named", Method::Icmp, "localhost"), link("nameless", Method::Icmp, "nobody.invalid")]);
    probing.wait_for(|probes| (0..2).all(|link| probes.iter().any(|probed| probed.link == link)));
    for probed in probing.stop() {
        if probed.link == 0 {
            assert!(!probed.body.lost && ["127.0.0.1", "::1"].contains(&probed.body.target.as_str()), "{:?}", probed.body);
        } else {
            assert_eq!((probed.body.loss_reason(), probed.target), (LossReason::NotSent, None));
            assert!(probed.body.detail.contains("nobody.invalid"), "{:?}", probed.body);
        }
    }
}

#[test]
fn a_stop_waits_for_answers_and_tells_what_it_could_not_wait_for() {
    if !can_run(&[IP, PING, NFT]) {
        return;
    }
    let lab = Lab::new();
    lab.filter_far("ip saddr 192.0.2.1 icmp type echo-request drop");
    let patient = LinkConfig { timeout: Duration::from_secs(60), ..link("silent", Method::Icmp, FAR) };
    let mut probing = lab.probe(vec![patient, link("well", Method::Icmp, FAR_V6)]);
    probing.wait_for(|probes| probes.iter().filter(|probed| probed.link == 1).count() >= 20);
    let probes = probing.stop();
    assert_no_gap(&probes);
    let silent: Vec<_> = probes.iter().filter(|probed| probed.link == 0).collect();
    assert!(!silent.is_empty());
    for probed in silent {
        assert_eq!(probed.body.loss_reason(), LossReason::NotSent);
        assert!(probed.body.detail.contains("stopped"), "{:?}", probed.body);
    }
    assert!(probes.iter().filter(|probed| probed.link == 1).all(|probed| !probed.body.lost));
}

#[test]
fn late_and_duplicate_answers_are_counted_and_change_nothing() {
    if !can_run(&[IP, PING, NFT]) {
        return;
    }
    let lab = Lab::new();
    // 16 kbit/s take 20 echoes of 98 bytes a second and 25 are sent, so the queue grows by 0.2 s a second.
    lab.near("tc qdisc add dev near0 root tbf rate 16kbit burst 200 limit 20000");
    lab.far("nft add table ip lab");
    lab.far("nft add chain ip lab out '{ type filter hook output priority 0; }'");
    lab.far("nft add rule ip lab out icmp type echo-reply dup to 192.0.2.1 device far0");
    let slow = |id, interval, timeout| LinkConfig {
        interval: Duration::from_millis(interval),
        timeout: Duration::from_millis(timeout),
        ..link(id, Method::Icmp, FAR)
    };
    let mut probing = lab.probe(vec![slow("patient", 200, 5000), slow("hasty", 50, 30)]);
    probing.wait_for(|probes| (0..2).all(|link| probes.iter().filter(|probed| probed.link == link).count() >= 10));
    let ignored = probing.ignored();
    for why in [Ignored::Late, Ignored::Duplicate] {
        assert!(ignored.iter().any(|(counted, count)| *counted == why && *count > 0), "no {} answer in {ignored:?}", why.word());
    }
    let probes = probing.stop();
    assert_no_gap(&probes);
    assert!(probes.iter().all(|probed| probed.body.lost == (probed.body.loss_reason() == LossReason::Timeout)));
    assert!(probes.iter().all(|probed| probed.link == 1 || !probed.body.lost), "the patient link loses nothing");
}
