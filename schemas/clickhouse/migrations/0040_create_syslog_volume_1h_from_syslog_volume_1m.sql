-- Keeps syslog_volume_1h in step with syslog_volume_1m. The sink's deduplication covers it too.
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
