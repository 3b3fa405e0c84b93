-- Learns from every probe where its link leaves.
CREATE MATERIALIZED VIEW IF NOT EXISTS tocsin.links_seen_from_link_probes TO tocsin.links_seen AS
SELECT
    link_id,
    device,
    interface,
    min(p.received_at) AS first_seen,
    max(p.received_at) AS last_seen
FROM tocsin.link_probes AS p
GROUP BY link_id, device, interface;
