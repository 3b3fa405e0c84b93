-- How long until alerts that opened within this time were acknowledged and resolved, by team?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask time_to_acknowledge since=-90d
CREATE OR REPLACE VIEW tocsin.ask_time_to_acknowledge AS
SELECT
    team,
    count() AS opened,
    countIf(o.acknowledged_at IS NOT NULL) AS acknowledged,
    countIf(o.ended_at IS NOT NULL) AS resolved,
    -- An alert is opened by a device's clock and acknowledged by the broker's.
    round(avgIf(greatest(0, dateDiff('millisecond', o.first_seen, o.acknowledged_at)), o.acknowledged_at IS NOT NULL) / 60000, 1) AS mean_minutes_to_acknowledge,
    round(avgIf(greatest(0, dateDiff('millisecond', o.first_seen, o.ended_at)), o.ended_at IS NOT NULL) / 60000, 1) AS mean_minutes_to_resolve
FROM
(
    SELECT
        h.first_seen AS first_seen,
        -- Only rules and monitors that name a team have one.
        argMax(h.labels['team'], h.told_at) AS team,
        minOrNullIf(h.transition_at, h.transition = 'acknowledged') AS acknowledged_at,
        maxOrNullIf(assumeNotNull(h.resolved_at), h.state IN ('resolved', 'expired') AND h.resolved_at IS NOT NULL) AS ended_at
    FROM tocsin.alert_history AS h
    WHERE h.transition_at >= {since:DateTime64(3, 'UTC')} AND h.first_seen BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    GROUP BY h.fingerprint, h.first_seen
) AS o
GROUP BY team
ORDER BY opened DESC, team
LIMIT 1000;
