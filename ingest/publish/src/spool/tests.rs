use tocsin_telemetry::Counters;

use super::*;
use crate::Topic;

fn record(text: &str, counters: Option<&Arc<Counters>>) -> Record {
    Record {
        topic: Topic::Alert,
        key: b"n1".as_slice().into(),
        payload: text.to_owned().into_bytes().into(),
        counters: counters.cloned(),
        is_published: false,
    }
}

fn open(dir: &Path) -> Spool {
    open_sized(dir, Sizes { max_bytes: 1_000_000, return_bytes: 1000, segment_bytes: 100 })
}

fn open_sized(dir: &Path, sizes: Sizes) -> Spool {
    Spool::open(dir, sizes).unwrap()
}

/// A kill drops nothing but the lock.
fn kill(spool: Spool) {
    let Spool { state, _lock: lock, .. } = spool;
    lock.unlock().unwrap();
    std::mem::forget(state);
}

/// What a power cut leaves: of each file what was synced.
fn cut_power(spool: Spool, dir: &Path) {
    let synced = spool.lock().segments.iter().map(Segment::synced).collect::<Vec<_>>();
    kill(spool);
    for (number, bytes) in synced {
        let file = fs::OpenOptions::new().write(true).open(dir.join(format!("{number:020}.spool"))).unwrap();
        file.set_len(bytes).unwrap();
    }
}

/// Hands the front over; its payload and the token that keeps its file.
fn take(spool: &Spool) -> Option<(String, Arc<SegmentFile>)> {
    let front = spool.front()?;
    spool.advance(&front);
    Some((String::from_utf8(front.record.payload.to_vec()).unwrap(), front.segment))
}

fn take_all(spool: &Spool) -> Vec<String> {
    std::iter::from_fn(|| take(spool)).map(|(text, _)| text).collect()
}

fn files(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(dir).unwrap().map(|item| item.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "lock" && name != "reserve");
    names.sort();
    names
}

#[test]
fn records_come_out_whole_and_in_order_over_many_segments() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let listener = Arc::new(Counters::new("l"));
    for number in 0..50 {
        spool.append(&record(&format!("record {number}"), Some(&listener))).unwrap();
    }
    assert!(files(dir.path()).len() > 5 && spool.has_unsent());
    let front = spool.front().unwrap();
    assert_eq!(
        (front.record.topic, front.record.key.as_ref(), front.record.counters.unwrap().name()),
        (Topic::Alert, b"n1".as_slice(), "l")
    );
    assert_eq!(take_all(&spool), (0..50).map(|number| format!("record {number}")).collect::<Vec<_>>());
    assert!(!spool.has_unsent());
}

#[test]
fn a_file_is_deleted_when_its_last_record_is_acknowledged_and_not_before() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    spool.append(&record("one", None)).unwrap();
    let (_, unacknowledged) = take(&spool).unwrap();
    assert_eq!(files(dir.path()).len(), 1);
    drop(unacknowledged);
    assert!(files(dir.path()).is_empty());
    assert_eq!(spool.disk_bytes.load(Ordering::Relaxed), 0);
}

#[test]
fn what_was_handed_over_but_not_acknowledged_is_there_after_a_kill() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    spool.append(&record("one", None)).unwrap();
    let (_, unacknowledged) = take(&spool).unwrap();
    kill(spool);
    std::mem::forget(unacknowledged);
    assert_eq!(take_all(&open(dir.path())), ["one"]);
}

#[test]
fn a_clean_close_keeps_what_was_not_handed_over_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    for text in ["one", "two", "three", "four", "five", "six"] {
        spool.append(&record(text, None)).unwrap();
    }
    take(&spool).unwrap();
    assert!(spool.close() > 0);
    drop(spool);
    let spool = open(dir.path());
    spool.append(&record("seven", None)).unwrap();
    assert_eq!(take_all(&spool), ["two", "three", "four", "five", "six", "seven"]);
}

#[test]
fn what_comes_back_at_a_stop_is_sent_first() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    for text in ["three", "four"] {
        spool.append(&record(text, None)).unwrap();
    }
    spool.begin_return();
    for text in ["one", "two"] {
        spool.append(&record(text, None)).unwrap();
    }
    spool.close();
    drop(spool);
    assert_eq!(take_all(&open(dir.path())), ["one", "two", "three", "four"]);
}

