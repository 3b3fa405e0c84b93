-- Rows stored per run of an agent, listener, kind and minute: the right-hand side of the balance sheet. It outlives the raw rows.
CREATE TABLE IF NOT EXISTS tocsin.stored_events_1m
(
    agent_id LowCardinality(String),
    boot_id UInt64,
    listener LowCardinality(String),
    kind LowCardinality(String) COMMENT 'table the rows stand in',
    minute DateTime('UTC') COMMENT 'of received_at',
    stored UInt64 COMMENT 'rows',
    bytes UInt64 COMMENT 'bytes of raw'
)
ENGINE = SummingMergeTree((stored, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (agent_id, boot_id, listener, kind, minute)
SETTINGS non_replicated_deduplication_window = 1000;
