-- Counters of each listener, once a second, cumulative since boot_id: take the maximum per (agent_id, boot_id, listener), then sum.
-- The device is the agent's host. Ordered by listener and time because dashboards draw one line a listener.
-- Shard: agent_id
CREATE TABLE IF NOT EXISTS tocsin.agent_stats
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
    received UInt64 COMMENT 'datagrams or frames taken from the socket' CODEC(Delta, ZSTD(1)),
    received_bytes UInt64 COMMENT 'bytes of their payload' CODEC(Delta, ZSTD(1)),
    kernel_dropped UInt64 COMMENT 'datagrams the kernel dropped before they could be read' CODEC(Delta, ZSTD(1)),
    malformed UInt64 COMMENT 'reject records made of frames' CODEC(Delta, ZSTD(1)),
    rate_limited UInt64 COMMENT 'frames refused by a rate limit or an access list, or beyond the rejects kept of one sender' CODEC(Delta, ZSTD(1)),
    events UInt64 COMMENT 'events made from frames' CODEC(Delta, ZSTD(1)),
    spooled UInt64 COMMENT 'records that took the way over the disk spool' CODEC(Delta, ZSTD(1)),
    published UInt64 COMMENT 'records handed to the Kafka producer' CODEC(Delta, ZSTD(1)),
    acked UInt64 COMMENT 'records that Kafka acknowledged' CODEC(Delta, ZSTD(1)),
    dropped UInt64 COMMENT 'records given up after they were received' CODEC(Delta, ZSTD(1)),
    buffer_bytes UInt64 COMMENT 'receive-buffer use now, as the kernel charges it' CODEC(ZSTD(1)),
    buffer_peak_bytes UInt64 COMMENT 'highest use since the previous row' CODEC(ZSTD(1)),
    buffer_limit_bytes UInt64 COMMENT 'receive-buffer size as the kernel accounts it' CODEC(ZSTD(1)),
    raw String COMMENT 'empty: the agent speaks of itself'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (agent_id, listener, received_at)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
