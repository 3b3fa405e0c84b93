-- Counts alerts that expired, and those that were over when they stopped flapping, too.
ALTER TABLE tocsin.alert_durations_1d_from_alert_history
    MODIFY QUERY
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
    WHERE h.transition IN ('resolved', 'expired', 'flapping_ended') AND h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL
    GROUP BY day, site, device, source, check, severity;
