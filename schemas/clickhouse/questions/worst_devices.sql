-- Which devices had most hours of alerts within this time, and what was wrong with them?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time, now at the latest; default now.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask worst_devices since=-30d
CREATE OR REPLACE VIEW tocsin.ask_worst_devices AS
SELECT
    device,
    any(o.site) AS site,
    max(o.severity) AS worst,
    count() AS alerts,
    countIf(o.ended_at IS NULL) AS running,
    round(sum(greatest(0, dateDiff('millisecond', greatest(o.first_seen, since), least(coalesce(o.ended_at, until), until)))) / 3600000, 1) AS hours,
    arraySort(groupUniqArray(5)(o.check)) AS checks
FROM
(
    SELECT
        {since:DateTime64(3, 'UTC')} AS since,
        least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')) AS until,
        h.first_seen AS first_seen,
        any(h.device) AS device,
        any(h.check) AS check,
        argMax(h.site, h.told_at) AS site,
        max(h.severity) AS severity,
        toNullable(toDateTime64(max(assumeNotNull(h.resolved_at)), 3, 'UTC')) AS ended_at
    FROM tocsin.alert_history AS h
    WHERE h.transition_at >= {since:DateTime64(3, 'UTC')}
        AND h.transition IN ('resolved', 'expired', 'flapping_ended') AND h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL
    GROUP BY h.fingerprint, h.first_seen
    UNION ALL
    SELECT {since:DateTime64(3, 'UTC')}, least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')), a.first_seen, a.device, a.check, a.site, a.severity, NULL
    FROM tocsin.alerts AS a
    WHERE a.state IN ('open', 'flapping', 'suppressed')
) AS o
WHERE o.first_seen < until AND coalesce(o.ended_at, until) >= since
GROUP BY device
ORDER BY hours DESC, device
LIMIT {count:UInt32};
