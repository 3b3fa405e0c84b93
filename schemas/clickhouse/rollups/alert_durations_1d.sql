-- What has ended: alerts per day of their end, with how long they lasted. It answers "alert hours by site" and "mean time to resolve" over
-- years without reading every transition. An alert that was over when it stopped flapping has ended, too.
-- alert_endings has a row an ending and no sums: one that is told again after a failure is the same row, where a sum would count it twice.
CREATE TABLE IF NOT EXISTS tocsin.alert_endings
(
    day DateTime('UTC') COMMENT 'start of the day, of resolved_at' CODEC(Delta, ZSTD(1)),
    fingerprint String COMMENT 'identity of the alert' CODEC(ZSTD(1)),
    resolved_at DateTime64(9, 'UTC') COMMENT 'event time of its end' CODEC(ZSTD(1)),
    told_at DateTime64(9, 'UTC') COMMENT 'of the transition: what was told last stands' CODEC(ZSTD(1)),
    site LowCardinality(String) COMMENT 'configured place',
    device LowCardinality(String) COMMENT 'device concerned',
    source LowCardinality(String) COMMENT 'monitor or rule that raised it',
    check LowCardinality(String) COMMENT 'what was checked',
    severity Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733',
    seconds Float64 COMMENT 'how long it lasted' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree(told_at)
PARTITION BY toYear(day)
ORDER BY (day, fingerprint, resolved_at)
TTL day + INTERVAL 10 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.alert_endings_from_alert_history TO tocsin.alert_endings AS
SELECT
    toStartOfDay(assumeNotNull(h.resolved_at), 'UTC') AS day,
    fingerprint,
    assumeNotNull(h.resolved_at) AS resolved_at,
    told_at,
    site,
    device,
    source,
    check,
    severity,
    greatest(0, (toUnixTimestamp64Milli(assumeNotNull(h.resolved_at)) - toUnixTimestamp64Milli(h.first_seen)) / 1000) AS seconds
FROM tocsin.alert_history AS h
WHERE h.transition IN ('resolved', 'expired', 'flapping_ended') AND h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL;

CREATE VIEW IF NOT EXISTS tocsin.alert_durations_1d AS
SELECT
    day,
    site,
    device,
    source,
    check,
    severity,
    count() AS ended,
    sum(e.seconds) AS seconds
FROM tocsin.alert_endings AS e
FINAL
GROUP BY day, site, device, source, check, severity;
