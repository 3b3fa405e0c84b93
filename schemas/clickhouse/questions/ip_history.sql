-- Who had this address within this time, and from when to when?
-- Parameter ip String: the address, as text.
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -7d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask ip_history ip=10.1.2.3 during=2026-11-17
CREATE OR REPLACE VIEW tocsin.ask_ip_history AS
SELECT
    mac,
    any(s.hostname) AS hostname,
    min(s.changed_at) AS had_from,
    -- NULL: it has it still.
    if(max(s.held_until) > now64(9), NULL, max(s.held_until)) AS had_until,
    any(s.server) AS server,
    any(s.relay) AS relay,
    any(s.remote_id) AS remote_id,
    any(s.circuit_id) AS circuit_id,
    any(s.site) AS site
FROM
(
    SELECT *, sum(is_new) OVER (PARTITION BY mac, family ORDER BY changed_at, told_at) AS stay
    FROM
    (
        SELECT
            mac, family, told_at, changed_at, hostname, server, relay, remote_id, circuit_id, site,
            h.ip = {ip:String} AND h.state IN ('bound', 'renewing', 'rebinding') AS is_holder,
            is_holder != lagInFrame(is_holder, 1, 0) OVER run AS is_new,
            least(leadInFrame(h.changed_at, 1, toDateTime64('2200-01-01', 9, 'UTC')) OVER run, coalesce(h.lease_expires_at, toDateTime64('2200-01-01', 9, 'UTC'))) AS held_until
        FROM tocsin.registration_history AS h
        WHERE mac IN (SELECT mac FROM tocsin.registration_history WHERE ip = {ip:String} AND changed_at <= {until:DateTime64(3, 'UTC')})
        WINDOW run AS (PARTITION BY mac, family ORDER BY changed_at, told_at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
    )
) AS s
WHERE s.is_holder
GROUP BY mac, family, stay
HAVING min(s.changed_at) <= {until:DateTime64(3, 'UTC')} AND max(s.held_until) >= {since:DateTime64(3, 'UTC')}
ORDER BY min(s.changed_at)
LIMIT 1000;
