-- SNMP traps and informs, one row a notification. Ordered like alert_updates, and for the same questions.
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.snmp_traps
(
    event_id String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    listener LowCardinality(String) COMMENT 'configured name of the listener',
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it happened by the sender''s clock; received_at where it gave none' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned',
    site LowCardinality(String) COMMENT 'configured place',
    role LowCardinality(String) COMMENT 'what the device is for, as configured',
    version Enum8('v1' = 1, 'v2c' = 2, 'v3' = 3) COMMENT 'of the message',
    trap_oid LowCardinality(String) COMMENT 'snmpTrapOID, dotted numbers',
    trap_name LowCardinality(String) COMMENT 'MODULE::notification, or the numbers',
    varbinds Map(LowCardinality(String), String) COMMENT 'name with instance to value as people write it',
    uptime_centiseconds UInt64 COMMENT 'sysUpTime of the sender' CODEC(ZSTD(1)),
    user_or_community_hash LowCardinality(String) COMMENT 'first 16 digits of SHA-256, so that no secret is stored',
    engine_id LowCardinality(String) COMMENT 'authoritative engine, v3 only',
    security_level LowCardinality(String) COMMENT 'noAuthNoPriv, authNoPriv or authPriv; v3 only',
    is_inform Bool COMMENT 'it was acknowledged',
    agent_address String COMMENT 'of a v1 trap: who it is about' CODEC(ZSTD(1)),
    raw String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
