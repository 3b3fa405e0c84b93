-- Who had this address at that time?
-- Parameter ip String: the address, as text.
-- Parameter at DateTime64(3, 'UTC'): the moment; default now.
-- Example: tocsin ask who_had_ip ip=10.1.2.3 at='2026-11-20 14:05:00'
CREATE OR REPLACE VIEW tocsin.ask_who_had_ip AS
SELECT mac, hostname, state, access, since, lease_expires_at, server, relay, remote_id, circuit_id, site
FROM
(
    SELECT
        mac,
        family,
        argMax(h.ip, (h.changed_at, told_at)) AS held_ip,
        argMax(toString(h.state), (h.changed_at, told_at)) AS state,
        argMax(toString(h.access), (h.changed_at, told_at)) AS access,
        argMax(tuple(h.lease_expires_at), (h.changed_at, told_at)).1 AS lease_expires_at,
        argMax(h.hostname, (h.changed_at, told_at)) AS hostname,
        argMax(h.server, (h.changed_at, told_at)) AS server,
        argMax(h.relay, (h.changed_at, told_at)) AS relay,
        argMax(h.remote_id, (h.changed_at, told_at)) AS remote_id,
        argMax(h.circuit_id, (h.changed_at, told_at)) AS circuit_id,
        argMax(h.site, (h.changed_at, told_at)) AS site,
        maxIf(changed_at, h.previous_ip != h.ip AND h.ip = {ip:String}) AS since
    FROM tocsin.registration_history AS h
    WHERE changed_at <= {at:DateTime64(3, 'UTC')}
        AND mac IN (SELECT mac FROM tocsin.registration_history WHERE ip = {ip:String} AND changed_at <= {at:DateTime64(3, 'UTC')})
    GROUP BY mac, family
)
WHERE held_ip = {ip:String}
    AND state IN ('bound', 'renewing', 'rebinding')
    AND (lease_expires_at IS NULL OR lease_expires_at > {at:DateTime64(3, 'UTC')})
ORDER BY since DESC
LIMIT 100;
