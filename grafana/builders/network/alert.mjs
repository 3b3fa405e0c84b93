import { agentSilent, ago, alertState, device, fingerprint, severity } from '../columns.mjs';
import { dashboard, row, textbox } from '../dashboard.mjs';
import { alertStates, severities } from '../palette.mjs';
import { stat, table } from '../panels.mjs';
import { mostSilent, sql, typed } from '../sql.mjs';

/** The alert that was asked for, else the newest. */
const wanted = `if(${typed('fingerprint')} = '', (SELECT argMax(fingerprint, last_seen) FROM tocsin.alerts_latest), ${typed('fingerprint')}) AS wanted`;

export default dashboard({
  uid: 'tocsin-alert',
  title: 'Alert',
  shows: 'One alert and what surrounds it',
  description: 'One alert by its fingerprint: how it went, who belongs to its storm, and what else its device said.',
  from: 'now-24h',
  variables: [textbox('fingerprint', 'Fingerprint', '32 digits, as a page or the list of alerts carries them; empty: the newest alert')],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Where it stands',
        description: 'The alert as it is now. Healthy: resolved. Independent of the time range.',
        width: 24,
        decimals: 0,
        text: true,
        fields: {
          state_now: { title: 'state', values: alertStates },
          severity_now: { title: 'severity', values: severities },
          lasted: { unit: 's' },
          updates: {},
          members: { title: 'members of the storm' },
          silent_for: agentSilent,
        },
        query: sql`
          WITH ${wanted}
          SELECT
              toString(state) AS state_now,
              toInt8(severity) AS severity_now,
              dateDiff('second', first_seen, coalesce(resolved_at, now64(9))) AS lasted,
              update_count AS updates,
              member_count AS members,
              ${mostSilent} AS silent_for
          FROM tocsin.alerts
          WHERE fingerprint = wanted`,
      }),
    ),
    row(
      5,
      table({
        id: 2,
        title: 'What it is',
        description: 'What, where, since when, why, and what to do. Healthy: a runbook stands there. Independent of the time range.',
        width: 24,
        empty: { device: 'no such alert' },
        columns: {
          device: device(140),
          check: { width: 110 },
          summary: { minWidth: 220 },
          source: { width: 120 },
          site: { width: 90 },
          since: ago(130),
          ended: ago(130),
          cause: { width: 160 },
          runbook: { width: 160 },
          label_list: { title: 'labels', minWidth: 160 },
          identity: { title: 'made from', minWidth: 160 },
        },
        query: sql`
          WITH ${wanted}
          SELECT device, check, summary, source, site, first_seen AS since, resolved_at AS ended, cause, runbook, toString(labels) AS label_list, toString(fingerprint_fields) AS identity
          FROM tocsin.alerts
          WHERE fingerprint = wanted`,
      }),
    ),
    row(
      9,
      table({
        id: 3,
        title: 'Transitions',
        description: 'Every change of this alert, newest first. Healthy: few. Independent of the time range; at most 200 rows.',
        width: 24,
        empty: { what: 'no such alert' },
        columns: {
          transition_at: { title: 'when', width: 170 },
          what: { width: 140 },
          state_after: alertState,
          severity_then: severity,
          summary: { minWidth: 200 },
          updates: { title: 'count', unit: 'short', width: 70 },
          cause: { width: 170 },
          event_id: { minWidth: 140 },
        },
        query: sql`
          WITH ${wanted}
          SELECT transition_at, toString(transition) AS what, toString(state) AS state_after, toInt8(severity) AS severity_then, summary, update_count AS updates, cause, event_id
          FROM tocsin.alert_history
          WHERE fingerprint = wanted
          ORDER BY version DESC
          LIMIT 200`,
      }),
    ),
    row(
      10,
      table({
        id: 4,
        title: 'Members of its storm',
        description:
          'Alerts that belong to the same storm: of this storm, or of the storm that this alert is a member of. Healthy: empty. At most 500 rows.',
        width: 12,
        empty: { device: 'it belongs to no storm' },
        columns: {
          severity_now: severity,
          device: device(140),
          check: { width: 110 },
          state_now: alertState,
          since: ago(130),
          summary: { minWidth: 200 },
          fingerprint,
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT any(if(storm_id = '', fingerprint, storm_id)) FROM tocsin.alerts WHERE fingerprint = wanted) AS storm
          SELECT toInt8(severity) AS severity_now, device, check, toString(state) AS state_now, first_seen AS since, summary, fingerprint
          FROM tocsin.alerts
          WHERE storm_id = storm AND storm != ''
          ORDER BY toInt8(severity) DESC, first_seen
          LIMIT 500`,
      }),
      table({
        id: 5,
        title: 'What else its device said',
        description:
          'Syslog and traps of the same device from five minutes before it opened to five minutes after. Healthy: nothing that explains more than the alert does. At most 200 rows.',
        width: 12,
        empty: { said: 'it said nothing around that time' },
        columns: {
          event_time: { title: 'when', width: 170 },
          kind: { width: 80 },
          said: { minWidth: 240 },
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT any(device) FROM tocsin.alerts WHERE fingerprint = wanted) AS its_device,
              (SELECT any(first_seen) FROM tocsin.alerts WHERE fingerprint = wanted) AS opened
          SELECT event_time, kind, said
          FROM
          (
              SELECT event_time, 'syslog' AS kind, concat(app_name, ' ', msg_id, ': ', message) AS said
              FROM tocsin.syslog
              WHERE device = its_device AND event_time BETWEEN opened - INTERVAL 5 MINUTE AND opened + INTERVAL 5 MINUTE
              UNION ALL
              SELECT event_time, 'trap' AS kind, concat(trap_name, ' ', toString(varbinds)) AS said
              FROM tocsin.snmp_traps
              WHERE device = its_device AND event_time BETWEEN opened - INTERVAL 5 MINUTE AND opened + INTERVAL 5 MINUTE
          )
          ORDER BY event_time
          LIMIT 200`,
      }),
    ),
  ],
});
