-- One row a fingerprint: where every alert stands now, with the new columns.
CREATE OR REPLACE VIEW tocsin.alerts AS
SELECT *
FROM tocsin.alerts_latest
FINAL;
