-- How many hours of alerts had each site, by severity?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default now64(3) - INTERVAL 30 DAY.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now64(3).
-- Example: tocsin ask alert_hours_by_site since=-90d
CREATE OR REPLACE VIEW tocsin.ask_alert_hours_by_site AS
SELECT
    site,
    severity,
    sum(d.ended) AS alerts,
    round(sum(d.seconds) / 3600, 1) AS hours
FROM tocsin.alert_durations_1d AS d
WHERE d.day BETWEEN toStartOfDay({since:DateTime64(3, 'UTC')}, 'UTC') AND {until:DateTime64(3, 'UTC')}
GROUP BY site, severity
ORDER BY hours DESC;
