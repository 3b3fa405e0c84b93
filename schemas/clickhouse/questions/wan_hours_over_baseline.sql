-- Which WAN links were worse than usual within this time, for how many hours, and why?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time, now at the latest; default now.
-- Example: tocsin ask wan_hours_over_baseline since=-30d
CREATE OR REPLACE VIEW tocsin.ask_wan_hours_over_baseline AS
WITH
    {since:DateTime64(3, 'UTC')} AS first,
    least({until:DateTime64(3, 'UTC')}, now64(3, 'UTC')) AS last
SELECT
    link_id,
    kind,
    cause,
    count() AS episodes,
    round(sum(dateDiff('second', greatest(e.started_at, first), least(coalesce(e.ended_at, last), last))) / 3600, 2) AS hours,
    round(max(e.peak_ms), 1) AS worst_ms,
    round(avg(e.baseline_ms), 1) AS usual_ms,
    round(max(e.loss_ratio), 4) AS worst_loss_ratio
FROM tocsin.wan_episodes AS e FINAL
WHERE e.started_at <= last AND coalesce(e.ended_at, last) >= first
GROUP BY link_id, kind, cause
ORDER BY hours DESC
LIMIT 1000;
