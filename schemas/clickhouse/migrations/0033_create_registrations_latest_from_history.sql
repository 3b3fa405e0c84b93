-- Keeps registrations_latest in step with registration_history.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.registrations_latest_from_history TO tocsin.registrations_latest AS
SELECT *
FROM tocsin.registration_history;
