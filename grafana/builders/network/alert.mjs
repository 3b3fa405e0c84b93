import { agentSilent, alertState, alertedDevice, onIt, severity, when } from '../columns.mjs';
import { dashboard, row, textbox } from '../dashboard.mjs';
import { alertStates, severities } from '../palette.mjs';
import { stat, table } from '../panels.mjs';
import { runbookPage } from '../runbooks.mjs';
import { mostSilent, sql, typed, whatItIs } from '../sql.mjs';

/** The alert that was asked for, else the newest. */
const wanted = `if(${typed('fingerprint')} = '', (SELECT argMax(fingerprint, last_seen) FROM tocsin.alerts_latest), ${typed('fingerprint')}) AS wanted`;

/** A point in time for a list of texts: by the clock of UTC, and how long ago; the numbers above have it in the viewer's zone. */
const moment = (time) =>
  `concat(formatDateTime(${time}, '%F %T', 'UTC'), ' UTC, ', formatReadableTimeDelta(abs(dateDiff('second', ${time}, now64(9)))), if(${time} < now64(9), ' ago', ' from now'))`;

/** Where its runbook stands: a URL that a rule names, else the page of a runbook that is shipped. */
const runbookUrl = `multiIf(match(runbook, '^https?://'), toString(runbook), match(runbook, '^[a-z-]+$'), concat('${runbookPage('')}', runbook), '')`;

/** Where more is said of what a label names. */
const pageOfLabel = sql`
  multiIf(
      name IN ('interface', 'port'), concat('/d/tocsin-traps-interfaces?var-device=', encodeURLComponent(toString(device)), its_time),
      name IN ('link', 'link_id'), concat('/d/tocsin-wan?var-link=', encodeURLComponent(text), its_time),
      name IN ('mac', 'ip', 'old_mac', 'new_mac', 'other_mac', 'client', 'offered_ip'), concat('/d/tocsin-registration?var-lookup=', encodeURLComponent(text), its_time),
      name = 'server', concat('/d/tocsin-registration?var-server=', encodeURLComponent(text), its_time),
      '')`;

