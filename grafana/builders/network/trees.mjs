import { agentSilent, alertState, lasted, severity, toAlertOfRow, when } from '../columns.mjs';
import { dashboard, row, sitesOfAlerts } from '../dashboard.mjs';
import { above, blue, green, orange, red, words } from '../palette.mjs';
import { stat, table } from '../panels.mjs';
import { chosen, mostSilent, sql } from '../sql.mjs';

/** Alerts of trees: of the top event, and of the lost redundancy. */
const ofTrees = `source = 'tree' AND fingerprint_fields['tree'] != '' AND ${chosen('site')}`;
const active = "state IN ('open', 'flapping', 'suppressed')";
const isTop = "NOT mapContains(fingerprint_fields, 'redundancy')";

const treeStates = words({ down: red, 'one step away': orange, 'under another': blue, up: green });

export default dashboard({
  uid: 'tocsin-trees',
  title: 'Fault trees',
  description: 'Which fault trees are down, by what, and which would go down with one more failure.',
  from: 'now-24h',
  variables: [sitesOfAlerts],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Now',
        description:
          'Trees whose top event is true, trees that would go down with one more failure, alerts that page nobody because a tree does. Healthy: all zero. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          down: { thresholds: above({ 1: red }) },
          one_step_away: { title: 'one step away', thresholds: above({ 1: orange }) },
          under_trees: { title: 'alerts under a tree', thresholds: above({ 1: blue }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              countIf(${active} AND ${ofTrees} AND ${isTop}) AS down,
              countIf(${active} AND ${ofTrees} AND NOT (${isTop})) AS one_step_away,
              countIf(state = 'suppressed' AND startsWith(cause, 'tree:') AND ${chosen('site')}) AS under_trees,
              ${mostSilent} AS silent_for
          FROM tocsin.alerts`,
      }),
    ),
    row(
      9,
      table({
        id: 2,
        title: 'Trees',
        description:
          'Each tree that has ever told anything, the worst first: down, one step away from it, under another that is down, or up; and why. A tree that never lost a part is not here: `tocsin-rules explain` has all. Healthy: all up. Independent of the time range; at most 500 rows.',
        width: 24,
        empty: { tree: 'no tree has told anything yet' },
        columns: {
          stands: { title: 'state', values: treeStates, coloured: true, width: 110 },
          tree: { minWidth: 120, link: toAlertOfRow },
          lasted,
          why: { minWidth: 240 },
          site: { width: 90 },
          since: when,
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT
              multiIf(t.rank = 3, 'down', t.rank = 2, 'under another', t.rank = 1, 'one step away', 'up') AS stands,
              t.tree AS tree, if(t.rank = 0, NULL, dateDiff('second', t.its.2, now64(9))) AS lasted, if(t.rank = 0, '', t.its.3) AS why, t.its.4 AS site,
              if(t.rank = 0, t.its.5, t.its.2) AS since, t.its.1 AS fingerprint
          FROM
          (
              SELECT
                  fingerprint_fields['tree'] AS tree,
                  max(multiIf(NOT (${active}), 0, ${isTop} AND state = 'suppressed', 2, ${isTop}, 3, 1)) AS rank,
                  argMax((fingerprint, first_seen, summary, site, resolved_at), (${active}, ${isTop}, last_seen)) AS its
              FROM tocsin.alerts
              WHERE ${ofTrees}
              GROUP BY tree
          ) AS t
          ORDER BY t.rank DESC, since DESC
          LIMIT 500`,
      }),
    ),
    row(
      10,
      table({
        id: 3,
        title: 'What is down',
        description:
          'Parts that are down of trees that are down or one step away, the oldest first in each, with the alert behind each. Healthy: empty. Independent of the time range; at most 500 rows.',
        width: 12,
        empty: { part: 'nothing is down in any tree' },
        columns: {
          tree: { minWidth: 100 },
          part: { minWidth: 140, link: toAlertOfRow },
          severity_now: severity,
          state_now: alertState,
          lasted,
          summary: { minWidth: 180 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT
              p.tree AS tree, p.part.1 AS part, toInt8(a.severity) AS severity_now, toString(a.state) AS state_now,
              dateDiff('second', a.first_seen, now64(9)) AS lasted, a.summary AS summary, p.part.2 AS fingerprint
          FROM
          (
              SELECT fingerprint_fields['tree'] AS tree, ${isTop} AS top, arrayJoin(tree_down) AS part
              FROM tocsin.alerts
              WHERE ${active} AND ${ofTrees}
          ) AS p
          LEFT JOIN
          (
              SELECT fingerprint, severity, state, first_seen, summary
              FROM tocsin.alerts
              WHERE ${active}
          ) AS a ON a.fingerprint = p.part.2
          ORDER BY p.top DESC, p.tree, a.first_seen
          LIMIT 500`,
      }),
      table({
        id: 4,
        title: 'One step away',
        description:
          'Parts that must not fail now: any one of them takes its tree down. Healthy: empty. Independent of the time range; at most 500 rows.',
        width: 12,
        empty: { part: 'no tree has lost its redundancy' },
        columns: {
          tree: { minWidth: 100, link: toAlertOfRow },
          part: { title: 'must not fail', minWidth: 160 },
          site: { width: 90 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT fingerprint_fields['tree'] AS tree, arrayJoin(tree_next) AS part, site, fingerprint
          FROM tocsin.alerts
          WHERE ${active} AND ${ofTrees}
          ORDER BY tree, part
          LIMIT 500`,
      }),
    ),
  ],
});
