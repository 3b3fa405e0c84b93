-- Which devices say most in syslog, and how does that compare with as long a time before?
-- Parameter since DateTime64(3, 'UTC'): from this time on, by whole hours; default -7d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask noisiest_devices since=-7d
CREATE OR REPLACE VIEW tocsin.ask_noisiest_devices AS
WITH
    {since:DateTime64(3, 'UTC')} AS middle,
    middle - toIntervalSecond(dateDiff('second', middle, {until:DateTime64(3, 'UTC')})) AS first
SELECT
    device,
    sumIf(v.messages, v.hour >= middle) AS messages,
    sumIf(v.messages, v.hour < middle) AS messages_before,
    if(messages_before = 0, NULL, round(messages / messages_before, 2)) AS ratio,
    sumIf(v.messages, v.hour >= middle AND v.severity <= 'err') AS errors,
    sumIf(v.bytes, v.hour >= middle) AS bytes
FROM tocsin.syslog_volume_1h AS v
WHERE v.hour >= first AND v.hour < {until:DateTime64(3, 'UTC')}
GROUP BY device
ORDER BY messages DESC, device
LIMIT {count:UInt32};
