-- Which devices say most, and how does that compare with the time before?
-- Parameter days UInt32: the last so many days against as many before them; default 30.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask noisiest_devices days=30
CREATE OR REPLACE VIEW tocsin.ask_noisiest_devices AS
WITH now() - toIntervalDay({days:UInt32}) AS middle
SELECT
    device,
    sumIf(v.messages, v.hour >= middle) AS messages,
    sumIf(v.messages, v.hour < middle) AS messages_before,
    if(messages_before = 0, NULL, round(messages / messages_before, 2)) AS ratio,
    sumIf(v.messages, v.hour >= middle AND v.severity <= 'err') AS errors,
    sumIf(v.bytes, v.hour >= middle) AS bytes
FROM tocsin.syslog_volume_1h AS v
WHERE v.hour >= now() - toIntervalDay(2 * {days:UInt32})
GROUP BY device
ORDER BY messages DESC
LIMIT {count:UInt32};
