-- Rolls the minutes of lease_latency_1m up by the hour, late answers and repeated inserts as there.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.lease_latency_1h_from_lease_latency_1m TO tocsin.lease_latency_1h_states AS
SELECT
    server,
    scope,
    site,
    kind,
    toDateTime(toStartOfHour(s.time), 'UTC') AS time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMergeState(0.5, 0.95, 0.99)(s.latencies) AS latencies,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1m_states AS s
GROUP BY server, scope, site, kind, time;
