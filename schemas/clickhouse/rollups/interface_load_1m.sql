-- Load of each interface per minute, by time of poll. It outlives the counters themselves. Ordered like interface_counters.
CREATE TABLE IF NOT EXISTS tocsin.interface_load_1m
(
    device LowCardinality(String) COMMENT 'name of the device',
    interface LowCardinality(String) COMMENT 'ifName',
    minute DateTime('UTC') COMMENT 'start of the minute' CODEC(Delta, ZSTD(1)),
    in_bps_sum SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls'' in_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    out_bps_sum SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls'' out_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    in_bps_max SimpleAggregateFunction(max, Float64) COMMENT 'highest in_bps' CODEC(ZSTD(1)),
    out_bps_max SimpleAggregateFunction(max, Float64) COMMENT 'highest out_bps' CODEC(ZSTD(1)),
    in_load_max SimpleAggregateFunction(max, Float64) COMMENT 'highest in_load' CODEC(ZSTD(1)),
    out_load_max SimpleAggregateFunction(max, Float64) COMMENT 'highest out_load' CODEC(ZSTD(1)),
    polls SimpleAggregateFunction(sum, UInt64) COMMENT 'polls with a rate' CODEC(ZSTD(1)),
    out_discards SimpleAggregateFunction(sum, Float64) COMMENT 'output discards' CODEC(ZSTD(1)),
    in_errors SimpleAggregateFunction(sum, Float64) COMMENT 'input errors' CODEC(ZSTD(1)),
    down_polls SimpleAggregateFunction(sum, UInt64) COMMENT 'polls that found it down' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (device, interface, minute)
TTL minute + INTERVAL 120 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.interface_load_1m_from_interface_counters TO tocsin.interface_load_1m AS
SELECT
    device,
    interface,
    toStartOfMinute(event_time) AS minute,
    sum(coalesce(c.in_bps, 0)) AS in_bps_sum,
    sum(coalesce(c.out_bps, 0)) AS out_bps_sum,
    max(coalesce(c.in_bps, 0)) AS in_bps_max,
    max(coalesce(c.out_bps, 0)) AS out_bps_max,
    max(coalesce(c.in_load, 0)) AS in_load_max,
    max(coalesce(c.out_load, 0)) AS out_load_max,
    countIf(c.interval_ms > 0) AS polls,
    sum(coalesce(c.out_discards_per_second, 0) * c.interval_ms / 1000) AS out_discards,
    sum(coalesce(c.in_errors_per_second, 0) * c.interval_ms / 1000) AS in_errors,
    countIf(c.oper_status != 'up') AS down_polls
FROM tocsin.interface_counters AS c
GROUP BY device, interface, minute;
