-- Which kinds of message were never seen before?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -7d.
-- Parameter count UInt32: at most so many, worst severity first; default 100.
-- Example: tocsin ask new_patterns since=-7d
CREATE OR REPLACE VIEW tocsin.ask_new_patterns AS
SELECT
    min(p.first_seen) AS first_seen,
    ['emerg', 'alert', 'crit', 'err', 'warning', 'notice', 'info', 'debug'][1 + min(p.severity)] AS severity,
    app_name,
    msg_id,
    sum(p.messages) AS messages,
    anyLast(p.device) AS device,
    anyLast(p.example) AS example
FROM tocsin.syslog_patterns AS p
GROUP BY app_name, msg_id, pattern
HAVING first_seen >= {since:DateTime64(3, 'UTC')}
ORDER BY min(p.severity), messages DESC
LIMIT {count:UInt32};
