-- One row a notification that Alertmanager delivered to the webhook that records pages: who was told what, and when.
-- A notification that comes again, because it was not known whether it was stored, is stored once (insert_deduplication_token).
-- Shard: sent_at
CREATE TABLE IF NOT EXISTS tocsin.pages
(
    sent_at DateTime64(3, 'UTC') COMMENT 'when the notification arrived' CODEC(Delta, ZSTD(1)),
    receiver LowCardinality(String) COMMENT 'Alertmanager receiver',
    status Enum8('firing' = 1, 'resolved' = 2) COMMENT 'of the group as a whole',
    group_key String COMMENT 'Alertmanager''s identity of the group' CODEC(ZSTD(1)),
    group_labels Map(LowCardinality(String), String) COMMENT 'labels that the group shares by grouping',
    firing UInt32 COMMENT 'alerts in the notification that fire',
    resolved UInt32 COMMENT 'alerts in the notification that are over',
    fingerprints Array(String) COMMENT 'Tocsin fingerprints of its alerts',
    summary String COMMENT 'first line that a person would see' CODEC(ZSTD(1)),
    raw String COMMENT 'the notification as received, JSON' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(sent_at)
ORDER BY sent_at
TTL toDateTime(sent_at) + INTERVAL 5 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
