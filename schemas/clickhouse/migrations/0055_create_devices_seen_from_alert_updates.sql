-- Keeps devices_seen in step with alert_updates. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_alert_updates TO tocsin.devices_seen AS
SELECT
    device,
    'alert_updates' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.alert_updates AS e
GROUP BY device;
