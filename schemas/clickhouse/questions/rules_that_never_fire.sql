-- Which rules have opened no alert since this time, of those that ever did and of those that are named?
-- Parameter rules String: names of rules, parted by blanks, commas or line breaks, as `tocsin-rules list` shows them; default ''.
-- Parameter since DateTime64(3, 'UTC'): from this time on; default -90d.
-- Example: tocsin ask rules_that_never_fire since=-90d
CREATE OR REPLACE VIEW tocsin.ask_rules_that_never_fire AS
SELECT
    rule,
    maxOrNull(r.opened_at) AS last_fired,
    dateDiff('day', last_fired, now64(3)) AS days_ago
FROM
(
    -- An alert's newest occurrence is enough: no transition is read.
    SELECT toString(a.rule) AS rule, toNullable(a.first_seen) AS opened_at
    FROM tocsin.alerts_latest AS a
    WHERE a.rule != ''
    UNION ALL
    SELECT arrayJoin(extractAll({rules:String}, '[^\\s,]+')) AS rule, NULL AS opened_at
) AS r
GROUP BY rule
HAVING last_fired IS NULL OR last_fired < {since:DateTime64(3, 'UTC')}
ORDER BY last_fired NULLS FIRST, rule
LIMIT 10000;
