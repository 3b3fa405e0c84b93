-- What changed in the hours before this time: configurations, restarts, kinds of message never seen before?
-- Parameter at DateTime64(3, 'UTC'): the moment; default now.
-- Parameter hours UInt32: so many before it; default 24.
-- Parameter count UInt32: at most so many, the last change first; default 200.
-- Example: tocsin ask changed_before at='2026-11-20 14:05:00' hours=6
CREATE OR REPLACE VIEW tocsin.ask_changed_before AS
WITH {at:DateTime64(3, 'UTC')} - toIntervalHour({hours:UInt32}) AS first
SELECT time, kind, device, text
FROM
(
    SELECT min(h.transition_at) AS time, toString(any(h.check)) AS kind, toString(any(h.device)) AS device, any(h.summary) AS text
    FROM tocsin.alert_history AS h
    WHERE h.transition_at BETWEEN first AND {at:DateTime64(3, 'UTC')} AND h.transition = 'opened'
        AND h.check IN ('configuration-change', 'restart', 'circuit-moved', 'ip-moved', 'spanning-tree', 'first-hop')
    GROUP BY h.fingerprint, h.first_seen
    UNION ALL
    SELECT toDateTime64(min(p.first_seen), 9, 'UTC') AS time, 'new message' AS kind, toString(anyLast(p.device)) AS device, concat(app_name, ' ', msg_id, ': ', toString(anyLast(p.example))) AS text
    FROM tocsin.syslog_patterns AS p
    GROUP BY app_name, msg_id, pattern
    HAVING time BETWEEN first AND {at:DateTime64(3, 'UTC')}
)
ORDER BY time DESC
LIMIT {count:UInt32};
