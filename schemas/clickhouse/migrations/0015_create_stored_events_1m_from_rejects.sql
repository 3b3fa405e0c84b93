-- Counts the rows of rejects into stored_events_1m, where a reject stands for a record that Kafka acknowledged to the agent and that is
-- stored nowhere else:
--   framing, parse: the agent's own rejects.
--   archive: an event that fits no table. It keeps its agent_id, boot_id and listener. A record that does not decode has none of them;
--     balance looks for what an agent reported, so its row closes nothing and opens nothing.
-- Not counted:
--   publish: the agent counts the event as dropped, and the reject in its place neither as malformed nor as acked.
--   alerts: the archive stores the event itself.
-- The sink's deduplication covers it too, so a repeated insert is counted once.
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
WHERE stage IN ('framing', 'parse', 'archive')
GROUP BY agent_id, boot_id, listener, minute;
