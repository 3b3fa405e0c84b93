-- Counts the rows of link_probes into stored_events_1m. The sink's deduplication covers it too, so a repeated insert is counted once.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_link_probes TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'link_probes' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.link_probes
GROUP BY agent_id, boot_id, listener, minute;
