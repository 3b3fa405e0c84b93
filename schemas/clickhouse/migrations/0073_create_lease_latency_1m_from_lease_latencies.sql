-- Rolls lease_latencies up by the minute. The sink's deduplication covers it too, so a repeated insert is counted once, and a late answer is
-- added to the minute in which it was given.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.lease_latency_1m_from_lease_latencies TO tocsin.lease_latency_1m_states AS
SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfMinute(l.event_time), 'UTC') AS time,
    count() AS answers,
    quantilesExactWeightedState(0.5, 0.95, 0.99)(
        -- Rounded to the eight leading binary digits.
        reinterpretAsFloat32(bitAnd(reinterpretAsUInt32(toFloat32(l.latency_ms)) + 32768, 4294901760)), 1) AS latencies,
    max(l.latency_ms) AS latency_max_ms
FROM tocsin.lease_latencies AS l
GROUP BY server, scope, site, kind, time;
