-- How long servers took to answer: one row a server, scope, site, kind and minute in which it answered. lease_latency_1m_states holds more rows than
-- that until they are merged; people read the view. Percentiles are by rank, as quantileExactWeighted gives them, of the answers.
-- latencies counts the answers by their latency, kept with eight binary digits (0.4 %): ranks are exact however few answers there are, and however
-- many there are, the state holds no more than 128 latencies for each doubling of the time.
-- A late answer is added to the minute in which it was given.
CREATE TABLE IF NOT EXISTS tocsin.lease_latency_1m_states
(
    server LowCardinality(String) COMMENT 'server that answered',
    scope LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    site LowCardinality(String) COMMENT 'configured place',
    kind Enum8('offer' = 1, 'ack' = 2) COMMENT 'what the server answered',
    time DateTime('UTC') COMMENT 'start of the minute in which the server answered' CODEC(Delta, ZSTD(1)),
    answers SimpleAggregateFunction(sum, UInt64) COMMENT 'answers' CODEC(ZSTD(1)),
    latencies AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8) COMMENT 'latencies of the answers, milliseconds' CODEC(ZSTD(3)),
    latency_max_ms SimpleAggregateFunction(max, Float64) COMMENT 'longest latency' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toMonday(time)
ORDER BY (server, kind, time, scope, site)
TTL time + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.lease_latency_1m_from_lease_latencies TO tocsin.lease_latency_1m_states AS
SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfMinute(l.event_time), 'UTC') AS time,
    count() AS answers,
    quantilesExactWeightedState(0.5, 0.95, 0.99)(
        -- Rounded to the eight leading binary digits.
        reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(l.latency_ms)) + 32768, 4294901760)), 1) AS latencies,
    max(l.latency_ms) AS latency_max_ms
FROM tocsin.lease_latencies AS l
GROUP BY server, scope, site, kind, time;

CREATE VIEW IF NOT EXISTS tocsin.lease_latency_1m AS
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
FROM tocsin.lease_latency_1m_states AS s
GROUP BY server, scope, site, kind, time;