#[test]
fn what_comes_back_finds_room_beside_a_segment_whose_records_are_all_on_their_way() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    spool.append(&record("one", None)).unwrap();
    let (_, unacknowledged) = take(&spool).unwrap();
    assert!(spool.front().is_none());
    spool.begin_return();
    spool.append(&record("one", None)).unwrap();
    drop(unacknowledged);
    spool.close();
    drop(spool);
    assert_eq!(take_all(&open(dir.path())), ["one"]);
}

#[test]
fn a_full_spool_has_room_for_what_comes_back() {
    let dir = tempfile::tempdir().unwrap();
    let sizes = Sizes { max_bytes: 112, return_bytes: 56, segment_bytes: 10 };
    let spool = open_sized(dir.path(), sizes);
    for text in ["3333333333", "4444444444"] {
        spool.append(&record(text, None)).unwrap();
    }
    assert!(matches!(spool.append(&record("5555555555", None)), Err(AppendError::Full { .. })));
    spool.begin_return();
    for text in ["1111111111", "2222222222"] {
        spool.append(&record(text, None)).unwrap();
    }
    assert!(matches!(spool.append(&record("5555555555", None)), Err(AppendError::Full { bytes: 112, .. })));
    spool.close();
    drop(spool);
    assert_eq!(take_all(&open_sized(dir.path(), sizes)), ["1111111111", "2222222222", "3333333333", "4444444444"]);
}

#[test]
fn the_disk_keeps_the_room_for_what_comes_back_until_a_clean_stop() {
    use std::os::unix::fs::MetadataExt;
    let dir = tempfile::tempdir().unwrap();
    let sizes = Sizes { max_bytes: 8_000_000, return_bytes: 4_000_000, segment_bytes: 100 };
    let spool = open_sized(dir.path(), sizes);
    let reserve = dir.path().join("reserve");
    // st_blocks counts 512 bytes, whatever the file system's blocks are (stat(2)).
    assert!(fs::metadata(&reserve).unwrap().blocks() * 512 >= 4_000_000);
    spool.begin_return();
    spool.append(&record("one", None)).unwrap();
    assert!(!reserve.exists(), "what comes back is written into the reserve itself");
    spool.close();
    drop(spool);
    assert_eq!(files(dir.path()).len(), 1);
    assert!(fs::metadata(dir.path().join(&files(dir.path())[0])).unwrap().blocks() * 512 < 100_000, "a stopped agent keeps no reserve");
}

/// Set in the process that has a disk of its own.
const DISK: &str = "TOCSIN_TEST_DISK";

