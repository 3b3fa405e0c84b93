//! What would grow without end is bounded, and balance reads a few rows at any age.

use super::*;

/// How many rows of tables a query reads.
fn rows_to_read(database: &OwnDatabase, query: &str) -> u64 {
    database.run(&format!("SELECT sum(rows) FROM (EXPLAIN ESTIMATE {query})")).parse().unwrap()
}

/// A report a minute and a message a second of one run, `hours` long; one message of 1,000 is lost, and one of 1,000 is a reject.
fn run_of_an_agent(database: &OwnDatabase, boot: u64, hours: u32) {
    let start = "toStartOfHour(now() - INTERVAL 300 DAY)";
    database.run(&format!(
        "INSERT INTO tocsin.agent_stats (agent_id, boot_id, listener, received_at, received, malformed, events, acked, kernel_dropped) \
         SELECT 'a', {boot}, 'syslog-udp', {start} + number * 60, 60 * (number + 1), number, 60 * (number + 1) - number, 60 * (number + 1), {boot} \
         FROM numbers({hours} * 60)"
    ));
    database.run(&format!(
        "INSERT INTO tocsin.syslog (agent_id, boot_id, listener, received_at, message) \
         SELECT 'a', {boot}, 'syslog-udp', {start} + number, 'm' FROM numbers({hours} * 3600) WHERE number % 1000 > 1"
    ));
    database.run(&format!(
        "INSERT INTO tocsin.rejects (agent_id, boot_id, listener, received_at, stage) \
         SELECT 'a', {boot}, 'syslog-udp', {start} + number * 1000, 'parse' FROM numbers(intDiv({hours} * 3600, 1000))"
    ));
}

#[test]
fn the_balance_reads_a_few_rows_at_any_age_and_says_what_every_minute_adds_up_to() {
    let Some(database) = OwnDatabase::make("balance") else { return };
    let schema = database.edited(|_| ());
    database.ledger().apply(&schema, |_| ()).unwrap();
    let sheet = "SELECT * FROM tocsin.balance";
    run_of_an_agent(&database, 1, 1);
    let young = rows_to_read(&database, sheet);
    for boot in 2..5 {
        run_of_an_agent(&database, boot, 48);
    }
    let minutes: u64 = database.run("SELECT count() FROM tocsin.stored_events_1m").parse().unwrap();
    // Each run has a row for its counters and one for each kind, each once more for every insert that is not merged yet.
    let old = rows_to_read(&database, sheet);
    assert!(minutes > 3 * 48 * 60 && young >= 3 && old <= 4 * young, "{minutes} minutes, {young} rows read at first and {old} now");

    let of_view = |file: &baseline::BaselineFile| file.statements[0].split_once(" AS ").unwrap().1.to_owned();
    let by_minute = schema.baseline.iter().find(|file| file.name == "pipeline/balance.sql").map(of_view).unwrap();
    let by_minute = by_minute.replace("stored_totals", "stored_events_1m");
    let (sum, expected) = (database.run(sheet), database.run(&by_minute));
    assert_eq!(sum, expected);
    assert!(rows_to_read(&database, &by_minute) > minutes && sum.starts_with("a\tsyslog-udp\t"), "{sum}");
}

#[test]
fn what_another_agent_had_told_before_is_neither_stored_nor_missing() {
    let Some(database) = OwnDatabase::make("copies") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    database.run(
        "INSERT INTO tocsin.listener_totals (agent_id, boot_id, listener, events, acked, reported_at) VALUES ('b', 1, 'l', 9, 9, now())",
    );
    database.run(
        "INSERT INTO tocsin.syslog (agent_id, boot_id, listener, received_at, message) SELECT 'b', 1, 'l', now(), 'm' FROM numbers(4)",
    );
    database.run("INSERT INTO tocsin.duplicates (agent_id, boot_id, listener, received_at) SELECT 'b', 1, 'l', now() FROM numbers(3)");
    let sheet = "SELECT acked, stored_events, stored_rejects, duplicates, missing, closed FROM tocsin.balance";
    assert_eq!(database.run(sheet), "9\t4\t0\t3\t2\t0");
    assert_eq!(database.run("SELECT DISTINCT kind FROM tocsin.stored_totals ORDER BY kind"), "duplicates\nsyslog");
    database.run("INSERT INTO tocsin.duplicates (agent_id, boot_id, listener, received_at) SELECT 'b', 1, 'l', now() FROM numbers(2)");
    assert_eq!(database.run(sheet), "9\t4\t0\t5\t0\t1");
}

