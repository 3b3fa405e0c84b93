-- Which rules and checks opened most alerts, and how does that compare with the time before?
-- Parameter days UInt32: the last so many days against as many before them; default 30.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask noisiest_checks days=30
CREATE OR REPLACE VIEW tocsin.ask_noisiest_checks AS
WITH now() - toIntervalDay({days:UInt32}) AS middle
SELECT
    source,
    check,
    uniqExactIf(h.transition_id, h.transition_at >= middle) AS opened,
    uniqExactIf(h.transition_id, h.transition_at < middle) AS opened_before,
    if(opened_before = 0, NULL, round(opened / opened_before, 2)) AS ratio,
    uniqIf(h.device, h.transition_at >= middle) AS devices
FROM tocsin.alert_history AS h
WHERE h.transition = 'opened' AND h.transition_at >= now() - toIntervalDay(2 * {days:UInt32})
GROUP BY source, check
ORDER BY opened DESC
LIMIT {count:UInt32};
