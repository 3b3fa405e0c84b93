use super::*;
use crate::schema::files::SchemaFiles;

const SYSLOG: &str = "name: events-syslog-v1\nmessage: tocsin.events.v1.Event\nkey: device\nwritten_by: [agent]\nread_by: [agent, jobs]\n\
                      partitions: 4\ncleanup: delete\nretention_hours: 72\n";

fn file(name: &str, text: &str) -> SchemaFile {
    SchemaFile { name: name.to_owned(), text: text.to_owned() }
}

fn syslog() -> Topic {
    parse(&[file("events-syslog-v1.yaml", SYSLOG)]).unwrap().remove(0)
}

fn existing(partitions: u32, retention_ms: &str) -> ExistingTopic {
    let settings = [
        ("cleanup.policy", "delete"),
        ("message.timestamp.type", "CreateTime"),
        ("retention.ms", retention_ms),
        ("segment.bytes", "1073741824"),
    ];
    ExistingTopic { partitions, settings: settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into() }
}

#[test]
fn the_repository_s_topics_are_valid_and_their_messages_exist() {
    let proto = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/proto");
    for topic in parse(&SchemaFiles::load(None).unwrap().topics).unwrap() {
        let (package, message) = topic.message.rsplit_once('.').unwrap();
        let folder = proto.join(package.replace('.', "/"));
        let declared = std::fs::read_dir(&folder)
            .unwrap_or_else(|error| panic!("{}: {}: {error}", topic.name, folder.display()))
            .any(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap().contains(&format!("\nmessage {message} {{")));
        assert!(declared, "topic {} carries {}, which schemas/proto does not declare", topic.name, topic.message);
    }
}

#[test]
fn an_unusable_file_is_refused_with_its_name_and_the_reason() {
    let cases = [
        ("events-syslog-v1.yaml", SYSLOG.replace("key:", "keys:"), "keys"),
        ("events-syslog-v1.yaml", SYSLOG.replace("cleanup: delete", "cleanup: forget"), "forget"),
        ("events-syslog-v1.yaml", SYSLOG.replace("retention_hours: 72\n", ""), "needs retention_hours"),
        ("events-syslog-v1.yaml", SYSLOG.replace("72", "0"), "needs retention_hours"),
        ("events-syslog-v1.yaml", SYSLOG.replace("delete", "compact"), "remove retention_hours"),
        ("events-syslog-v1.yaml", SYSLOG.replace("retention_hours", "history_hours: 9\nretention_hours"), "remove history_hours"),
        ("events-syslog-v1.yaml", SYSLOG.replace("partitions: 4", "partitions: 0"), "from 1 to 1000"),
        ("events-syslog-v1.yaml", SYSLOG.replace("tocsin.events.v1.Event", "Event"), "full protobuf name"),
        ("events-syslog-v1.yaml", SYSLOG.replace("key: device", "key: Device Name"), "field name"),
        ("events-syslog-v1.yaml", SYSLOG.replace("written_by: [agent]\n", ""), "written_by"),
        ("events-syslog-v1.yaml", SYSLOG.replace("[agent, jobs]", "[]"), "each name somebody"),
        ("events-syslog-v1.yaml", SYSLOG.replace("[agent, jobs]", "[agents]"), "agents"),
        ("syslog.yaml", SYSLOG.to_owned(), "must be called events-syslog-v1.yaml"),
        ("events-syslog.yaml", SYSLOG.replace("events-syslog-v1", "events-syslog"), "wire version"),
    ];
    for (name, text, reason) in cases {
        let failure = parse(&[file(name, &text)]).unwrap_err().to_string();
        assert!(failure.contains(name) && failure.contains(reason), "{name}: expected {reason:?} in {failure}");
    }
}

#[test]
fn a_topic_that_is_not_there_is_created() {
    assert_eq!(syslog().compare(None, &[]).unwrap(), TopicChange::Create);
}

#[test]
fn a_topic_as_in_its_file_is_left_alone() {
    assert_eq!(syslog().compare(Some(&existing(4, "259200000")), &[]).unwrap(), TopicChange::Nothing { partitions: 4 });
}

#[test]
fn a_setting_that_differs_is_altered_and_told() {
    let TopicChange::Alter(changes) = syslog().compare(Some(&existing(4, "1000")), &[]).unwrap() else { panic!("expected a change") };
    assert_eq!(changes.iter().map(ToString::to_string).collect::<Vec<_>>(), ["retention.ms 1000 -> 259200000"]);
}

