-- One row a link and day in which it was probed. Percentiles are by rank, as quantileExactWeighted gives them, of the answered probes; NULL
-- where none was.
CREATE VIEW IF NOT EXISTS tocsin.wan_latency_1d AS
SELECT
    link_id,
    time,
    sum(s.probes) AS probes,
    sum(s.lost) AS lost,
    quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.rtts) AS percentiles,
    if(probes = lost, NULL, percentiles[1]) AS rtt_p50_ms,
    if(probes = lost, NULL, percentiles[2]) AS rtt_p95_ms,
    if(probes = lost, NULL, percentiles[3]) AS rtt_p99_ms,
    max(s.rtt_max_ms) AS rtt_max_ms
FROM tocsin.wan_latency_1d_states AS s
GROUP BY link_id, time;
