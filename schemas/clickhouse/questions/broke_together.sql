-- What else broke within minutes of the newest occurrence of this alert?
-- Parameter fingerprint String: of the alert, 32 hexadecimal digits.
-- Parameter minutes UInt32: so many before and after it opened; default 5.
-- Example: tocsin ask broke_together fingerprint=0123456789abcdef0123456789abcdef minutes=5
CREATE OR REPLACE VIEW tocsin.ask_broke_together AS
WITH (SELECT maxOrNull(first_seen) FROM tocsin.alerts WHERE fingerprint = {fingerprint:String}) AS opened
SELECT
    dateDiff('second', opened, h.first_seen) AS seconds_after,
    any(h.severity) AS severity,
    any(h.device) AS device,
    any(h.source) AS source,
    any(h.check) AS check,
    any(h.summary) AS summary,
    fingerprint
FROM tocsin.alert_history AS h
WHERE h.transition_at BETWEEN opened - toIntervalMinute({minutes:UInt32}) AND opened + toIntervalMinute({minutes:UInt32})
    AND h.transition = 'opened' AND fingerprint != {fingerprint:String}
GROUP BY fingerprint, h.first_seen
ORDER BY seconds_after, fingerprint
LIMIT 1000;
