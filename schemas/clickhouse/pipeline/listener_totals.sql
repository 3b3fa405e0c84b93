-- The newest counters of each listener in each run of an agent: the left-hand side of the balance sheet, one row instead of one a second.
-- Counters are cumulative, so the largest is the newest. It outlives the rows of agent_stats. Read it with max() and GROUP BY.
CREATE TABLE IF NOT EXISTS tocsin.listener_totals
(
    agent_id LowCardinality(String),
    boot_id UInt64,
    listener LowCardinality(String),
    received SimpleAggregateFunction(max, UInt64),
    kernel_dropped SimpleAggregateFunction(max, UInt64),
    rate_limited SimpleAggregateFunction(max, UInt64),
    malformed SimpleAggregateFunction(max, UInt64),
    events SimpleAggregateFunction(max, UInt64),
    acked SimpleAggregateFunction(max, UInt64),
    dropped SimpleAggregateFunction(max, UInt64),
    reported_at SimpleAggregateFunction(max, DateTime64(9, 'UTC')),
    updated_at SimpleAggregateFunction(max, DateTime) DEFAULT now() COMMENT 'when a row was last added: they are kept by it'
)
ENGINE = AggregatingMergeTree
ORDER BY (agent_id, boot_id, listener)
TTL updated_at + INTERVAL 5 YEAR
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.listener_totals_from_agent_stats TO tocsin.listener_totals AS
SELECT
    agent_id,
    boot_id,
    listener,
    max(s.received) AS received,
    max(s.kernel_dropped) AS kernel_dropped,
    max(s.rate_limited) AS rate_limited,
    max(s.malformed) AS malformed,
    max(s.events) AS events,
    max(s.acked) AS acked,
    max(s.dropped) AS dropped,
    max(s.received_at) AS reported_at
FROM tocsin.agent_stats AS s
GROUP BY agent_id, boot_id, listener;
