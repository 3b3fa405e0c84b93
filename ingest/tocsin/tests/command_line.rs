//! The binary as a person or a script meets it: help, exit codes, and what goes to which stream.

mod server;

use std::io::{BufRead, BufReader, Write};
use std::net::UdpSocket;
use std::os::unix::net::UnixDatagram;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use server::{run, server, tocsin, told};

#[test]
fn help_shows_every_command_and_examples_on_standard_output() {
    let (code, out, err) = run(&["--help"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    for word in ["agent", "schema", "send", "balance", "Examples:", "Exit codes:"] {
        assert!(out.contains(word), "expected {word:?} in {out}");
    }
}

#[test]
fn every_command_has_help() {
    let schema = [&["schema"][..], &["schema", "apply"], &["schema", "status"]];
    for command in [
        &["agent"][..],
        &["send"],
        &["balance"],
        &["buffers"],
        &["ask"],
        &["parse"],
        &["devices", "import"],
        &["mibs"],
        &["mibs", "compile"],
        &["quarantine", "list"],
        &["quarantine", "insert"],
        &["report"],
        &["topics", "save"],
        &["topics", "check"],
        &["topics", "restore"],
        &["trace"],
        &["watch-jobs"],
        &["heartbeat"],
        &["heartbeat", "send"],
        &["heartbeat", "listen"],
        &["webhooks"],
        &["ack"],
        &["unack"],
        &["note"],
    ]
    .iter()
    .chain(&schema)
    {
        let (code, out, _) = run(&[command, &["--help"][..]].concat());
        assert_eq!(code, Some(0), "{command:?}");
        assert!(out.contains("Usage: tocsin"), "{command:?}: {out}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    assert_eq!(run(&["--version"]), (Some(0), format!("tocsin {}\n", env!("CARGO_PKG_VERSION")), String::new()));
}

#[test]
fn a_command_line_that_cannot_be_understood_exits_64() {
    for arguments in [
        &["nonsense"][..],
        &["send"],
        &["send", "a.jsonl", "--generate", "syslog-udp"],
        &["send", "a.jsonl", "--count", "3"],
        &["send", "--generate", "syslog-udp", "--rate", "0"],
        &["schema", "apply", "--only", "postgres"],
    ] {
        let (code, out, err) = run(arguments);
        assert_eq!((code, out.as_str()), (Some(64), ""), "{arguments:?}");
        assert!(err.starts_with("error: "), "{arguments:?}: {err}");
    }
}

#[test]
fn a_failure_is_told_once_with_its_remedy() {
    let (code, out, err) = run(&["send", "/nonexistent/burst.jsonl"]);
    assert_eq!((code, out.as_str()), (Some(64), ""));
    assert_eq!(err.matches("error: ").count(), 1, "{err}");
    assert!(err.contains("/nonexistent/burst.jsonl") && err.contains("\nhelp: "), "{err}");
}

#[test]
fn a_server_that_does_not_answer_is_named_and_exits_1() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}"); // free again
    let url = format!("http://{address}");
    for arguments in [
        &["schema", "apply", "--only", "clickhouse", "--clickhouse", &url][..],
        &["schema", "status", "--only", "kafka", "--kafka", &address],
        &["balance", "--clickhouse", &url],
        &["quarantine", "list", "--clickhouse", &url],
    ] {
        let (code, _, err) = run(arguments);
        assert_eq!(code, Some(1), "{arguments:?}: {err}");
        assert!(err.contains(&address) && err.contains("does not answer") && err.contains("help: start it"), "{arguments:?}: {err}");
    }
}

#[test]
fn generated_datagrams_arrive_and_are_summed_up_in_one_line() {
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let target = format!("alert-udp={}", receiver.local_addr().unwrap());
    let (code, out, err) = run(&["send", "--generate", "alert-udp", "--count", "100", "--size", "300", "--target", &target]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with(&format!("sent 100 datagrams (30000 bytes) to {} in ", target.replace('=', " "))), "{out}");
    for number in 1..=100 {
        let mut buffer = [0; 1000];
        let length = receiver.recv(&mut buffer).unwrap();
        let message = std::str::from_utf8(&buffer[..length]).unwrap();
        assert!(message.contains(&format!("seq={number:06}")), "{message}");
    }
}

#[test]
fn two_processes_that_apply_the_schema_together_both_succeed() {
    let (Some(kafka), Some(clickhouse)) = (server("TOCSIN_TEST_KAFKA"), server("TOCSIN_TEST_CLICKHOUSE_URL")) else { return };
    let servers = ["--kafka", &kafka, "--clickhouse", &clickhouse, "--wait", "60"];
    let apply = || tocsin(&[&["schema", "apply"], &servers[..]].concat()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    for process in [apply(), apply()] {
        let (code, out, err) = told(process.wait_with_output().unwrap());
        assert_eq!(code, Some(0), "{out}{err}");
        assert!(out.lines().last().is_some_and(|line| line.starts_with("schema is up to date: ")), "{out}");
    }
    let (code, out, err) = run(&[&["schema", "status"], &servers[..]].concat());
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(!out.contains("pending"), "{out}");
}

/// Three numbers as a block of rows: RowBinary in a zstd frame.
const THREE_FOUR_FIVE: &str = "28b52ffd2018c10000030000000000000004000000000000000500000000000000";

#[test]
fn a_block_that_was_refused_is_inserted_once_when_its_table_is_mended_and_then_waits_no_more() {
    let Some(clickhouse) = server("TOCSIN_TEST_CLICKHOUSE_URL") else { return };
    let ask = |statement: &str| ureq::post(&clickhouse).send(statement).unwrap().body_mut().read_to_string().unwrap();
    let table = format!("quarantine_test_{}", std::process::id());
    let quarantine = |action: &str| run(&["quarantine", action, "--table", &table, "--clickhouse", &clickhouse]);
    let (code, _, err) = run(&["schema", "apply", "--only", "clickhouse", "--clickhouse", &clickhouse]);
    assert_eq!(code, Some(0), "{err}");
    ask(&format!(
        "CREATE TABLE tocsin.{table} (n UInt64, CONSTRAINT small CHECK n < 5) ENGINE = MergeTree ORDER BY n \
         SETTINGS non_replicated_deduplication_window = 10"
    ));
    let refused = format!(
        "INSERT INTO tocsin.quarantined_blocks (token, table, columns, rows, bytes, error, origins, format, zstd_rows) VALUES \
         ('{table}', '{table}', ['n'], 3, 33, 'constraint small', [('events-syslog-v1', 2, 7, 9, 'lab', 1, 'udp', 3)], 'RowBinary', unhex('{THREE_FOUR_FIVE}'))"
    );
    ask(&refused);
    let rows = || ask(&format!("SELECT arraySort(groupArray(n)) FROM tocsin.{table}"));

    let (code, out, err) = quarantine("list");
    assert!(code == Some(1) && err.contains("3 rows in 1 blocks were refused"), "{err}");
    assert!(out.contains("offsets 7 to 9") && out.contains("constraint small"), "{out}");
    let (code, _, err) = quarantine("insert");
    assert!(code == Some(1) && err.contains("small") && err.contains("still in the quarantine"), "{err}");
    assert_eq!(rows(), "[]\n");

    ask(&format!("ALTER TABLE tocsin.{table} DROP CONSTRAINT small"));
    assert_eq!(quarantine("insert"), (Some(0), format!("3 rows are in {table}\n"), String::new()));
    assert_eq!(quarantine("list"), (Some(0), "no block waits\n".to_owned(), String::new()));
    assert_eq!(rows(), "[3,4,5]\n");

    // As a command that was killed between the two leaves it.
    ask(&format!("DELETE FROM tocsin.quarantined_blocks WHERE token = '{table}'"));
    ask(&refused);
    assert_eq!(quarantine("insert").0, Some(0));
    assert_eq!(rows(), "[3,4,5]\n");

    ask(&format!("DELETE FROM tocsin.quarantined_blocks WHERE token = '{table}'"));
    ask(&format!("DROP TABLE tocsin.{table}"));
}

#[test]
fn a_month_is_written_as_one_page_with_the_figures_of_its_rows() {
    let Some(clickhouse) = server("TOCSIN_TEST_CLICKHOUSE_URL") else { return };
    let ask = |statement: &str| ureq::post(&clickhouse).send(statement).unwrap().body_mut().read_to_string().unwrap();
    let (code, _, err) = run(&["schema", "apply", "--only", "clickhouse", "--clickhouse", &clickhouse]);
    assert_eq!(code, Some(0), "{err}");
    let id = std::process::id();
    // Long ago, where no other test has rows. The device has chosen its name.
    let month = ask("SELECT formatDateTime(now('UTC') - INTERVAL 6 MONTH, '%Y-%m')").trim().to_owned();
    let at = |time: &str| format!("toDateTime64('{month}-{time}:00', 9, 'UTC')");
    let (opened, acknowledged, ended) = (at("05 08:00"), at("05 08:15"), at("05 18:00"));
    let transition = |transition: &str, time: &str, state: &str, resolved: &str| {
        ask(&format!(
            "INSERT INTO tocsin.alert_history (fingerprint, version, transition, transition_at, state, severity, source, device, check, labels, \
             first_seen, last_seen, resolved_at) SELECT 'report-{id}', toUnixTimestamp64Nano({time}), '{transition}', {time}, '{state}', 'major', \
             'monitor-{id}', 'sw-{id}<script>', 'check-{id}', map('team', 'team-{id}'), {opened}, {time}, {resolved}"
        ))
    };
    transition("opened", &opened, "open", "NULL");
    transition("acknowledged", &acknowledged, "open", "NULL");
    transition("resolved", &ended, "resolved", &ended);
    ask(&format!(
        "INSERT INTO tocsin.link_probes (event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site, link_id, \
         method, rtt_ms, lost) SELECT concat('report-{id}-', toString(number)), 'report', {id}, number, 'probe', {opened}, {opened}, '::1', 'n1', '', \
         'link-{id}', 'icmp', 5, number = 0 FROM numbers(4)"
    ));
    ask(&format!(
        "INSERT INTO tocsin.wan_episodes (episode_id, version, link_id, kind, state, started_at, ended_at, changed_at, cause) \
         SELECT 'report-{id}', 1, 'link-{id}', 'down', 'closed', {opened}, {ended}, {ended}, 'unexplained'"
    ));

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("report.html");
    let report =
        |month: &str, output: &str| run(&["report", "--month", month, "--zone", "UTC", "--output", output, "--clickhouse", &clickhouse]);
    let (code, out, err) = report(&month, file.to_str().unwrap());
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.starts_with("wrote ") && out.contains("report.html"), "{out}");
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.contains("<rect class=\"critical\" x=\"0.0\" width=\"1000.0\""), "the worst link has the longest bar: {page}");
    // Beside the first cell of each row stands its bar.
    let page: String =
        page.split("<td class=\"chart\">").map(|part| part.split_once("</svg></td>").map_or(part, |(_, cells)| cells)).collect();
    for row in [
        format!(
            "<td>sw-{id}&lt;script&gt;</td><td>-</td><td>major</td><td class=\"number\">1</td><td class=\"number\">0</td><td class=\"number\">10</td>"
        ),
        format!(
            "<td>team-{id}</td><td class=\"number\">1</td><td class=\"number\">1</td><td class=\"number\">1</td><td class=\"number\">15</td>"
        ),
        format!("<td>link-{id}</td><td class=\"number\">98."),
        format!("<td>check-{id}</td><td>monitor-{id}</td><td class=\"number\">1</td>"),
        format!("tocsin ask worst_devices count=15 during={month} --zone UTC"),
    ] {
        assert!(page.contains(&row), "{row} is missing in {page}");
    }
    let (code, out, _) = report(&month, "-");
    assert!(code == Some(0) && out.starts_with("<!doctype html>"), "{out}");
    let (code, _, err) = report("2199-01", "-");
    assert!(code == Some(64) && err.contains("has not begun in UTC"), "{err}");
}

/// Whether a test that needs root has it. CI fails where it has not; elsewhere a word says that the test is skipped.
fn is_root(what_for: &str) -> bool {
    let is_root = nix::unistd::geteuid().is_root();
    assert!(is_root || std::env::var("CI").is_err(), "CI runs as root, which this test needs {what_for}");
    if !is_root {
        let _ = writeln!(std::io::stderr(), "skipped: needs root, {what_for}");
    }
    is_root
}

/// What a process says as it says it, until it ends, and the thread that reads it.
fn lines_of_stderr(process: &mut Child) -> (mpsc::Receiver<String>, thread::JoinHandle<()>) {
    let stderr = BufReader::new(process.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    (lines, thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(|line| sender.send(line).unwrap_or_default())))
}

/// In a network namespace of its own the group of nobody may open no ICMP socket (net.ipv4.ping_group_range is empty there).
#[test]
fn an_agent_that_may_not_probe_by_icmp_says_what_to_allow() {
    if !is_root("to give its rights away") {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let nobody = Some(nix::unistd::Uid::from_raw(65_534));
    nix::unistd::chown(dir.path(), nobody, None).unwrap();
    let program = dir.path().join("tocsin");
    std::fs::copy(env!("CARGO_BIN_EXE_tocsin"), &program).unwrap();
    let config = dir.path().join("agent.yaml");
    let links = "links: [{id: fra1-ams1, method: icmp, target: 192.0.2.1}]";
    std::fs::write(
        &config,
        format!(
            "agent_id: a\ntelemetry: {{listen: '127.0.0.1:0'}}\nlisteners: [{{name: l, kind: syslog, listen: '127.0.0.1:0'}}]\n{links}\n"
        ),
    )
    .unwrap();
    let rights = ["--net", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all", "--bounding-set=-all"];
    let (code, _, err) = told(Command::new("unshare").args(rights).arg(&program).args(["agent", "-c"]).arg(&config).output().unwrap());
    assert_eq!(code, Some(1), "{err}");
    for word in ["fra1-ams1", "ICMP is not allowed", "ping_group_range=\"65534 65534\"", "setcap cap_net_raw+ep", "method tcp"] {
        assert!(err.contains(word), "{word:?} is missing in: {err}");
    }
}

/// The first process of a container has no default actions (`pid_namespaces(7)`): to it SIGTERM would be nothing.
#[test]
fn the_first_process_of_a_container_ends_when_it_is_told_to() {
    if !is_root("for a namespace of processes") {
        return;
    }
    let listen = ["heartbeat", "listen", "--listen=127.0.0.1:0", "--silent-after=1"];
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--kill-child", env!("CARGO_BIN_EXE_tocsin")]).args(listen);
    let mut container = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let (lines, reader) = lines_of_stderr(&mut container);
    lines.recv_timeout(Duration::from_secs(60)).expect("a complaint that no heartbeat comes");
    let id = container.id();
    let first_process = std::fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap();
    assert!(Command::new("kill").args(["-TERM", first_process.trim()]).status().unwrap().success());
    let end = loop {
        if let Err(end) = lines.recv_timeout(Duration::from_secs(60)) {
            break end;
        }
    };
    if end == mpsc::RecvTimeoutError::Timeout {
        container.kill().unwrap();
    }
    assert_eq!(container.wait().unwrap().code(), Some(128 + 15));
    reader.join().unwrap();
}

#[test]
fn a_hangup_reloads_tells_the_service_manager_and_its_watchdog_and_refuses_what_cannot_be_used() {
    let dir = tempfile::tempdir().unwrap();
    let config = dir.path().join("agent.yaml");
    let write = |site: &str| {
        let listeners = "listeners: [{name: l, kind: syslog, listen: '127.0.0.1:0'}]";
        let kafka = "kafka: {bootstrap_servers: '127.0.0.1:1'}";
        std::fs::write(&config, format!("agent_id: a\ntelemetry: {{listen: '127.0.0.1:0'}}\n{kafka}\n{listeners}\n{site}\n")).unwrap();
    };
    write("site: one");
    let service_manager = UnixDatagram::bind(dir.path().join("notify")).unwrap();
    service_manager.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let notice_of = |word: &str| loop {
        let mut notice = [0; 512];
        let length = service_manager.recv(&mut notice).expect(word);
        let notice = String::from_utf8_lossy(&notice[..length]).into_owned();
        if notice.contains(word) {
            return notice;
        }
    };
    let mut command = tocsin(&["agent", "-c", config.to_str().unwrap()]);
    // A watchdog with a minute's patience.
    command.env("NOTIFY_SOCKET", dir.path().join("notify")).env("WATCHDOG_USEC", "60000000").env_remove("WATCHDOG_PID");
    let mut agent = command.stderr(Stdio::piped()).spawn().unwrap();
    let (lines, reader) = lines_of_stderr(&mut agent);
    let line_with = |word: &str| loop {
        let line = lines.recv_timeout(Duration::from_secs(60)).expect(word);
        if line.contains(word) {
            return line;
        }
    };
    let wait_for = |word: &str| drop(line_with(word));
    let hang_up = || assert!(Command::new("sh").args(["-c", &format!("kill -HUP {}", agent.id())]).status().unwrap().success());

    let telemetry = line_with("telemetry:");
    let address = telemetry.split("address=").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap().to_owned();
    let compare = |keys: &str| {
        write(keys);
        run(&["agent", "-c", config.to_str().unwrap(), "--check", "--running", &address])
    };
    wait_for("started");
    notice_of("READY=1");
    notice_of("WATCHDOG=1");
    let (code, out, err) = compare("site: one");
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("a reload changes nothing"), "{out}");
    let (code, out, _) = compare("site: two\nspool: {max_size: 2GiB}");
    assert_eq!(code, Some(2));
    assert!(out.contains("listeners[l].site: one -> two") && out.contains("for\n  spool.max_size: 1.0 GiB -> 2.0 GiB"), "{out}");
    assert_eq!(compare("sites: two").0, Some(64));

    write("site: two");
    hang_up();
    wait_for("listeners[l].site: one -> two");
    wait_for("reloaded");
    let reloading = notice_of("RELOADING=1");
    assert!(reloading.contains("MONOTONIC_USEC="), "{reloading}");
    notice_of("READY=1");
    notice_of("WATCHDOG=1");

    write("sites: three");
    hang_up();
    wait_for("reload failed");
    notice_of("RELOADING=1");
    notice_of("READY=1");
    assert_eq!(agent.try_wait().unwrap(), None);

    agent.kill().unwrap();
    agent.wait().unwrap();
    reader.join().unwrap();
    let (code, _, err) = compare("site: two");
    assert!(code == Some(1) && err.contains("cannot be asked"), "{err}");
}
