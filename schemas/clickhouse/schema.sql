-- The end state of the database, to read. Nothing runs this file: migrations/ makes the database, and a test proves that
-- they make exactly this. After a new migration: `tocsin schema dump > schemas/clickhouse/schema.sql`.
-- Tables first, then materialized views, then views, each by name.

CREATE TABLE tocsin.agent_stats
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `received` UInt64 COMMENT 'datagrams or frames taken from the socket' CODEC(Delta(8), ZSTD(1)),
    `received_bytes` UInt64 COMMENT 'bytes of their payload' CODEC(Delta(8), ZSTD(1)),
    `kernel_dropped` UInt64 COMMENT 'datagrams the kernel dropped before they could be read' CODEC(Delta(8), ZSTD(1)),
    `malformed` UInt64 COMMENT 'reject records made of frames' CODEC(Delta(8), ZSTD(1)),
    `rate_limited` UInt64 COMMENT 'frames refused by a rate limit' CODEC(Delta(8), ZSTD(1)),
    `events` UInt64 COMMENT 'events made from frames' CODEC(Delta(8), ZSTD(1)),
    `spooled` UInt64 COMMENT 'records that took the way over the disk spool' CODEC(Delta(8), ZSTD(1)),
    `published` UInt64 COMMENT 'records handed to the Kafka producer' CODEC(Delta(8), ZSTD(1)),
    `acked` UInt64 COMMENT 'records that Kafka acknowledged' CODEC(Delta(8), ZSTD(1)),
    `dropped` UInt64 COMMENT 'records given up after they were received' CODEC(Delta(8), ZSTD(1)),
    `buffer_bytes` UInt64 COMMENT 'receive-buffer use now, as the kernel charges it' CODEC(ZSTD(1)),
    `buffer_peak_bytes` UInt64 COMMENT 'highest use since the previous row' CODEC(ZSTD(1)),
    `buffer_limit_bytes` UInt64 COMMENT 'receive-buffer size as the kernel accounts it' CODEC(ZSTD(1)),
    `raw` String COMMENT 'empty: the agent speaks of itself'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (agent_id, listener, received_at)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.alert_durations_1d
(
    `day` DateTime('UTC') COMMENT 'start of the day, of resolved_at' CODEC(Delta(4), ZSTD(1)),
    `site` LowCardinality(String) COMMENT 'configured place',
    `device` LowCardinality(String) COMMENT 'device concerned',
    `source` LowCardinality(String) COMMENT 'monitor or rule that raised it',
    `check` LowCardinality(String) COMMENT 'what was checked',
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733',
    `ended` UInt64 COMMENT 'alerts that ended' CODEC(ZSTD(1)),
    `seconds` Float64 COMMENT 'sum of their durations' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((ended, seconds))
PARTITION BY toYear(day)
ORDER BY (day, site, device, source, check, severity)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.alert_history
(
    `fingerprint` String COMMENT 'identity of the alert: 32 hexadecimal digits' CODEC(ZSTD(1)),
    `fingerprint_fields` Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    `version` UInt64 COMMENT 'orders the transitions of one fingerprint: Unix nanoseconds, moved on where they would not grow' CODEC(Delta(8), ZSTD(1)),
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10) COMMENT 'what happened',
    `transition_at` DateTime64(9, 'UTC') COMMENT 'event time of the transition' CODEC(Delta(8), ZSTD(1)),
    `state` Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5) COMMENT 'where the alert stands after it',
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    `source` LowCardinality(String) COMMENT 'monitor or rule that raised it',
    `device` LowCardinality(String) COMMENT 'device concerned',
    `check` LowCardinality(String) COMMENT 'what was checked',
    `summary` String COMMENT 'one line for a person' CODEC(ZSTD(1)),
    `site` LowCardinality(String) COMMENT 'configured place',
    `labels` Map(String, String) COMMENT 'labels of the newest update',
    `first_seen` DateTime64(9, 'UTC') COMMENT 'event time at which this occurrence opened' CODEC(ZSTD(1)),
    `last_seen` DateTime64(9, 'UTC') COMMENT 'event time of its newest update' CODEC(ZSTD(1)),
    `resolved_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'event time of its end; NULL while it lasts' CODEC(ZSTD(1)),
    `update_count` UInt64 COMMENT 'updates of this occurrence' CODEC(ZSTD(1)),
    `storm_id` String COMMENT 'fingerprint of the storm it belongs to, or empty' CODEC(ZSTD(1)),
    `cause` String COMMENT 'what explains it, or empty' CODEC(ZSTD(1)),
    `event_id` String COMMENT 'event that caused the transition' CODEC(ZSTD(1)),
    `member_count` UInt32 COMMENT 'alerts that belong to a storm; 0 for anything else' CODEC(ZSTD(1)),
    `rule` LowCardinality(String) COMMENT 'rule that raised it; empty for a monitor\'s update',
    `runbook` LowCardinality(String) COMMENT 'file of grafana/runbooks without its ending, or a URL',
    `expires_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'when it expires unless it is refreshed; NULL where it does not' CODEC(ZSTD(1)),
    PROJECTION by_time
    (
        SELECT *
        ORDER BY transition_at
    )
)
ENGINE = MergeTree
ORDER BY (fingerprint, version)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.alert_updates
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `action` Enum8('update' = 1, 'delete' = 2) COMMENT 'update opens or refreshes, delete ends',
    `source` LowCardinality(String) COMMENT 'monitor that says so',
    `check` LowCardinality(String) COMMENT 'what was checked',
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    `summary` String COMMENT 'one line for a person' CODEC(ZSTD(1)),
    `labels` Map(String, String) COMMENT 'whatever else the monitor told',
    `raw` String COMMENT 'bytes as received; updates of one datagram share them' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.alerts_latest
