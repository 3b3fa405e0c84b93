-- Rolls the hours of lease_latency_1h up by the day, late answers and repeated inserts as there.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.lease_latency_1d_from_lease_latency_1h TO tocsin.lease_latency_1d_states AS
SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfDay(s.time), 'UTC') AS time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMergeState(0.5, 0.95, 0.99)(s.latencies) AS latencies,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1h_states AS s
GROUP BY server, scope, site, kind, time;
