import {
  agentSilent,
  alertedDevice,
  alertState,
  device,
  happened,
  heldBy,
  lasted,
  reason,
  severity,
  toAlert,
  toAlertOfRow,
  when,
} from '../columns.mjs';
import { dashboard, row, sitesOfAlerts } from '../dashboard.mjs';
import { above, blue, green, purple, red, yellow } from '../palette.mjs';
import { lines, stat, table } from '../panels.mjs';
import { chosen, mostSilent, sql, suppressedWithReasons, whatItIs } from '../sql.mjs';

export default dashboard({
  uid: 'tocsin-storms',
  title: 'Storms and flapping',
  description: 'Alerts that came in masses and are told as one, alerts that will not settle, and what is suppressed and why.',
  from: 'now-24h',
  variables: [sitesOfAlerts],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Now',
        description:
          'Storms that last, alerts inside of them, alerts that flap, alerts that something else explains. Healthy: all zero. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          storms: { thresholds: above({ 1: red }) },
          in_storms: { title: 'in a storm', thresholds: above({ 1: blue }) },
          flapping: { thresholds: above({ 1: purple }) },
          dependent: { title: 'explained by another', thresholds: above({ 1: blue }) },
          under_trees: { title: 'under a fault tree', thresholds: above({ 1: blue }) },
          in_maintenance: { title: 'in maintenance', thresholds: above({ 1: blue }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              countIf(state IN ('open', 'flapping', 'suppressed') AND member_count > 0) AS storms,
              countIf(state = 'suppressed' AND startsWith(cause, 'storm:')) AS in_storms,
              countIf(state = 'flapping') AS flapping,
              countIf(state = 'suppressed' AND startsWith(cause, 'dependency:')) AS dependent,
              countIf(state = 'suppressed' AND startsWith(cause, 'tree:')) AS under_trees,
              countIf(state = 'suppressed' AND startsWith(cause, 'maintenance:')) AS in_maintenance,
              ${mostSilent} AS silent_for
          FROM tocsin.alerts
          WHERE ${chosen('site')}`,
      }),
    ),
    row(
      8,
      table({
        id: 2,
        title: 'Storms',
        description:
          'Storms that last, whenever they began, and those that began in the time range, newest first. Healthy: empty. At most 200 rows.',
        width: 24,
        empty: { device_name: 'no storm' },
        columns: {
          state_now: alertState,
          lasted,
          device_name: alertedDevice,
          site: { width: 90 },
          since: when,
          ended: { title: 'until', ...when },
          members: { unit: 'short', width: 90 },
          summary: { minWidth: 220 },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT toString(state) AS state_now, dateDiff('second', first_seen, coalesce(resolved_at, now64(9))) AS lasted, ${whatItIs} AS device_name, site, first_seen AS since, resolved_at AS ended, member_count AS members, summary, fingerprint
          FROM tocsin.alerts
          WHERE member_count > 0 AND (state IN ('open', 'flapping', 'suppressed') OR $__timeFilter(first_seen))
            AND ${chosen('site')}
          ORDER BY resolved_at IS NULL DESC, first_seen DESC
          LIMIT 200`,
      }),
    ),
    row(
      8,
      lines({
        id: 3,
        title: 'Opened and resolved',
        description: 'Alerts that opened and that ended, per minute. Healthy: few, and both lines alike.',
        width: 12,
        unit: 'count:alerts/min',
        interval: '1m',
        fields: {
          opened: { colour: red },
          ended: { colour: green },
        },
        query: sql`
          SELECT
              $__timeInterval(transition_at) AS time,
              uniqExactIf(transition_id, transition = 'opened') * 60 / $__interval_s AS opened,
              uniqExactIf(transition_id, transition IN ('resolved', 'expired')) * 60 / $__interval_s AS ended
          FROM tocsin.alert_history
          WHERE $__timeFilter(transition_at)
            AND ${chosen('site')}
          GROUP BY time
          ORDER BY time WITH FILL STEP $__interval_s`,
      }),
      table({
        id: 4,
        title: 'Flappers',
        description: 'Alerts that opened most often in the time range. Healthy: once each. At most 50 rows.',
        width: 12,
        empty: { device: 'nothing opened twice' },
        columns: {
          device,
          check: { width: 110 },
          opens: { thresholds: above({ 5: yellow, 20: red }), coloured: true, unit: 'short', width: 80 },
          newest: happened,
          place: { title: 'site', width: 90 },
          fingerprint: { minWidth: 160, link: toAlert },
        },
        query: sql`
          SELECT h.device AS device, h.check AS check, uniqExactIf(h.transition_id, h.transition = 'opened') AS opens, max(h.transition_at) AS newest, any(h.site) AS place, h.fingerprint AS fingerprint
          FROM tocsin.alert_history AS h
          WHERE $__timeFilter(transition_at)
            AND ${chosen('site')}
          GROUP BY h.device, h.check, h.fingerprint
          HAVING opens > 1
          ORDER BY opens DESC
          LIMIT 50`,
      }),
    ),
    row(
      9,
      table({
        id: 5,
        title: 'Suppressed now',
        description:
          'Active alerts that are not paged, with what explains them. Healthy: empty, or each explained by something that is being worked on. At most 500 rows.',
        width: 24,
        empty: { device: 'nothing is suppressed' },
        columns: {
          severity_now: severity,
          lasted,
          device: { minWidth: 150, link: toAlertOfRow },
          check: { width: 110 },
          held_by: heldBy,
          reason,
          since: when,
          summary: { minWidth: 200 },
          fingerprint: { hidden: true },
          reason_page: { hidden: true },
        },
        query: sql`
          SELECT
              toInt8(h.severity) AS severity_now, dateDiff('second', h.first_seen, now64(9)) AS lasted, device, check, held_by, reason,
              h.first_seen AS since, summary, fingerprint, reason_page
          FROM
          (
              ${suppressedWithReasons(chosen('site'))}
          ) AS h
          ORDER BY severity_now DESC, since
          LIMIT 500`,
      }),
    ),
  ],
});