(
    `fingerprint` String COMMENT 'identity of the alert: 32 hexadecimal digits',
    `fingerprint_fields` Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    `version` UInt64 COMMENT 'orders the transitions of one fingerprint: Unix nanoseconds, moved on where they would not grow',
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10) COMMENT 'what happened',
    `transition_at` DateTime64(9, 'UTC') COMMENT 'event time of the transition',
    `state` Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5) COMMENT 'where the alert stands after it',
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6) COMMENT 'X.733; rises with severity',
    `source` LowCardinality(String) COMMENT 'monitor or rule that raised it',
    `device` LowCardinality(String) COMMENT 'device concerned',
    `check` LowCardinality(String) COMMENT 'what was checked',
    `summary` String COMMENT 'one line for a person',
    `site` LowCardinality(String) COMMENT 'configured place',
    `labels` Map(String, String) COMMENT 'labels of the newest update',
    `first_seen` DateTime64(9, 'UTC') COMMENT 'event time at which this occurrence opened',
    `last_seen` DateTime64(9, 'UTC') COMMENT 'event time of its newest update',
    `resolved_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'event time of its end; NULL while it lasts',
    `update_count` UInt64 COMMENT 'updates of this occurrence',
    `storm_id` String COMMENT 'fingerprint of the storm it belongs to, or empty',
    `cause` String COMMENT 'what explains it, or empty',
    `event_id` String COMMENT 'event that caused the transition',
    `member_count` UInt32 COMMENT 'alerts that belong to a storm; 0 for anything else',
    `rule` LowCardinality(String) COMMENT 'rule that raised it; empty for a monitor\'s update',
    `runbook` LowCardinality(String) COMMENT 'file of grafana/runbooks without its ending, or a URL',
    `expires_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'when it expires unless it is refreshed; NULL where it does not'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY fingerprint
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.devices_seen
(
    `device` LowCardinality(String) COMMENT 'name of the device',
    `kind` LowCardinality(String) COMMENT 'table the events stand in',
    `site` SimpleAggregateFunction(anyLast, LowCardinality(String)) COMMENT 'configured place',
    `first_seen` SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first event',
    `last_seen` SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest',
    `events` SimpleAggregateFunction(sum, UInt64) COMMENT 'how many'
)
ENGINE = AggregatingMergeTree
ORDER BY (device, kind)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.dhcp
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `message_type` Enum16('discover' = 1, 'offer' = 2, 'request' = 3, 'decline' = 4, 'ack' = 5, 'nak' = 6, 'release' = 7, 'inform' = 8, 'v6_solicit' = 101, 'v6_advertise' = 102, 'v6_request' = 103, 'v6_confirm' = 104, 'v6_renew' = 105, 'v6_rebind' = 106, 'v6_reply' = 107, 'v6_release' = 108, 'v6_decline' = 109, 'v6_reconfigure' = 110, 'v6_information_request' = 111, 'send_failed' = 200, 'no_free_leases' = 201, 'abandoned' = 202) COMMENT 'RFC 2132 option 53, RFC 8415 plus 100; the last three are told by a server\'s log',
    `path` Enum8('relay_copy' = 1, 'capture' = 2, 'server_log' = 3) COMMENT 'how the agent learned of it',
    `request_kind` Enum8('none' = 0, 'selecting' = 1, 'init_reboot' = 2, 'renewing' = 3, 'rebinding' = 4) COMMENT 'state of the client that a request shows, RFC 2131 4.3.2',
    `mac` String COMMENT 'hardware address, lower case with colons; empty where none is told' CODEC(ZSTD(1)),
    `client_id` String COMMENT 'option 61 or DUID, hexadecimal' CODEC(ZSTD(1)),
    `ip` String COMMENT 'address that the message is about' CODEC(ZSTD(1)),
    `client_address` String COMMENT 'address that the client already uses (ciaddr)' CODEC(ZSTD(1)),
    `hostname` String COMMENT 'name that the client gives itself' CODEC(ZSTD(1)),
    `server` LowCardinality(String) COMMENT 'server identifier, address or name',
    `relay` LowCardinality(String) COMMENT 'relay agent (giaddr)',
    `circuit_id` LowCardinality(String) COMMENT 'option 82 circuit id',
    `remote_id` LowCardinality(String) COMMENT 'option 82 remote id',
    `lease_seconds` Nullable(UInt32) COMMENT 'lease time',
    `renewal_seconds` Nullable(UInt32) COMMENT 'T1',
    `rebinding_seconds` Nullable(UInt32) COMMENT 'T2',
    `is_broadcast` Bool COMMENT 'broadcast or multicast',
    `transaction_id` UInt32 COMMENT 'xid' CODEC(ZSTD(1)),
    `elapsed_seconds` UInt32 COMMENT 'secs: how long the client has been trying' CODEC(ZSTD(1)),
    `fingerprint` LowCardinality(String) COMMENT 'parameter request list, numbers with commas',
    `vendor_class` LowCardinality(String) COMMENT 'vendor class',
    `router` LowCardinality(String) COMMENT 'first router that the server names',
    `prefix_length` UInt8 COMMENT 'of the subnet mask; 0 where none is told',
    `interface` LowCardinality(String) COMMENT 'interface that it was seen on',
    `detail` String COMMENT 'a server\'s words, where it logged more than the message' CODEC(ZSTD(1)),
    `raw` String COMMENT 'bytes as received' CODEC(ZSTD(3)),
    INDEX ip_index ip TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (mac, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.gauges
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'address polled; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `name` LowCardinality(String) COMMENT 'configured name',
    `instance` LowCardinality(String) COMMENT 'which one of several; empty for a scalar',
    `value` Float64 COMMENT 'the figure, in unit' CODEC(ZSTD(1)),
    `limit` Nullable(Float64) COMMENT 'what it must not exceed' CODEC(ZSTD(1)),
    `unit` LowCardinality(String) COMMENT 'configured unit',
    `oid` LowCardinality(String) COMMENT 'the polled OID',
    `raw` String COMMENT 'empty: the agent asked'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, name, instance, event_time)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.interface_counters
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'address polled; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `interface` LowCardinality(String) COMMENT 'ifName',
    `if_index` UInt32 COMMENT 'ifIndex' CODEC(ZSTD(1)),
    `alias` LowCardinality(String) COMMENT 'ifAlias',
    `in_octets` UInt64 COMMENT 'ifHCInOctets' CODEC(Delta(8), ZSTD(1)),
    `out_octets` UInt64 COMMENT 'ifHCOutOctets' CODEC(Delta(8), ZSTD(1)),
    `in_packets` UInt64 COMMENT 'ifHCInUcastPkts' CODEC(Delta(8), ZSTD(1)),
    `out_packets` UInt64 COMMENT 'ifHCOutUcastPkts' CODEC(Delta(8), ZSTD(1)),
    `in_errors` UInt64 COMMENT 'ifInErrors' CODEC(Delta(8), ZSTD(1)),
    `out_errors` UInt64 COMMENT 'ifOutErrors' CODEC(Delta(8), ZSTD(1)),
    `in_discards` UInt64 COMMENT 'ifInDiscards' CODEC(Delta(8), ZSTD(1)),
    `out_discards` UInt64 COMMENT 'ifOutDiscards' CODEC(Delta(8), ZSTD(1)),
    `speed_bps` UInt64 COMMENT 'bits a second; 0 where the device tells none' CODEC(ZSTD(1)),
    `oper_status` Enum8('unspecified' = 0, 'up' = 1, 'down' = 2, 'testing' = 3, 'unknown' = 4, 'dormant' = 5, 'not_present' = 6, 'lower_layer_down' = 7) COMMENT 'ifOperStatus',
    `admin_status` Enum8('unspecified' = 0, 'up' = 1, 'down' = 2, 'testing' = 3, 'unknown' = 4, 'dormant' = 5, 'not_present' = 6, 'lower_layer_down' = 7) COMMENT 'ifAdminStatus',
    `in_bps` Nullable(Float64) COMMENT 'bits a second since the poll before; NULL where there is none to compare with' CODEC(ZSTD(1)),
    `out_bps` Nullable(Float64) COMMENT 'likewise, sent' CODEC(ZSTD(1)),
    `in_load` Nullable(Float64) COMMENT 'in_bps / speed_bps' CODEC(ZSTD(1)),
    `out_load` Nullable(Float64) COMMENT 'out_bps / speed_bps' CODEC(ZSTD(1)),
    `in_errors_per_second` Nullable(Float64) COMMENT 'since the poll before' CODEC(ZSTD(1)),
    `out_discards_per_second` Nullable(Float64) COMMENT 'since the poll before' CODEC(ZSTD(1)),
    `interval_ms` UInt64 COMMENT 'since the poll before; 0 for the first' CODEC(ZSTD(1)),
    `uptime_centiseconds` UInt64 COMMENT 'sysUpTime of the device' CODEC(Delta(8), ZSTD(1)),
    `raw` String COMMENT 'empty: the agent asked'
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, interface, event_time)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.interface_load_1d
(
    `device` LowCardinality(String) COMMENT 'name of the device',
    `interface` LowCardinality(String) COMMENT 'ifName',
    `day` DateTime('UTC') COMMENT 'start of the day' CODEC(Delta(4), ZSTD(1)),
    `in_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' in_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `out_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' out_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `in_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_bps' CODEC(ZSTD(1)),
    `out_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_bps' CODEC(ZSTD(1)),
    `in_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_load' CODEC(ZSTD(1)),
    `out_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_load' CODEC(ZSTD(1)),
    `polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls with a rate' CODEC(ZSTD(1)),
    `out_discards` SimpleAggregateFunction(sum, Float64) COMMENT 'output discards' CODEC(ZSTD(1)),
    `in_errors` SimpleAggregateFunction(sum, Float64) COMMENT 'input errors' CODEC(ZSTD(1)),
    `down_polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls that found it down' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(day)
ORDER BY (device, interface, day)
TTL day + toIntervalYear(10)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.interface_load_1h
(
    `device` LowCardinality(String) COMMENT 'name of the device',
    `interface` LowCardinality(String) COMMENT 'ifName',
    `hour` DateTime('UTC') COMMENT 'start of the hour' CODEC(Delta(4), ZSTD(1)),
    `in_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' in_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `out_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' out_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `in_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_bps' CODEC(ZSTD(1)),
    `out_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_bps' CODEC(ZSTD(1)),
    `in_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_load' CODEC(ZSTD(1)),
    `out_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_load' CODEC(ZSTD(1)),
    `polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls with a rate' CODEC(ZSTD(1)),
    `out_discards` SimpleAggregateFunction(sum, Float64) COMMENT 'output discards' CODEC(ZSTD(1)),
    `in_errors` SimpleAggregateFunction(sum, Float64) COMMENT 'input errors' CODEC(ZSTD(1)),
    `down_polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls that found it down' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(hour)
ORDER BY (device, interface, hour)
TTL hour + toIntervalYear(3)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.interface_load_1m
(
    `device` LowCardinality(String) COMMENT 'name of the device',
    `interface` LowCardinality(String) COMMENT 'ifName',
    `minute` DateTime('UTC') COMMENT 'start of the minute' CODEC(Delta(4), ZSTD(1)),
    `in_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' in_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `out_bps_sum` SimpleAggregateFunction(sum, Float64) COMMENT 'sum of the polls\' out_bps: divide by polls for the mean' CODEC(ZSTD(1)),
    `in_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_bps' CODEC(ZSTD(1)),
    `out_bps_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_bps' CODEC(ZSTD(1)),
    `in_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest in_load' CODEC(ZSTD(1)),
    `out_load_max` SimpleAggregateFunction(max, Float64) COMMENT 'highest out_load' CODEC(ZSTD(1)),
    `polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls with a rate' CODEC(ZSTD(1)),
    `out_discards` SimpleAggregateFunction(sum, Float64) COMMENT 'output discards' CODEC(ZSTD(1)),
    `in_errors` SimpleAggregateFunction(sum, Float64) COMMENT 'input errors' CODEC(ZSTD(1)),
    `down_polls` SimpleAggregateFunction(sum, UInt64) COMMENT 'polls that found it down' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(minute)
ORDER BY (device, interface, minute)
TTL minute + toIntervalDay(120)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.lease_latencies
(
    `event_id` String COMMENT 'the answer\'s event' CODEC(ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when the server answered' CODEC(Delta(8), ZSTD(1)),
    `kind` Enum8('offer' = 1, 'ack' = 2) COMMENT 'offer: to a DISCOVER or SOLICIT; ack: to a request, be it new, renewing or rebinding',
    `family` UInt8 COMMENT '4 or 6' CODEC(ZSTD(1)),
    `mac` String COMMENT 'hardware address of the client, lower case with colons' CODEC(ZSTD(1)),
    `ip` String COMMENT 'address that the answer is about' CODEC(ZSTD(1)),
    `server` LowCardinality(String) COMMENT 'server that answered',
    `scope` LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    `relay` LowCardinality(String) COMMENT 'relay agent that it came through; empty without one',
    `site` LowCardinality(String) COMMENT 'configured place',
    `latency_ms` Float64 COMMENT 'from the question to this answer, milliseconds; a question that was sent again counts from its first' CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY toMonday(event_time)
ORDER BY (server, kind, event_time, event_id)
TTL toDateTime(event_time) + toIntervalDay(120)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.lease_latency_1d_states
(
    `server` LowCardinality(String) COMMENT 'server that answered',
    `scope` LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    `site` LowCardinality(String) COMMENT 'configured place',
    `kind` Enum8('offer' = 1, 'ack' = 2) COMMENT 'what the server answered',
    `time` DateTime('UTC') COMMENT 'start of the day in which the server answered' CODEC(Delta(4), ZSTD(1)),
    `answers` SimpleAggregateFunction(sum, UInt64) COMMENT 'answers' CODEC(ZSTD(1)),
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8) COMMENT 'latencies of the answers, milliseconds' CODEC(ZSTD(3)),
    `latency_max_ms` SimpleAggregateFunction(max, Float64) COMMENT 'longest latency' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(time)
ORDER BY (server, kind, time, scope, site)
TTL time + toIntervalYear(10)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.lease_latency_1h_states
(
    `server` LowCardinality(String) COMMENT 'server that answered',
    `scope` LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    `site` LowCardinality(String) COMMENT 'configured place',
    `kind` Enum8('offer' = 1, 'ack' = 2) COMMENT 'what the server answered',
    `time` DateTime('UTC') COMMENT 'start of the hour in which the server answered' CODEC(Delta(4), ZSTD(1)),
    `answers` SimpleAggregateFunction(sum, UInt64) COMMENT 'answers' CODEC(ZSTD(1)),
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8) COMMENT 'latencies of the answers, milliseconds' CODEC(ZSTD(3)),
    `latency_max_ms` SimpleAggregateFunction(max, Float64) COMMENT 'longest latency' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (server, kind, time, scope, site)
TTL time + toIntervalDay(1830)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.lease_latency_1m_states
(
    `server` LowCardinality(String) COMMENT 'server that answered',
    `scope` LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    `site` LowCardinality(String) COMMENT 'configured place',
    `kind` Enum8('offer' = 1, 'ack' = 2) COMMENT 'what the server answered',
    `time` DateTime('UTC') COMMENT 'start of the minute in which the server answered' CODEC(Delta(4), ZSTD(1)),
    `answers` SimpleAggregateFunction(sum, UInt64) COMMENT 'answers' CODEC(ZSTD(1)),
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8) COMMENT 'latencies of the answers, milliseconds' CODEC(ZSTD(3)),
    `latency_max_ms` SimpleAggregateFunction(max, Float64) COMMENT 'longest latency' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toMonday(time)
ORDER BY (server, kind, time, scope, site)
TTL time + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.link_probes
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it was sent' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'address asked; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'device that the link leaves through',
    `site` LowCardinality(String) COMMENT 'configured place',
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `method` Enum8('icmp' = 1, 'tcp' = 2, 'dns' = 3) COMMENT 'how it asks',
    `target` LowCardinality(String) COMMENT 'address asked, with the port where there is one',
    `remote_site` LowCardinality(String) COMMENT 'configured place at the other end',
    `interface` LowCardinality(String) COMMENT 'interface of the device that the link leaves through',
    `rtt_ms` Nullable(Float64) COMMENT 'round-trip time; NULL where lost' CODEC(ZSTD(1)),
    `lost` Bool COMMENT 'no answer in time',
    `loss_reason` Enum8('none' = 0, 'timeout' = 1, 'unreachable' = 2, 'refused' = 3, 'not_sent' = 4) COMMENT 'why it was lost',
    `sequence` UInt64 COMMENT 'counts the probes of this link in this run of the agent' CODEC(Delta(8), ZSTD(1)),
    `interval_ms` UInt32 COMMENT 'configured time between probes' CODEC(ZSTD(1)),
    `timeout_ms` UInt32 COMMENT 'configured timeout' CODEC(ZSTD(1)),
    `query_name` LowCardinality(String) COMMENT 'DNS name that was asked for',
    `answer_code` LowCardinality(String) COMMENT 'DNS answer code',
    `answer` String COMMENT 'DNS records, sorted' CODEC(ZSTD(1)),
    `detail` String COMMENT 'why it could not be sent' CODEC(ZSTD(1)),
    `raw` String COMMENT 'empty: the agent asked',
    INDEX received_times received_at TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (link_id, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.links_seen
(
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `device` LowCardinality(String) COMMENT 'name of the device',
    `interface` LowCardinality(String) COMMENT 'ifName',
    `first_seen` SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first probe, since this table is there',
    `last_seen` SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest'
)
ENGINE = AggregatingMergeTree
ORDER BY (link_id, device, interface)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.listener_totals
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `received` SimpleAggregateFunction(max, UInt64),
    `kernel_dropped` SimpleAggregateFunction(max, UInt64),
    `rate_limited` SimpleAggregateFunction(max, UInt64),
    `malformed` SimpleAggregateFunction(max, UInt64),
    `events` SimpleAggregateFunction(max, UInt64),
    `acked` SimpleAggregateFunction(max, UInt64),
    `dropped` SimpleAggregateFunction(max, UInt64),
    `reported_at` SimpleAggregateFunction(max, DateTime64(9, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY (agent_id, boot_id, listener)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.pages
(
    `sent_at` DateTime64(3, 'UTC') COMMENT 'when the notification arrived' CODEC(Delta(8), ZSTD(1)),
    `receiver` LowCardinality(String) COMMENT 'Alertmanager receiver',
    `status` Enum8('firing' = 1, 'resolved' = 2) COMMENT 'of the group as a whole',
    `group_key` String COMMENT 'Alertmanager\'s identity of the group' CODEC(ZSTD(1)),
    `group_labels` Map(LowCardinality(String), String) COMMENT 'labels that the group shares by grouping',
    `firing` UInt32 COMMENT 'alerts in the notification that fire',
    `resolved` UInt32 COMMENT 'alerts in the notification that are over',
    `fingerprints` Array(String) COMMENT 'Tocsin fingerprints of its alerts',
    `summary` String COMMENT 'first line that a person would see' CODEC(ZSTD(1)),
    `raw` String COMMENT 'the notification as received, JSON' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toYYYYMM(sent_at)
ORDER BY sent_at
SETTINGS index_granularity = 8192;

CREATE TABLE tocsin.registration_history
(
    `mac` String COMMENT 'hardware address, lower case with colons' CODEC(ZSTD(1)),
    `family` UInt8 COMMENT '4 or 6: a MAC with both has two registrations' CODEC(ZSTD(1)),
    `version` UInt64 COMMENT 'counts the transitions of one MAC and family from 1' CODEC(Delta(8), ZSTD(1)),
    `ip` String COMMENT 'address that it has or asks for' CODEC(ZSTD(1)),
    `state` Enum8('discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'where it stands in DHCP',
    `access` Enum8('blocked' = 1, 'allowed' = 2, 'quarantined' = 3) COMMENT 'whether it may use the network',
    `server` LowCardinality(String) COMMENT 'server that gave the lease',
    `relay` LowCardinality(String) COMMENT 'relay agent that it came through',
    `circuit_id` LowCardinality(String) COMMENT 'where it is plugged in',
    `remote_id` LowCardinality(String) COMMENT 'switch or line',
    `hostname` String COMMENT 'name that it gives itself' CODEC(ZSTD(1)),
    `vendor_class` LowCardinality(String) COMMENT 'vendor class',
    `fingerprint` LowCardinality(String) COMMENT 'parameter request list',
    `lease_expires_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'when the lease ends; NULL without one' CODEC(ZSTD(1)),
    `changed_at` DateTime64(9, 'UTC') COMMENT 'event time of the transition' CODEC(Delta(8), ZSTD(1)),
    `previous_state` Enum8('none' = 0, 'discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'state before it',
    `previous_ip` String COMMENT 'address before it' CODEC(ZSTD(1)),
    `cause` LowCardinality(String) COMMENT 'word of the DHCP message, lease_expired or access_changed',
    `event_id` String COMMENT 'event that caused it; empty for a timer' CODEC(ZSTD(1)),
    `site` LowCardinality(String) COMMENT 'configured place',
    INDEX ip_index ip TYPE bloom_filter(0.01) GRANULARITY 1,
    PROJECTION by_time
    (
        SELECT *
        ORDER BY changed_at
    ),
    PROJECTION by_circuit
    (
        SELECT *
        ORDER BY
            circuit_id,
            changed_at
    )
)
ENGINE = MergeTree
ORDER BY (mac, changed_at, version)
TTL toDateTime(changed_at) + toIntervalDay(800)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.registrations_latest
(
    `mac` String COMMENT 'hardware address, lower case with colons',
    `family` UInt8 COMMENT '4 or 6: a MAC with both has two registrations',
    `version` UInt64 COMMENT 'counts the transitions of one MAC and family from 1',
    `ip` String COMMENT 'address that it has or asks for',
    `state` Enum8('discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'where it stands in DHCP',
    `access` Enum8('blocked' = 1, 'allowed' = 2, 'quarantined' = 3) COMMENT 'whether it may use the network',
    `server` LowCardinality(String) COMMENT 'server that gave the lease',
    `relay` LowCardinality(String) COMMENT 'relay agent that it came through',
    `circuit_id` LowCardinality(String) COMMENT 'where it is plugged in',
    `remote_id` LowCardinality(String) COMMENT 'switch or line',
    `hostname` String COMMENT 'name that it gives itself',
    `vendor_class` LowCardinality(String) COMMENT 'vendor class',
    `fingerprint` LowCardinality(String) COMMENT 'parameter request list',
    `lease_expires_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'when the lease ends; NULL without one',
    `changed_at` DateTime64(9, 'UTC') COMMENT 'event time of the transition',
    `previous_state` Enum8('none' = 0, 'discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8) COMMENT 'state before it',
    `previous_ip` String COMMENT 'address before it',
    `cause` LowCardinality(String) COMMENT 'word of the DHCP message, lease_expired or access_changed',
    `event_id` String COMMENT 'event that caused it; empty for a timer',
    `site` LowCardinality(String) COMMENT 'configured place'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (mac, family)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.rejects
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `stage` LowCardinality(String) COMMENT 'framing, parse, publish, archive or alerts',
    `reason` LowCardinality(String) COMMENT 'one of the closed list in tocsin.rejects.v1',
    `detail` String COMMENT 'one sentence for a person' CODEC(ZSTD(1)),
    `original_bytes` UInt64 COMMENT 'size as received; larger than raw where raw was cut' CODEC(ZSTD(1)),
    `raw` String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (reason, device, received_at, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.schema_migrations
(
    `number` UInt32 COMMENT 'NNNN of the file name',
    `name` String COMMENT 'file name',
    `sha256` FixedString(64) COMMENT 'hexadecimal digest of the file',
    `applied_at` DateTime64(3, 'UTC') DEFAULT now64(3)
)
ENGINE = ReplacingMergeTree
ORDER BY number
SETTINGS index_granularity = 8192;

CREATE TABLE tocsin.sequence_gaps
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `last_before` UInt64 COMMENT 'number of the last message before the gap' CODEC(ZSTD(1)),
    `first_after` UInt64 COMMENT 'number of the message that showed it' CODEC(ZSTD(1)),
    `missing` UInt64 COMMENT 'messages between the two' CODEC(ZSTD(1)),
    `raw` String COMMENT 'bytes of the message after the gap' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.snmp_traps
(
    `event_id` String COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `listener` LowCardinality(String) COMMENT 'configured name of the listener',
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned',
    `site` LowCardinality(String) COMMENT 'configured place',
    `version` Enum8('v1' = 1, 'v2c' = 2, 'v3' = 3) COMMENT 'of the message',
    `trap_oid` LowCardinality(String) COMMENT 'snmpTrapOID, dotted numbers',
    `trap_name` LowCardinality(String) COMMENT 'MODULE::notification, or the numbers',
    `varbinds` Map(LowCardinality(String), String) COMMENT 'name with instance to value as people write it',
    `uptime_centiseconds` UInt64 COMMENT 'sysUpTime of the sender' CODEC(ZSTD(1)),
    `user_or_community_hash` LowCardinality(String) COMMENT 'first 16 digits of SHA-256, so that no secret is stored',
    `engine_id` LowCardinality(String) COMMENT 'authoritative engine, v3 only',
    `security_level` LowCardinality(String) COMMENT 'noAuthNoPriv, authNoPriv or authPriv; v3 only',
    `is_inform` Bool COMMENT 'it was acknowledged',
    `agent_address` String COMMENT 'of a v1 trap: who it is about' CODEC(ZSTD(1)),
    `raw` String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` LowCardinality(String) COMMENT 'table the rows stand in',
    `minute` DateTime('UTC') COMMENT 'of received_at',
    `stored` UInt64 COMMENT 'rows',
    `bytes` UInt64 COMMENT 'bytes of raw'
)
ENGINE = SummingMergeTree((stored, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (agent_id, boot_id, listener, kind, minute)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.syslog
(
    `given_event_id` String COMMENT 'event_id where it is not <agent_id>-<boot_id>-<agent_sequence>, else empty' CODEC(ZSTD(1)),
    `agent_id` LowCardinality(String) COMMENT 'agent that received it',
    `boot_id` UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta(8), ZSTD(1)),
    `agent_sequence` UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta(8), ZSTD(1)),
    `event_id` String ALIAS if(given_event_id = '', concat(agent_id, '-', substring(lower(hex(boot_id)), 1 + startsWith(hex(boot_id), '0')), '-', toString(agent_sequence)), given_event_id) COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>',
    `listener` LowCardinality(String) COMMENT 'configured name of the listener' CODEC(ZSTD(1)),
    `received_at` DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta(8), ZSTD(1)),
    `event_time` DateTime64(9, 'UTC') COMMENT 'when it happened by the sender\'s clock; received_at where it gave none' CODEC(Delta(8), ZSTD(1)),
    `source_ip` IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device concerned' CODEC(ZSTD(1)),
    `site` LowCardinality(String) COMMENT 'configured place' CODEC(ZSTD(1)),
    `facility` Enum8('kern' = 0, 'user' = 1, 'mail' = 2, 'daemon' = 3, 'auth' = 4, 'syslog' = 5, 'lpr' = 6, 'news' = 7, 'uucp' = 8, 'cron' = 9, 'authpriv' = 10, 'ftp' = 11, 'ntp' = 12, 'audit' = 13, 'alert' = 14, 'clock' = 15, 'local0' = 16, 'local1' = 17, 'local2' = 18, 'local3' = 19, 'local4' = 20, 'local5' = 21, 'local6' = 22, 'local7' = 23) COMMENT 'RFC 5424 table 1; compares with the word and with the number' CODEC(ZSTD(1)),
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2; compares with the word and with the number' CODEC(ZSTD(1)),
    `app_name` LowCardinality(String) COMMENT 'APP-NAME or TAG' CODEC(ZSTD(1)),
    `proc_id` String COMMENT 'PROCID' CODEC(ZSTD(1)),
    `msg_id` LowCardinality(String) COMMENT 'MSGID or a vendor\'s mnemonic' CODEC(ZSTD(1)),
    `structured_data` Map(String, String) COMMENT '<SD-ID>.<PARAM-NAME> to value' CODEC(ZSTD(1)),
    `message` String COMMENT 'MSG; bytes that are not UTF-8 stand as U+FFFD' CODEC(ZSTD(1)),
    `sequence` Nullable(UInt64) COMMENT 'sequence number that the sender gave' CODEC(ZSTD(1)),
    `raw_header` String COMMENT 'bytes as received before the message; all of them where message_in_raw is false' CODEC(ZSTD(1)),
    `raw_trailer` String COMMENT 'bytes as received after the message, a line break for example' CODEC(ZSTD(1)),
    `message_in_raw` Bool COMMENT 'the bytes as received hold message as it stands here' CODEC(ZSTD(1)),
    `raw` String ALIAS concat(raw_header, if(message_in_raw, message, ''), raw_trailer) COMMENT 'bytes as received',
    INDEX message_words lower(message) TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking') GRANULARITY 100000000,
    INDEX event_times event_time TYPE minmax GRANULARITY 1,
    INDEX received_times received_at TYPE minmax GRANULARITY 1,
    INDEX devices device TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (app_name, msg_id, event_time)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.syslog_patterns
(
    `app_name` LowCardinality(String) COMMENT 'APP-NAME or TAG',
    `msg_id` LowCardinality(String) COMMENT 'MSGID or a vendor\'s mnemonic',
    `pattern` String COMMENT 'message without its changing parts' CODEC(ZSTD(1)),
    `first_seen` SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first',
    `last_seen` SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest',
    `messages` SimpleAggregateFunction(sum, UInt64) COMMENT 'how many',
    `severity` SimpleAggregateFunction(min, UInt8) COMMENT 'the worst severity, RFC 5424 table 2',
    `device` SimpleAggregateFunction(anyLast, LowCardinality(String)) COMMENT 'one device that said it',
    `example` SimpleAggregateFunction(anyLast, String) COMMENT 'one message'
)
ENGINE = AggregatingMergeTree
ORDER BY (app_name, msg_id, pattern)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.syslog_volume_1d
(
    `day` DateTime('UTC') COMMENT 'start of the day, of received_at' CODEC(Delta(4), ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device',
    `site` LowCardinality(String) COMMENT 'configured place',
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2',
    `messages` UInt64 COMMENT 'messages' CODEC(ZSTD(1)),
    `bytes` UInt64 COMMENT 'bytes as received' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((messages, bytes))
PARTITION BY toYear(day)
ORDER BY (day, device, site, severity)
TTL day + toIntervalYear(10)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.syslog_volume_1h
(
    `hour` DateTime('UTC') COMMENT 'start of the hour, of received_at' CODEC(Delta(4), ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device',
    `site` LowCardinality(String) COMMENT 'configured place',
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2',
    `messages` UInt64 COMMENT 'messages' CODEC(ZSTD(1)),
    `bytes` UInt64 COMMENT 'bytes as received' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((messages, bytes))
PARTITION BY toYear(hour)
ORDER BY (hour, device, site, severity)
TTL hour + toIntervalYear(3)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.syslog_volume_1m
(
    `minute` DateTime('UTC') COMMENT 'start of the minute, of received_at' CODEC(Delta(4), ZSTD(1)),
    `device` LowCardinality(String) COMMENT 'name of the device',
    `site` LowCardinality(String) COMMENT 'configured place',
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2',
    `messages` UInt64 COMMENT 'messages' CODEC(ZSTD(1)),
    `bytes` UInt64 COMMENT 'bytes as received' CODEC(ZSTD(1))
)
ENGINE = SummingMergeTree((messages, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (minute, device, site, severity)
TTL minute + toIntervalDay(120)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.wan_episodes
(
    `episode_id` String COMMENT '<link_id>/<kind>/<started_at in Unix milliseconds>',
    `version` UInt64 COMMENT 'counts the transitions of one episode from 1',
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `kind` Enum8('latency' = 1, 'loss' = 2, 'jitter' = 3, 'down' = 4) COMMENT 'what is wrong',
    `state` Enum8('open' = 1, 'closed' = 2) COMMENT 'whether it lasts',
    `started_at` DateTime64(9, 'UTC') COMMENT 'event time at which it began',
    `ended_at` Nullable(DateTime64(9, 'UTC')) COMMENT 'event time at which it ended; NULL while it lasts',
    `changed_at` DateTime64(9, 'UTC') COMMENT 'event time of this transition',
    `baseline_ms` Float64 COMMENT 'median round-trip time of the time before',
    `baseline_mad_ms` Float64 COMMENT 'median absolute deviation of the time before',
    `peak_ms` Float64 COMMENT 'highest round-trip time within it; 0 where nothing was answered',
    `loss_ratio` Float64 COMMENT 'share of its probes that were lost',
    `jitter_ms` Float64 COMMENT 'highest jitter within it, RFC 3550',
    `probes` UInt64 COMMENT 'probes within it',
    `affected_ratio` Float64 COMMENT 'share of its probes that were lost or over the threshold',
    `cause` Enum8('egress_saturated' = 1, 'loss_without_congestion' = 2, 'path_change' = 3, 'remote_unreachable' = 4, 'unexplained' = 5) COMMENT 'why, as far as the evidence goes',
    `evidence` Array(Tuple(
        name String,
        value Float64,
        unit String,
        text String,
        event_id String,
        observed_at DateTime64(9, 'UTC'))) COMMENT 'what the cause was read from',
    `device` LowCardinality(String) COMMENT 'device that the link leaves through',
    `interface` LowCardinality(String) COMMENT 'interface that the link leaves through',
    `site` LowCardinality(String) COMMENT 'configured place of the agent that probes',
    `remote_site` LowCardinality(String) COMMENT 'configured place at the other end',
    `event_id` String COMMENT 'event that caused this transition'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY (link_id, started_at, episode_id)
SETTINGS non_replicated_deduplication_window = 1000, index_granularity = 8192;

CREATE TABLE tocsin.wan_latency_1d_states
(
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `time` DateTime('UTC') COMMENT 'start of the day in which the probes were sent' CODEC(Delta(4), ZSTD(1)),
    `probes` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes' CODEC(ZSTD(1)),
    `lost` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes without an answer' CODEC(ZSTD(1)),
    `rtts` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Nullable(Float32), UInt8) COMMENT 'round-trip times of the answers, milliseconds, with how many had each' CODEC(ZSTD(3)),
    `rtt_max_ms` SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'longest round-trip time; NULL where nothing was answered' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYear(time)
ORDER BY (link_id, time)
TTL time + toIntervalYear(10)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.wan_latency_1h_states
(
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `time` DateTime('UTC') COMMENT 'start of the hour in which the probes were sent' CODEC(Delta(4), ZSTD(1)),
    `probes` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes' CODEC(ZSTD(1)),
    `lost` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes without an answer' CODEC(ZSTD(1)),
    `rtts` AggregateFunction(quantilesExact(0.5, 0.95, 0.99), Nullable(Float32)) COMMENT 'round-trip times of the answers, milliseconds' CODEC(ZSTD(3)),
    `rtt_max_ms` SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'longest round-trip time; NULL where nothing was answered' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toYYYYMM(time)
ORDER BY (link_id, time)
TTL time + toIntervalDay(1830)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE TABLE tocsin.wan_latency_1m_states
(
    `link_id` LowCardinality(String) COMMENT 'configured name of the link',
    `time` DateTime('UTC') COMMENT 'start of the minute in which the probes were sent' CODEC(Delta(4), ZSTD(1)),
    `probes` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes' CODEC(ZSTD(1)),
    `lost` SimpleAggregateFunction(sum, UInt64) COMMENT 'probes without an answer' CODEC(ZSTD(1)),
    `rtts` AggregateFunction(quantilesExact(0.5, 0.95, 0.99), Nullable(Float32)) COMMENT 'round-trip times of the answers, milliseconds' CODEC(ZSTD(3)),
    `rtt_max_ms` SimpleAggregateFunction(max, Nullable(Float64)) COMMENT 'longest round-trip time; NULL where nothing was answered' CODEC(ZSTD(1))
)
ENGINE = AggregatingMergeTree
PARTITION BY toMonday(time)
ORDER BY (link_id, time)
TTL time + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE MATERIALIZED VIEW tocsin.alert_durations_1d_from_alert_history TO tocsin.alert_durations_1d
(
    `day` DateTime('UTC'),
    `site` LowCardinality(String),
    `device` LowCardinality(String),
    `source` LowCardinality(String),
    `check` LowCardinality(String),
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6),
    `ended` UInt64,
    `seconds` Float64
)
AS SELECT
    toStartOfDay(assumeNotNull(h.resolved_at), 'UTC') AS day,
    site,
    device,
    source,
    check,
    severity,
    count() AS ended,
    sum(greatest(0, (toUnixTimestamp64Milli(assumeNotNull(h.resolved_at)) - toUnixTimestamp64Milli(h.first_seen)) / 1000)) AS seconds
FROM tocsin.alert_history AS h
WHERE (h.transition IN ('resolved', 'expired', 'flapping_ended')) AND (h.state IN ('resolved', 'expired')) AND (h.resolved_at IS NOT NULL)
GROUP BY
    day,
    site,
    device,
    source,
    check,
    severity;

CREATE MATERIALIZED VIEW tocsin.alerts_latest_from_history TO tocsin.alerts_latest
(
    `fingerprint` String,
    `fingerprint_fields` Map(LowCardinality(String), String),
    `version` UInt64,
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10),
    `transition_at` DateTime64(9, 'UTC'),
    `state` Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5),
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6),
    `source` LowCardinality(String),
    `device` LowCardinality(String),
    `check` LowCardinality(String),
    `summary` String,
    `site` LowCardinality(String),
    `labels` Map(String, String),
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `resolved_at` Nullable(DateTime64(9, 'UTC')),
    `update_count` UInt64,
    `storm_id` String,
    `cause` String,
    `event_id` String,
    `member_count` UInt32,
    `rule` LowCardinality(String),
    `runbook` LowCardinality(String),
    `expires_at` Nullable(DateTime64(9, 'UTC'))
)
AS SELECT *
FROM tocsin.alert_history;

CREATE MATERIALIZED VIEW tocsin.devices_seen_from_alert_updates TO tocsin.devices_seen
(
    `device` LowCardinality(String),
    `kind` String,
    `site` String,
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `events` UInt64
)
AS SELECT
    device,
    'alert_updates' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.alert_updates AS e
GROUP BY device;

CREATE MATERIALIZED VIEW tocsin.devices_seen_from_interface_counters TO tocsin.devices_seen
(
    `device` LowCardinality(String),
    `kind` String,
    `site` String,
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `events` UInt64
)
AS SELECT
    device,
    'interface_counters' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.interface_counters AS e
GROUP BY device;

CREATE MATERIALIZED VIEW tocsin.devices_seen_from_snmp_traps TO tocsin.devices_seen
(
    `device` LowCardinality(String),
    `kind` String,
    `site` String,
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `events` UInt64
)
AS SELECT
    device,
    'snmp_traps' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.snmp_traps AS e
GROUP BY device;

CREATE MATERIALIZED VIEW tocsin.devices_seen_from_syslog TO tocsin.devices_seen
(
    `device` LowCardinality(String),
    `kind` String,
    `site` String,
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `events` UInt64
)
AS SELECT
    device,
    'syslog' AS kind,
    anyLast(e.site) AS site,
    min(e.received_at) AS first_seen,
    max(e.received_at) AS last_seen,
    count() AS events
FROM tocsin.syslog AS e
GROUP BY device;

CREATE MATERIALIZED VIEW tocsin.interface_load_1d_from_interface_load_1h TO tocsin.interface_load_1d
(
    `device` LowCardinality(String),
    `interface` LowCardinality(String),
    `day` DateTime('UTC'),
    `in_bps_sum` Float64,
    `out_bps_sum` Float64,
    `in_bps_max` SimpleAggregateFunction(max, Float64),
    `out_bps_max` SimpleAggregateFunction(max, Float64),
    `in_load_max` SimpleAggregateFunction(max, Float64),
    `out_load_max` SimpleAggregateFunction(max, Float64),
    `polls` UInt64,
    `out_discards` Float64,
    `in_errors` Float64,
    `down_polls` UInt64
)
AS SELECT
    device,
    interface,
    toStartOfDay(c.hour, 'UTC') AS day,
    sum(c.in_bps_sum) AS in_bps_sum,
    sum(c.out_bps_sum) AS out_bps_sum,
    max(c.in_bps_max) AS in_bps_max,
    max(c.out_bps_max) AS out_bps_max,
    max(c.in_load_max) AS in_load_max,
    max(c.out_load_max) AS out_load_max,
    sum(c.polls) AS polls,
    sum(c.out_discards) AS out_discards,
    sum(c.in_errors) AS in_errors,
    sum(c.down_polls) AS down_polls
FROM tocsin.interface_load_1h AS c
GROUP BY
    device,
    interface,
    day;

CREATE MATERIALIZED VIEW tocsin.interface_load_1h_from_interface_load_1m TO tocsin.interface_load_1h
(
    `device` LowCardinality(String),
    `interface` LowCardinality(String),
    `hour` DateTime('UTC'),
    `in_bps_sum` Float64,
    `out_bps_sum` Float64,
    `in_bps_max` SimpleAggregateFunction(max, Float64),
    `out_bps_max` SimpleAggregateFunction(max, Float64),
    `in_load_max` SimpleAggregateFunction(max, Float64),
    `out_load_max` SimpleAggregateFunction(max, Float64),
    `polls` UInt64,
    `out_discards` Float64,
    `in_errors` Float64,
    `down_polls` UInt64
)
AS SELECT
    device,
    interface,
    toStartOfHour(c.minute) AS hour,
    sum(c.in_bps_sum) AS in_bps_sum,
    sum(c.out_bps_sum) AS out_bps_sum,
    max(c.in_bps_max) AS in_bps_max,
    max(c.out_bps_max) AS out_bps_max,
    max(c.in_load_max) AS in_load_max,
    max(c.out_load_max) AS out_load_max,
    sum(c.polls) AS polls,
    sum(c.out_discards) AS out_discards,
    sum(c.in_errors) AS in_errors,
    sum(c.down_polls) AS down_polls
FROM tocsin.interface_load_1m AS c
GROUP BY
    device,
    interface,
    hour;

CREATE MATERIALIZED VIEW tocsin.interface_load_1m_from_interface_counters TO tocsin.interface_load_1m
(
    `device` LowCardinality(String),
    `interface` LowCardinality(String),
    `minute` DateTime('UTC'),
    `in_bps_sum` Float64,
    `out_bps_sum` Float64,
    `in_bps_max` Float64,
    `out_bps_max` Float64,
    `in_load_max` Float64,
    `out_load_max` Float64,
    `polls` UInt64,
    `out_discards` Float64,
    `in_errors` Float64,
    `down_polls` UInt64
)
AS SELECT
    device,
    interface,
    toStartOfMinute(event_time) AS minute,
    sum(coalesce(c.in_bps, 0)) AS in_bps_sum,
    sum(coalesce(c.out_bps, 0)) AS out_bps_sum,
    max(coalesce(c.in_bps, 0)) AS in_bps_max,
    max(coalesce(c.out_bps, 0)) AS out_bps_max,
    max(coalesce(c.in_load, 0)) AS in_load_max,
    max(coalesce(c.out_load, 0)) AS out_load_max,
    countIf(c.interval_ms > 0) AS polls,
    sum((coalesce(c.out_discards_per_second, 0) * c.interval_ms) / 1000) AS out_discards,
    sum((coalesce(c.in_errors_per_second, 0) * c.interval_ms) / 1000) AS in_errors,
    countIf(c.oper_status != 'up') AS down_polls
FROM tocsin.interface_counters AS c
GROUP BY
    device,
    interface,
    minute;

CREATE MATERIALIZED VIEW tocsin.lease_latency_1d_from_lease_latency_1h TO tocsin.lease_latency_1d_states
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8),
    `latency_max_ms` SimpleAggregateFunction(max, Float64)
)
AS SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfDay(s.time), 'UTC') AS time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMergeState(0.5, 0.95, 0.99)(s.latencies) AS latencies,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1h_states AS s
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE MATERIALIZED VIEW tocsin.lease_latency_1h_from_lease_latency_1m TO tocsin.lease_latency_1h_states
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8),
    `latency_max_ms` SimpleAggregateFunction(max, Float64)
)
AS SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfHour(s.time), 'UTC') AS time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMergeState(0.5, 0.95, 0.99)(s.latencies) AS latencies,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1m_states AS s
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE MATERIALIZED VIEW tocsin.lease_latency_1m_from_lease_latencies TO tocsin.lease_latency_1m_states
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `latencies` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Float32, UInt8),
    `latency_max_ms` Float64
)
AS SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfMinute(l.event_time), 'UTC') AS time,
    count() AS answers,
    quantilesExactWeightedState(0.5, 0.95, 0.99)(reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(l.latency_ms)) + 32768, 4294901760)), 1) AS latencies,
    max(l.latency_ms) AS latency_max_ms
