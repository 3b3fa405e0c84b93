-- Which devices start again and again?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask restarts since=-90d
CREATE OR REPLACE VIEW tocsin.ask_restarts AS
SELECT
    device,
    any(h.site) AS site,
    uniqExact(h.first_seen) AS restarts,
    min(h.first_seen) AS first_restart,
    max(h.first_seen) AS newest_restart,
    argMax(h.summary, h.first_seen) AS summary
FROM tocsin.alert_history AS h
WHERE h.transition_at BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')} AND h.transition = 'opened' AND h.check = 'restart'
GROUP BY device
ORDER BY restarts DESC, newest_restart DESC
LIMIT 1000;
