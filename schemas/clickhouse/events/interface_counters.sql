-- Interface counters, one row an interface and poll. Ordered by device, interface and time, because every question draws one interface; the
-- counters then differ little from row to row, which Delta and ZSTD turn into a few bytes.
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.interface_counters
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it happened by the sender''s clock; received_at where it gave none' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'address polled; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned',
    site LowCardinality(String) COMMENT 'configured place',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    interface LowCardinality(String) COMMENT 'ifName',
    if_index UInt32 COMMENT 'ifIndex' CODEC(ZSTD(1)),
    alias LowCardinality(String) COMMENT 'ifAlias',
    in_octets UInt64 COMMENT 'ifHCInOctets' CODEC(Delta, ZSTD(1)),
    out_octets UInt64 COMMENT 'ifHCOutOctets' CODEC(Delta, ZSTD(1)),
    in_packets UInt64 COMMENT 'ifHCInUcastPkts' CODEC(Delta, ZSTD(1)),
    out_packets UInt64 COMMENT 'ifHCOutUcastPkts' CODEC(Delta, ZSTD(1)),
    in_errors UInt64 COMMENT 'ifInErrors' CODEC(Delta, ZSTD(1)),
    out_errors UInt64 COMMENT 'ifOutErrors' CODEC(Delta, ZSTD(1)),
    in_discards UInt64 COMMENT 'ifInDiscards' CODEC(Delta, ZSTD(1)),
    out_discards UInt64 COMMENT 'ifOutDiscards' CODEC(Delta, ZSTD(1)),
    speed_bps UInt64 COMMENT 'bits a second; 0 where the device tells none' CODEC(ZSTD(1)),
    oper_status Enum8('unspecified' = 0, 'up' = 1, 'down' = 2, 'testing' = 3, 'unknown' = 4, 'dormant' = 5, 'not_present' = 6, 'lower_layer_down' = 7) COMMENT 'ifOperStatus',
    admin_status Enum8('unspecified' = 0, 'up' = 1, 'down' = 2, 'testing' = 3, 'unknown' = 4, 'dormant' = 5, 'not_present' = 6, 'lower_layer_down' = 7) COMMENT 'ifAdminStatus',
    in_bps Nullable(Float64) COMMENT 'bits a second since the poll before; NULL where there is none to compare with' CODEC(ZSTD(1)),
    out_bps Nullable(Float64) COMMENT 'likewise, sent' CODEC(ZSTD(1)),
    in_load Nullable(Float64) COMMENT 'in_bps / speed_bps' CODEC(ZSTD(1)),
    out_load Nullable(Float64) COMMENT 'out_bps / speed_bps' CODEC(ZSTD(1)),
    in_errors_per_second Nullable(Float64) COMMENT 'since the poll before' CODEC(ZSTD(1)),
    out_discards_per_second Nullable(Float64) COMMENT 'since the poll before' CODEC(ZSTD(1)),
    interval_ms UInt64 COMMENT 'since the poll before; 0 for the first' CODEC(ZSTD(1)),
    uptime_centiseconds UInt64 COMMENT 'sysUpTime of the device' CODEC(Delta, ZSTD(1)),
    raw String COMMENT 'empty: the agent asked'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, interface, event_time)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
