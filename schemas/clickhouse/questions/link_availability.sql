-- Which links were available, without an episode of kind down, for less of this time than promised?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time, now at the latest; default now.
-- Parameter promised Float64: percent of the time; default 99.9.
-- Example: tocsin ask link_availability during=2026-11 promised=99.9
CREATE OR REPLACE VIEW tocsin.ask_link_availability AS
WITH
    {since:DateTime64(3, 'UTC')} AS first,
    least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')) AS last
SELECT
    link_id,
    round(100 * (1 - d.seconds / dateDiff('second', first, last)), 4) AS available_percent,
    available_percent >= {promised:Float64} AS is_kept,
    d.outages AS outages,
    round(d.seconds / 60, 1) AS minutes_away,
    round(100 * p.lost / p.probes, 3) AS lost_percent,
    -- Time without probes counts as available, because nobody knows: this says how much of it there was.
    round(100 * p.hours / (1 + dateDiff('hour', first, last)), 1) AS probed_percent
FROM
(
    SELECT link_id, sum(w.probes) AS probes, sum(w.lost) AS lost, uniqExact(w.time) AS hours
    FROM (SELECT link_id, time, probes, lost FROM tocsin.wan_latency_1h_states) AS w
    WHERE w.time BETWEEN toStartOfHour(first) AND last
    GROUP BY link_id
) AS p
LEFT JOIN
(
    SELECT
        link_id,
        count() AS outages,
        sum(dateDiff('second', greatest(e.started_at, first), least(coalesce(e.ended_at, last), last))) AS seconds
    FROM tocsin.wan_episodes AS e FINAL
    WHERE e.kind = 'down' AND e.started_at <= last AND coalesce(e.ended_at, last) >= first
    GROUP BY link_id
) AS d USING (link_id)
ORDER BY available_percent, lost_percent DESC, link_id
LIMIT 1000;
