use super::*;
use crate::schema::files::SchemaFiles;

const TABLE: &str = "-- Rows.\n-- Shard: a\nCREATE TABLE IF NOT EXISTS tocsin.t ( a UInt8 ) ENGINE = MergeTree ORDER BY a;";
const SUMS: &str = "CREATE TABLE IF NOT EXISTS tocsin.sums ( a UInt8 ) ENGINE = SummingMergeTree ORDER BY a;\n\
                    CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.sums_from_t TO tocsin.sums AS SELECT a FROM tocsin.t;";
const VIEW: &str = "CREATE VIEW IF NOT EXISTS tocsin.seen AS SELECT a FROM tocsin.t;";

fn file(name: &str, text: &str) -> SchemaFile {
    SchemaFile { name: name.to_owned(), text: text.to_owned() }
}

fn repository() -> Vec<BaselineFile> {
    parse(&SchemaFiles::load(None).unwrap().baseline).unwrap()
}

fn applied(file: &BaselineFile) -> Applied {
    Applied { number: BASELINE, name: file.name.clone(), sha256: file.sha256.clone(), applied_at: "2026-11-20 12:00:00.000".to_owned() }
}

#[test]
fn the_repository_s_files_are_valid_and_hold_the_ledger() {
    assert!(repository().iter().any(|file| file.name == LEDGER));
    let failure = parse(&[file("events/t.sql", TABLE)]).unwrap_err().to_string();
    assert!(failure.contains(LEDGER) && failure.contains("--schemas"), "{failure}");
}

#[test]
fn a_file_that_a_baseline_cannot_hold_is_refused_by_name() {
    let unsharded = TABLE.replace("-- Shard: a\n", "");
    let cases = [
        ("events/t.sql", "", "no table or view of its own name"),
        ("events/other.sql", TABLE, "no table or view of its own name"),
        ("t.sql", TABLE, "no table or view of its own name"),
        ("the events/t.sql", TABLE, "no table or view of its own name"),
        ("events/sums_from_t.sql", SUMS, "no table or view of its own name"),
        ("events/t.sql", &unsharded, "on which server of a cluster"),
        ("events/t.sql", &TABLE.replace("Shard: a", "Shard: b"), "on which server of a cluster"),
        ("events/t.sql", &TABLE.replace(" IF NOT EXISTS", ""), "no part of a baseline"),
        ("events/t.sql", &TABLE.replace("tocsin.t", "elsewhere.t"), "no part of a baseline"),
        ("events/t.sql", &format!("{TABLE} DROP TABLE IF EXISTS tocsin.t;"), "no part of a baseline"),
        ("events/t.sql", &format!("{TABLE} {}", SUMS.split_once('\n').unwrap().1), "writes sums, a table of another file"),
    ];
    for (name, text, problem) in cases {
        let failure = parse(&[file(name, text)]).unwrap_err().to_string();
        assert!(failure.contains(problem) && failure.contains(&format!("clickhouse/{name}")), "{name}: {failure}");
    }
}

#[test]
fn tables_come_before_what_reads_them_whatever_the_files_are_called() {
    let files = [file("a/seen.sql", VIEW), file("b/sums.sql", SUMS), file("c/t.sql", TABLE)].map(|file| parse_file(&file).unwrap());
    let order: Vec<_> =
        in_order(&files.iter().collect::<Vec<_>>()).into_iter().map(|(_, statement)| made_by(statement).unwrap().1).collect();
    assert_eq!(order, ["sums", "t", "sums_from_t", "seen"]);
}

#[test]
fn what_the_ledger_does_not_have_is_pending() {
    let files = repository();
    let ledger: Vec<_> = files[1..].iter().map(applied).collect();
    assert_eq!(pending(&files, &ledger).unwrap(), [&files[0]]);
}

#[test]
fn a_file_that_was_edited_in_place_is_refused_with_the_remedy_and_its_comments_are_free() {
    let edition = |text: &str| [parse_file(&file("events/t.sql", text)).unwrap()];
    let ledger = edition(TABLE).map(|file| applied(&file));
    assert_eq!(pending(&edition(&TABLE.replace("Rows.", "What a row is.")), &ledger).unwrap(), Vec::<&BaselineFile>::new());

    let edited = TABLE.replace("( a UInt8 )", "( a UInt8 , b UInt8 )");
    for text in [&edited, &edited.replace("Shard: a", "Shard: b")] {
        let failure = pending(&edition(text), &ledger).unwrap_err().to_string();
        for part in ["clickhouse/events/t.sql (applied 2026-11-20", "restore the file", "write a migration", "DROP DATABASE tocsin"] {
            assert!(failure.contains(part), "expected {part:?} in {failure}");
        }
    }
}

#[test]
fn a_database_that_knows_more_than_the_files_is_refused() {
    let files = repository();
    let ledger = [applied(&BaselineFile { name: "events/gone.sql".to_owned(), ..files[0].clone() })];
    assert!(pending(&files, &ledger).unwrap_err().to_string().contains("events/gone.sql"));
}
