-- Alert updates from monitors, one row an update. Ordered by device and time: people ask about one device over a time, and partitions by week bound
-- what they ask of all devices.
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.alert_updates
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it happened by the sender''s clock; received_at where it gave none' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned',
    site LowCardinality(String) COMMENT 'configured place',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    action Enum8('update' = 1, 'delete' = 2) COMMENT 'update opens or refreshes, delete ends',
    source LowCardinality(String) COMMENT 'monitor that says so',
    check LowCardinality(String) COMMENT 'what was checked',
    severity Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    summary String COMMENT 'one line for a person' CODEC(ZSTD(1)),
    labels Map(String, String) COMMENT 'whatever else the monitor told',
    fingerprint_labels Array(LowCardinality(String)) COMMENT 'labels that are part of the alert''s identity: of findings alone, so that a replay makes the same alerts',
    raw String COMMENT 'bytes as received; updates of one datagram share them' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