#[test]
fn a_run_that_was_forgotten_by_one_side_of_the_balance_does_not_open_it() {
    let Some(database) = OwnDatabase::make("forgotten") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    database.run(
        "INSERT INTO tocsin.listener_totals (agent_id, boot_id, listener, acked, reported_at, updated_at) \
         VALUES ('a', 1, 'l', 9, now() - INTERVAL 1700 DAY, now() - INTERVAL 1700 DAY)",
    );
    assert_eq!(database.run("SELECT count() FROM tocsin.balance"), "0");
    database.run("INSERT INTO tocsin.listener_totals (agent_id, boot_id, listener, acked) VALUES ('a', 2, 'l', 9)");
    assert_eq!(database.run("SELECT agent_id, missing FROM tocsin.balance"), "a\t9");
}

#[test]
fn invented_words_fill_the_patterns_to_their_bound_and_leave_what_was_known() {
    let Some(database) = OwnDatabase::make("patterns") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    let run = |statement: &str| database.run(statement);
    // Each at a second of its own: the same insert again would count once.
    let say_what_is_known = |seconds_ago: u32| {
        run(&format!(
            "INSERT INTO tocsin.syslog (received_at, app_name, message) VALUES (now() - {seconds_ago}, 'sshd', 'connection closed')"
        ))
    };
    say_what_is_known(60);
    const A_FLOOD: u32 = 60_000;
    for seed in 0..6 {
        run(&format!(
            "INSERT INTO tocsin.syslog (received_at, app_name, message) \
             SELECT now(), 'made-up', translate(hex(sipHash128(number, {seed})), '0123456789', 'ghijklmnop') FROM numbers({A_FLOOD})"
        ));
        if seed == 2 {
            say_what_is_known(0);
        }
    }
    let patterns: u32 = run("SELECT count() FROM tocsin.syslog_patterns").parse().unwrap();
    assert!((100_000..200_000 + A_FLOOD).contains(&patterns), "{patterns} patterns of {} that were made up", 6 * A_FLOOD);

    let tomorrow = "kept_from + INTERVAL 400 DAY > now() + INTERVAL 25 HOUR";
    let kept: u32 = run(&format!("SELECT uniqExact(pattern) FROM tocsin.syslog_patterns WHERE {tomorrow}")).parse().unwrap();
    assert!(kept < 100_000 + A_FLOOD, "{kept} patterns are kept for more than a day");
    let known = format!("SELECT sum(messages), max({tomorrow}) FROM tocsin.syslog_patterns WHERE pattern = 'connection closed'");
    assert_eq!(run(&known), "2\t1");

    run("OPTIMIZE TABLE tocsin.syslog_patterns FINAL");
    run("ALTER TABLE tocsin.syslog_patterns MODIFY TTL kept_from + toIntervalDay(399) - toIntervalHour(1)");
    run("OPTIMIZE TABLE tocsin.syslog_patterns FINAL");
    assert_eq!(run(&format!("SELECT count() FROM tocsin.syslog_patterns WHERE NOT ({tomorrow})")), "0", "a day later they are gone");
    assert_eq!(run(&known), "2\t1");
    run("ALTER TABLE tocsin.syslog_patterns MODIFY TTL kept_from + toIntervalDay(400)");
    run("INSERT INTO tocsin.syslog (received_at, app_name, message) VALUES (now(), 'sshd', 'connection reset')");
    assert_eq!(run("SELECT count() FROM tocsin.syslog_patterns WHERE pattern = 'connection reset'"), "1");
}

#[test]
fn everything_but_the_ledger_is_kept_for_a_time_that_can_be_set() {
    let Some(database) = OwnDatabase::make("kept") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    let for_ever: Vec<String> =
        database.ledger().ttls().unwrap().into_iter().filter(|(_, ttl)| ttl.is_none()).map(|(table, _)| table).collect();
    assert_eq!(for_ever, ["schema_migrations"]);
}

#[test]
fn an_alert_told_with_the_clock_of_1970_is_kept_like_any_other() {
    let Some(database) = OwnDatabase::make("clock") else { return };
    database.ledger().apply(&database.edited(|_| ()), |_| ()).unwrap();
    database.run("INSERT INTO tocsin.alert_history (fingerprint, version, transition_at) VALUES ('f', 1, '1970-01-02'), ('g', 1, now())");
    for table in ["alert_history", "alerts_latest"] {
        database.run(&format!("OPTIMIZE TABLE tocsin.{table} FINAL"));
        assert_eq!(database.run(&format!("SELECT arraySort(groupArray(fingerprint)) FROM tocsin.{table}")), "['f','g']", "{table}");
    }
}
