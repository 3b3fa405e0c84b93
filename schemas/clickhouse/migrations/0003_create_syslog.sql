-- Syslog messages, one row a message.
-- Order: people ask about one device over a time, or about everything in a short time. (device, event_time) serves the first by
-- the key; partitions by arrival week bound the second. Partitions follow received_at, never event_time: one device with a wrong
-- clock must not scatter a block over a hundred partitions.
-- non_replicated_deduplication_window: the sink repeats an uncertain insert with the same token; 1,000 blocks are remembered.
CREATE TABLE IF NOT EXISTS tocsin.syslog
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
    facility Enum8('kern' = 0, 'user' = 1, 'mail' = 2, 'daemon' = 3, 'auth' = 4, 'syslog' = 5, 'lpr' = 6, 'news' = 7, 'uucp' = 8, 'cron' = 9, 'authpriv' = 10, 'ftp' = 11, 'ntp' = 12, 'audit' = 13, 'alert' = 14, 'clock' = 15, 'local0' = 16, 'local1' = 17, 'local2' = 18, 'local3' = 19, 'local4' = 20, 'local5' = 21, 'local6' = 22, 'local7' = 23) COMMENT 'RFC 5424 table 1; compares with the word and with the number',
    severity Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2; compares with the word and with the number',
    app_name LowCardinality(String) COMMENT 'APP-NAME or TAG',
    proc_id String COMMENT 'PROCID' CODEC(ZSTD(1)),
    msg_id LowCardinality(String) COMMENT 'MSGID or a vendor''s mnemonic',
    structured_data Map(String, String) COMMENT '<SD-ID>.<PARAM-NAME> to value',
    message String COMMENT 'MSG; bytes that are not UTF-8 stand as U+FFFD' CODEC(ZSTD(1)),
    sequence Nullable(UInt64) COMMENT 'sequence number that the sender gave' CODEC(ZSTD(1)),
    raw String COMMENT 'bytes as received' CODEC(ZSTD(3))
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (device, event_time, event_id)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
