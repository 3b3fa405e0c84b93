-- Events that another agent of the same group had told before, one row each: they stand in no other table, and count as `duplicates` on the balance
-- sheet. Where devices send to two agents, this is what each of them received in vain, and what one alone received is the rest:
--   SELECT agent_id, count() FROM tocsin.duplicates GROUP BY agent_id
-- Without the bytes: kept_event_id has them. Ordered by agent and time, the question is always "how much of whom, when".
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.duplicates
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned',
    site LowCardinality(String) COMMENT 'configured place',
    copies_group LowCardinality(String) COMMENT 'group of agents, as their listeners name it',
    kept_event_id String COMMENT 'of the event that is stored in its place' CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (agent_id, listener, received_at)
TTL toDateTime(received_at) + INTERVAL 30 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
