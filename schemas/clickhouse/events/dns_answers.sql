-- What resolvers answered, one row a resolver and question each time it was asked. Ordered by group and question, because what is looked for first is
-- which resolvers of a group differ; then by time.
-- Shard: resolver_group
CREATE TABLE IF NOT EXISTS tocsin.dns_answers
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when the last resolver of the group had answered' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it was asked' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'address asked; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'configured name of the resolver',
    site LowCardinality(String) COMMENT 'configured place of the resolvers',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    resolver_group LowCardinality(String) COMMENT 'configured name of the group that should answer alike',
    target LowCardinality(String) COMMENT 'address and port asked',
    query_name LowCardinality(String) COMMENT 'name that was asked for',
    query_type LowCardinality(String) COMMENT 'type of record that was asked for',
    rtt_ms Nullable(Float64) COMMENT 'time to the answer, milliseconds; NULL where lost' CODEC(ZSTD(1)),
    lost Bool COMMENT 'no answer in time',
    loss_reason Enum8('none' = 0, 'timeout' = 1, 'unreachable' = 2, 'refused' = 3, 'not_sent' = 4) COMMENT 'why it was lost',
    transport Enum8('none' = 0, 'udp' = 1, 'tcp' = 2) COMMENT 'how it was asked at last; tcp after an answer that did not fit',
    answer_code LowCardinality(String) COMMENT 'NOERROR, NXDOMAIN, REFUSED, ...',
    answer String COMMENT 'records, sorted' CODEC(ZSTD(1)),
    serial Nullable(UInt32) COMMENT 'serial of the zone, where SOA was asked for' CODEC(ZSTD(1)),
    ttl_s Nullable(UInt32) COMMENT 'how long the resolver may go on answering so, seconds' CODEC(ZSTD(1)),
    authenticated Bool COMMENT 'the resolver has validated the answer by DNSSEC',
    disagreement Enum8('none' = 0, 'answer_code' = 1, 'records' = 2, 'old_serial' = 3) COMMENT 'in what it differs from the others of the group',
    expected String COMMENT 'what the others answered, where it differs' CODEC(ZSTD(1)),
    interval_ms UInt32 COMMENT 'configured time from one asking to the next' CODEC(ZSTD(1)),
    timeout_ms UInt32 COMMENT 'configured timeout' CODEC(ZSTD(1)),
    detail String COMMENT 'why it was lost, or what is wrong with the answer' CODEC(ZSTD(1)),
    raw String COMMENT 'the answer as received' CODEC(ZSTD(1)),
    INDEX received_times received_at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (resolver_group, query_name, query_type, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
