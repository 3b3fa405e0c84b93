CREATE TABLE tocsin.bench_queue
(
    event_id String,
    agent_id String,
    boot_id UInt64,
    sequence UInt64,
    listener String,
    received_at_unix_nanos Int64,
    event_time_unix_nanos Int64,
    source_ip String,
    device String,
    site String,
    raw String,
    syslog Tuple(
        facility Int8,
        severity Int8,
        app_name String,
        proc_id String,
        msg_id String,
        structured_data Map(String, String),
        message String,
        sequence Nullable(UInt64))
)
ENGINE = Kafka
SETTINGS kafka_broker_list = '{broker}', kafka_topic_list = 'events-syslog-v1', kafka_group_name = '{group}', kafka_format = 'ProtobufSingle',
    kafka_schema = '{schema}:Event', {setting};
CREATE MATERIALIZED VIEW tocsin.bench_to_syslog TO tocsin.syslog AS
SELECT
    if(event_id = concat(agent_id, '-', lower(hex(boot_id)), '-', toString(sequence)), '', event_id) AS given_event_id,
    agent_id,
    boot_id,
    sequence AS agent_sequence,
    listener,
    fromUnixTimestamp64Nano(received_at_unix_nanos, 'UTC') AS received_at,
    fromUnixTimestamp64Nano(event_time_unix_nanos, 'UTC') AS event_time,
    CAST(toFixedString(source_ip, 16) AS IPv6) AS source_ip,
    device,
    site,
    endsWith(raw, syslog.message) AS message_in_raw,
    if(message_in_raw, left(raw, length(raw) - length(syslog.message)), raw) AS raw_header,
    syslog.facility AS facility,
    syslog.severity AS severity,
    syslog.app_name AS app_name,
    syslog.proc_id AS proc_id,
    syslog.msg_id AS msg_id,
    syslog.structured_data AS structured_data,
    syslog.message AS message,
    syslog.sequence AS sequence
FROM tocsin.bench_queue
