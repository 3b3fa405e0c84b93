-- What devices were called before, one row an old name, told by `tocsin devices rename`. What is stored under an old name stays there; dashboards and
-- questions about a device ask for all its names. Some hundred rows, kept as long as the oldest history.
-- Shard: alias
CREATE TABLE IF NOT EXISTS tocsin.device_names
(
    alias String COMMENT 'name under which older rows are stored',
    name String COMMENT 'name of the device now; empty: it is no other one any more',
    told_at DateTime64(9, 'UTC') COMMENT 'when that was said'
)
ENGINE = ReplacingMergeTree(told_at)
ORDER BY alias
TTL toDateTime(told_at) + INTERVAL 3650 DAY
SETTINGS non_replicated_deduplication_window = 1000;
