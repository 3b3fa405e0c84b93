-- Polled figures with or without a limit, one row a figure and poll. Ordered like interface_counters.
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.gauges
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it happened by the sender''s clock; received_at where it gave none' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'address polled; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned',
    site LowCardinality(String) COMMENT 'configured place',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    name LowCardinality(String) COMMENT 'configured name',
    instance LowCardinality(String) COMMENT 'which one of several; empty for a scalar',
    value Float64 COMMENT 'the figure, in unit' CODEC(ZSTD(1)),
    limit Nullable(Float64) COMMENT 'what it must not exceed' CODEC(ZSTD(1)),
    unit LowCardinality(String) COMMENT 'configured unit',
    oid LowCardinality(String) COMMENT 'the polled OID',
    raw String COMMENT 'empty: the agent asked'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, name, instance, event_time)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
