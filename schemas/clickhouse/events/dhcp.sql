-- DHCP messages, one row a message as one agent learned of it. Ordered by MAC and time: "where has this device been" is the usual question; the
-- skip index finds an address without reading every MAC of the weeks asked for.
-- Shard: mac
CREATE TABLE IF NOT EXISTS tocsin.dhcp
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
    message_type Enum16('discover' = 1, 'offer' = 2, 'request' = 3, 'decline' = 4, 'ack' = 5, 'nak' = 6, 'release' = 7, 'inform' = 8, 'v6_solicit' = 101, 'v6_advertise' = 102, 'v6_request' = 103, 'v6_confirm' = 104, 'v6_renew' = 105, 'v6_rebind' = 106, 'v6_reply' = 107, 'v6_release' = 108, 'v6_decline' = 109, 'v6_reconfigure' = 110, 'v6_information_request' = 111, 'send_failed' = 200, 'no_free_leases' = 201, 'abandoned' = 202) COMMENT 'RFC 2132 option 53, RFC 8415 plus 100; the last three are told by a server''s log',
    path Enum8('relay_copy' = 1, 'capture' = 2, 'server_log' = 3) COMMENT 'how the agent learned of it',
    request_kind Enum8('none' = 0, 'selecting' = 1, 'init_reboot' = 2, 'renewing' = 3, 'rebinding' = 4) COMMENT 'state of the client that a request shows, RFC 2131 4.3.2',
    mac String COMMENT 'hardware address, lower case with colons; empty where none is told' CODEC(ZSTD(1)),
    client_id String COMMENT 'option 61 or DUID, hexadecimal' CODEC(ZSTD(1)),
    ip String COMMENT 'address that the message is about' CODEC(ZSTD(1)),
    client_address String COMMENT 'address that the client already uses (ciaddr)' CODEC(ZSTD(1)),
    hostname String COMMENT 'name that the client gives itself' CODEC(ZSTD(1)),
    server LowCardinality(String) COMMENT 'server identifier, address or name',
    relay LowCardinality(String) COMMENT 'relay agent (giaddr)',
    circuit_id LowCardinality(String) COMMENT 'option 82 circuit id',
    remote_id LowCardinality(String) COMMENT 'option 82 remote id',
    lease_seconds Nullable(UInt32) COMMENT 'lease time',
    renewal_seconds Nullable(UInt32) COMMENT 'T1',
    rebinding_seconds Nullable(UInt32) COMMENT 'T2',
    is_broadcast Bool COMMENT 'broadcast or multicast',
    transaction_id UInt32 COMMENT 'xid' CODEC(ZSTD(1)),
    elapsed_seconds UInt32 COMMENT 'secs: how long the client has been trying' CODEC(ZSTD(1)),
    fingerprint LowCardinality(String) COMMENT 'parameter request list, numbers with commas',
    vendor_class LowCardinality(String) COMMENT 'vendor class',
    router LowCardinality(String) COMMENT 'first router that the server names',
    prefix_length UInt8 COMMENT 'of the subnet mask; 0 where none is told',
    interface LowCardinality(String) COMMENT 'interface that it was seen on',
    detail String COMMENT 'a server''s words, where it logged more than the message' CODEC(ZSTD(1)),
    raw String COMMENT 'bytes as received' CODEC(ZSTD(3)),
    INDEX ip_index ip TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (mac, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