/// Runs `test` on a file system of 4 MiB: starts this test again in a mount namespace of its own (`unshare(1)`). Skipped, with the reason, where that is
/// not allowed; CI fails instead.
fn on_a_small_disk(name: &str, test: impl FnOnce(&Path)) {
    use std::io::Write;
    use std::os::unix::fs::MetadataExt;
    use std::process::Command;
    if let Some(disk) = std::env::var_os(DISK) {
        return test(Path::new(&disk));
    }
    let (dir, program) = (tempfile::tempdir().unwrap(), std::env::current_exe().unwrap());
    // Others than root may have one inside a namespace of users, where there is no chroot.
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    let kinds: &[&str] = if is_root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(kinds).args(["sh", "-euc", script]).env(DISK, dir.path());
        command.args([program.as_os_str(), format!("spool::tests::{name}").as_ref()]);
        command.output().unwrap()
    };
    let mount = r#"mount -t tmpfs -o size=4m tmpfs "$TOCSIN_TEST_DISK""#;
    let tried = unshare(mount);
    if !tried.status.success() {
        let reason = String::from_utf8_lossy(&tried.stderr).into_owned();
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must run this test: {reason}");
        let _ = writeln!(std::io::stderr(), "skipped: a mount namespace is not allowed here: {reason}");
        return;
    }
    let output = unshare(&format!(r#"{mount}; exec "$0" --exact "$1" --nocapture"#));
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_full_disk_refuses_what_is_new_and_has_room_for_what_comes_back() {
    on_a_small_disk("a_full_disk_refuses_what_is_new_and_has_room_for_what_comes_back", |disk| {
        let folder = disk.join("spool");
        let sizes = Sizes { max_bytes: 8_000_000, return_bytes: 1_000_000, segment_bytes: 300_000 };
        let spool = open_sized(&folder, sizes);
        spool.append(&record("before", None)).unwrap();
        let mut others = fs::File::create(disk.join("others")).unwrap();
        let full = std::iter::repeat_with(|| io::Write::write_all(&mut others, &[0; 4096])).find_map(Result::err).unwrap();
        assert_eq!(full.kind(), io::ErrorKind::StorageFull);

        let large = "x".repeat(90_000);
        let refused = spool.append(&record(&large, None)).unwrap_err();
        assert!(matches!(&refused, AppendError::Io(error) if error.kind() == io::ErrorKind::StorageFull), "{refused}");
        spool.begin_return();
        let returned = (0..10).map(|number| format!("{number}{large}")).collect::<Vec<_>>();
        returned.iter().for_each(|text| spool.append(&record(text, None)).unwrap());
        spool.close();
        drop(spool);
        assert_eq!(take_all(&open_sized(&folder, sizes)), [returned, vec!["before".to_owned()]].concat());
    });
}

#[test]
fn records_of_an_earlier_run_move_no_counters() {
    let dir = tempfile::tempdir().unwrap();
    let listener = Arc::new(Counters::new("l"));
    let spool = open(dir.path());
    spool.append(&record("one", Some(&listener))).unwrap();
    spool.close();
    drop(spool);
    let spool = open(dir.path());
    assert!(spool.front().unwrap().record.counters.is_none());
}

#[test]
fn what_an_earlier_run_left_can_be_read_without_taking_it() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let texts: Vec<_> = (0..20).map(|number| format!("record {number}")).collect();
    texts.iter().for_each(|text| spool.append(&record(text, None)).unwrap());
    assert_eq!(spool.leftovers().count(), 0);
    assert!(!spool.front().unwrap().is_leftover);
    spool.close();
    drop(spool);
    let spool = open(dir.path());
    spool.append(&record("own", None)).unwrap();
    let left: Vec<_> = spool.leftovers().map(|record| String::from_utf8(record.payload.to_vec()).unwrap()).collect();
    assert_eq!(left, texts);
    assert!(spool.front().unwrap().is_leftover);
    assert_eq!(take_all(&spool).len(), 21);
}

#[test]
fn a_full_spool_refuses_and_takes_again_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open_sized(dir.path(), Sizes { max_bytes: 60, return_bytes: 0, segment_bytes: 10 });
    spool.append(&record("0123456789", None)).unwrap();
    spool.append(&record("0123456789", None)).unwrap();
    assert!(matches!(spool.append(&record("0123456789", None)), Err(AppendError::Full { bytes: 56, .. })));
    take(&spool).unwrap();
    spool.append(&record("0123456789", None)).unwrap();
}

#[test]
fn a_torn_end_loses_only_itself() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    spool.append(&record("one", None)).unwrap();
    spool.append(&record("two", None)).unwrap();
    spool.close();
    drop(spool);
    let path = dir.path().join(&files(dir.path())[0]);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    let spool = open(dir.path());
    assert_eq!(take_all(&spool), ["one"]);
    assert!(!spool.has_unsent());
    assert!(files(dir.path()).is_empty());
}

#[test]
fn a_file_that_is_cut_anywhere_gives_the_records_before_the_cut() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open_sized(dir.path(), Sizes { max_bytes: 1_000_000, return_bytes: 0, segment_bytes: 1000 });
    let (texts, mut ends) = (["one", "two two", "", "four"], Vec::new());
    for text in texts {
        spool.append(&record(text, None)).unwrap();
        ends.push(usize::try_from(spool.disk_bytes.load(Ordering::Relaxed)).unwrap());
    }
    spool.close();
    drop(spool);
    let path = dir.path().join(&files(dir.path())[0]);
    let whole = fs::read(&path).unwrap();
    for cut in 0..=whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let left = texts.iter().zip(&ends).take_while(|(_, end)| **end <= cut).map(|(text, _)| *text).collect::<Vec<_>>();
        assert_eq!(take_all(&open(dir.path())), left, "cut at {cut}");
        assert!(files(dir.path()).is_empty(), "a cut is no damage: nothing is set aside at {cut}");
    }
}

