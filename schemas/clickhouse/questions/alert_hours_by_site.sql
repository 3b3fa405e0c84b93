-- How many hours of alerts, running ones included, had each site within this time, by severity?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time, now at the latest; default now.
-- Example: tocsin ask alert_hours_by_site since=-90d
CREATE OR REPLACE VIEW tocsin.ask_alert_hours_by_site AS
SELECT
    site,
    severity,
    count() AS alerts,
    countIf(o.ended_at IS NULL) AS running,
    round(sum(greatest(0, toUnixTimestamp64Milli(least(coalesce(o.ended_at, until), until)) - toUnixTimestamp64Milli(greatest(o.first_seen, since)))) / 3600000, 1) AS hours
FROM
(
    SELECT
        {since:DateTime64(3, 'UTC')} AS since,
        least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')) AS until,
        h.first_seen AS first_seen,
        argMax(h.site, h.told_at) AS site,
        argMax(h.severity, h.told_at) AS severity,
        toNullable(toDateTime64(max(assumeNotNull(h.resolved_at)), 3, 'UTC')) AS ended_at
    FROM tocsin.alert_history AS h
    WHERE h.transition_at >= {since:DateTime64(3, 'UTC')}
        AND h.transition IN ('resolved', 'expired', 'flapping_ended') AND h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL
    GROUP BY h.fingerprint, h.first_seen
    UNION ALL
    SELECT {since:DateTime64(3, 'UTC')}, least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')), a.first_seen, a.site, a.severity, NULL
    FROM tocsin.alerts AS a
    WHERE a.state IN ('open', 'flapping', 'suppressed')
) AS o
WHERE o.first_seen < until AND coalesce(o.ended_at, until) >= since
GROUP BY site, severity
ORDER BY hours DESC
LIMIT 10000;
