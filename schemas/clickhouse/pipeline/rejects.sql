-- What was received and could not become an event, or could not become a row: its bytes, where it was refused and why. Ordered by
-- reason first: the question is always "what is being refused now, and by whom".
-- The words are those of tocsin.rejects.v1, in lower case.
-- Shard: reason
CREATE TABLE IF NOT EXISTS tocsin.rejects
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
    stage LowCardinality(String) COMMENT 'framing, parse, publish, archive or alerts',
    reason LowCardinality(String) COMMENT 'one of the closed list in tocsin.rejects.v1',
    detail String COMMENT 'one sentence for a person' CODEC(ZSTD(1)),
    original_bytes UInt64 COMMENT 'size as received; larger than raw where raw was cut' CODEC(ZSTD(1)),
    raw String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (reason, device, received_at, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
