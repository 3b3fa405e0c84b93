-- Keeps syslog_volume_1m in step with syslog. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_volume_1m_from_syslog TO tocsin.syslog_volume_1m AS
SELECT
    toStartOfMinute(received_at) AS minute,
    device,
    site,
    severity,
    count() AS messages,
    sum(length(raw)) AS bytes
FROM tocsin.syslog
GROUP BY minute, device, site, severity;
