-- Rows stored per run of an agent, listener, kind and minute: how much of what arrives when. The sink's deduplication covers its materialized views too,
-- so a repeated insert is counted once.
CREATE TABLE IF NOT EXISTS tocsin.stored_events_1m
(
    agent_id LowCardinality(String),
    boot_id UInt64,
    listener LowCardinality(String),
    kind LowCardinality(String) COMMENT 'table the rows stand in',
    minute DateTime('UTC') COMMENT 'of received_at',
    stored UInt64 COMMENT 'rows',
    bytes UInt64 COMMENT 'bytes of raw'
)
ENGINE = SummingMergeTree((stored, bytes))
PARTITION BY toYYYYMM(minute)
ORDER BY (agent_id, boot_id, listener, kind, minute)
TTL minute + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 1000, ttl_only_drop_parts = 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_syslog TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'syslog' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(raw_bytes) AS bytes
FROM tocsin.syslog
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_alert_updates TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'alert_updates' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.alert_updates
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_dhcp TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'dhcp' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.dhcp
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_snmp_traps TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'snmp_traps' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.snmp_traps
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_interface_counters TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'interface_counters' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.interface_counters
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_gauges TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'gauges' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.gauges
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_link_probes TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'link_probes' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.link_probes
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_dns_answers TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'dns_answers' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.dns_answers
GROUP BY agent_id, boot_id, listener, minute;

CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_sequence_gaps TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'sequence_gaps' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.sequence_gaps
GROUP BY agent_id, boot_id, listener, minute;

-- What another agent of its group had told before is stored as this alone: its kept_event_id has the bytes.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_duplicates TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'duplicates' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    0 AS bytes
FROM tocsin.duplicates
GROUP BY agent_id, boot_id, listener, minute;

-- A reject counts where it stands for a record that Kafka acknowledged to the agent and that is
-- stored nowhere else:
--   framing, parse: the agent's own rejects.
--   archive: an event that fits no table. It keeps its agent_id, boot_id and listener. A record that does not decode has none of them;
--     balance looks for what an agent reported, so its row closes nothing and opens nothing.
-- Not counted:
--   publish: the agent counts the event as dropped, and the reject in its place neither as malformed nor as acked.
--   alerts: the archive stores the event itself.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.stored_events_1m_from_rejects TO tocsin.stored_events_1m AS
SELECT
    agent_id,
    boot_id,
    listener,
    'rejects' AS kind,
    toStartOfMinute(received_at) AS minute,
    count() AS stored,
    sum(length(raw)) AS bytes
FROM tocsin.rejects
WHERE stage IN ('framing', 'parse', 'archive')
GROUP BY agent_id, boot_id, listener, minute;
