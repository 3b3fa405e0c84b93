-- How many clients of each DHCP server and relay got an address within this time, and how many were refused one?
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -30d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Example: tocsin ask leases_by_relay since=-7d
CREATE OR REPLACE VIEW tocsin.ask_leases_by_relay AS
SELECT
    server,
    relay,
    sum(s.clients) AS clients,
    sum(s.not_registered) AS not_registered,
    sum(s.expired) AS leases_expired,
    sum(s.no_free_leases) AS no_free_leases,
    sum(s.naks) AS naks,
    sum(s.declines) AS declines
FROM
(
    SELECT
        toString(h.server) AS server,
        toString(h.relay) AS relay,
        uniqExactIf(h.mac, h.state IN ('bound', 'renewing', 'rebinding')) AS clients,
        uniqExactIf(h.mac, h.state IN ('bound', 'renewing', 'rebinding') AND h.access != 'allowed') AS not_registered,
        uniqExactIf(h.transition_id, h.state = 'expired') AS expired,
        0 AS no_free_leases,
        0 AS naks,
        0 AS declines
    FROM tocsin.registration_history AS h
    WHERE h.changed_at >= {since:DateTime64(3, 'UTC')} AND h.changed_at < {until:DateTime64(3, 'UTC')}
    GROUP BY server, relay
    UNION ALL
    SELECT
        toString(d.server) AS server,
        toString(d.relay) AS relay,
        0, 0, 0,
        countIf(d.message_type = 'no_free_leases'),
        countIf(d.message_type = 'nak'),
        countIf(d.message_type IN ('decline', 'v6_decline'))
    FROM tocsin.dhcp AS d
    WHERE d.event_time >= {since:DateTime64(3, 'UTC')} AND d.event_time < {until:DateTime64(3, 'UTC')}
        AND d.received_at BETWEEN {since:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND {until:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
        AND d.message_type IN ('no_free_leases', 'nak', 'decline', 'v6_decline')
    GROUP BY server, relay
) AS s
GROUP BY server, relay
ORDER BY no_free_leases DESC, clients DESC, server, relay
LIMIT 1000;
