-- Syslog messages per device, severity and minute, by time of arrival. It outlives the messages themselves.
-- Ordered by time first, because most questions compare spans over all devices.
CREATE TABLE IF NOT EXISTS tocsin.syslog_volume_1m
(
    minute DateTime('UTC') COMMENT 'start of the minute, of received_at' CODEC(Delta, ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device',
    site LowCardinality(String) COMMENT 'configured place',
    severity Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2',
    messages UInt64 COMMENT 'messages' CODEC(ZSTD(1)),
    bytes UInt64 COMMENT 'bytes as received' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((messages, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (minute, device, site, severity)
TTL minute + INTERVAL 120 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_volume_1m_from_syslog TO tocsin.syslog_volume_1m AS
SELECT
    toStartOfMinute(received_at) AS minute,
    device,
    site,
    severity,
    count() AS messages,
    sum(raw_bytes) AS bytes
FROM tocsin.syslog
GROUP BY minute, device, site, severity;
