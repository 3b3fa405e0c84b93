-- Keeps interface_load_1m in step with interface_counters. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.interface_load_1m_from_interface_counters TO tocsin.interface_load_1m AS
SELECT
    device,
    interface,
    toStartOfMinute(event_time) AS minute,
    sum(coalesce(c.in_bps, 0)) AS in_bps_sum,
    sum(coalesce(c.out_bps, 0)) AS out_bps_sum,
    max(coalesce(c.in_bps, 0)) AS in_bps_max,
    max(coalesce(c.out_bps, 0)) AS out_bps_max,
    max(coalesce(c.in_load, 0)) AS in_load_max,
    max(coalesce(c.out_load, 0)) AS out_load_max,
    countIf(c.interval_ms > 0) AS polls,
    sum(coalesce(c.out_discards_per_second, 0) * c.interval_ms / 1000) AS out_discards,
    sum(coalesce(c.in_errors_per_second, 0) * c.interval_ms / 1000) AS in_errors,
    countIf(c.oper_status != 'up') AS down_polls
FROM tocsin.interface_counters AS c
GROUP BY device, interface, minute;
