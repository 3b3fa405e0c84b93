-- Which alerts open and close most often?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -7d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter count UInt32: at most so many; default 20.
-- Example: tocsin ask flappers since=-7d
CREATE OR REPLACE VIEW tocsin.ask_flappers AS
SELECT
    device,
    source,
    check,
    uniqExactIf(h.transition_id, h.transition = 'opened') AS opened,
    uniqExactIf(h.transition_id, h.transition = 'resolved') AS resolved,
    max(h.transition_at) AS newest,
    fingerprint
FROM tocsin.alert_history AS h
WHERE h.transition_at BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
GROUP BY fingerprint, device, source, check
HAVING opened > 1
ORDER BY opened DESC
LIMIT {count:UInt32};
