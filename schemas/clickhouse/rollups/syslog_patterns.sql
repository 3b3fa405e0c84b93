-- What devices say, with the changing parts taken out: one row an application and pattern, for ever. Words that hold a digit become '*', so
-- that addresses, ports and counters do not make new patterns; 200 characters are kept. "Never seen before" is one read of first_seen.
CREATE TABLE IF NOT EXISTS tocsin.syslog_patterns
(
    app_name LowCardinality(String) COMMENT 'APP-NAME or TAG',
    msg_id LowCardinality(String) COMMENT 'MSGID or a vendor''s mnemonic',
    pattern String COMMENT 'message without its changing parts' CODEC(ZSTD(1)),
    first_seen SimpleAggregateFunction(min, DateTime64(9, 'UTC')) COMMENT 'received_at of the first',
    last_seen SimpleAggregateFunction(max, DateTime64(9, 'UTC')) COMMENT 'received_at of the newest',
    messages SimpleAggregateFunction(sum, UInt64) COMMENT 'how many',
    severity SimpleAggregateFunction(min, UInt8) COMMENT 'the worst severity, RFC 5424 table 2',
    device SimpleAggregateFunction(anyLast, LowCardinality(String)) COMMENT 'one device that said it',
    example SimpleAggregateFunction(anyLast, String) COMMENT 'one message'
)
ENGINE = AggregatingMergeTree
ORDER BY (app_name, msg_id, pattern)
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_patterns_from_syslog TO tocsin.syslog_patterns AS
SELECT
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
GROUP BY app_name, msg_id, pattern;
