-- Which devices were on this circuit at that time?
-- Parameter circuit String: the circuit id of option 82, as text.
-- Parameter remote String: the switch or line (remote id) that it belongs to; empty for any; default ''.
-- Parameter at DateTime64(3, 'UTC'): the moment; default now.
-- Example: tocsin ask devices_on_circuit circuit=ge-0/0/7 remote=sw-b4
CREATE OR REPLACE VIEW tocsin.ask_devices_on_circuit AS
WITH
    -- The newest transition of each device on this circuit, where it left the device there.
    here AS
    (
        SELECT
            mac,
            family,
            max((h.changed_at, h.told_at)) AS newest,
            -- All of it at once: the transitions of a MAC are compared once, not once a column.
            argMax(tuple(h.ip, h.state, h.access, h.lease_expires_at, h.hostname, h.server, h.relay, h.remote_id, h.site), (h.changed_at, h.told_at)) AS known,
            known.1 AS ip,
            toString(known.2) AS state,
            toString(known.3) AS access,
            known.4 AS lease_expires_at,
            known.5 AS hostname,
            known.6 AS server,
            known.7 AS relay,
            known.8 AS remote_id,
            known.9 AS site
        FROM tocsin.registration_history AS h
        WHERE h.circuit_id = {circuit:String} AND h.changed_at <= {at:DateTime64(3, 'UTC')}
        GROUP BY mac, family
        HAVING state NOT IN ('expired', 'released', 'declined')
            AND (lease_expires_at IS NULL OR lease_expires_at > {at:DateTime64(3, 'UTC')})
            AND ({remote:String} = '' OR remote_id = {remote:String})
    )
SELECT mac, ip, hostname, state, access, newest.1 AS changed_at, lease_expires_at, remote_id, relay, server, site
FROM here
-- None that went elsewhere after it: whoever was still there has no older transition than the oldest of these.
WHERE (mac, family, newest) IN (
    SELECT mac, family, max((e.changed_at, e.told_at))
    FROM tocsin.registration_history AS e
    WHERE e.changed_at BETWEEN (SELECT minOrNull(newest.1) FROM here) AND {at:DateTime64(3, 'UTC')}
    GROUP BY mac, family
)
ORDER BY mac
LIMIT 10000;
