-- Which interface of which device each link leaves through, one row each (more until they are merged): a few hundred rows where a dashboard would
-- read every probe of its time range to learn it. Kept while there are probes of it.
CREATE TABLE IF NOT EXISTS tocsin.links_seen
(
    link_id LowCardinality(String) COMMENT 'configured name of the link',
    device LowCardinality(String) COMMENT 'name of the device',
    interface LowCardinality(String) COMMENT 'ifName',
    method LowCardinality(String) COMMENT 'how it is probed; dns is a resolver and no link',
    first_seen SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first probe',
    last_seen SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest'
)
ENGINE = AggregatingMergeTree
ORDER BY (link_id, device, interface, method)
TTL toDateTime(last_seen) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.links_seen_from_link_probes TO tocsin.links_seen AS
SELECT
    link_id,
    device,
    interface,
    toString(p.method) AS method,
    min(p.received_at) AS first_seen,
    max(p.received_at) AS last_seen
FROM tocsin.link_probes AS p
GROUP BY link_id, device, interface, method;
