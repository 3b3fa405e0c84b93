-- What is lost or stuck between agents and ClickHouse, one row a listener of the last week: records that an agent made long enough ago, that it neither gave
-- up nor still holds, and that are neither stored nor in the quarantine. The balance tells this of a quiet listener; here it is told while records keep coming.
--
-- A report of an agent says how many records it had made by then. Of a run that still reports, the last report of each minute is held against the rows
-- received by then, half a minute after the minute at the earliest: what was on its way has arrived, and what came later is not taken for it. Rows are
-- counted by the minute, and those of syslog and probes to the report's own moment; of other kinds what arrived between a minute's last report and its
-- end, a second at most, may hide as many losses. So the minute that shows most is taken, and `records` is never too high.
-- A run that reports no more holds nothing: there the acknowledged records are held against all its rows.
CREATE VIEW IF NOT EXISTS tocsin.missing_records AS
WITH
    runs AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            max(t.acked) AS acked,
            max(t.dropped) AS dropped,
            toDateTime64(max(t.reported_at), 9, 'UTC') AS reported_at
        FROM tocsin.listener_totals AS t
        GROUP BY agent_id, boot_id, listener
        HAVING reported_at > now64(9) - INTERVAL 7 DAY
    ),
    stored AS
    (
        SELECT agent_id, boot_id, listener, sum(r.row_count) AS rows_stored
        FROM
        (
            SELECT agent_id, boot_id, listener, t.stored AS row_count
            FROM tocsin.stored_totals AS t
            UNION ALL
            SELECT origin.agent_id AS agent_id, origin.boot_id AS boot_id, origin.listener AS listener, origin.rows AS row_count
            FROM tocsin.quarantined_blocks AS q FINAL
            ARRAY JOIN origins AS origin
            WHERE q.inserted_at = toDateTime64(0, 3, 'UTC') AND NOT q.is_stored
        ) AS r
        GROUP BY agent_id, boot_id, listener
    ),
    -- What is in flight now; the least of half a minute, because only what was made before that counts.
    waiting AS
    (
        SELECT agent_id, boot_id, listener, toNullable(min(toInt64(s.events + s.malformed) - toInt64(s.dropped) - toInt64(s.acked))) AS in_flight
        FROM tocsin.agent_stats AS s
        WHERE s.received_at > now64(9) - INTERVAL 30 SECOND
        GROUP BY agent_id, boot_id, listener
    ),
    made AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            toStartOfMinute(s.received_at) + INTERVAL 1 MINUTE AS minute_end,
            max(s.received_at) AS counted_at,
            max(s.events + s.malformed) AS records_made
        FROM tocsin.agent_stats AS s
        WHERE s.received_at > now64(9) - INTERVAL 6 MINUTE
        GROUP BY agent_id, boot_id, listener, minute_end
        HAVING minute_end <= now64(9) - INTERVAL 30 SECOND
    ),
    -- Rows that no report of `made` counts yet: those of later minutes, and those between the report and the end of its minute.
    later AS
    (
        SELECT agent_id, boot_id, listener, minute AS received_at, sum(r.stored) AS row_count
        FROM tocsin.stored_events_1m AS r
        WHERE r.minute > now() - INTERVAL 6 MINUTE
        GROUP BY agent_id, boot_id, listener, minute
        UNION ALL
        SELECT agent_id, boot_id, listener, received_at, 1 AS row_count
        FROM tocsin.syslog
        WHERE received_at > now64(9) - INTERVAL 6 MINUTE AND toSecond(received_at) >= 58
        UNION ALL
        SELECT agent_id, boot_id, listener, received_at, 1 AS row_count
        FROM tocsin.link_probes
        WHERE received_at > now64(9) - INTERVAL 6 MINUTE AND toSecond(received_at) >= 58
    ),
    counted AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            minute_end,
            any(m.records_made) AS records_made,
            sumIf(l.row_count, if(toSecond(l.received_at) = 0, l.received_at >= minute_end, l.received_at > m.counted_at AND l.received_at < minute_end)) AS rows_later
        FROM made AS m
        LEFT JOIN later AS l USING (agent_id, boot_id, listener)
        GROUP BY agent_id, boot_id, listener, minute_end
    ),
    most AS
    (
        SELECT agent_id, boot_id, listener, toNullable(max(toInt64(c.records_made) + toInt64(c.rows_later))) AS due
        FROM counted AS c
        GROUP BY agent_id, boot_id, listener
    )
SELECT
    agent_id,
    listener,
    sum(greatest(
        if(r.reported_at < now64(9) - INTERVAL 2 MINUTE,
            toInt64(r.acked) - toInt64(s.rows_stored),
            ifNull(f.due - toInt64(r.dropped) - f.in_flight - toInt64(s.rows_stored), 0)),
        0)) AS records,
    max(r.reported_at) AS reported_at
FROM runs AS r
LEFT JOIN stored AS s USING (agent_id, boot_id, listener)
LEFT JOIN (SELECT * FROM most LEFT JOIN waiting USING (agent_id, boot_id, listener)) AS f USING (agent_id, boot_id, listener)
GROUP BY agent_id, listener
ORDER BY agent_id, listener;
