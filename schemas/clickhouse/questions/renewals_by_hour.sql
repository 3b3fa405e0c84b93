-- How many leases did each DHCP server renew in each hour, and how many clients had to rebind?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -1d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask renewals_by_hour since=-7d
CREATE OR REPLACE VIEW tocsin.ask_renewals_by_hour AS
SELECT
    toStartOfHour(d.event_time) AS hour,
    -- A broadcast names no server: it is the one that gave the lease.
    if(d.server = '', l.lease_server, toString(d.server)) AS server,
    countIf(d.request_kind = 'renewing') AS renewals,
    countIf(d.request_kind = 'rebinding') AS rebinds,
    uniqIf(d.mac, d.request_kind = 'rebinding') AS rebinding_clients
FROM tocsin.dhcp AS d
LEFT JOIN (SELECT mac, toString(any(server)) AS lease_server FROM tocsin.registrations_latest WHERE server != '' GROUP BY mac) AS l USING (mac)
WHERE d.event_time BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    AND d.received_at BETWEEN {since:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND {until:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
    AND d.request_kind IN ('renewing', 'rebinding')
GROUP BY hour, server
ORDER BY hour, server
LIMIT 10000;