FROM tocsin.lease_latencies AS l
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE MATERIALIZED VIEW tocsin.links_seen_from_link_probes TO tocsin.links_seen
(
    `link_id` LowCardinality(String),
    `device` LowCardinality(String),
    `interface` LowCardinality(String),
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC')
)
AS SELECT
    link_id,
    device,
    interface,
    min(p.received_at) AS first_seen,
    max(p.received_at) AS last_seen
FROM tocsin.link_probes AS p
GROUP BY
    link_id,
    device,
    interface;

CREATE MATERIALIZED VIEW tocsin.listener_totals_from_agent_stats TO tocsin.listener_totals
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `received` UInt64,
    `kernel_dropped` UInt64,
    `rate_limited` UInt64,
    `malformed` UInt64,
    `events` UInt64,
    `acked` UInt64,
    `dropped` UInt64,
    `reported_at` DateTime64(9, 'UTC')
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    max(s.received) AS received,
    max(s.kernel_dropped) AS kernel_dropped,
    max(s.rate_limited) AS rate_limited,
    max(s.malformed) AS malformed,
    max(s.events) AS events,
    max(s.acked) AS acked,
    max(s.dropped) AS dropped,
    max(s.received_at) AS reported_at
FROM tocsin.agent_stats AS s
GROUP BY
    agent_id,
    boot_id,
    listener;

