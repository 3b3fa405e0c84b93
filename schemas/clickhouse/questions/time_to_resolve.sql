-- How long did alerts last until they were resolved, by source and check?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask time_to_resolve since=-90d
CREATE OR REPLACE VIEW tocsin.ask_time_to_resolve AS
SELECT
    source,
    check,
    sum(d.ended) AS resolved,
    round(sum(d.seconds) / sum(d.ended) / 60, 1) AS mean_minutes
FROM tocsin.alert_durations_1d AS d
WHERE d.day BETWEEN toStartOfDay({since:DateTime64(3, 'UTC')}, 'UTC') AND {until:DateTime64(3, 'UTC')}
GROUP BY source, check
ORDER BY resolved DESC
LIMIT 1000;
