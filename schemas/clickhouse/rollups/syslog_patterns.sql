-- What devices say, with the changing parts taken out: one row an application and pattern. Words that hold a digit become '*', so that addresses, ports
-- and counters do not make new patterns; 200 characters are kept. "Never seen before" is one read of first_seen, of the last 400 days.
-- Strangers choose the words, so the table is bounded: what is new while it has over 100,000 rows is kept for a day after it was last seen, unless it was
-- known before; at 200,000 rows nothing is added. So a flood of invented words leaves what was known, takes no more room than that, and a day after it ends
-- new patterns are seen again. The bound counts rows before they are merged, and one insert may go beyond it.
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
    example SimpleAggregateFunction(anyLast, String) COMMENT 'one message',
    kept_from SimpleAggregateFunction(max, DateTime) COMMENT 'rows are kept from here on: last_seen, or 399 days before it where there were too many'
)
ENGINE = AggregatingMergeTree
ORDER BY (app_name, msg_id, pattern)
TTL kept_from + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.syslog_patterns_from_syslog TO tocsin.syslog_patterns AS
WITH (SELECT count() FROM tocsin.syslog_patterns) AS kept
SELECT
    app_name,
    msg_id,
    substringUTF8(replaceRegexpAll(substring(s.message, 1, 400), '[^ 0-9]*[0-9][^ ]*', '*'), 1, 200) AS pattern,
    min(s.received_at) AS first_seen,
    max(s.received_at) AS last_seen,
    count() AS messages,
    min(toUInt8(s.severity)) AS severity,
    anyLast(s.device) AS device,
    anyLast(s.message) AS example,
    toDateTime(max(s.received_at)) - if(kept < 100000, 0, 399 * 86400) AS kept_from
FROM tocsin.syslog AS s
WHERE kept < 200000
GROUP BY app_name, msg_id, pattern;
