-- Syslog messages, one row a message. Nothing is stored that can be computed.
-- Order: what is said in the same words lies together. So words and phrases stand in few blocks, the text index and the messages take half the
-- bytes, and "the newest of all devices", a search and "everything of this mnemonic" read 6 to 15 times fewer rows than in the order of devices. What
-- it costs: one device over days reads every message of those days. What was measured and what else was tried: schemas/BENCHMARKS.md.
-- message_words: finds words without reading messages. Searches must spell it the same way, hasAllTokens(lower(message), ['bgp', 'notification']),
-- as question `search` does.
-- event_times, received_times: the span of both times in every 8,192 rows, for "the newest 1,000 of a time range" (use_skip_indexes_for_top_k).
-- devices: a device that says little stands in few blocks; the bloom filter finds them. 16 bytes a block.
-- raw is put together from the bytes before the message, the message and what follows it; event_id from the three that it is made of (boot_id in
-- hexadecimal without leading zeros). Where the sender's bytes are not the message's (not UTF-8, say), or the id is another, they are stored.
-- Shard: device
CREATE TABLE IF NOT EXISTS tocsin.syslog
(
    given_event_id String COMMENT 'event_id where it is not <agent_id>-<boot_id>-<agent_sequence>, else empty' CODEC(ZSTD(1)),
    agent_id LowCardinality(String) COMMENT 'agent that received it',
    boot_id UInt64 COMMENT 'run of the agent: its start in Unix nanoseconds' CODEC(Delta, ZSTD(1)),
    agent_sequence UInt64 COMMENT 'counts every record of one run from 1' CODEC(Delta, ZSTD(1)),
    event_id String ALIAS if(given_event_id = '', concat(agent_id, '-', substring(lower(hex(boot_id)), 1 + startsWith(hex(boot_id), '0')), '-', toString(agent_sequence)), given_event_id) COMMENT 'stable identity: <agent_id>-<boot_id>-<sequence>',
    listener LowCardinality(String) COMMENT 'configured name of the listener' CODEC(ZSTD(1)),
    received_at DateTime64(9, 'UTC') COMMENT 'when it arrived at the agent' CODEC(Delta, ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when it happened by the sender''s clock; received_at where it gave none' CODEC(Delta, ZSTD(1)),
    source_ip IPv6 COMMENT 'peer address; IPv4 as ::ffff:a.b.c.d' CODEC(ZSTD(1)),
    device LowCardinality(String) COMMENT 'name of the device concerned' CODEC(ZSTD(1)),
    site LowCardinality(String) COMMENT 'configured place' CODEC(ZSTD(1)),
    role LowCardinality(String) COMMENT 'what the device is for, as configured' CODEC(ZSTD(1)),
    facility Enum8('kern' = 0, 'user' = 1, 'mail' = 2, 'daemon' = 3, 'auth' = 4, 'syslog' = 5, 'lpr' = 6, 'news' = 7, 'uucp' = 8, 'cron' = 9, 'authpriv' = 10, 'ftp' = 11, 'ntp' = 12, 'audit' = 13, 'alert' = 14, 'clock' = 15, 'local0' = 16, 'local1' = 17, 'local2' = 18, 'local3' = 19, 'local4' = 20, 'local5' = 21, 'local6' = 22, 'local7' = 23) COMMENT 'RFC 5424 table 1; compares with the word and with the number' CODEC(ZSTD(1)),
    severity Enum8('emerg' = 0, 'alert' = 1, 'crit' = 2, 'err' = 3, 'warning' = 4, 'notice' = 5, 'info' = 6, 'debug' = 7) COMMENT 'RFC 5424 table 2; compares with the word and with the number' CODEC(ZSTD(1)),
    app_name LowCardinality(String) COMMENT 'APP-NAME or TAG' CODEC(ZSTD(1)),
    proc_id String COMMENT 'PROCID' CODEC(ZSTD(1)),
    msg_id LowCardinality(String) COMMENT 'MSGID or a vendor''s mnemonic' CODEC(ZSTD(1)),
    structured_data Map(String, String) COMMENT '<SD-ID>.<PARAM-NAME> to value' CODEC(ZSTD(1)),
    message String COMMENT 'MSG; bytes that are not UTF-8 stand as U+FFFD' CODEC(ZSTD(1)),
    sequence Nullable(UInt64) COMMENT 'sequence number that the sender gave' CODEC(ZSTD(1)),
    raw_header String COMMENT 'bytes as received before the message; all of them where message_in_raw is false' CODEC(ZSTD(1)),
    raw_trailer String COMMENT 'bytes as received after the message, a line break for example' CODEC(ZSTD(1)),
    message_in_raw Bool COMMENT 'the bytes as received hold message as it stands here' CODEC(ZSTD(1)),
    raw String ALIAS concat(raw_header, if(message_in_raw, message, ''), raw_trailer) COMMENT 'bytes as received',
    raw_bytes UInt64 ALIAS length(raw_header) + if(message_in_raw, length(message), 0) + length(raw_trailer) COMMENT 'length of raw, which need not be put together for it',
    INDEX message_words lower(message) TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking'),
    INDEX event_times event_time TYPE minmax GRANULARITY 1,
    INDEX received_times received_at TYPE minmax GRANULARITY 1,
    INDEX devices device TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toMonday(received_at)
ORDER BY (app_name, msg_id, event_time)
TTL toDateTime(received_at) + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
