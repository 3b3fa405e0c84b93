-- When each device was first and last heard of, by kind of event. It answers "who has gone silent" without reading events. Strangers choose
-- names of devices, so a device is kept while there are events of it.
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
TTL toDateTime(last_seen) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_syslog TO tocsin.devices_seen AS
SELECT
    device,
    'syslog' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.syslog AS e
GROUP BY device;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_alert_updates TO tocsin.devices_seen AS
SELECT
    device,
    'alert_updates' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.alert_updates AS e
GROUP BY device;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_snmp_traps TO tocsin.devices_seen AS
SELECT
    device,
    'snmp_traps' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.snmp_traps AS e
GROUP BY device;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.devices_seen_from_interface_counters TO tocsin.devices_seen AS
SELECT
    device,
    'interface_counters' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.interface_counters AS e
GROUP BY device;
