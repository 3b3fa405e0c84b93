import { ago, linkTo, severity, toAlertOfRow } from '../columns.mjs';
import { alertsAndMaintenance, choice, dashboard, row, sites } from '../dashboard.mjs';
import { above, blue, green, numbers, orange, purple, red, yellow } from '../palette.mjs';
import { stat, table } from '../panels.mjs';
import { chosen, sql } from '../sql.mjs';

const shortName = "if(isIPv4String(device) OR isIPv6String(device), device, splitByChar('.', device)[1])";

export default dashboard({
  uid: 'tocsin-what-is-down',
  title: 'What is down',
  shows: 'What is down now?',
  description: 'Home: what is down now, how fresh the data is, who was paged, what came back.',
  refresh: '10s',
  from: 'now-24h',
  variables: [
    sites("SELECT DISTINCT site FROM tocsin.alerts_latest WHERE site != '' ORDER BY site"),
    choice(
      'source',
      'Source',
      'Monitor or rule that raised the alert',
      "SELECT DISTINCT source FROM tocsin.alerts_latest WHERE source != '' ORDER BY source",
    ),
  ],
  annotations: [...alertsAndMaintenance(chosen('site'))],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Open alerts by severity',
        description: 'How many alerts are open now, by X.733 severity. Healthy: all grey zeros. Independent of the time range.',
        width: 16,
        decimals: 0,
        fields: {
          critical: { thresholds: above({ 1: red }) },
          major: { thresholds: above({ 1: orange }) },
          minor: { thresholds: above({ 1: yellow }) },
          warning: { thresholds: above({ 1: blue }) },
          indeterminate: { thresholds: above({ 1: purple }) },
        },
        query: sql`
          SELECT
              countIf(severity = 'critical') AS critical,
              countIf(severity = 'major') AS major,
              countIf(severity = 'minor') AS minor,
              countIf(severity = 'warning') AS warning,
              countIf(severity IN ('indeterminate', 'cleared')) AS indeterminate
          FROM tocsin.alerts
          WHERE state IN ('open', 'flapping')
            AND ${chosen('site')}
            AND ${chosen('source')}`,
      }),
      stat({
        id: 2,
        title: 'Age of the data',
        description:
          'Seconds since any agent last reported, and how many agents seen in the last day have been silent for over 15 s. Agents report each second. Healthy: below 10 s, none silent. When this is red, the alerts below may be out of date. Independent of the time range.',
        width: 8,
        links: [linkTo('tocsin-pipeline-balance', 'Pipeline balance')],
        empty: 'no agent report for a day',
        fields: {
          newest_report: { title: 'newest report', unit: 's', decimals: 0, thresholds: above({ 10: yellow, 60: red }, green) },
          silent_agents: { title: 'silent agents', unit: 'none', decimals: 0, thresholds: above({ 1: red }, green) },
        },
        query: sql`
          SELECT
              min(age) AS newest_report,
              countIf(age > 15) AS silent_agents
          FROM
          (
              SELECT agent_id, greatest(dateDiff('second', max(received_at), now64(9)), 0) AS age
              FROM tocsin.agent_stats
              WHERE received_at >= now() - INTERVAL 1 DAY
              GROUP BY agent_id
          )
          HAVING count() > 0`,
      }),
    ),
    row(
      12,
      table({
        id: 3,
        title: 'Open alerts',
        description:
          'Every open alert, worst first, newest first among equals; members of a storm stand behind their storm. Device is the short host name. A click on the device shows the alert. Healthy: empty. Independent of the time range; at most 500 rows.',
        width: 24,
        empty: 'nothing is down',
        columns: {
          severity,
          device_name: { title: 'device', width: 110, link: toAlertOfRow },
          check: { width: 90 },
          since: ago(120),
          summary: { minWidth: 200 },
          updates: { title: 'count', unit: 'short', decimals: 0, width: 70 },
          site: { width: 100 },
          source: { width: 110 },
          note: { width: 110 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT
              toInt8(severity) AS severity,
              ${shortName} AS device_name,
              check,
              first_seen AS since,
              summary,
              update_count AS updates,
              multiIf(member_count > 0, concat('storm of ', toString(member_count)), storm_id != '', 'in a storm', toString(state) = 'flapping', 'flapping', '') AS note,
              site,
              source,
              fingerprint
          FROM tocsin.alerts
          WHERE state IN ('open', 'flapping')
            AND ${chosen('site')}
            AND ${chosen('source')}
          ORDER BY toInt8(severity) DESC, first_seen DESC
          LIMIT 500`,
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
        empty: 'no page in this time range',
        columns: {
          sent: ago(120),
          firing_now: {
            title: 'status',
            values: numbers([
              [1, 'firing', red],
              [0, 'resolved', green],
            ]),
            cell: 'text',
            width: 80,
          },
          summary: { minWidth: 180 },
          firing: { title: 'alerts firing', width: 100 },
          resolved: { title: 'alerts over', width: 100 },
          receiver: { width: 110 },
        },
        query: sql`
          SELECT
              sent_at AS sent,
              if(status = 'firing', 1, 0) AS firing_now,
              summary,
              firing,
              resolved,
              receiver
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
        empty: 'nothing resolved in this time range',
        columns: {
          ended: ago(120),
          device_name: { title: 'device', width: 110 },
          check: { width: 90 },
          lasted: { unit: 's', width: 90 },
          summary: { minWidth: 180 },
          site: { width: 100 },
          source: { width: 110 },
        },
        query: sql`
          SELECT
              resolved_at AS ended,
              ${shortName} AS device_name,
              check,
              dateDiff('second', first_seen, resolved_at) AS lasted,
              summary,
              site,
              source
          FROM tocsin.alerts
          WHERE state IN ('resolved', 'expired')
            AND $__timeFilter(resolved_at)
            AND ${chosen('site')}
            AND ${chosen('source')}
          ORDER BY resolved_at DESC
          LIMIT 100`,
      }),
    ),
  ],
});
