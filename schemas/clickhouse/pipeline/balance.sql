-- The balance sheet, one row a listener of an agent: what was sent to it, and where each record is now. Counters are cumulative within a run of the
-- agent; runs are summed. `tocsin balance` prints it. Columns, as the data goes:
--   sent            datagrams or frames that reached this host for the listener: received + kernel_dropped
--   kernel_dropped  datagrams that the kernel dropped because the receive buffer was full. Raise the listener's `receive_buffer`
--   received        datagrams or frames that the agent took from the socket
--   rate_limited    of these, refused by a rate limit or an access list, or beyond the rejects that are kept of one sender
--   malformed       of these, not readable; each became a reject with its bytes and the reason
--   events          events made from the rest; one datagram can carry several
--   dropped         records (events and rejects) that the agent gave up after receiving them, each logged with its reason; 0 in a healthy agent
--   in_flight       records made and not yet acknowledged by Kafka
--   acked           records that Kafka acknowledged
--   stored_events, stored_rejects  rows in ClickHouse; an event that fits no table is kept as a reject and counts there
--   duplicates      events that another agent of the group had told before (`copies` of the listener's config): counted here, and stored of the other
--   quarantined     rows of blocks that ClickHouse refused: kept in quarantined_blocks until `tocsin quarantine insert` stores them
--   missing         acknowledged and not in ClickHouse: on its way for some seconds, otherwise lost
--   unreported      rows kept beyond what a killed run had reported as acknowledged. They are there, so nothing is missing
--   reported_at     when the agent said so: it reports once a second, so a sheet is some seconds old. `tocsin balance --wait 10` waits for a newer one
--   closed          nothing is missing and nothing is in flight. A dropped datagram or a row in the quarantine does not keep it open: it is counted, and
--                   that is the promise
-- So  sent = received + kernel_dropped
--     events + malformed = acked + in_flight + dropped
--     acked = stored_events + stored_rejects + duplicates + quarantined + missing
-- Runs that reported nothing for four years are left out: both tables forget them a year later, and not at the same moment.
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
        HAVING max(s.updated_at) > now() - INTERVAL 4 YEAR
    ),
    stored AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            sumIf(r.stored, r.kind NOT IN ('rejects', 'duplicates')) AS stored_events,
            sumIf(r.stored, r.kind = 'rejects') AS stored_rejects,
            sumIf(r.stored, r.kind = 'duplicates') AS duplicates
        FROM tocsin.stored_totals AS r
        GROUP BY agent_id, boot_id, listener
    ),
    waiting AS
    (
        SELECT
            origin.agent_id AS agent_id,
            origin.boot_id AS boot_id,
            origin.listener AS listener,
            sum(origin.rows) AS quarantined
        FROM tocsin.quarantined_blocks AS q FINAL
        ARRAY JOIN origins AS origin
        WHERE q.inserted_at = toDateTime64(0, 3, 'UTC') AND NOT q.is_stored
        GROUP BY agent_id, boot_id, listener
    ),
    runs AS
    (
        SELECT
            *,
            toInt64(stored_events + stored_rejects + duplicates + quarantined) AS rows_kept,
            greatest(toInt64(events + malformed) - toInt64(dropped) - greatest(toInt64(acked), rows_kept), 0) AS in_flight,
            greatest(toInt64(acked) - rows_kept, 0) AS missing,
            greatest(rows_kept - toInt64(acked), 0) AS unreported
        FROM counted
        LEFT JOIN stored USING (agent_id, boot_id, listener)
        LEFT JOIN waiting USING (agent_id, boot_id, listener)
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
    sum(r.duplicates) AS duplicates,
    sum(r.quarantined) AS quarantined,
    sum(r.missing) AS missing,
    sum(r.unreported) AS unreported,
    toDateTime64(max(r.reported_at), 9, 'UTC') AS reported_at,
    in_flight = 0 AND missing = 0 AS closed
FROM runs AS r
GROUP BY agent_id, listener
ORDER BY agent_id, listener;
