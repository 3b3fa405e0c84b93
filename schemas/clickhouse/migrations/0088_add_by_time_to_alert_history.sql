-- The transitions once more in the order of time. The table is ordered by fingerprint and kept for ever, and every dashboard asks it for what
-- happened in a time range: of 1 million transitions in 30 days, the newest 1,000 are 34,000 rows to read, and the alerts of a day 67,000.
ALTER TABLE tocsin.alert_history
    ADD PROJECTION IF NOT EXISTS by_time (SELECT * ORDER BY transition_at);
