-- Where has this device been plugged in, and which addresses did it have there?
-- Parameter mac String: its hardware address, in any notation.
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask where_has_mac_been mac=02:00:00:00:00:2a since=-30d
CREATE OR REPLACE VIEW tocsin.ask_where_has_mac_been AS
SELECT
    min(changed_at) AS first_seen,
    max(changed_at) AS last_seen,
    any(relay) AS relay,
    any(remote_id) AS remote_id,
    any(circuit_id) AS circuit_id,
    any(ip) AS ip,
    any(site) AS site,
    argMax(toString(state), (changed_at, told_at)) AS last_state,
    uniqExact(transition_id) AS transitions
FROM
(
    SELECT *, sum(is_new) OVER (PARTITION BY family ORDER BY changed_at, told_at) AS stay
    FROM
    (
        SELECT
            *,
            (relay, remote_id, circuit_id, ip) != lagInFrame((relay, remote_id, circuit_id, ip), 1, ('', '', '', ''))
                OVER (PARTITION BY family ORDER BY changed_at, told_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS is_new
        FROM
        (
            SELECT
                changed_at,
                told_at,
                transition_id,
                family,
                toString(relay) AS relay,
                toString(remote_id) AS remote_id,
                toString(circuit_id) AS circuit_id,
                ip,
                site,
                state
            FROM tocsin.registration_history
            WHERE mac = arrayStringConcat(extractAll(replaceRegexpAll(lower({mac:String}), '[^0-9a-f]', ''), '..'), ':')
                AND changed_at BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
                AND ip != ''
        )
    )
)
GROUP BY family, stay
ORDER BY first_seen
LIMIT 10000;
