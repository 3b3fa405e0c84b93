-- WAN probes, one row a probe, answered or lost. Ordered by link and time, because every question draws one link.
-- received_times: "which links answered in the last minute" reads the end of each link's rows, not the time of every probe of the week.
-- Shard: link_id
CREATE TABLE IF NOT EXISTS tocsin.link_probes
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it was sent' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'address asked; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'device that the link leaves through',
    site LowCardinality(String) COMMENT 'configured place',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    method Enum8('icmp' = 1, 'tcp' = 2, 'dns' = 3) COMMENT 'how it asks',
    target LowCardinality(String) COMMENT 'address asked, with the port where there is one',
    remote_site LowCardinality(String) COMMENT 'configured place at the other end',
    interface LowCardinality(String) COMMENT 'interface of the device that the link leaves through',
    rtt_ms Nullable(Float64) COMMENT 'round-trip time; NULL where lost' CODEC(ZSTD(1)),
    lost Bool COMMENT 'no answer in time',
    loss_reason Enum8('none' = 0, 'timeout' = 1, 'unreachable' = 2, 'refused' = 3, 'not_sent' = 4) COMMENT 'why it was lost',
    sequence UInt64 COMMENT 'counts the probes of this link in this run of the agent' CODEC(Delta, ZSTD(1)),
    interval_ms UInt32 COMMENT 'configured time between probes' CODEC(ZSTD(1)),
    timeout_ms UInt32 COMMENT 'configured timeout' CODEC(ZSTD(1)),
    query_name LowCardinality(String) COMMENT 'DNS name that was asked for',
    answer_code LowCardinality(String) COMMENT 'DNS answer code',
    answer String COMMENT 'DNS records, sorted' CODEC(ZSTD(1)),
    detail String COMMENT 'why it could not be sent' CODEC(ZSTD(1)),
    raw String COMMENT 'empty: the agent asked',
    INDEX received_times received_at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (link_id, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
