-- Keeps devices_seen in step with snmp_traps. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_snmp_traps TO tocsin.devices_seen AS
SELECT
    device,
    'snmp_traps' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.snmp_traps AS e
GROUP BY device;
