use super::*;

fn record(partition: i32, key: &str) -> Record {
    Record {
        partition,
        time_unix_millis: 1_764_000_000_000,
        key: key.as_bytes().to_vec(),
        headers: vec![("kind".to_owned(), Some(vec![0, 255])), ("none".to_owned(), None)],
        value: vec![0, 10, 255],
    }
}

fn topic(name: &str, records: &[Record]) -> SavedTopic {
    let settings = BTreeMap::from([("cleanup.policy".to_owned(), "compact".to_owned())]);
    SavedTopic { topic: name.to_owned(), partitions: 2, settings, records: records.len() as u64, sha256: Contents::of(records) }
}

/// Two topics with records and one without.
fn saved(folder: &Path) -> (PathBuf, Vec<SavedTopic>) {
    let path = folder.join("topics.jsonl");
    let (alerts, rules) = (vec![record(0, "a"), record(1, "b")], vec![record(0, "rule")]);
    let topics = vec![topic("alerts-v1", &alerts), topic("events-v1", &[]), topic("rules-v1", &rules)];
    let mut writer = Writer::create(&path).unwrap();
    for (topic, records) in topics.iter().zip([&alerts[..], &[], &rules]) {
        writer.write(topic, records).unwrap();
    }
    writer.finish().unwrap();
    (path, topics)
}

#[test]
fn what_was_saved_is_read_in_its_order() {
    let folder = tempfile::tempdir().unwrap();
    let (path, topics) = saved(folder.path());
    let mut read_back = Vec::new();
    let read_topics = read(&path, |topic, record| {
        read_back.push((topic.topic.clone(), record.clone()));
        Ok(())
    });
    assert_eq!(read_topics.unwrap(), topics);
    let expected = [("alerts-v1", record(0, "a")), ("alerts-v1", record(1, "b")), ("rules-v1", record(0, "rule"))];
    assert_eq!(read_back, expected.map(|(topic, record)| (topic.to_owned(), record)));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing but the file is left");
}

#[cfg(unix)]
#[test]
fn a_backup_is_for_its_owner_alone_and_replaces_none() {
    use std::os::unix::fs::PermissionsExt;

    let folder = tempfile::tempdir().unwrap();
    let (path, _) = saved(folder.path());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let refused = Writer::create(&path).err().unwrap().to_string();
    assert!(refused.contains("is there already"), "{refused}");
}

#[test]
fn a_file_that_is_cut_off_or_changed_anywhere_is_refused_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let (path, _) = saved(folder.path());
    let whole = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = whole.lines().collect();
    let refused = |text: String| {
        let path = folder.path().join("broken.jsonl");
        fs::write(&path, text).unwrap();
        read(&path, |_, _| Ok(())).unwrap_err().to_string()
    };
    for kept in 0..lines.len() {
        let text = lines[..kept].iter().map(|line| format!("{line}\n")).collect();
        assert!(refused(text).contains("ends before its last line"), "{kept} lines");
    }
    for left_out in 0..lines.len() - 1 {
        let text: String = lines.iter().enumerate().filter(|(line, _)| *line != left_out).map(|(_, line)| format!("{line}\n")).collect();
        assert!(refused(text).contains("broken.jsonl:"), "without line {left_out}");
    }
    for (from, to) in [("\"partition\":1", "\"partition\":0"), ("rules-v1", "rules-v2"), ("1764000000000", "1764000000001")] {
        let text = refused(whole.replacen(from, to, 1));
        assert!(text.contains("broken.jsonl:"), "{from} -> {to}: {text}");
    }
    assert!(refused(format!("{{}}\n{whole}")).contains("broken.jsonl:1: this is no line of saved topics"));
}
