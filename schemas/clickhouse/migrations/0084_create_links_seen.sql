-- Which interface of which device each link leaves through, one row each (more until they are merged): a few hundred rows where the dashboard
-- used to read every probe of its time range to learn it.
CREATE TABLE IF NOT EXISTS tocsin.links_seen
(
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    device LowCardinality(String) COMMENT 'name of the device',
    interface LowCardinality(String) COMMENT 'ifName',
    first_seen SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first probe, since this table is there',
    last_seen SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest'
)
ENGINE = AggregatingMergeTree
ORDER BY (link_id, device, interface)
SETTINGS non_replicated_deduplication_window = 1000;
