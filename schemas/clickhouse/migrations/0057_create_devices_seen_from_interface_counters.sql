-- Keeps devices_seen in step with interface_counters. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_interface_counters TO tocsin.devices_seen AS
SELECT
    device,
    'interface_counters' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.interface_counters AS e
GROUP BY device;
