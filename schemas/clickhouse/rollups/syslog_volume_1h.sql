-- Syslog messages per device, severity and hour, by time of arrival: made from the finer roll-up.
CREATE TABLE IF NOT EXISTS tocsin.syslog_volume_1h
(
    hour DateTime('UTC') COMMENT 'start of the hour, of received_at' CODEC(Delta, ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device',
    site LowCardinality(String) COMMENT 'configured place',
    severity Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2',
    messages UInt64 COMMENT 'messages' CODEC(ZSTD(1)),
    bytes UInt64 COMMENT 'bytes as received' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((messages, bytes))
PARTITION BY toYear(hour)
ORDER BY (hour, device, site, severity)
TTL hour + INTERVAL 3 YEAR
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_volume_1h_from_syslog_volume_1m TO tocsin.syslog_volume_1h AS
SELECT
    toStartOfHour(r.minute) AS hour,
    device,
    site,
    severity,
    sum(r.messages) AS messages,
    sum(r.bytes) AS bytes
FROM tocsin.syslog_volume_1m AS r
GROUP BY hour, device, site, severity;
