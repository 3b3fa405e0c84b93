-- Counts the rows of rejects into stored_events_1m. Only what an agent refused: a row that the jobs refused is an event that the
-- agent has counted already. The sink's deduplication covers it too, so a repeated insert is counted once.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_rejects TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'rejects' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.rejects
WHERE stage IN ('framing', 'parse')
GROUP BY agent_id, boot_id, listener, minute;