CREATE MATERIALIZED VIEW tocsin.registrations_latest_from_history TO tocsin.registrations_latest
(
    `mac` String,
    `family` UInt8,
    `version` UInt64,
    `ip` String,
    `state` Enum8('discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8),
    `access` Enum8('blocked' = 1, 'allowed' = 2, 'quarantined' = 3),
    `server` LowCardinality(String),
    `relay` LowCardinality(String),
    `circuit_id` LowCardinality(String),
    `remote_id` LowCardinality(String),
    `hostname` String,
    `vendor_class` LowCardinality(String),
    `fingerprint` LowCardinality(String),
    `lease_expires_at` Nullable(DateTime64(9, 'UTC')),
    `changed_at` DateTime64(9, 'UTC'),
    `previous_state` Enum8('none' = 0, 'discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8),
    `previous_ip` String,
    `cause` LowCardinality(String),
    `event_id` String,
    `site` LowCardinality(String)
)
AS SELECT *
FROM tocsin.registration_history;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_alert_updates TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'alert_updates' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.alert_updates
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_dhcp TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'dhcp' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.dhcp
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_gauges TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'gauges' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.gauges
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_interface_counters TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'interface_counters' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.interface_counters
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_link_probes TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'link_probes' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.link_probes
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_rejects TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'rejects' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.rejects
WHERE stage IN ('framing', 'parse', 'archive')
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_sequence_gaps TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'sequence_gaps' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.sequence_gaps
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_snmp_traps TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'snmp_traps' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.snmp_traps
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.stored_events_1m_from_syslog TO tocsin.stored_events_1m
(
    `agent_id` LowCardinality(String),
    `boot_id` UInt64,
    `listener` LowCardinality(String),
    `kind` String,
    `minute` DateTime('UTC'),
    `stored` UInt64,
    `bytes` UInt64
)
AS SELECT
    agent_id,
    boot_id,
    listener,
    'syslog' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.syslog
GROUP BY
    agent_id,
    boot_id,
    listener,
    minute;

CREATE MATERIALIZED VIEW tocsin.syslog_patterns_from_syslog TO tocsin.syslog_patterns
(
    `app_name` LowCardinality(String),
    `msg_id` LowCardinality(String),
    `pattern` String,
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `messages` UInt64,
    `severity` UInt8,
    `device` String,
    `example` String
)
AS SELECT
    app_name,
    msg_id,
    substringUTF8(replaceRegexpAll(substring(s.message, 1, 400), '[^ ]*[0-9][^ ]*', '*'), 1, 200) AS pattern,
    min(s.received_at) AS first_seen,
    max(s.received_at) AS last_seen,
    count() AS messages,
    min(toUInt8(s.severity)) AS severity,
    anyLast(s.device) AS device,
    anyLast(s.message) AS example
FROM tocsin.syslog AS s
GROUP BY
    app_name,
    msg_id,
    pattern;

CREATE MATERIALIZED VIEW tocsin.syslog_volume_1d_from_syslog_volume_1h TO tocsin.syslog_volume_1d
(
    `day` DateTime('UTC'),
    `device` LowCardinality(String),
    `site` LowCardinality(String),
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7),
    `messages` UInt64,
    `bytes` UInt64
)
AS SELECT
    toStartOfDay(r.hour, 'UTC') AS day,
    device,
    site,
    severity,
    sum(r.messages) AS messages,
    sum(r.bytes) AS bytes
FROM tocsin.syslog_volume_1h AS r
GROUP BY
    day,
    device,
    site,
    severity;

CREATE MATERIALIZED VIEW tocsin.syslog_volume_1h_from_syslog_volume_1m TO tocsin.syslog_volume_1h
(
    `hour` DateTime('UTC'),
    `device` LowCardinality(String),
    `site` LowCardinality(String),
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7),
    `messages` UInt64,
    `bytes` UInt64
)
AS SELECT
    toStartOfHour(r.minute) AS hour,
    device,
    site,
    severity,
    sum(r.messages) AS messages,
    sum(r.bytes) AS bytes
