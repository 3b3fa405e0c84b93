-- How long servers took to answer, one row a server, scope, site, kind and hour (more until they are merged). Read the view lease_latency_1h.
-- latencies counts the answers by their latency, kept with eight binary digits (0.4 %): ranks are exact however few answers there are, and however
-- many there are, the state holds no more than 128 latencies for each doubling of the time.
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
