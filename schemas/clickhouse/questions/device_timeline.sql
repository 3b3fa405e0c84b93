-- What happened around this time on this device, of every kind, in order, where clocks are less than a day wrong?
-- Parameter device String: its name, as events carry it; what is stored under its older names is there too.
-- Parameter at DateTime64(3, 'UTC'): the moment; default now.
-- Parameter minutes UInt32: so many before and after it; default 5.
-- Example: tocsin ask device_timeline device=core-001 at='2026-11-20 14:05:00'
CREATE OR REPLACE VIEW tocsin.ask_device_timeline AS
WITH
    {at:DateTime64(3, 'UTC')} - toIntervalMinute({minutes:UInt32}) AS first,
    {at:DateTime64(3, 'UTC')} + toIntervalMinute({minutes:UInt32}) AS last,
    arrayPushBack((SELECT groupArray(n.alias) FROM tocsin.device_names AS n FINAL WHERE n.name = {device:String}), {device:String}) AS names
SELECT time, kind, severity, text, event_id
FROM
(
    SELECT event_time AS time, 'syslog' AS kind, toString(s.severity) AS severity, concat(app_name, if(msg_id = '', '', concat(' ', msg_id)), ': ', message) AS text, event_id
    FROM tocsin.syslog AS s
    WHERE has(names, device) AND event_time BETWEEN first AND last AND received_at BETWEEN first - INTERVAL 1 DAY AND last + INTERVAL 1 DAY
    UNION ALL
    SELECT event_time, 'alert update', toString(u.severity), concat(toString(action), ' ', source, '/', check, ': ', summary), event_id
    FROM tocsin.alert_updates AS u
    WHERE has(names, device) AND event_time BETWEEN first AND last AND received_at BETWEEN first - INTERVAL 1 DAY AND last + INTERVAL 1 DAY
    UNION ALL
    SELECT event_time, 'trap', '', concat(trap_name, ' ', toString(varbinds)), event_id
    FROM tocsin.snmp_traps
    WHERE has(names, device) AND event_time BETWEEN first AND last AND received_at BETWEEN first - INTERVAL 1 DAY AND last + INTERVAL 1 DAY
    UNION ALL
    SELECT event_time, 'sequence gap', 'warning', concat(toString(missing), ' messages of this device were lost on their way'), event_id
    FROM tocsin.sequence_gaps
    WHERE has(names, device) AND event_time BETWEEN first AND last AND received_at BETWEEN first - INTERVAL 1 DAY AND last + INTERVAL 1 DAY
    UNION ALL
    SELECT transition_at, 'alert', toString(h.severity), concat(toString(transition), ' ', source, '/', check, ': ', summary), event_id
    FROM tocsin.alert_history AS h
    WHERE has(names, device) AND transition_at BETWEEN first AND last
    UNION ALL
    SELECT event_time, 'interface', '', concat(interface, ' is ', toString(oper_status)), event_id
    FROM tocsin.interface_counters
    WHERE has(names, device) AND event_time BETWEEN first AND last AND received_at BETWEEN first - INTERVAL 1 DAY AND last + INTERVAL 1 DAY
        AND oper_status != 'up' AND admin_status = 'up'
    UNION ALL
    SELECT started_at, 'WAN episode', '', concat(link_id, ' ', toString(kind), ', cause ', toString(cause)), event_id
    FROM tocsin.wan_episodes FINAL
    WHERE has(names, device) AND started_at BETWEEN first AND last
)
ORDER BY time
LIMIT 10000;
