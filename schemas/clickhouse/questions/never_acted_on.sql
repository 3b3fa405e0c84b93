-- Which checks opened alerts within this time that nobody acknowledged or wrote a note to?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter count UInt32: at most so many, those that opened most alerts first; default 50.
-- Example: tocsin ask never_acted_on since=-90d
CREATE OR REPLACE VIEW tocsin.ask_never_acted_on AS
SELECT
    source,
    check,
    max(o.severity) AS severity,
    count() AS opened,
    uniqExact(o.device) AS devices,
    round(100 * countIf(o.ended_at IS NOT NULL) / opened, 1) AS ended_by_themselves_percent,
    if(countIf(o.ended_at IS NOT NULL) = 0, NULL,
        round(quantileExactIf(0.5)(greatest(0, dateDiff('millisecond', o.first_seen, o.ended_at)), o.ended_at IS NOT NULL) / 60000, 1)) AS median_minutes,
    max(o.first_seen) AS newest
FROM
(
    SELECT
        any(h.source) AS source,
        any(h.check) AS check,
        any(h.device) AS device,
        max(h.severity) AS severity,
        h.first_seen AS first_seen,
        countIf(h.transition IN ('acknowledged', 'noted')) > 0 AS is_acted_on,
        maxOrNullIf(assumeNotNull(h.resolved_at), h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL) AS ended_at
    FROM tocsin.alert_history AS h
    WHERE h.transition_at >= {since:DateTime64(3, 'UTC')} AND h.first_seen BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    GROUP BY h.fingerprint, h.first_seen
) AS o
GROUP BY source, check
HAVING countIf(o.is_acted_on) = 0
ORDER BY opened DESC, source, check
LIMIT {count:UInt32};
