-- Keeps syslog_patterns in step with syslog. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_patterns_from_syslog TO tocsin.syslog_patterns AS
SELECT
    app_name,
    msg_id,
    substringUTF8(replaceRegexpAll(substring(s.message, 1, 400), '[^ ]*[0-9][^ ]*', '*'), 1, 200) AS pattern,
    min(s.received_at) AS first_seen,
    max(s.received_at) AS last_seen,
    count() AS messages,
    min(toUInt8(s.severity)) AS severity,
    anyLast(s.device) AS device,
    anyLast(s.message) AS example
FROM tocsin.syslog AS s
GROUP BY app_name, msg_id, pattern;