FROM tocsin.syslog_volume_1m AS r
GROUP BY
    hour,
    device,
    site,
    severity;

CREATE MATERIALIZED VIEW tocsin.syslog_volume_1m_from_syslog TO tocsin.syslog_volume_1m
(
    `minute` DateTime('UTC'),
    `device` LowCardinality(String),
    `site` LowCardinality(String),
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7),
    `messages` UInt64,
    `bytes` UInt64
)
AS SELECT
    toStartOfMinute(received_at) AS minute,
    device,
    site,
    severity,
    count() AS messages,
    sum(length(raw)) AS bytes
FROM tocsin.syslog
GROUP BY
    minute,
    device,
    site,
    severity;

CREATE MATERIALIZED VIEW tocsin.wan_latency_1d_from_link_probes TO tocsin.wan_latency_1d_states
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `rtts` AggregateFunction(quantilesExactWeighted(0.5, 0.95, 0.99), Nullable(Float32), UInt8),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    toStartOfDay(p.event_time, 'UTC') AS time,
    count() AS probes,
    countIf(p.lost) AS lost,
    quantilesExactWeightedState(0.5, 0.95, 0.99)(CAST(reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(p.rtt_ms)) + 32768, 4294901760)), 'Nullable(Float32)'), 1) AS rtts,
    max(p.rtt_ms) AS rtt_max_ms
