-- Keeps alerts_latest in step with alert_history.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.alerts_latest_from_history TO tocsin.alerts_latest AS
SELECT *
FROM tocsin.alert_history;
