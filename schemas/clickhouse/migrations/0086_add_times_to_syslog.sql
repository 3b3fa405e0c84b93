-- The span of both times in every 8,192 rows, a few bytes each. A device's rows lie in the order of time, so "the newest 1,000, of every device"
-- reads the end of each device's rows (use_skip_indexes_for_top_k) where it used to read two times of every row. Parts written before
-- get it when they are merged.
ALTER TABLE tocsin.syslog
    ADD INDEX IF NOT EXISTS event_times event_time TYPE minmax GRANULARITY 1,
    ADD INDEX IF NOT EXISTS received_times received_at TYPE minmax GRANULARITY 1;
