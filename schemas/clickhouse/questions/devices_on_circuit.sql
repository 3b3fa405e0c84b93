-- Which devices were on this circuit at that time?
-- Parameter circuit String: the circuit id of option 82, as text.
-- Parameter remote String: the switch or line (remote id) that it belongs to; empty for any; default ''.
-- Parameter at DateTime64(3, 'UTC'): the moment; default now64(3).
-- Example: tocsin ask devices_on_circuit circuit=ge-0/0/7 remote=sw-b4
CREATE OR REPLACE VIEW tocsin.ask_devices_on_circuit AS
SELECT mac, ip, hostname, state, access, changed_at, lease_expires_at, remote_id, relay, server, site
FROM
(
    SELECT
        mac,
        family,
        argMax(h.ip, (h.changed_at, version)) AS ip,
        argMax(toString(h.state), (h.changed_at, version)) AS state,
        argMax(toString(h.access), (h.changed_at, version)) AS access,
        argMax(tuple(h.lease_expires_at), (h.changed_at, version)).1 AS lease_expires_at,
        argMax(h.hostname, (h.changed_at, version)) AS hostname,
        argMax(h.server, (h.changed_at, version)) AS server,
        argMax(h.relay, (h.changed_at, version)) AS relay,
        argMax(h.remote_id, (h.changed_at, version)) AS remote_id,
        argMax(h.circuit_id, (h.changed_at, version)) AS last_circuit_id,
        argMax(h.site, (h.changed_at, version)) AS site,
        max(h.changed_at) AS changed_at
    FROM tocsin.registration_history AS h
    WHERE h.changed_at <= {at:DateTime64(3, 'UTC')}
        AND mac IN (
            SELECT mac FROM tocsin.registration_history
            WHERE circuit_id = {circuit:String} AND changed_at <= {at:DateTime64(3, 'UTC')}
        )
    GROUP BY mac, family
)
WHERE last_circuit_id = {circuit:String}
    AND ({remote:String} = '' OR remote_id = {remote:String})
    AND state NOT IN ('expired', 'released', 'declined')
    AND (lease_expires_at IS NULL OR lease_expires_at > {at:DateTime64(3, 'UTC')})
ORDER BY mac
LIMIT 10000;
