-- Which rules and checks opened most alerts, and how does that compare with as long a time before?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask noisiest_checks since=-30d
CREATE OR REPLACE VIEW tocsin.ask_noisiest_checks AS
WITH
    {since:DateTime64(3, 'UTC')} AS middle,
    middle - toIntervalSecond(dateDiff('second', middle, {until:DateTime64(3, 'UTC')})) AS first
SELECT
    source,
    check,
    uniqExactIf(h.transition_id, h.transition_at >= middle) AS opened,
    uniqExactIf(h.transition_id, h.transition_at < middle) AS opened_before,
    if(opened_before = 0, NULL, round(opened / opened_before, 2)) AS ratio,
    uniqIf(h.device, h.transition_at >= middle) AS devices
FROM tocsin.alert_history AS h
WHERE h.transition = 'opened' AND h.transition_at >= first AND h.transition_at < {until:DateTime64(3, 'UTC')}
GROUP BY source, check
ORDER BY opened DESC, source, check
LIMIT {count:UInt32};
