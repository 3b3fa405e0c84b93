-- "Which links answered in the last minute" reads the end of each link's rows, where it used to read the time of every probe of the week.
-- Parts written before get it when they are merged.
ALTER TABLE tocsin.link_probes
    ADD INDEX IF NOT EXISTS received_times received_at TYPE minmax GRANULARITY 1;
