-- Keeps interface_load_1d in step with interface_load_1h. The sink's deduplication covers it too.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.interface_load_1d_from_interface_load_1h TO tocsin.interface_load_1d AS
SELECT
    device,
    interface,
    toStartOfDay(c.hour, 'UTC') AS day,
    sum(c.in_bps_sum) AS in_bps_sum,
    sum(c.out_bps_sum) AS out_bps_sum,
    max(c.in_bps_max) AS in_bps_max,
    max(c.out_bps_max) AS out_bps_max,
    max(c.in_load_max) AS in_load_max,
    max(c.out_load_max) AS out_load_max,
    sum(c.polls) AS polls,
    sum(c.out_discards) AS out_discards,
    sum(c.in_errors) AS in_errors,
    sum(c.down_polls) AS down_polls
FROM tocsin.interface_load_1h AS c
GROUP BY device, interface, day;
