-- One row a fingerprint: where every alert stands now.
CREATE VIEW IF NOT EXISTS tocsin.alerts AS
SELECT *
FROM tocsin.alerts_latest
FINAL;
