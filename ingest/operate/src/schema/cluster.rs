//! The same DDL for a cluster of ClickHouse servers. Pure: text in, text out.
//!
//! A table `tocsin.x` becomes two: `tocsin_local.x` on every server, replicated, with its materialized views beside it; and `tocsin.x`, which is
//! Distributed over them. So whoever reads or writes names the same tables as on one server. The shard of a row follows from the column that the
//! line `-- Shard: column` of its file names (a device, a link, a MAC), so that what is merged, counted or replaced together lies together. What
//! materialized views write stays on the shard of the rows that it is made of, wherever that is: such tables say nothing about shards.
//!
//! With more shards a key has another one. Rows that are read or added up stay where they are; those that replace each other are brought to where new
//! ones of their key go, or the old shard would show an alert open for ever that the new one has closed.
//!
//! The servers need `default_replica_path` and the macros `{shard}` and `{replica}`, which ClickHouse's own configuration has or explains.

use std::collections::{BTreeMap, BTreeSet};

use super::database::DatabaseSchema;
use super::statement::{self, READ};

/// The name of a cluster in the servers' `remote_servers`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cluster {
    name: String,
    /// By table: the column whose hash is a row's shard; none where materialized views write.
    shard_columns: BTreeMap<String, Option<String>>,
    /// By table of which the newest row of a key counts: the same column, of the rows that it is made of where a view writes it.
    replaced: BTreeMap<String, String>,
    /// Whether servers may have joined that have no table yet.
    pub has_new_servers: bool,
}

const LOCAL: &str = "tocsin_local.";

impl Cluster {
    /// The cluster `name` for the tables of `schema`.
    pub fn new(name: &str, schema: &DatabaseSchema) -> Self {
        let mut shard_columns = BTreeMap::new();
        let (mut sources, mut replaced) = (BTreeMap::new(), BTreeSet::new());
        for text in schema.texts() {
            for statement in statement::statements(text) {
                if let Some((table, source)) = statement::written_by_view(&statement) {
                    shard_columns.insert(table.to_owned(), None);
                    sources.insert(table.to_owned(), source.to_owned());
                } else if let Some(table) = statement::created_table(&statement) {
                    shard_columns.entry(table.to_owned()).or_insert_with(|| statement::shard_column(text).map(str::to_owned));
                    if statement.contains("ENGINE = ReplacingMergeTree(") {
                        replaced.insert(table.to_owned());
                    }
                }
            }
        }
        let column = |table: &String| shard_columns.get(sources.get(table).unwrap_or(table)).cloned().flatten();
        let replaced = replaced.into_iter().filter_map(|table| column(&table).map(|column| (table, column))).collect();
        Self { name: name.to_owned(), shard_columns, replaced, has_new_servers: false }
    }

    /// What tells how many shards there are, and the greatest of their weights.
    pub fn shards(&self) -> String {
        format!("SELECT uniqExact(shard_num), max(shard_weight) FROM system.clusters WHERE cluster = '{}' FORMAT TSV", self.name)
    }

    /// The tables of which the newest row of a key counts: all rows of a key must lie on one shard, as each looks at its own alone.
    pub fn replaced(&self) -> impl Iterator<Item = &str> {
        self.replaced.keys().map(String::as_str)
    }

    /// What counts the rows of such a table that lie on another shard than new ones of their key, where there are so many shards.
    pub fn elsewhere(&self, table: &str, shards: u32) -> String {
        format!("SELECT count() FROM {READ}{table} WHERE _shard_num != {}", self.shard_of(table, shards))
    }

    /// What brings those rows to where new ones of their key lie: first copied, then removed where they were.
    pub fn bring_home(&self, table: &str, shards: u32) -> Vec<String> {
        let (Self { name, .. }, shard) = (self, self.shard_of(table, shards));
        // A server that does not find itself in the cluster compares with nothing, and keeps what it has.
        let own = format!("(SELECT if(count() = 1, any(shard_num), NULL) FROM system.clusters WHERE cluster = '{name}' AND is_local)");
        vec![
            // Each row goes through the server that is asked: by parallel_distributed_insert_select each shard would insert its own where they are.
            format!(
                "INSERT INTO {READ}{table} SETTINGS distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, insert_deduplicate = 0 \
                 SELECT * FROM {READ}{table} WHERE _shard_num != {shard}"
            ),
            format!(
                "ALTER TABLE {LOCAL}{table} ON CLUSTER '{name}' DELETE WHERE {own} != {shard} \
                 SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1"
            ),
        ]
    }

    /// As Distributed tables choose it, where all shards have the same weight.
    fn shard_of(&self, table: &str, shards: u32) -> String {
        format!("1 + cityHash64({}) % {shards}", self.replaced[table])
    }

