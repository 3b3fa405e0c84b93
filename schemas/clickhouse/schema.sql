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

CREATE TABLE tocsin.alert_history
(
    `fingerprint` String COMMENT 'identity of the alert: 32 hexadecimal digits' CODEC(ZSTD(1)),
    `fingerprint_fields` Map(LowCardinality(String), String) COMMENT 'the fields that made the fingerprint',
    `version` UInt64 COMMENT 'counts the transitions of one fingerprint from 1' CODEC(Delta(8), ZSTD(1)),
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4) COMMENT 'what happened',
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
    `event_id` String COMMENT 'event that caused the transition' CODEC(ZSTD(1))
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
    `version` UInt64 COMMENT 'counts the transitions of one fingerprint from 1',
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4) COMMENT 'what happened',
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
    `event_id` String COMMENT 'event that caused the transition'
)
ENGINE = ReplacingMergeTree(version)
ORDER BY fingerprint
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
    `facility` Enum8('kern' = 0, 'user' = 1, 'mail' = 2, 'daemon' = 3, 'auth' = 4, 'syslog' = 5, 'lpr' = 6, 'news' = 7, 'uucp' = 8, 'cron' = 9, 'authpriv' = 10, 'ftp' = 11, 'ntp' = 12, 'audit' = 13, 'alert' = 14, 'clock' = 15, 'local0' = 16, 'local1' = 17, 'local2' = 18, 'local3' = 19, 'local4' = 20, 'local5' = 21, 'local6' = 22, 'local7' = 23) COMMENT 'RFC 5424 table 1; compares with the word and with the number',
    `severity` Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2; compares with the word and with the number',
    `app_name` LowCardinality(String) COMMENT 'APP-NAME or TAG',
    `proc_id` String COMMENT 'PROCID' CODEC(ZSTD(1)),
    `msg_id` LowCardinality(String) COMMENT 'MSGID or a vendor\'s mnemonic',
    `structured_data` Map(String, String) COMMENT '<SD-ID>.<PARAM-NAME> to value',
    `message` String COMMENT 'MSG; bytes that are not UTF-8 stand as U+FFFD' CODEC(ZSTD(1)),
    `sequence` Nullable(UInt64) COMMENT 'sequence number that the sender gave' CODEC(ZSTD(1)),
    `raw` String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + toIntervalDay(400)
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1, index_granularity = 8192;

CREATE MATERIALIZED VIEW tocsin.alerts_latest_from_history TO tocsin.alerts_latest
(
    `fingerprint` String,
    `fingerprint_fields` Map(LowCardinality(String), String),
    `version` UInt64,
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4),
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
    `event_id` String
)
AS SELECT *
FROM tocsin.alert_history;

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

CREATE VIEW tocsin.alerts
(
    `fingerprint` String,
    `fingerprint_fields` Map(LowCardinality(String), String),
    `version` UInt64,
    `transition` Enum8('opened' = 1, 'refreshed' = 2, 'severity_changed' = 3, 'resolved' = 4),
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
    `event_id` String
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
