-- The balance sheet, one row a listener: what was sent to it, and where each record is now. It is closed when nothing is missing and
-- nothing is in flight. Counters are cumulative within a run of the agent; runs are summed.
--   sent = received + kernel_dropped
--   events + malformed = acked + in_flight + dropped
--   acked = stored_events + stored_rejects + missing
-- unreported: rows stored beyond what a killed run had reported as acknowledged. They are there, so nothing is missing.
CREATE VIEW IF NOT EXISTS tocsin.balance AS
WITH
    counted AS
    (
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
            max(s.reported_at) AS reported_at
        FROM tocsin.listener_totals AS s
        GROUP BY agent_id, boot_id, listener
    ),
    stored AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            sumIf(r.stored, r.kind != 'rejects') AS stored_events,
            sumIf(r.stored, r.kind = 'rejects') AS stored_rejects
        FROM tocsin.stored_events_1m AS r
        GROUP BY agent_id, boot_id, listener
    ),
    runs AS
    (
        SELECT
            *,
            toInt64(stored_events + stored_rejects) AS rows_stored,
            greatest(toInt64(events + malformed) - toInt64(dropped) - greatest(toInt64(acked), rows_stored), 0) AS in_flight,
            greatest(toInt64(acked) - rows_stored, 0) AS missing,
            greatest(rows_stored - toInt64(acked), 0) AS unreported
        FROM counted
        LEFT JOIN stored USING (agent_id, boot_id, listener)
    )
SELECT
    agent_id,
    listener,
    sum(r.received) + sum(r.kernel_dropped) AS sent,
    sum(r.kernel_dropped) AS kernel_dropped,
    sum(r.received) AS received,
    sum(r.rate_limited) AS rate_limited,
    sum(r.malformed) AS malformed,
    sum(r.events) AS events,
    sum(r.dropped) AS dropped,
    sum(r.in_flight) AS in_flight,
    sum(r.acked) AS acked,
    sum(r.stored_events) AS stored_events,
    sum(r.stored_rejects) AS stored_rejects,
    sum(r.missing) AS missing,
    sum(r.unreported) AS unreported,
    toDateTime64(max(r.reported_at), 9, 'UTC') AS reported_at,
    in_flight = 0 AND missing = 0 AS closed
FROM runs AS r
GROUP BY agent_id, listener
ORDER BY agent_id, listener;