#[test]
fn a_compacted_topic_keeps_its_history_for_an_archive_that_is_late() {
    let alerts = "name: alerts-v1\nmessage: tocsin.alerts.v1.Alert\nkey: fingerprint\nwritten_by: [jobs]\nread_by: [jobs]\n\
                  partitions: 4\ncleanup: compact\nhistory_hours: 168\ntimestamps: log_append\n";
    let topic = parse(&[file("alerts-v1.yaml", alerts)]).unwrap().remove(0);
    let settings = [("cleanup.policy", "compact"), ("message.timestamp.type", "LogAppendTime"), ("min.compaction.lag.ms", "604800000")];
    assert_eq!(topic.settings(), settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    assert_eq!(topic.to_string(), "4 partitions, compacted after 168 h");
}

#[test]
fn what_correlation_reads_and_tells_carries_the_broker_s_time() {
    let topics = parse(&SchemaFiles::load(None).unwrap().topics).unwrap();
    let ordered: Vec<&str> =
        topics.iter().filter(|topic| topic.timestamps == Timestamps::LogAppend).map(|topic| topic.name.as_str()).collect();
    let expected = [
        "acknowledgements-v1",
        "agent-stats-v1",
        "alerts-v1",
        "events-alert-v1",
        "events-counters-v1",
        "events-dhcp-v1",
        "events-probe-v1",
        "events-snmp-v1",
        "events-syslog-v1",
        "registrations-v1",
        "wan-episodes-v1",
    ];
    assert_eq!(ordered, expected);
}

fn named(number: u32) -> Partitions {
    Partitions { topic: Some("events-syslog-v1".to_owned()), number }
}

#[test]
fn more_partitions_are_made_only_when_somebody_asks_and_the_refusal_says_how() {
    let failure = syslog().compare(Some(&existing(2, "259200000")), &[]).unwrap_err().to_string();
    for words in ["overtake", "--partitions events-syslog-v1=4", "set `partitions: 2` in events-syslog-v1.yaml"] {
        assert!(failure.contains(words), "{failure}");
    }
    let TopicChange::Grow { from: 2, settings } = syslog().compare(Some(&existing(2, "1000")), &[named(12)]).unwrap() else {
        panic!("it grows")
    };
    assert_eq!(settings.len(), 1);
}

#[test]
fn partitions_beyond_the_file_s_stay_for_every_version_and_fewer_are_refused() {
    assert_eq!(syslog().compare(Some(&existing(12, "259200000")), &[]).unwrap(), TopicChange::Nothing { partitions: 12 });
    assert_eq!(syslog().compare(Some(&existing(12, "259200000")), &[named(12)]).unwrap(), TopicChange::Nothing { partitions: 12 });
    let failure = syslog().compare(Some(&existing(12, "259200000")), &[named(8)]).unwrap_err().to_string();
    assert!(failure.contains("Kafka takes none away"), "{failure}");
}

#[test]
fn a_compacted_topic_never_grows() {
    let mut alerts = syslog();
    alerts.cleanup = Cleanup::Compact;
    let failure = alerts.compare(Some(&existing(4, "")), &[named(12)]).unwrap_err().to_string();
    assert!(failure.contains("is compacted and keeps its 4 partitions"), "{failure}");
    assert_eq!(alerts.compare(None, &[named(12)]).unwrap(), TopicChange::Create);
}

#[test]
fn partitions_are_asked_for_by_the_name_of_a_topic_that_there_is() {
    let asked: Partitions = "events-syslog-v1=12".parse().unwrap();
    let mut topics = [syslog()];
    ask(&mut topics, std::slice::from_ref(&asked)).unwrap();
    assert_eq!(topics[0].partitions, 12);
    assert!(ask(&mut topics, &["events-v1=12".parse().unwrap()]).is_err());
    for text in ["events-syslog-v1", "events-syslog-v1=0", "0", "events-syslog-v1=1001", "events-syslog-v1=many"] {
        assert!(text.parse::<Partitions>().is_err(), "{text}");
    }
}

#[test]
fn a_number_alone_is_the_least_of_each_topic_that_can_grow() {
    let all: [Partitions; 1] = ["8".parse().unwrap()];
    let mut alerts = syslog();
    alerts.cleanup = Cleanup::Compact;
    let mut topics = [syslog(), alerts];
    ask(&mut topics, &all).unwrap();
    assert_eq!(topics.each_ref().map(|topic| topic.partitions), [8, 4]);
    assert!(matches!(topics[0].compare(Some(&existing(4, "259200000")), &all).unwrap(), TopicChange::Grow { from: 4, .. }));
    assert_eq!(topics[0].compare(Some(&existing(12, "259200000")), &all).unwrap(), TopicChange::Nothing { partitions: 12 });

    let mut topics = [Topic { partitions: 1, ..syslog() }];
    ask(&mut topics, &all).unwrap();
    assert_eq!(
        topics[0].compare(Some(&existing(1, "259200000")), &all).unwrap(),
        TopicChange::Nothing { partitions: 1 },
        "its file says one"
    );

    let mut topics = [syslog()];
    ask(&mut topics, &[named(6), all[0].clone()]).unwrap();
    assert_eq!(topics[0].partitions, 6, "the name is what is meant");
}

#[test]
fn with_one_broker_topics_that_can_grow_begin_with_one_partition_unless_somebody_asks() {
    let mut alerts = syslog();
    alerts.cleanup = Cleanup::Compact;
    let mut topics = [syslog(), alerts];
    begin_small(&mut topics, &[]);
    assert_eq!(topics.each_ref().map(|topic| topic.partitions), [1, 4]);
    assert_eq!(
        topics[0].compare(Some(&existing(4, "259200000")), &[]).unwrap(),
        TopicChange::Nothing { partitions: 4 },
        "it keeps what it has"
    );

    for asked in [named(3), "3".parse().unwrap()] {
        let mut topics = [syslog()];
        ask(&mut topics, std::slice::from_ref(&asked)).unwrap();
        begin_small(&mut topics, std::slice::from_ref(&asked));
        assert_eq!(topics[0].partitions, 3, "{asked:?}");
    }
}
