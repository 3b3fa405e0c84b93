-- Counts the rows of snmp_traps into stored_events_1m. The sink's deduplication covers it too, so a repeated insert is counted once.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_snmp_traps TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'snmp_traps' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.snmp_traps
GROUP BY agent_id, boot_id, listener, minute;
