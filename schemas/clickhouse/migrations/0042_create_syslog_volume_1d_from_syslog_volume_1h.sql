-- Keeps syslog_volume_1d in step with syslog_volume_1h. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_volume_1d_from_syslog_volume_1h TO tocsin.syslog_volume_1d AS
SELECT
    toStartOfDay(r.hour, 'UTC') AS day,
    device,
    site,
    severity,
    sum(r.messages) AS messages,
    sum(r.bytes) AS bytes
FROM tocsin.syslog_volume_1h AS r
GROUP BY day, device, site, severity;
