use super::*;

fn parse(text: &str) -> Result<EventsFile, (usize, String)> {
    EventsFile::parse(text, Framing::OctetCounting)
}

fn payload(file: &EventsFile, index: u64) -> Vec<u8> {
    let mut payload = Vec::new();
    file.event(index).payload.write("2026-11-20T12:00:00Z", &mut payload);
    payload
}

#[test]
fn lines_become_messages_in_order_with_their_times() {
    let file = parse(
        "{\"to\":\"alert-udp\",\"payload\":\"a\"}\n\n{\"offset_ms\":1.5,\"to\":\"syslog-tcp\",\"payload_base64\":\"AP8=\",\"framing\":\"none\",\"repeat\":2}\n\
         {\"to\":\"syslog-udp\",\"payload\":\"\"}",
    )
    .unwrap();
    let seen: Vec<_> = (0..file.len())
        .map(|index| (file.event(index).offset.as_micros(), file.event(index).target.unwrap(), payload(&file, index)))
        .collect();
    let expected = [
        (0, Target::AlertUdp, b"a".to_vec()),
        (1500, Target::SyslogTcp, vec![0, 255]),
        (1500, Target::SyslogTcp, vec![0, 255]),
        (1500, Target::SyslogUdp, vec![]),
    ];
    assert_eq!(seen, expected);
    assert_eq!(file.targets(), [Target::AlertUdp, Target::SyslogUdp, Target::SyslogTcp]);
    assert_eq!((file.event(0).framing, file.event(1).framing), (None, Some(Framing::None)));
}

#[test]
fn a_round_begins_with_the_last_message_of_the_round_before_it() {
    let text = "{\"to\":\"alert-udp\",\"payload\":\"a\"}\n{\"offset_ms\":7,\"to\":\"alert-udp\",\"payload\":\"b\"}";
    let file = EventsFile { rounds: 3, ..parse(text).unwrap() };
    let seen: Vec<_> = (0..file.len()).map(|index| (file.own_time(index).as_millis(), payload(&file, index))).collect();
    let [a, b] = [b"a".to_vec(), b"b".to_vec()];
    assert_eq!(seen, [(0, a.clone()), (7, b.clone()), (7, a.clone()), (14, b.clone()), (14, a), (21, b)]);
}

#[test]
fn now_becomes_the_time_of_sending_wherever_it_stands() {
    let file = parse(r#"{"to":"alert-udp","payload":"{{now}} and {{now}}."}"#).unwrap();
    assert_eq!(payload(&file, 0), b"2026-11-20T12:00:00Z and 2026-11-20T12:00:00Z.");
}

#[test]
fn a_line_that_cannot_be_sent_is_refused_with_its_number_and_the_reason() {
    let long = format!(r#"{{"to":"syslog-udp","payload":"{}"}}"#, "x".repeat(MAX_DATAGRAM_BYTES + 1));
    let cases = [
        ("{\"to\":\"alert-udp\",\"payload\":\"a\"}\nnonsense", 2, "column 2: expected ident"),
        (r#"{"to":"alert-udp","paylod":"a"}"#, 1, "unknown field `paylod`"),
        (r#"{"to":"alert-tcp","payload":"a"}"#, 1, "unknown variant `alert-tcp`"),
        (r#"{"payload":"a"}"#, 1, "neither to (a listener) nor event"),
        (r#"{"to":"alert-udp"}"#, 1, "neither payload nor payload_base64"),
        (r#"{"to":"alert-udp","payload":"a","payload_base64":"AA=="}"#, 1, "both payload and payload_base64"),
        (r#"{"to":"alert-udp","payload_base64":"*"}"#, 1, "not base64"),
        (r#"{"offset_ms":-1,"to":"alert-udp","payload":"a"}"#, 1, "not a time after the start"),
        (
            "{\"offset_ms\":5,\"to\":\"alert-udp\",\"payload\":\"a\"}\n{\"offset_ms\":4,\"to\":\"alert-udp\",\"payload\":\"a\"}",
            2,
            "order the lines by time",
        ),
        (r#"{"to":"alert-udp","payload":"a","repeat":0}"#, 1, "repeat must be at least 1"),
        (r#"{"to":"alert-udp","payload":"a","framing":"newline"}"#, 1, "a datagram is one message"),
        (r#"{"to":"syslog-tcp","payload":"a\nb","framing":"newline"}"#, 1, "line break"),
        (r#"{"to":"alert-udp","event":{"agentId":"a"}}"#, 1, "has no to"),
        (r#"{"event":{"agentId":"a","device":"d"}}"#, 1, "a body such as linkProbe"),
        (r#"{"event":{"agentId":"a","gage":{}}}"#, 1, "gage"),
        (r#"{"to":"alert-udp","dhcp":{"type":"discover","mac":"02:00:00:00:00:01"}}"#, 1, "dhcp is the payload of a line to dhcp-udp"),
        (r#"{"dhcp":{"type":"discover","mac":"02:00"}}"#, 1, "dhcp: mac"),
        (r#"{"dhcp":{"type":"hello","mac":"02:00:00:00:00:01"}}"#, 1, "unknown variant `hello`"),
        (r#"{"to":"syslog-udp","trap":{"oid":"1.3.6.1.6.3.1.1.5.1"}}"#, 1, "trap is the payload of a line to snmp-udp"),
        (r#"{"trap":{"oid":"NO-MIB::nothing"}}"#, 1, "not in the tables of names"),
        (&long, 1, "a datagram holds 65507"),
        ("\n", 1, "no event"),
    ];
    for (text, line, reason) in cases {
        let refusal = parse(text).unwrap_err();
        assert_eq!(refusal.0, line, "{refusal:?}");
        assert!(refusal.1.contains(reason), "expected {reason:?} in {:?}", refusal.1);
    }
}

#[test]
fn the_failure_names_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("burst.jsonl");
    std::fs::write(&path, "{}\n").unwrap();
    let failure = EventsFile::read(&path, Framing::Newline, 1).unwrap_err().to_string();
    assert!(failure.contains("burst.jsonl:1: ") && failure.contains("help: a line is"), "{failure}");
}
