-- Round-trip times of a link, one row a link and hour (more until they are merged). Read the view wan_latency_1h.
-- rtts holds every answer of the hour, so that ranks are exact also where a hour has few probes, which no sketch promises. Each is
-- kept with eight binary digits (0.2 %), which ZSTD turns into about a byte.
CREATE TABLE IF NOT EXISTS tocsin.wan_latency_1h_states
(
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    time DateTime('UTC') COMMENT 'start of the hour in which the probes were sent' CODEC(Delta, ZSTD(1)),
    probes SimpleAggregateFunction(sum, UInt64) COMMENT 'probes' CODEC(ZSTD(1)),
    lost SimpleAggregateFunction(sum, UInt64) COMMENT 'probes without an answer' CODEC(ZSTD(1)),
    rtts AggregateFunction(quantilesExact(0.5, 0.95, 0.99), Nullable(Float32)) COMMENT 'round-trip times of the answers, milliseconds' CODEC(ZSTD(3)),
    rtt_max_ms SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'longest round-trip time; NULL where nothing was answered' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (link_id, time)
TTL time + INTERVAL 1830 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
