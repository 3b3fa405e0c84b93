import {
  agentSilent,
  alertedDevice,
  happened,
  heldBy,
  lasted,
  linkTo,
  onIt,
  onItSince,
  reason,
  severity,
  toAlertOfRow,
  toPageIn,
  when,
} from '../columns.mjs';
import { choice, dashboard, row, sitesOfAlerts } from '../dashboard.mjs';
import { above, blue, green, numbers, orange, purple, red, yellow } from '../palette.mjs';
import { stat, table } from '../panels.mjs';
import { chosen, mostSilent, sql, suppressedWithReasons, whatItIs } from '../sql.mjs';

const active = "state IN ('open', 'flapping')";
const shown = `${chosen('site')} AND ${chosen('source')}`;

export default dashboard({
  uid: 'tocsin-what-is-down',
  title: 'What is down',
  description: 'Home: what is down now, how fresh the data is, who was paged, what came back.',
  from: 'now-24h',
  variables: [
    sitesOfAlerts,
    choice(
      'source',
      'Source',
      'Monitor or rule that raised the alert',
      "SELECT DISTINCT source FROM tocsin.alerts_latest WHERE source != '' ORDER BY source",
    ),
  ],
  rows: [
    row(
      5,
      stat({
        id: 1,
        title: 'Open alerts by severity',
        description:
          'How many alerts are open now, by X.733 severity; then those that nobody is paged for, because something else explains them or work on them is planned; then open alerts that the chosen site or source hides; then for how long the most silent agent of the last day has reported nothing: with a red one the rest may be out of date. Healthy: grey zeros, and an agent below 15 s. Independent of the time range.',
        width: 24,
        decimals: 0,
        links: [
          linkTo('tocsin-storms', 'What is suppressed, and why', '${site:queryparam}&'),
          linkTo('tocsin-pipeline-balance', 'Pipeline balance'),
        ],
        fields: {
          critical: { thresholds: above({ 1: red }) },
          major: { thresholds: above({ 1: orange }) },
          minor: { thresholds: above({ 1: yellow }) },
          warning: { thresholds: above({ 1: blue }) },
          indeterminate: { thresholds: above({ 1: purple }) },
          explained: { title: 'explained by another', thresholds: above({ 1: blue }) },
          in_maintenance: { title: 'in maintenance', thresholds: above({ 1: blue }) },
          hidden: { title: 'hidden by the filter', thresholds: above({ 1: orange }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              countIf(severity = 'critical' AND ${active} AND ${shown}) AS critical,
              countIf(severity = 'major' AND ${active} AND ${shown}) AS major,
              countIf(severity = 'minor' AND ${active} AND ${shown}) AS minor,
              countIf(severity = 'warning' AND ${active} AND ${shown}) AS warning,
              countIf(severity IN ('indeterminate', 'cleared') AND ${active} AND ${shown}) AS indeterminate,
              countIf(state = 'suppressed' AND NOT startsWith(cause, 'maintenance:') AND ${shown}) AS explained,
              countIf(state = 'suppressed' AND startsWith(cause, 'maintenance:') AND ${shown}) AS in_maintenance,
              countIf(${active} AND NOT (${shown})) AS hidden,
              ${mostSilent} AS silent_for
          FROM tocsin.alerts`,
      }),
    ),
    row(
      14,
      table({
        id: 3,
        title: 'Open alerts',
        description:
          'Storms first, then every open alert, worst first, newest first among equals; before them a row for each agent that has fallen silent and one while a job is down, because nobody knows what they would tell. Who works on it stands beside it (`tocsin ack`). A click on the device shows the alert. Healthy: one row, "nothing is down". Independent of the time range; at most 500 rows.',
        width: 24,
        empty: { device_name: 'nothing is down' },
        columns: {
          severity,
          lasted,
          device_name: { ...alertedDevice, link: toPageIn('page') },
          check: { width: 76 },
          summary: { minWidth: 220 },
          on_it: onIt,
          on_it_since: onItSince,
          since: when,
          updates: { title: 'count', unit: 'short', decimals: 0, width: 70 },
          site: { width: 100 },
          source: { width: 110 },
          note: { width: 110 },
          page: { hidden: true },
        },
        query: sql`
          SELECT severity, lasted, device_name, check, summary, on_it, on_it_since, since, updates, site, source, note, page
          FROM
          (
              SELECT
                  member_count > 0 AS is_storm,
                  toInt8(severity) AS severity,
                  dateDiff('second', first_seen, now64(9)) AS lasted,
                  ${whatItIs} AS device_name,
                  check,
                  first_seen AS since,
                  summary,
                  acknowledged_by AS on_it,
                  acknowledged_at AS on_it_since,
                  update_count AS updates,
                  multiIf(member_count > 0, concat('storm of ', toString(member_count)), storm_id != '', 'in a storm', toString(state) = 'flapping', 'flapping', '') AS note,
                  site,
                  source,
                  concat('tocsin-alert?var-fingerprint=', fingerprint) AS page
              FROM tocsin.alerts
              WHERE ${active}
                AND ${shown}
              UNION ALL
              SELECT
                  0 AS is_storm,
                  7 AS severity,
                  dateDiff('second', max(t.reported_at), now64(9)) AS lasted,
                  toString(agent_id) AS device_name,
                  'agent' AS check,
                  toDateTime64(max(t.reported_at), 9, 'UTC') AS since,
                  'this agent reports nothing: what it would tell is not known' AS summary,
                  '' AS on_it,
                  NULL AS on_it_since,
                  0 AS updates,
                  '' AS note,
                  '' AS site,
                  '' AS source,
                  concat('tocsin-pipeline-balance?var-agent=', encodeURLComponent(toString(agent_id))) AS page
              FROM tocsin.listener_totals AS t
              GROUP BY agent_id
              HAVING lasted BETWEEN 60 AND 86400
              UNION ALL
              SELECT
                  0 AS is_storm,
                  7 AS severity,
                  dateDiff('second', min(j.told_at), now64(9)) AS lasted,
                  'jobs' AS device_name,
                  'job' AS check,
                  toDateTime64(min(j.told_at), 9, 'UTC') AS since,
                  concat('what it would tell is not known: ', argMax(j.summary, j.told_at)) AS summary,
                  '' AS on_it,
                  NULL AS on_it_since,
                  0 AS updates,
                  '' AS note,
                  '' AS site,
                  '' AS source,
                  'tocsin-runbook-job-down?' AS page
              FROM
              (
                  SELECT sent_at AS told_at, status, summary, maxIf(sent_at, status = 'resolved') OVER (PARTITION BY group_key) AS over_at
                  FROM tocsin.pages
                  WHERE group_labels['alertname'] = 'job-down' AND sent_at > now() - INTERVAL 7 DAY
              ) AS j
              WHERE j.status = 'firing' AND j.told_at > j.over_at
              HAVING count() > 0
          )
          ORDER BY severity = 7 DESC, is_storm DESC, severity DESC, since DESC
          LIMIT 500`,
      }),
    ),
    row(
      6,
      table({
        id: 6,
        title: 'Not paged',
        description:
          'Alerts that last and that nobody is paged for, by what explains them: a window of maintenance by its name, a storm by what its members share, an alert that others depend on. Healthy: empty, or planned. Independent of the time range; at most 100 rows.',
        width: 24,
        empty: { reason: 'nothing is held back' },
        columns: {
          severity: { ...severity, title: 'worst' },
          alerts: { unit: 'short', width: 76 },
          reason,
          held_by: heldBy,
          longest: { ...lasted, title: 'longest' },
          reason_page: { hidden: true },
        },
        query: sql`
          SELECT
              toInt8(max(h.severity)) AS severity, count() AS alerts, reason, held_by,
              dateDiff('second', min(h.first_seen), now64(9)) AS longest, any(h.reason_page) AS reason_page
          FROM
          (
              ${suppressedWithReasons(shown)}
          ) AS h
          GROUP BY held_by, reason
          ORDER BY severity DESC, alerts DESC
          LIMIT 100`,
      }),
    ),
    row(
      8,
      table({
        id: 4,
        title: 'Pages sent',
        description:
          'Notifications that Alertmanager delivered within the time range, newest first: who was told what. Healthy: few, one for each fault and not one for each alert. Not narrowed by site or source, because one page may cover several.',
        width: 12,
        empty: { summary: 'no page in this time range' },
        columns: {
          sent: happened,
          firing_now: {
            title: 'status',
            values: numbers([
              [1, 'firing', red],
              [0, 'resolved', green],
            ]),
            coloured: true,
            width: 80,
          },
          summary: { minWidth: 180, link: toAlertOfRow },
          firing: { title: 'alerts firing', width: 100 },
          resolved: { title: 'alerts over', width: 100 },
          receiver: { width: 110 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT
              sent_at AS sent,
              if(status = 'firing', 1, 0) AS firing_now,
              summary,
              firing,
              resolved,
              receiver,
              fingerprints[1] AS fingerprint
          FROM tocsin.pages
          WHERE $__timeFilter(sent_at)
          ORDER BY sent_at DESC
          LIMIT 100`,
      }),
      table({
        id: 5,
        title: 'Recently resolved',
        description:
          'Alerts that ended within the time range, newest end first, and how long each lasted. Healthy: what was down comes back here.',
        width: 12,
        empty: { device_name: 'nothing resolved in this time range' },
        columns: {
          ended: happened,
          device_name: alertedDevice,
          check: { width: 90 },
          lasted: { unit: 'dthms', width: 90 },
          summary: { minWidth: 180 },
          site: { width: 100 },
          source: { width: 110 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT
              resolved_at AS ended,
              ${whatItIs} AS device_name,
              check,
              dateDiff('second', first_seen, resolved_at) AS lasted,
              summary,
              site,
              source,
              fingerprint
          FROM tocsin.alerts
          WHERE state IN ('resolved', 'expired')
            AND $__timeFilter(resolved_at)
            AND ${shown}
          ORDER BY resolved_at DESC
          LIMIT 100`,
      }),
    ),
  ],
});
