-- When each device was first and last heard of, by kind of event. It answers "who has gone silent" without reading events.
CREATE TABLE IF NOT EXISTS tocsin.devices_seen
(
    device LowCardinality(String) COMMENT 'name of the device',
    kind LowCardinality(String) COMMENT 'table the events stand in',
    site SimpleAggregateFunction(anyLast, LowCardinality(String)) COMMENT 'configured place',
    first_seen SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first event',
    last_seen SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest',
    events SimpleAggregateFunction(sum, UInt64) COMMENT 'how many'
)
ENGINE = AggregatingMergeTree
ORDER BY (device, kind)
SETTINGS non_replicated_deduplication_window = 1000;
