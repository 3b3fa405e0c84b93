-- Rolls link_probes up by the day. The sink's deduplication covers it too, so a repeated insert is counted once, and a late probe is
-- added to the day in which it was sent.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.wan_latency_1d_from_link_probes TO tocsin.wan_latency_1d_states AS
SELECT
    link_id,
    toStartOfDay(p.event_time, 'UTC') AS time,
    count() AS probes,
    countIf(p.lost) AS lost,
    quantilesExactWeightedState(0.5, 0.95, 0.99)(
        -- Rounded to the eight leading binary digits.
        CAST(reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(p.rtt_ms)) + 32768, 4294901760)), 'Nullable(Float32)'), 1) AS rtts,
    max(p.rtt_ms) AS rtt_max_ms
FROM tocsin.link_probes AS p
GROUP BY link_id, time;