    /// What takes the place of the statements of a file.
    pub fn statements(&self, text: &str) -> Vec<String> {
        statement::statements(text).iter().flat_map(|statement| self.rewritten(statement)).collect()
    }

    /// Every table's `ALTER`, `clause` being what follows its name: at the replicated table, and the Distributed one made anew.
    pub fn alter(&self, table: &str, clause: &str) -> Vec<String> {
        self.rewritten(&format!("ALTER TABLE {READ}{table} {clause}"))
    }

    fn rewritten(&self, statement: &str) -> Vec<String> {
        let (verb, name, rest) = statement::parts(statement);
        let on_cluster = format!("ON CLUSTER '{}'", self.name);
        let table = name.strip_prefix(READ).unwrap_or(name);
        match verb {
            verb if verb.ends_with("DATABASE IF NOT EXISTS") => {
                ["tocsin", "tocsin_local"].map(|database| format!("{verb} {database} {on_cluster}{rest}")).into()
            }
            verb if verb.starts_with("CREATE") && verb.contains(" VIEW") && !verb.contains("MATERIALIZED") => {
                vec![format!("{verb} {name} {on_cluster}{rest}")]
            }
            verb if verb.starts_with("DROP") => [READ, LOCAL].map(|database| format!("{verb} {database}{table} {on_cluster}{rest}")).into(),
            _ => {
                let local = format!(
                    "{verb} {LOCAL}{table} {on_cluster}{}",
                    replicated(&statement::outside_quotes(rest, |sql| sql.replace(READ, LOCAL)))
                );
                std::iter::once(local).chain(self.distributed(table)).collect()
            }
        }
    }

    /// The Distributed table; none for a materialized view. It holds no rows, so it is made anew whenever the table behind it changes.
    fn distributed(&self, table: &str) -> Option<String> {
        let column = self.shard_columns.get(table)?.as_ref().or(self.replaced.get(table));
        let key = column.map_or_else(String::new, |column| format!(", cityHash64({column})"));
        let Self { name, .. } = self;
        Some(format!(
            "CREATE OR REPLACE TABLE {READ}{table} ON CLUSTER '{name}' AS {LOCAL}{table} ENGINE = Distributed('{name}', 'tocsin_local', '{table}'{key})"
        ))
    }
}

