-- One row a MAC and family: where every device stands now.
CREATE VIEW IF NOT EXISTS tocsin.registrations AS
SELECT *
FROM tocsin.registrations_latest
FINAL;