export default dashboard({
  uid: 'tocsin-alert',
  title: 'Alert',
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
          lasted: { unit: 'dthms' },
          since_ms: { title: 'since', unit: 'dateTimeAsIso' },
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
              toUnixTimestamp64Milli(first_seen) AS since_ms,
              update_count AS updates,
              member_count AS members,
              ${mostSilent} AS silent_for
          FROM tocsin.alerts
          WHERE fingerprint = wanted`,
      }),
    ),
    row(
      13,
      table({
        id: 2,
        title: 'What it is',
        description:
          'What, where, since when, why, and what to do, one a row; a click leads to the device, the runbook, the storm or what explains it. Healthy: a runbook stands there. Independent of the time range.',
        width: 12,
        empty: { value: 'no such alert' },
        columns: {
          what: { title: 'field', width: 110 },
          value: { minWidth: 240, link: { title: 'Open', url: '${__data.fields.go:raw}', targetBlank: false } },
          go: { hidden: true },
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT groupArray((fingerprint, concat(${whatItIs}, ' ', check, ': ', summary))) FROM tocsin.alerts
               WHERE has((SELECT arrayConcat(splitByChar(',', splitByChar(':', any(concat(cause, ':')))[2]), [any(storm_id)]) FROM tocsin.alerts WHERE fingerprint = wanted), fingerprint)) AS explaining,
              (SELECT concat('&from=', toString(toUnixTimestamp64Milli(any(first_seen)) - 3600000), '&to=', if(any(resolved_at) IS NULL, 'now', toString(toUnixTimestamp64Milli(assumeNotNull(any(resolved_at))) + 3600000)))
               FROM tocsin.alerts WHERE fingerprint = wanted) AS its_time
          SELECT line.1 AS what, line.2 AS value, if(line.3 = '', concat('/d/tocsin-alert?var-fingerprint=', wanted), line.3) AS go
          FROM
          (
              SELECT arrayJoin(arrayConcat(
                  [
                      ('not chosen', if(${typed('fingerprint')} = '', 'no fingerprint was given: this is the newest alert', ''), ''),
                      ('summary', summary, ''),
                      ('device', ${whatItIs}, if(device = '', '', concat('/d/tocsin-device?var-device=', encodeURLComponent(toString(device)), its_time))),
                      ('check', toString(check), ''),
                      ('since', ${moment('first_seen')}, ''),
                      ('heard of', ${moment('last_seen')}, ''),
                      ('ended', if(resolved_at IS NULL, '', ${moment('assumeNotNull(resolved_at)')}), ''),
                      ('expires', if(expires_at IS NULL OR resolved_at IS NOT NULL, '', ${moment('assumeNotNull(expires_at)')}), ''),
                      ('on it', if(acknowledged_by = '', '', concat(toString(acknowledged_by), ' since ', ${moment('assumeNotNull(acknowledged_at)')})), ''),
                      ('on it until', if(acknowledged_until IS NULL, '', ${moment('assumeNotNull(acknowledged_until)')}), ''),
                      ('note', if(note = '', '', concat(toString(noted_by), ': ', note)), ''),
                      ('cause', if(startsWith(cause, 'maintenance:'), concat('maintenance ', substring(cause, 13)), ''), '/d/tocsin-storms'),
                      ('runbook', toString(runbook), ${runbookUrl}),
                      ('source', toString(source), ''),
                      ('rule', if(rule_pushed_at IS NULL, toString(rule), concat(toString(rule), ' as pushed at ', ${moment('assumeNotNull(rule_pushed_at)')})), ''),
                      ('site', toString(site), '')
                  ],
                  arrayMap(held -> (if(resolved_at IS NULL, 'held back by', 'was held back by'), concat(splitByChar(':', held.cause)[1], ' ', held.name, ' since ', ${moment('held.since')}), ''), held_back),
                  arrayMap(parts -> ('enough', arrayStringConcat(parts, ' + '), ''), cut_sets),
                  arrayMap(part -> ('down', part.name, concat('/d/tocsin-alert?var-fingerprint=', part.fingerprint)), tree_down),
                  arrayMap(part -> ('one step away', part, '/d/tocsin-trees'), tree_next),
                  arrayMap(e -> ('explained by', e.2, concat('/d/tocsin-alert?var-fingerprint=', e.1)), explaining),
                  arrayMap((name, text) -> (concat('label ', name), text, ${pageOfLabel}), mapKeys(labels), mapValues(labels)),
                  [('made from', toString(fingerprint_fields), ''), ('fingerprint', fingerprint, '')])) AS line
              FROM tocsin.alerts
              WHERE fingerprint = wanted
          )
          WHERE line.2 != ''`,
      }),
      table({
        id: 6,
        title: 'Evidence',
        description:
          'The events that raised and changed it, and those of the parts of a tree or a storm, as they were received: bytes outside printable ASCII stand as dots. Healthy: they say what the alert says. At most 50 rows.',
        width: 12,
        empty: { line: 'no event of its device is behind it' },
        columns: {
          event_time: { title: 'when', unit: 'time:MM-DD HH:mm:ss', width: 112 },
          line: { minWidth: 240 },
          kind: { width: 100 },
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT arrayConcat([wanted], any(tree_down.fingerprint)) FROM tocsin.alerts WHERE fingerprint = wanted) AS parts,
              (SELECT (groupUniqArray(100)(toString(device)), min(first_seen) - INTERVAL 10 MINUTE, max(last_seen) + INTERVAL 10 MINUTE)
               FROM tocsin.alerts WHERE has(parts, fingerprint) OR storm_id = wanted) AS its,
              (SELECT groupUniqArrayArray(1000)(arrayConcat(raised_by, if(transition = 'refreshed', [], [event_id]))) FROM tocsin.alert_history WHERE fingerprint = wanted) AS events
          SELECT event_time, replaceRegexpAll(toValidUTF8(substring(bytes, 1, 400)), '[^ -~]', '.') AS line, kind
          FROM
          (
              SELECT event_time, raw AS bytes, 'alert update' AS kind
              FROM tocsin.alert_updates
              WHERE has(its.1, device) AND event_time BETWEEN its.2 AND its.3 AND has(events, event_id)
              UNION ALL
              SELECT event_time, raw AS bytes, 'syslog' AS kind
              FROM tocsin.syslog
              WHERE has(its.1, device) AND event_time BETWEEN its.2 AND its.3 AND has(events, event_id)
              UNION ALL
              SELECT event_time, concat(trap_name, ' ', toString(varbinds)) AS bytes, 'trap' AS kind
              FROM tocsin.snmp_traps
              WHERE has(its.1, device) AND event_time BETWEEN its.2 AND its.3 AND has(events, event_id)
          )
          ORDER BY event_time
          LIMIT 50`,
      }),
    ),
    row(
      9,
      table({
        id: 3,
        title: 'Transitions',
        description:
          'Every change of this alert, newest first, without mere repetitions. Healthy: few. Independent of the time range; at most 200 rows.',
        width: 24,
        empty: { what: 'no such alert' },
        columns: {
          transition_at: { title: 'when', unit: 'time:MM-DD HH:mm:ss', width: 112 },
          what: { width: 120 },
          severity_then: severity,
          summary: { minWidth: 200 },
          state_after: alertState,
          updates: { title: 'count', unit: 'short', width: 70 },
          on_it: onIt,
          note: { width: 170 },
          cause: { width: 170 },
        },
        query: sql`
          WITH ${wanted}
          SELECT transition_at, toString(transition) AS what, toInt8(severity) AS severity_then, summary, toString(state) AS state_after, update_count AS updates,
                 acknowledged_by AS on_it, note, cause
          FROM tocsin.alert_history
          WHERE fingerprint = wanted AND transition != 'refreshed'
          ORDER BY told_at DESC
          LIMIT 1 BY transition_id
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
        empty: { device_name: 'it belongs to no storm' },
        columns: {
          severity_now: severity,
          device_name: alertedDevice,
          check: { width: 110 },
          state_now: alertState,
          since: when,
          summary: { minWidth: 200 },
          fingerprint: { hidden: true },
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT any(if(storm_id = '', fingerprint, storm_id)) FROM tocsin.alerts WHERE fingerprint = wanted) AS storm
          SELECT toInt8(severity) AS severity_now, device AS device_name, check, toString(state) AS state_now, first_seen AS since, summary, fingerprint
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
          event_time: { title: 'when', unit: 'time:MM-DD HH:mm:ss', width: 112 },
          said: { minWidth: 240 },
          kind: { width: 80 },
        },
        query: sql`
          WITH
              ${wanted},
              (SELECT any(device) FROM tocsin.alerts WHERE fingerprint = wanted) AS its_device,
              (SELECT any(first_seen) FROM tocsin.alerts WHERE fingerprint = wanted) AS opened
          SELECT event_time, said, kind
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
