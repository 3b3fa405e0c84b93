-- How many pages were sent in each week, by the worst severity in them?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter zone String: time zone in which weeks begin; default UTC.
-- Example: tocsin ask pages_by_week since=-90d zone=Europe/Berlin
CREATE OR REPLACE VIEW tocsin.ask_pages_by_week AS
SELECT
    toMonday(p.sent_at, {zone:String}) AS week,
    count() AS pages,
    countIf(p.worst = 'critical') AS critical,
    countIf(p.worst = 'major') AS major,
    countIf(p.worst = 'minor') AS minor,
    countIf(p.worst = 'warning') AS warning,
    pages - critical - major - minor - warning AS other
FROM
(
    SELECT
        sent_at,
        -- As Alertmanager sent it: severities of the alerts that fire.
        arrayMap(alert -> JSONExtractString(alert, 'labels', 'severity'), arrayFilter(alert -> JSONExtractString(alert, 'status') = 'firing', JSONExtractArrayRaw(raw, 'alerts'))) AS severities,
        arrayFirst(word -> has(severities, word), ['critical', 'major', 'minor', 'warning']) AS worst
    FROM tocsin.pages
    -- The end of an alert is told to a desk and wakes nobody.
    WHERE sent_at >= {since:DateTime64(3, 'UTC')} AND sent_at < {until:DateTime64(3, 'UTC')} AND status = 'firing'
) AS p
GROUP BY week
ORDER BY week
LIMIT 1000;
