use super::*;
use crate::schema::files::SchemaFiles;

const CREATE: &str = "CREATE TABLE IF NOT EXISTS tocsin.t (a UInt8) ENGINE = Memory;\n";

fn files(names: &[&str]) -> Vec<SchemaFile> {
    names.iter().map(|name| SchemaFile { name: (*name).to_owned(), text: CREATE.to_owned() }).collect()
}

fn applied(migration: &Migration) -> Applied {
    Applied {
        number: migration.number,
        name: migration.name.clone(),
        sha256: migration.sha256.clone(),
        applied_at: "2026-11-20 12:00:00.000".to_owned(),
    }
}

fn refusal(names: &[&str]) -> String {
    parse(&files(names)).unwrap_err().to_string()
}

#[test]
fn the_repository_s_migrations_are_valid() {
    parse(&SchemaFiles::load(None).unwrap().migrations).unwrap();
}

#[test]
fn the_baseline_in_the_ledger_is_no_migration() {
    let baseline = Applied { number: BASELINE, name: "events/syslog.sql".to_owned(), sha256: String::new(), applied_at: String::new() };
    let migrations = parse(&files(&["0001_create_a.sql"])).unwrap();
    assert_eq!(pending(&migrations, &[baseline]).unwrap().len(), 1);
}

#[test]
fn a_gap_is_refused_and_names_the_number() {
    let failure = refusal(&["0001_create_a.sql", "0003_create_c.sql"]);
    assert!(failure.contains("migration 0002 is missing"), "{failure}");
    assert!(refusal(&["0002_create_b.sql"]).contains("migration 0001 is missing"));
}

#[test]
fn a_duplicate_number_is_refused_and_names_both_files() {
    let failure = refusal(&["0001_create_a.sql", "0001_create_b.sql"]);
    assert!(failure.contains("0001_create_a.sql and 0001_create_b.sql"), "{failure}");
}

#[test]
fn a_bad_name_is_refused() {
    for name in [
        "1_create_a.sql",
        "0001-create-a.sql",
        "0001_create.sql",
        "0001_Create_a.sql",
        "0001_create_a.SQL",
        "README.md",
        "+001_create_a.sql",
    ] {
        assert!(refusal(&[name]).contains("NNNN_verb_object.sql"), "{name}");
    }
}

#[test]
fn a_file_with_more_or_less_than_one_statement_is_refused() {
    for (text, count) in [("", 0), ("-- nothing", 0), ("DROP TABLE IF EXISTS a; DROP TABLE IF EXISTS b;", 2)] {
        let file = SchemaFile { name: "0001_drop_a.sql".to_owned(), text: text.to_owned() };
        let failure = parse(&[file]).unwrap_err().to_string();
        assert!(failure.contains(&format!("0001_drop_a.sql holds {count} statements")), "{failure}");
    }
}

#[test]
fn a_statement_that_cannot_be_repeated_is_refused() {
    let file = SchemaFile { name: "0001_create_a.sql".to_owned(), text: "CREATE TABLE a (b UInt8) ENGINE = Memory".to_owned() };
    let failure = parse(&[file]).unwrap_err().to_string();
    assert!(failure.contains("CREATE needs IF NOT EXISTS"), "{failure}");
}

#[test]
fn what_the_ledger_does_not_have_is_pending_in_order() {
    let migrations = parse(&files(&["0001_create_a.sql", "0002_create_b.sql", "0003_create_c.sql"])).unwrap();
    let ledger = [applied(&migrations[1])];
    let names: Vec<_> = pending(&migrations, &ledger).unwrap().into_iter().map(|migration| migration.name.as_str()).collect();
    assert_eq!(names, ["0001_create_a.sql", "0003_create_c.sql"]);
}

#[test]
fn an_edited_migration_is_refused_with_both_digests_and_the_remedy() {
    let migrations = parse(&files(&["0001_create_a.sql"])).unwrap();
    let ledger = [Applied { sha256: "0".repeat(64), ..applied(&migrations[0]) }];
    let failure = pending(&migrations, &ledger).unwrap_err().to_string();
    for part in ["0001_create_a.sql was edited", &"0".repeat(64), &migrations[0].sha256, "restore the file", "write a new migration"] {
        assert!(failure.contains(part), "expected {part:?} in {failure}");
    }
}

#[test]
fn a_renamed_migration_is_refused() {
    let migrations = parse(&files(&["0001_create_a.sql"])).unwrap();
    let ledger = [Applied { name: "0001_create_z.sql".to_owned(), ..applied(&migrations[0]) }];
    assert!(pending(&migrations, &ledger).unwrap_err().to_string().contains("was renamed"));
}

#[test]
fn a_database_newer_than_the_binary_is_refused() {
    let migrations = parse(&files(&["0001_create_a.sql", "0002_create_b.sql"])).unwrap();
    let ledger: Vec<_> = migrations.iter().map(applied).collect();
    let failure = pending(&migrations[..1], &ledger).unwrap_err().to_string();
    assert!(failure.contains("0002_create_b.sql") && failure.contains("newer tocsin binary"), "{failure}");
}

#[test]
fn the_digest_is_that_of_sha256sum() {
    assert_eq!(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
