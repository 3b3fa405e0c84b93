-- One row a server, scope, site, kind and minute in which it answered. Percentiles are by rank, as quantileExactWeighted gives them, of the
-- answers.
CREATE VIEW IF NOT EXISTS tocsin.lease_latency_1m AS
SELECT
    server,
    scope,
    site,
    kind,
    time,
    sum(s.answers) AS answers,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies) AS percentiles,
    percentiles[1] AS latency_p50_ms,
    percentiles[2] AS latency_p95_ms,
    percentiles[3] AS latency_p99_ms,
    max(s.latency_max_ms) AS latency_max_ms
FROM tocsin.lease_latency_1m_states AS s
GROUP BY server, scope, site, kind, time;
