-- What did each listener lose, and what buffer did it have?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -1d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask drops since=-7d
CREATE OR REPLACE VIEW tocsin.ask_drops AS
SELECT
    agent_id,
    listener,
    sum(r.received) AS received,
    sum(r.kernel_dropped) AS kernel_dropped,
    sum(r.malformed) AS malformed,
    sum(r.dropped) AS dropped,
    max(r.peak) AS buffer_peak_bytes,
    max(r.limit) AS buffer_limit_bytes
FROM
(
    SELECT
        agent_id,
        listener,
        boot_id,
        -- Counters begin with the run: its first report already holds what came before it.
        fromUnixTimestamp64Nano(toInt64(boot_id), 'UTC') >= {since:DateTime64(3, 'UTC')} AS is_whole,
        max(s.received) - if(is_whole, 0, min(s.received)) AS received,
        max(s.kernel_dropped) - if(is_whole, 0, min(s.kernel_dropped)) AS kernel_dropped,
        max(s.malformed) - if(is_whole, 0, min(s.malformed)) AS malformed,
        max(s.dropped) - if(is_whole, 0, min(s.dropped)) AS dropped,
        max(s.buffer_peak_bytes) AS peak,
        max(s.buffer_limit_bytes) AS limit
    FROM tocsin.agent_stats AS s
    WHERE s.received_at BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    GROUP BY agent_id, listener, boot_id
) AS r
GROUP BY agent_id, listener
ORDER BY kernel_dropped DESC, agent_id, listener
LIMIT 10000;
