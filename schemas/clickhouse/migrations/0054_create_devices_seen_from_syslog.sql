-- Keeps devices_seen in step with syslog. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_syslog TO tocsin.devices_seen AS
SELECT
    device,
    'syslog' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.syslog AS e
GROUP BY device;
