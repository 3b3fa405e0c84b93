-- Carries the new columns too: a materialized view keeps the columns that its source had when its query was set.
ALTER TABLE tocsin.alerts_latest_from_history
    MODIFY QUERY SELECT *
    FROM tocsin.alert_history;