#[test]
fn a_power_cut_leaves_all_that_was_written_before_the_last_sync() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let texts = (0..30).map(|number| format!("record {number}")).collect::<Vec<_>>();
    texts[..20].iter().for_each(|text| spool.append(&record(text, None)).unwrap());
    spool.sync();
    texts[20..].iter().for_each(|text| spool.append(&record(text, None)).unwrap());
    cut_power(spool, dir.path());
    assert_eq!(take_all(&open(dir.path())), texts[..20]);
}

#[test]
fn each_record_in_a_damaged_file_of_this_run_is_counted_as_dropped() {
    let dir = tempfile::tempdir().unwrap();
    let listener = Arc::new(Counters::new("l"));
    let spool = open_sized(dir.path(), Sizes { max_bytes: 1_000_000, return_bytes: 0, segment_bytes: 1000 });
    for text in ["one", "two", "three", "four"] {
        spool.append(&record(text, Some(&listener))).unwrap();
    }
    take(&spool).unwrap();
    let path = dir.path().join(&files(dir.path())[0]);
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.iter().rposition(|byte| *byte == b'w').unwrap();
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    assert!(take_all(&spool).is_empty());
    assert_eq!(listener.losses().collect::<Vec<_>>()[Loss::SpoolDamaged as usize], (Loss::SpoolDamaged, 3));
    assert!(!spool.has_unsent());
}

#[test]
fn a_damaged_file_is_set_aside_and_the_next_is_sent() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    for number in 0..8 {
        spool.append(&record(&format!("record {number}"), None)).unwrap();
    }
    spool.close();
    drop(spool);
    let first = dir.path().join(&files(dir.path())[0]);
    let mut bytes = fs::read(&first).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&first, bytes).unwrap();
    let sent = take_all(&open(dir.path()));
    assert!(sent.contains(&"record 0".to_owned()) && sent.contains(&"record 7".to_owned()) && sent.len() == 7, "{sent:?}");
    assert_eq!(files(dir.path()), ["00000000004294967296.damaged"]);
}

#[test]
fn the_drainer_waits_until_there_is_a_record_or_it_is_over() {
    let dir = tempfile::tempdir().unwrap();
    let (spool, is_over) = (&open(dir.path()), &AtomicBool::new(false));
    let (woken, wakes) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            spool.wait(is_over);
            woken.send(take(spool).map(|(text, _)| text)).unwrap();
            spool.wait(is_over);
            woken.send(None).unwrap();
        });
        spool.append(&record("a", None)).unwrap();
        assert_eq!(wakes.recv().unwrap().as_deref(), Some("a"));
        is_over.store(true, Ordering::Release);
        spool.wake();
        assert_eq!(wakes.recv().unwrap(), None);
    });
}

#[test]
fn a_folder_belongs_to_one_agent() {
    let dir = tempfile::tempdir().unwrap();
    let _first = open(dir.path());
    let sizes = Sizes { max_bytes: 1, return_bytes: 0, segment_bytes: 1 };
    assert!(matches!(Spool::open(dir.path(), sizes), Err(OpenError::InUse { .. })));
}

/// A process has every open file of its parent until it runs its own program: another thread may be starting one just now.
#[test]
fn a_folder_is_free_when_its_agent_has_let_it_go_also_while_a_child_has_the_lock_file_open() {
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    let inherited = spool._lock.try_clone().unwrap();
    drop(spool);
    drop(open(dir.path()));
    drop(inherited);
}

#[test]
fn nobody_else_may_read_what_the_spool_keeps() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let spool = open(dir.path());
    for text in ["one", "two"] {
        spool.append(&record(text, None)).unwrap();
    }
    assert_eq!(take(&spool).unwrap().0, "one");
    let modes = || fs::read_dir(dir.path()).unwrap().map(|item| item.unwrap().metadata().unwrap().permissions().mode() & 0o777);
    assert_eq!(modes().collect::<Vec<_>>(), [0o600; 3], "lock, reserve, segment");
    spool.close();
    assert_eq!(modes().collect::<Vec<_>>(), [0o600; 2], "lock, and the segment that was written anew");
}
