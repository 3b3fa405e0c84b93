-- The span of both times in every 8,192 rows, a few bytes each. "The newest 1,000 of a time range, of every device" reads where they are
-- (use_skip_indexes_for_top_k): 21 million of 60 million rows, where it used to read two times of every row; the dashboard asks for days
-- besides. Parts written before get it when they are merged.
ALTER TABLE tocsin.syslog
    ADD INDEX IF NOT EXISTS event_times event_time TYPE minmax GRANULARITY 1,
    ADD INDEX IF NOT EXISTS received_times received_at TYPE minmax GRANULARITY 1;
