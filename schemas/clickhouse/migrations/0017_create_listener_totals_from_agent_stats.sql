-- Keeps listener_totals in step with agent_stats.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.listener_totals_from_agent_stats TO tocsin.listener_totals AS
SELECT
    agent_id,
    boot_id,
    listener,
    max(s.received) AS received,
    max(s.kernel_dropped) AS kernel_dropped,
    max(s.rate_limited) AS rate_limited,
    max(s.malformed) AS malformed,
    max(s.events) AS events,
    max(s.acked) AS acked,
    max(s.dropped) AS dropped,
    max(s.received_at) AS reported_at
FROM tocsin.agent_stats AS s
GROUP BY agent_id, boot_id, listener;
