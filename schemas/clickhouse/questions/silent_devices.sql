-- Which devices have said nothing for so long, though they used to?
-- Parameter hours UInt32: silent for at least so many hours; default 24.
-- Parameter days UInt32: heard of within so many days; default 30.
-- Example: tocsin ask silent_devices hours=24
CREATE OR REPLACE VIEW tocsin.ask_silent_devices AS
SELECT
    device,
    any(s.site) AS site,
    max(s.last_seen) AS last_seen,
    dateDiff('hour', last_seen, now64(3)) AS silent_hours,
    sum(s.events) AS events,
    groupArray(DISTINCT s.kind) AS kinds
FROM tocsin.devices_seen AS s
GROUP BY device
HAVING last_seen < now64(3) - toIntervalHour({hours:UInt32}) AND last_seen > now64(3) - toIntervalDay({days:UInt32})
ORDER BY last_seen
LIMIT 10000;
