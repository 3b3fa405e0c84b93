-- What has ended: alerts per day of their end, with how long they lasted. It answers "alert hours by site" and "mean time to resolve" over
-- years without reading every transition. An alert that was over when it stopped flapping has ended, too.
CREATE TABLE IF NOT EXISTS tocsin.alert_durations_1d
(
    day DateTime('UTC') COMMENT 'start of the day, of resolved_at' CODEC(Delta, ZSTD(1)),
    site LowCardinality(String) COMMENT 'configured place',
    device LowCardinality(String) COMMENT 'device concerned',
    source LowCardinality(String) COMMENT 'monitor or rule that raised it',
    check LowCardinality(String) COMMENT 'what was checked',
    severity Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733',
    ended UInt64 COMMENT 'alerts that ended' CODEC(ZSTD(1)),
    seconds Float64 COMMENT 'sum of their durations' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((ended, seconds))
PARTITION BY toYear(day)
ORDER BY (day, site, device, source, check, severity)
TTL day + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.alert_durations_1d_from_alert_history TO tocsin.alert_durations_1d AS
SELECT
    toStartOfDay(assumeNotNull(h.resolved_at), 'UTC') AS day,
    site,
    device,
    source,
    check,
    severity,
    count() AS ended,
    sum(greatest(0, (toUnixTimestamp64Milli(assumeNotNull(h.resolved_at)) - toUnixTimestamp64Milli(h.first_seen)) / 1000)) AS seconds
FROM tocsin.alert_history AS h
WHERE h.transition IN ('resolved', 'expired', 'flapping_ended') AND h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL
GROUP BY day, site, device, source, check, severity;
