//! Migrations that make a table anew, its rows in it: `CREATE OR REPLACE TABLE x (...) AS SELECT ... FROM x`. Pure: text in, text out.
//!
//! ClickHouse fills the new table beside the old one and exchanges them at the end, so readers see one or the other, and materialized views stay.
//! What an operator has set about the old table must be carried over, which is its retention.

use super::retention::ttl_of;
use super::statement;

/// The table that the one statement of `text` makes anew, without its database; none for every other statement.
pub fn replaced_table(text: &str) -> Option<String> {
    let statement = statement::statements(text).into_iter().next()?;
    let (name, _) = statement.strip_prefix("CREATE OR REPLACE TABLE ")?.split_once(' ')?;
    name.split_once('.').map(|(_, table)| table.to_owned())
}

/// `text` with `ttl` in place of its own; none keeps rows for ever. Comments and white space of the text are lost.
pub fn with_ttl(text: &str, ttl: Option<&str>) -> String {
    let statement = statement::statements(text).concat();
    match ttl_of(&statement) {
        None => statement,
        Some(own) => {
            let clause = ttl.map_or_else(String::new, |ttl| format!(" TTL {ttl}"));
            statement.replacen(&format!(" TTL {own}"), &clause, 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPLACING: &str = "-- Why.\nCREATE OR REPLACE TABLE tocsin.t\n(\n    at DateTime\n)\nENGINE = MergeTree\nORDER BY at\n\
                             TTL at + INTERVAL 400 DAY\nSETTINGS ttl_only_drop_parts = 1\nAS SELECT at FROM tocsin.t;\n";

    #[test]
    fn only_a_table_that_is_made_anew_is_named() {
        assert_eq!(replaced_table(REPLACING).as_deref(), Some("t"));
        assert_eq!(replaced_table("CREATE TABLE IF NOT EXISTS tocsin.t (a Int8) ENGINE = MergeTree ORDER BY a;"), None);
        assert_eq!(replaced_table("CREATE OR REPLACE VIEW tocsin.v AS SELECT 1"), None);
    }

    #[test]
    fn the_retention_in_effect_takes_the_place_of_the_files() {
        let expected = |ttl: &str| {
            format!(
                "CREATE OR REPLACE TABLE tocsin.t ( at DateTime ) ENGINE = MergeTree ORDER BY at{ttl} SETTINGS ttl_only_drop_parts = 1 \
                 AS SELECT at FROM tocsin.t"
            )
        };
        assert_eq!(with_ttl(REPLACING, Some("at + toIntervalDay(7)")), expected(" TTL at + toIntervalDay(7)"));
        assert_eq!(with_ttl(REPLACING, None), expected(""));
    }
}
