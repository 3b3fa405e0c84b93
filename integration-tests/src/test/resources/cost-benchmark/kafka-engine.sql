CREATE TABLE peer.queue
(
    received_at String,
    event_time String,
    source_ip String,
    device String,
    facility String,
    severity String,
    app_name String,
    proc_id String,
    msg_id String,
    structured_data String,
    message String,
    raw String
)
ENGINE = Kafka
SETTINGS kafka_broker_list = '{broker}', kafka_topic_list = 'events-syslog-v1', kafka_group_name = 'peer', kafka_format = 'JSONEachRow',
    kafka_flush_interval_ms = 1000;
CREATE MATERIALIZED VIEW peer.to_syslog TO peer.syslog AS
SELECT
    'rsyslog' AS agent_id,
    'syslog-udp' AS listener,
    parseDateTime64BestEffort(q.received_at, 9, 'UTC') AS received_at,
    parseDateTime64BestEffort(q.event_time, 9, 'UTC') AS event_time,
    toIPv6(q.source_ip) AS source_ip,
    device,
    toInt8(q.facility) AS facility,
    toInt8(q.severity) AS severity,
    app_name,
    proc_id,
    msg_id,
    mapFromArrays(extractAll(q.structured_data, ' (\\w+)='), extractAll(q.structured_data, '="([^"]*)"')) AS structured_data,
    message,
    toUInt64OrNull(structured_data['sequenceId']) AS sequence,
    endsWith(raw, message) AS message_in_raw,
    if(message_in_raw, left(raw, length(raw) - length(message)), raw) AS raw_header
FROM peer.queue AS q
