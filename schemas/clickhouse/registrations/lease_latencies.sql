-- How long DHCP servers took to answer: one row an offer or acknowledgement that was seen on the wire with its question. Ordered by server and
-- time, because dashboards ask for the servers of a short time. Where and how long it took is what lease_latency_1m, _1h and _1d keep when these
-- rows are gone; the messages themselves stay in dhcp. event_time is an agent's clock here, so it can part the table.
-- An answer that the registrations job told again after a failure is one row once parts are merged. The roll-ups count it twice: ten seconds of answers,
-- which is what the job tells again at most, change no percentile that people act on, and keeping each answer's identity would make them as large as this.
-- Shard: server
CREATE TABLE IF NOT EXISTS tocsin.lease_latencies
(
    event_id String COMMENT 'the answer''s event' CODEC(ZSTD(1)),
    event_time DateTime64(9, 'UTC') COMMENT 'when the server answered' CODEC(Delta, ZSTD(1)),
    kind Enum8('offer' = 1, 'ack' = 2) COMMENT 'offer: to a DISCOVER or SOLICIT; ack: to a request, be it new, renewing or rebinding',
    family UInt8 COMMENT '4 or 6' CODEC(ZSTD(1)),
    mac String COMMENT 'hardware address of the client, lower case with colons' CODEC(ZSTD(1)),
    ip String COMMENT 'address that the answer is about' CODEC(ZSTD(1)),
    server LowCardinality(String) COMMENT 'server that answered',
    scope LowCardinality(String) COMMENT 'relay agent, else the subnet of the address',
    relay LowCardinality(String) COMMENT 'relay agent that it came through; empty without one',
    site LowCardinality(String) COMMENT 'configured place',
    latency_ms Float64 COMMENT 'from the question to this answer, milliseconds; a question that was sent again counts from its first' CODEC(ZSTD(1))
)
ENGINE = ReplacingMergeTree
PARTITION BY toMonday(event_time)
ORDER BY (server, kind, event_time, event_id)
TTL toDateTime(event_time) + INTERVAL 120 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;
