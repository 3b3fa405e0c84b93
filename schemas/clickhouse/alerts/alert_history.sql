-- Every transition of every alert as the alerts job told it: the analyst's record. Ordered by fingerprint and version, so that one alert's life is
-- one read. A job that goes on after a failure may tell a transition again, and that is one row once parts are merged: transition_id is the same.
-- Until then there may be two, so whoever counts counts transition_id: uniqExactIf(transition_id, transition = 'opened'). FINAL would read the table.
-- transition_at is the sender's clock, told_at the broker's. So the latter parts the table and says how long rows are kept: what a device tells with
-- the clock of 1970 stays as long as anything else.
-- by_time: the transitions once more in the order of time, because every dashboard asks for what happened in a time range. Of 1 million transitions
-- in 30 days, the newest 1,000 are 34,000 rows to read, and the alerts of a day 67,000.
-- Shard: fingerprint
CREATE TABLE IF NOT EXISTS tocsin.alert_history
(
    fingerprint String COMMENT 'identity of the alert: 32 hexadecimal digits' CODEC(ZSTD(1)),
    fingerprint_fields Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    version UInt64 COMMENT 'orders the transitions of one fingerprint: Unix nanoseconds, moved on where they would not grow' CODEC(Delta, ZSTD(1)),
    told_at DateTime64(9, 'UTC') DEFAULT now64(9, 'UTC') COMMENT 'when topic alerts-v1 took it, by the broker: what was told last stands' CODEC(Delta, ZSTD(1)),
    transition Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10, 'acknowledged' = 11, 'unacknowledged' = 12, 'noted' = 13) COMMENT 'what happened',
    transition_at DateTime64(9, 'UTC') COMMENT 'event time of the transition' CODEC(Delta, ZSTD(1)),
    state Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5) COMMENT 'where the alert stands after it',
    severity Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    source LowCardinality(String) COMMENT 'monitor or rule that raised it',
    device LowCardinality(String) COMMENT 'device concerned',
    check LowCardinality(String) COMMENT 'what was checked',
    summary String COMMENT 'one line for a person' CODEC(ZSTD(1)),
    site LowCardinality(String) COMMENT 'configured place',
    labels Map(String, String) COMMENT 'labels of the newest update',
    first_seen DateTime64(9, 'UTC') COMMENT 'event time at which this occurrence opened' CODEC(ZSTD(1)),
    last_seen DateTime64(9, 'UTC') COMMENT 'event time of its newest update' CODEC(ZSTD(1)),
    resolved_at Nullable(DateTime64(9, 'UTC')) COMMENT 'event time of its end; NULL while it lasts' CODEC(ZSTD(1)),
    update_count UInt64 COMMENT 'updates of this occurrence' CODEC(ZSTD(1)),
    storm_id String COMMENT 'fingerprint of the storm it belongs to, or empty' CODEC(ZSTD(1)),
    cause String COMMENT 'what explains it, or empty' CODEC(ZSTD(1)),
    event_id String COMMENT 'event that caused the transition' CODEC(ZSTD(1)),
    member_count UInt32 COMMENT 'alerts that belong to a storm; 0 for anything else' CODEC(ZSTD(1)),
    rule LowCardinality(String) COMMENT 'rule that raised it; empty for a monitor''s update',
    runbook LowCardinality(String) COMMENT 'file of grafana/runbooks without its ending, or a URL',
    expires_at Nullable(DateTime64(9, 'UTC')) COMMENT 'when it expires unless it is refreshed; NULL where it does not' CODEC(ZSTD(1)),
    acknowledged_by LowCardinality(String) COMMENT 'who works on it; empty while nobody has said so',
    acknowledged_at Nullable(DateTime64(9, 'UTC')) COMMENT 'since when; NULL while nobody does' CODEC(ZSTD(1)),
    acknowledged_until Nullable(DateTime64(9, 'UTC')) COMMENT 'when that ends by itself; NULL where it lasts as long as the alert' CODEC(ZSTD(1)),
    note String COMMENT 'newest word of a person on this occurrence, or empty' CODEC(ZSTD(1)),
    noted_by LowCardinality(String) COMMENT 'who wrote it',
    raised_by Array(String) COMMENT 'ids of the first events that raised it and of the newest, eight at most' CODEC(ZSTD(1)),
    rule_pushed_at Nullable(DateTime64(9, 'UTC')) COMMENT 'which version of the rule: when it was pushed; NULL where no pushed rule raised it' CODEC(ZSTD(1)),
    held_back Array(Tuple(cause String, name String, since DateTime64(9, 'UTC'))) COMMENT 'all that keeps it from paging, and since when; eight at most' CODEC(ZSTD(1)),
    cut_sets Array(Array(String)) COMMENT 'of a fault tree: the smallest sets of what is down that make its top event true' CODEC(ZSTD(1)),
    tree_down Array(Tuple(name String, fingerprint String)) COMMENT 'of a fault tree: what is down, with its alert; 64 at most' CODEC(ZSTD(1)),
    tree_next Array(String) COMMENT 'of a fault tree: what would make its top event true if it failed now; 64 at most' CODEC(ZSTD(1)),
    tree_left_out UInt32 COMMENT 'of a fault tree: parts that are not listed because they are too many' CODEC(ZSTD(1)),
    transition_id UInt64 DEFAULT cityHash64(fingerprint, version, transition, transition_at, state, severity, cause, storm_id, event_id) COMMENT 'what the transition is; the same where it was told again' CODEC(ZSTD(1)),
    PROJECTION by_time (SELECT * ORDER BY transition_at)
)
ENGINE = ReplacingMergeTree
PARTITION BY toYear(told_at)
ORDER BY (fingerprint, version, transition_id)
TTL toDateTime(told_at) + INTERVAL 5 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, deduplicate_merge_projection_mode = 'rebuild';
