-- Rows stored per run of an agent, listener and kind: the right-hand side of the balance sheet, a row where stored_events_1m has one a minute.
-- Read it with sum() and GROUP BY.
CREATE TABLE IF NOT EXISTS tocsin.stored_totals
(
    agent_id LowCardinality(String),
    boot_id UInt64,
    listener LowCardinality(String),
    kind LowCardinality(String) COMMENT 'table the rows stand in',
    stored SimpleAggregateFunction(sum, UInt64) COMMENT 'rows',
    updated_at SimpleAggregateFunction(max, DateTime) DEFAULT now() COMMENT 'when a row was last added: they are kept by it'
)
ENGINE = AggregatingMergeTree
ORDER BY (agent_id, boot_id, listener, kind)
TTL updated_at + INTERVAL 5 YEAR
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_totals_from_stored_events_1m TO tocsin.stored_totals AS
SELECT
    agent_id,
    boot_id,
    listener,
    kind,
    sum(r.stored) AS stored
FROM tocsin.stored_events_1m AS r
GROUP BY agent_id, boot_id, listener, kind;
