-- Keeps alert_durations_1d in step with alert_history. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.alert_durations_1d_from_alert_history TO tocsin.alert_durations_1d AS
SELECT
    toStartOfDay(assumeNotNull(h.resolved_at), 'UTC') AS day,
    site,
    device,
    source,
    check,
    severity,
    count() AS ended,
    sum(greatest(0, (toUnixTimestamp64Milli(assumeNotNull(h.resolved_at)) - toUnixTimestamp64Milli(h.first_seen)) / 1000)) AS seconds
FROM tocsin.alert_history AS h
WHERE h.transition = 'resolved' AND h.resolved_at IS NOT NULL
GROUP BY day, site, device, source, check, severity;
