-- On which switch ports are devices that nobody has registered?
-- Parameter count UInt32: at most so many ports, those with most devices first; default 200.
-- Example: tocsin ask unregistered_by_port count=50
CREATE OR REPLACE VIEW tocsin.ask_unregistered_by_port AS
SELECT
    remote_id,
    circuit_id,
    relay,
    any(r.site) AS site,
    count() AS devices,
    max(r.changed_at) AS newest,
    arraySlice(arraySort(groupArray(concat(r.mac, if(r.hostname = '', '', concat(' ', r.hostname))))), 1, 5) AS examples
FROM tocsin.registrations AS r
WHERE r.access != 'allowed' AND r.state IN ('bound', 'renewing', 'rebinding')
GROUP BY remote_id, circuit_id, relay
ORDER BY devices DESC, newest DESC
LIMIT {count:UInt32};
