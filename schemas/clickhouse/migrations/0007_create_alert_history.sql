-- Every transition of every alert, for ever: the analyst's record. Ordered by fingerprint and version, so that one alert's life is
-- one read. No partitions: transition_at is the sender's clock, and a wrong one must not scatter a block over a hundred of them.
CREATE TABLE IF NOT EXISTS tocsin.alert_history
(
    fingerprint String COMMENT 'identity of the alert: 32 hexadecimal digits' CODEC(ZSTD(1)),
    fingerprint_fields Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    version UInt64 COMMENT 'counts the transitions of one fingerprint from 1' CODEC(Delta, ZSTD(1)),
    transition Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4) COMMENT 'what happened',
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
    event_id String COMMENT 'event that caused the transition' CODEC(ZSTD(1))
)
ENGINE = MergeTree
ORDER BY (fingerprint, version)
SETTINGS non_replicated_deduplication_window = 1000;