FROM tocsin.link_probes AS p
GROUP BY
    link_id,
    time;

CREATE MATERIALIZED VIEW tocsin.wan_latency_1h_from_link_probes TO tocsin.wan_latency_1h_states
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `rtts` AggregateFunction(quantilesExact(0.5, 0.95, 0.99), Nullable(Float32)),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    toDateTime(toStartOfHour(p.event_time), 'UTC') AS time,
    count() AS probes,
    countIf(p.lost) AS lost,
    quantilesExactState(0.5, 0.95, 0.99)(CAST(reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(p.rtt_ms)) + 32768, 4294901760)), 'Nullable(Float32)')) AS rtts,
    max(p.rtt_ms) AS rtt_max_ms
FROM tocsin.link_probes AS p
GROUP BY
    link_id,
    time;

CREATE MATERIALIZED VIEW tocsin.wan_latency_1m_from_link_probes TO tocsin.wan_latency_1m_states
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `rtts` AggregateFunction(quantilesExact(0.5, 0.95, 0.99), Nullable(Float32)),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    toDateTime(toStartOfMinute(p.event_time), 'UTC') AS time,
    count() AS probes,
    countIf(p.lost) AS lost,
    quantilesExactState(0.5, 0.95, 0.99)(CAST(reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(p.rtt_ms)) + 32768, 4294901760)), 'Nullable(Float32)')) AS rtts,
    max(p.rtt_ms) AS rtt_max_ms