/// Replicated engines, and their window of deduplication: a sink may repeat an insert within a week.
fn replicated(rest: &str) -> String {
    statement::outside_quotes(rest, |sql| {
        let sql = ["MergeTree", "ReplacingMergeTree", "SummingMergeTree", "AggregatingMergeTree"]
            .iter()
            .fold(sql.to_owned(), |sql, engine| sql.replace(&format!("ENGINE = {engine}"), &format!("ENGINE = Replicated{engine}")));
        match sql.split_once("non_replicated_deduplication_window = ") {
            None => sql,
            Some((before, after)) => {
                let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
                let (window, after) = after.split_at(digits);
                format!("{before}replicated_deduplication_window = {window}, replicated_deduplication_window_seconds = 604800{after}")
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ask::question;
    use crate::schema::files::SchemaFiles;

    fn repository() -> (DatabaseSchema, Cluster) {
        let schema = DatabaseSchema::parse(&SchemaFiles::load(None).unwrap()).unwrap();
        let cluster = Cluster::new("main", &schema);
        (schema, cluster)
    }

    #[test]
    fn a_table_becomes_a_replicated_one_and_a_distributed_one_over_it() {
        let (_, mut cluster) = repository();
        cluster.shard_columns.insert("t".to_owned(), Some("device".to_owned()));
        let text = "CREATE TABLE IF NOT EXISTS tocsin.t (device String COMMENT 'as in tocsin.x; ENGINE = MergeTree') ENGINE = ReplacingMergeTree(v)\n\
                    ORDER BY (device, v) SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;";
        assert_eq!(
            cluster.statements(text),
            [
                "CREATE TABLE IF NOT EXISTS tocsin_local.t ON CLUSTER 'main' (device String COMMENT 'as in tocsin.x; ENGINE = MergeTree') \
                 ENGINE = ReplicatedReplacingMergeTree(v) ORDER BY (device, v) SETTINGS replicated_deduplication_window = 1000, \
                 replicated_deduplication_window_seconds = 604800, ttl_only_drop_parts = 1",
                "CREATE OR REPLACE TABLE tocsin.t ON CLUSTER 'main' AS tocsin_local.t \
                 ENGINE = Distributed('main', 'tocsin_local', 't', cityHash64(device))",
            ]
        );
    }

    #[test]
    fn materialized_views_stay_with_their_tables_and_views_read_all_shards() {
        let (_, cluster) = repository();
        assert_eq!(
            cluster.statements("CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.b_from_a TO tocsin.b AS SELECT 1 FROM tocsin.a;"),
            [
                "CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin_local.b_from_a ON CLUSTER 'main' TO tocsin_local.b AS SELECT 1 FROM tocsin_local.a"
            ]
        );
        assert_eq!(
            cluster.statements("CREATE OR REPLACE VIEW tocsin.v AS SELECT 1 FROM tocsin.a"),
            ["CREATE OR REPLACE VIEW tocsin.v ON CLUSTER 'main' AS SELECT 1 FROM tocsin.a"]
        );
        assert_eq!(
            cluster.statements("CREATE DATABASE IF NOT EXISTS tocsin;"),
            ["CREATE DATABASE IF NOT EXISTS tocsin ON CLUSTER 'main'", "CREATE DATABASE IF NOT EXISTS tocsin_local ON CLUSTER 'main'"]
        );
    }

    #[test]
    fn rows_lie_where_the_file_of_their_table_says() {
        let (_, cluster) = repository();
        assert!(cluster.distributed("syslog").unwrap().ends_with("'syslog', cityHash64(device))"), "not by the first column of its order");
    }

    #[test]
    fn a_table_that_a_view_writes_says_nothing_about_shards() {
        let (_, cluster) = repository();
        assert_eq!(
            cluster.distributed("syslog_volume_1d").unwrap(),
            "CREATE OR REPLACE TABLE tocsin.syslog_volume_1d ON CLUSTER 'main' AS tocsin_local.syslog_volume_1d \
             ENGINE = Distributed('main', 'tocsin_local', 'syslog_volume_1d')"
        );
    }

    #[test]
    fn rows_that_replace_each_other_have_the_shard_of_what_they_are_made_of() {
        let (_, cluster) = repository();
        let replaced: Vec<_> = cluster.replaced.iter().map(|(table, column)| (table.as_str(), column.as_str())).collect();
        assert_eq!(
            replaced,
            [
                ("alert_endings", "fingerprint"),
                ("alerts_latest", "fingerprint"),
                ("device_names", "alias"),
                ("quarantined_blocks", "token"),
                ("registrations_latest", "mac"),
                ("wan_episodes", "link_id"),
            ]
        );
        assert!(cluster.distributed("alerts_latest").unwrap().ends_with("'alerts_latest', cityHash64(fingerprint))"));
    }

    #[test]
    fn rows_are_copied_to_their_shard_before_they_are_removed_from_another() {
        let (_, cluster) = repository();
        assert_eq!(
            cluster.bring_home("wan_episodes", 3),
            [
                "INSERT INTO tocsin.wan_episodes SETTINGS distributed_foreground_insert = 1, parallel_distributed_insert_select = 0, insert_deduplicate = 0 \
                 SELECT * FROM tocsin.wan_episodes WHERE _shard_num != 1 + cityHash64(link_id) % 3",
                "ALTER TABLE tocsin_local.wan_episodes ON CLUSTER 'main' DELETE WHERE \
                 (SELECT if(count() = 1, any(shard_num), NULL) FROM system.clusters WHERE cluster = 'main' AND is_local) \
                 != 1 + cityHash64(link_id) % 3 SETTINGS mutations_sync = 2, allow_nondeterministic_mutations = 1",
            ]
        );
    }

    #[test]
    fn what_alters_a_table_makes_its_distributed_one_anew() {
        let (_, cluster) = repository();
        assert_eq!(
            cluster.alter("dhcp", "REMOVE TTL"),
            [
                "ALTER TABLE tocsin_local.dhcp ON CLUSTER 'main' REMOVE TTL",
                "CREATE OR REPLACE TABLE tocsin.dhcp ON CLUSTER 'main' AS tocsin_local.dhcp \
                 ENGINE = Distributed('main', 'tocsin_local', 'dhcp', cityHash64(mac))",
            ]
        );
    }

    #[test]
    fn every_table_of_the_repository_is_replicated_and_sharded_and_everything_is_made_on_the_cluster() {
        let (schema, cluster) = repository();
        let questions = question::parse(&SchemaFiles::load(None).unwrap().questions).unwrap();
        let texts = schema.texts().chain(questions.iter().map(|question| question.text.as_str()));
        for statement in texts.flat_map(|text| cluster.statements(text)) {
            assert!(statement.contains(" ON CLUSTER 'main'"), "{statement}");
            let creates_local =
                statement.starts_with("CREATE") && statement.contains(" TABLE") && !statement.contains("ENGINE = Distributed");
            assert_eq!(creates_local, statement.contains("ENGINE = Replicated"), "{statement}");
            assert!(!statement.contains("non_replicated"), "{statement}");
        }
        let statements: Vec<String> = schema.texts().flat_map(statement::statements).collect();
        let created = statements.iter().filter(|statement| statement.contains("CREATE TABLE")).count();
        assert_eq!(cluster.shard_columns.len(), created);
    }
}
