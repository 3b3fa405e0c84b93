-- Which share of the renewals of each DHCP server and scope were rebinds, that is, got no answer from their server?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -1d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask rebind_share since=-1d
CREATE OR REPLACE VIEW tocsin.ask_rebind_share AS
SELECT
    if(d.server = '', l.lease_server, toString(d.server)) AS server,
    relay,
    countIf(d.request_kind = 'renewing') AS renewals,
    countIf(d.request_kind = 'rebinding') AS rebinds,
    round(rebinds / (renewals + rebinds), 4) AS rebind_share,
    uniqIf(d.mac, d.request_kind = 'rebinding') AS clients
FROM tocsin.dhcp AS d
-- A broadcast names no server: it is the one that gave the lease.
LEFT JOIN (SELECT mac, toString(any(server)) AS lease_server FROM tocsin.registrations_latest WHERE server != '' GROUP BY mac) AS l USING (mac)
WHERE d.event_time BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    AND d.received_at BETWEEN {since:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND {until:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
    AND d.request_kind IN ('renewing', 'rebinding')
GROUP BY server, relay
ORDER BY rebind_share DESC
LIMIT 1000;
