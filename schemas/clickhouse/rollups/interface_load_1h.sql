-- Load of each interface per hour, by time of poll: made from the finer roll-up.
CREATE TABLE IF NOT EXISTS tocsin.interface_load_1h
(
    device LowCardinality(String) COMMENT 'name of the device',
    interface LowCardinality(String) COMMENT 'ifName',
    hour DateTime('UTC') COMMENT 'start of the hour' CODEC(Delta, ZSTD(1)),
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
PARTITION BY toYear(hour)
ORDER BY (device, interface, hour)
TTL hour + INTERVAL 3 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.interface_load_1h_from_interface_load_1m TO tocsin.interface_load_1h AS
SELECT
    device,
    interface,
    toStartOfHour(c.minute) AS hour,
    sum(c.in_bps_sum) AS in_bps_sum,
    sum(c.out_bps_sum) AS out_bps_sum,
    max(c.in_bps_max) AS in_bps_max,
    max(c.out_bps_max) AS out_bps_max,
    max(c.in_load_max) AS in_load_max,
    max(c.out_load_max) AS out_load_max,
    sum(c.polls) AS polls,
    sum(c.out_discards) AS out_discards,
    sum(c.in_errors) AS in_errors,
    sum(c.down_polls) AS down_polls
FROM tocsin.interface_load_1m AS c
GROUP BY device, interface, hour;