FROM tocsin.link_probes AS p
GROUP BY
    link_id,
    time;

CREATE VIEW tocsin.alerts
(
    `fingerprint` String,
    `fingerprint_fields` Map(LowCardinality(String), String),
    `version` UInt64,
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4, 'expired' = 5, 'flapping_started' = 6, 'flapping_ended' = 7, 'suppressed' = 8, 'unsuppressed' = 9, 'members_changed' = 10),
    `transition_at` DateTime64(9, 'UTC'),
    `state` Enum8('open' = 1, 'resolved' = 2, 'expired' = 3, 'flapping' = 4, 'suppressed' = 5),
    `severity` Enum8('cleared' = 1, 'indeterminate' = 2, 'warning' = 3, 'minor' = 4, 'major' = 5, 'critical' = 6),
    `source` LowCardinality(String),
    `device` LowCardinality(String),
    `check` LowCardinality(String),
    `summary` String,
    `site` LowCardinality(String),
    `labels` Map(String, String),
    `first_seen` DateTime64(9, 'UTC'),
    `last_seen` DateTime64(9, 'UTC'),
    `resolved_at` Nullable(DateTime64(9, 'UTC')),
    `update_count` UInt64,
    `storm_id` String,
    `cause` String,
    `event_id` String,
    `member_count` UInt32,
    `rule` LowCardinality(String),
    `runbook` LowCardinality(String),
    `expires_at` Nullable(DateTime64(9, 'UTC'))
)
AS SELECT *
FROM tocsin.alerts_latest
FINAL;

