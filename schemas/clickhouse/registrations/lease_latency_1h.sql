-- How long servers took to answer, by the hour: like lease_latency_1m, and made from the minutes of lease_latency_1m.
CREATE TABLE IF NOT EXISTS tocsin.lease_latency_1h_states
(
    server LowCardinality(String) COMMENT 'server that answered',
    scope LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    site LowCardinality(String) COMMENT 'configured place',
    kind Enum8('offer' = 1, 'ack' = 2) COMMENT 'what the server answered',
    time DateTime('UTC') COMMENT 'start of the hour in which the server answered' CODEC(Delta, ZSTD(1)),
    answers SimpleAggregateFunction(sum, UInt64) COMMENT 'answers' CODEC(ZSTD(1)),
    latencies AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8) COMMENT 'latencies of the answers, milliseconds' CODEC(ZSTD(3)),
    latency_max_ms SimpleAggregateFunction(max, Float64) COMMENT 'longest latency' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (server, kind, time, scope, site)
TTL time + INTERVAL 1830 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.lease_latency_1h_from_lease_latency_1m TO tocsin.lease_latency_1h_states AS
SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfHour(s.time), 'UTC') AS time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMergeState(0.5, 0.95, 0.99)(s.latencies) AS latencies,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1m_states AS s
GROUP BY server, scope, site, kind, time;

CREATE VIEW IF NOT EXISTS tocsin.lease_latency_1h AS
SELECT
    server,
    scope,
    site,
    kind,
    time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies) AS percentiles,
    percentiles[1] AS latency_p50_ms,
    percentiles[2] AS latency_p95_ms,
    percentiles[3] AS latency_p99_ms,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1h_states AS s
GROUP BY server, scope, site, kind, time;
