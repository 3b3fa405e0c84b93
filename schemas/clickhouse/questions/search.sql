-- Which messages hold all these words, in any order, whatever their case?
-- Parameter words String: words, separated by blanks or punctuation; letters and digits count.
-- Parameter device String: only this device, under its older names too; default ''.
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -1d.
-- Parameter until DateTime64(3, 'UTC'): up to this time; default now.
-- Parameter count UInt32: at most so many, newest first; default 100.
-- Example: tocsin ask search words='bgp hold time expired' since=-7d
CREATE OR REPLACE VIEW tocsin.ask_search AS
SELECT event_time, device, site, severity, app_name, msg_id, message, event_id
FROM tocsin.syslog
WHERE hasAllTokens(lower(message), tokens(lower({words:String}), 'splitByNonAlpha'))
    AND event_time BETWEEN {since:DateTime64(3, 'UTC')} AND {until:DateTime64(3, 'UTC')}
    AND received_at BETWEEN {since:DateTime64(3, 'UTC')} - INTERVAL 1 DAY AND {until:DateTime64(3, 'UTC')} + INTERVAL 1 DAY
    AND ({device:String} = '' OR has(arrayPushBack((SELECT groupArray(n.alias) FROM tocsin.device_names AS n FINAL WHERE n.name = {device:String}), {device:String}), device))
ORDER BY event_time DESC
LIMIT {count:UInt32};