CREATE VIEW tocsin.balance
(
    `agent_id` LowCardinality(String),
    `listener` LowCardinality(String),
    `sent` UInt64,
    `kernel_dropped` UInt64,
    `received` UInt64,
    `rate_limited` UInt64,
    `malformed` UInt64,
    `events` UInt64,
    `dropped` UInt64,
    `in_flight` Int64,
    `acked` UInt64,
    `stored_events` UInt64,
    `stored_rejects` UInt64,
    `missing` Int64,
    `unreported` Int64,
    `reported_at` DateTime64(9, 'UTC'),
    `closed` UInt8
)
AS WITH
    counted AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            max(s.received) AS received,
            max(s.kernel_dropped) AS kernel_dropped,
            max(s.rate_limited) AS rate_limited,
            max(s.malformed) AS malformed,
            max(s.events) AS events,
            max(s.acked) AS acked,
            max(s.dropped) AS dropped,
            max(s.reported_at) AS reported_at
        FROM tocsin.listener_totals AS s
        GROUP BY
            agent_id,
            boot_id,
            listener
    ),
    stored AS
    (
        SELECT
            agent_id,
            boot_id,
            listener,
            sumIf(r.stored, r.kind != 'rejects') AS stored_events,
            sumIf(r.stored, r.kind = 'rejects') AS stored_rejects
        FROM tocsin.stored_events_1m AS r
        GROUP BY
            agent_id,
            boot_id,
            listener
    ),
    runs AS
    (
        SELECT
            *,
            toInt64(stored_events + stored_rejects) AS rows_stored,
            greatest((toInt64(events + malformed) - toInt64(dropped)) - greatest(toInt64(acked), rows_stored), 0) AS in_flight,
            greatest(toInt64(acked) - rows_stored, 0) AS missing,
            greatest(rows_stored - toInt64(acked), 0) AS unreported
        FROM counted
        LEFT JOIN stored USING (agent_id, boot_id, listener)
    )
SELECT
    agent_id,
    listener,
    sum(r.received) + sum(r.kernel_dropped) AS sent,
    sum(r.kernel_dropped) AS kernel_dropped,
    sum(r.received) AS received,
    sum(r.rate_limited) AS rate_limited,
    sum(r.malformed) AS malformed,
    sum(r.events) AS events,
    sum(r.dropped) AS dropped,
    sum(r.in_flight) AS in_flight,
    sum(r.acked) AS acked,
    sum(r.stored_events) AS stored_events,
    sum(r.stored_rejects) AS stored_rejects,
    sum(r.missing) AS missing,
    sum(r.unreported) AS unreported,
    toDateTime64(max(r.reported_at), 9, 'UTC') AS reported_at,
    (in_flight = 0) AND (missing = 0) AS closed
FROM runs AS r
GROUP BY
    agent_id,
    listener
ORDER BY
    agent_id ASC,
    listener ASC;

CREATE VIEW tocsin.lease_latency_1d
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `percentiles` Array(Float32),
    `latency_p50_ms` Float32,
    `latency_p95_ms` Float32,
    `latency_p99_ms` Float32,
    `latency_max_ms` SimpleAggregateFunction(max, Float64)
)
AS SELECT
    server,
    scope,
    site,
    kind,
    time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies) AS percentiles,
    percentiles[1] AS latency_p50_ms,
    percentiles[2] AS latency_p95_ms,
    percentiles[3] AS latency_p99_ms,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1d_states AS s
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE VIEW tocsin.lease_latency_1h
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `percentiles` Array(Float32),
    `latency_p50_ms` Float32,
    `latency_p95_ms` Float32,
    `latency_p99_ms` Float32,
    `latency_max_ms` SimpleAggregateFunction(max, Float64)
)
AS SELECT
    server,
    scope,
    site,
    kind,
    time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies) AS percentiles,
    percentiles[1] AS latency_p50_ms,
    percentiles[2] AS latency_p95_ms,
    percentiles[3] AS latency_p99_ms,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1h_states AS s
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE VIEW tocsin.lease_latency_1m
(
    `server` LowCardinality(String),
    `scope` LowCardinality(String),
    `site` LowCardinality(String),
    `kind` Enum8('offer' = 1, 'ack' = 2),
    `time` DateTime('UTC'),
    `answers` UInt64,
    `percentiles` Array(Float32),
    `latency_p50_ms` Float32,
    `latency_p95_ms` Float32,
    `latency_p99_ms` Float32,
    `latency_max_ms` SimpleAggregateFunction(max, Float64)
)
AS SELECT
    server,
    scope,
    site,
    kind,
    time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies) AS percentiles,
    percentiles[1] AS latency_p50_ms,
    percentiles[2] AS latency_p95_ms,
    percentiles[3] AS latency_p99_ms,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1m_states AS s
GROUP BY
    server,
    scope,
    site,
    kind,
    time;

CREATE VIEW tocsin.registrations
(
    `mac` String,
    `family` UInt8,
    `version` UInt64,
    `ip` String,
    `state` Enum8('discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8),
    `access` Enum8('blocked' = 1, 'allowed' = 2, 'quarantined' = 3),
    `server` LowCardinality(String),
    `relay` LowCardinality(String),
    `circuit_id` LowCardinality(String),
    `remote_id` LowCardinality(String),
    `hostname` String,
    `vendor_class` LowCardinality(String),
    `fingerprint` LowCardinality(String),
    `lease_expires_at` Nullable(DateTime64(9, 'UTC')),
    `changed_at` DateTime64(9, 'UTC'),
    `previous_state` Enum8('none' = 0, 'discovering' = 1, 'offered' = 2, 'bound' = 3, 'renewing' = 4, 'rebinding' = 5, 'expired' = 6, 'released' = 7, 'declined' = 8),
    `previous_ip` String,
    `cause` LowCardinality(String),
    `event_id` String,
    `site` LowCardinality(String)
)
AS SELECT *
FROM tocsin.registrations_latest
FINAL;

CREATE VIEW tocsin.wan_latency_1d
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `percentiles` Array(Float32),
    `rtt_p50_ms` Nullable(Float32),
    `rtt_p95_ms` Nullable(Float32),
    `rtt_p99_ms` Nullable(Float32),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    time,
    sum(s.probes) AS probes,
    sum(s.lost) AS lost,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.rtts) AS percentiles,
    if(probes = lost, NULL, percentiles[1]) AS rtt_p50_ms,
    if(probes = lost, NULL, percentiles[2]) AS rtt_p95_ms,
    if(probes = lost, NULL, percentiles[3]) AS rtt_p99_ms,
    max(s.rtt_max_ms) AS rtt_max_ms
FROM tocsin.wan_latency_1d_states AS s
GROUP BY
    link_id,
    time;

CREATE VIEW tocsin.wan_latency_1h
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `percentiles` Array(Float32),
    `rtt_p50_ms` Nullable(Float32),
    `rtt_p95_ms` Nullable(Float32),
    `rtt_p99_ms` Nullable(Float32),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    time,
    sum(s.probes) AS probes,
    sum(s.lost) AS lost,
    quantilesExactMerge(0.5, 0.95, 0.99)(s.rtts) AS percentiles,
    if(probes = lost, NULL, percentiles[1]) AS rtt_p50_ms,
    if(probes = lost, NULL, percentiles[2]) AS rtt_p95_ms,
    if(probes = lost, NULL, percentiles[3]) AS rtt_p99_ms,
    max(s.rtt_max_ms) AS rtt_max_ms
FROM tocsin.wan_latency_1h_states AS s
GROUP BY
    link_id,
    time;

CREATE VIEW tocsin.wan_latency_1m
(
    `link_id` LowCardinality(String),
    `time` DateTime('UTC'),
    `probes` UInt64,
    `lost` UInt64,
    `percentiles` Array(Float32),
    `rtt_p50_ms` Nullable(Float32),
    `rtt_p95_ms` Nullable(Float32),
    `rtt_p99_ms` Nullable(Float32),
    `rtt_max_ms` Nullable(Float64)
)
AS SELECT
    link_id,
    time,
    sum(s.probes) AS probes,
    sum(s.lost) AS lost,
    quantilesExactMerge(0.5, 0.95, 0.99)(s.rtts) AS percentiles,
    if(probes = lost, NULL, percentiles[1]) AS rtt_p50_ms,
    if(probes = lost, NULL, percentiles[2]) AS rtt_p95_ms,
    if(probes = lost, NULL, percentiles[3]) AS rtt_p99_ms,
    max(s.rtt_max_ms) AS rtt_max_ms
FROM tocsin.wan_latency_1m_states AS s
GROUP BY
    link_id,
    time;
