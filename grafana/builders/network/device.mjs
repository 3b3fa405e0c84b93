import {
  agentSilent,
  alertState,
  device,
  happened,
  lasted,
  linkTo,
  onIt,
  onItSince,
  severity,
  toAlertOfRow,
  toDeviceOfLine,
  when,
} from '../columns.mjs';
import { alertsAndMaintenance, dashboard, devices, row } from '../dashboard.mjs';
import { above, blue, grey, nearlyFull, orange, purple, red, syslogSeverities, words, yellow } from '../palette.mjs';
import { bars, lines, stat, table } from '../panels.mjs';
import { busiestInterfaces, chosen, dayOfNewest, inRange, interfacePoints, mostSilent, namedLike, sql, syslogVolume } from '../sql.mjs';
import { interfacesTable, linksTable } from '../states.mjs';

/** Alerts about the clock of the device, or of an agent on it. */
const wrongClocks = `tocsin.alerts WHERE state IN ('open', 'flapping', 'suppressed') AND check = 'clock-wrong' AND ${chosen('device')}`;

/** Points of gauges that a host has whose figures are read. */
const hostFigures = ({ by, line, name, value, of }) => sql`
  SELECT $__timeInterval(event_time) AS time, ${line} AS ${by}, ${value} AS ${name}
  FROM tocsin.gauges
  WHERE ${inRange} AND name IN (${of.map((gauge) => `'${gauge}'`).join(', ')}) AND ${chosen('device')}
  GROUP BY time, ${by}
  ORDER BY time, ${by}`;

export default dashboard({
  uid: 'tocsin-device',
  title: 'Device',
  description: 'Everything about one device: what is wrong, what happened, its interfaces, links and addresses.',
  from: 'now-24h',
  variables: [devices],
  annotations: [...alertsAndMaintenance()],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Now',
        description:
          'Open alerts by severity, those that nobody is paged for, how far its clock is out where that lasts and how many messages said so (alert clock-wrong), and how long ago it was last heard of. Healthy: grey zeros, and an age that fits the device.',
        width: 24,
        decimals: 0,
        fields: {
          critical: { thresholds: above({ 1: red }) },
          major: { thresholds: above({ 1: orange }) },
          lesser: { thresholds: above({ 1: yellow }) },
          suppressed: { title: 'explained or in maintenance', thresholds: above({ 1: blue }) },
          clock_out: { title: 'clock is out by', unit: 's', thresholds: above({ 1: yellow }) },
          clock_events: { title: 'messages by a wrong clock', unit: 'short' },
          silent: { title: 'last heard of', unit: 's' },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              (SELECT countIf(severity = 'critical') FROM tocsin.alerts WHERE state IN ('open', 'flapping') AND ${chosen('device')}) AS critical,
              (SELECT countIf(severity = 'major') FROM tocsin.alerts WHERE state IN ('open', 'flapping') AND ${chosen('device')}) AS major,
              (SELECT countIf(severity < 'major') FROM tocsin.alerts WHERE state IN ('open', 'flapping') AND ${chosen('device')}) AS lesser,
              (SELECT count() FROM tocsin.alerts WHERE state = 'suppressed' AND ${chosen('device')}) AS suppressed,
              (SELECT maxOrDefault(abs(toInt64OrZero(labels['offset_seconds']))) FROM ${wrongClocks}) AS clock_out,
              (SELECT sumOrDefault(toUInt64OrZero(labels['events'])) FROM ${wrongClocks}) AS clock_events,
              dateDiff('second', maxOrNull(last_seen), now64(9)) AS silent,
              ${mostSilent} AS silent_for
          FROM tocsin.devices_seen
          WHERE ${chosen('device')}`,
      }),
    ),
    row(
      8,
      table({
        id: 5,
        title: 'Alerts of the device',
        description:
          'Its alerts that last, whenever they began, worst first; then those of the time range. Healthy: empty. At most 200 rows.',
        width: 24,
        empty: { check: 'no alert' },
        columns: {
          severity_now: severity,
          lasted,
          check: { width: 110, link: toAlertOfRow },
          state_now: alertState,
          since: when,
          ended: { title: 'until', ...when },
          summary: { minWidth: 200 },
          on_it: onIt,
          on_it_since: onItSince,
          device,
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT toInt8(severity) AS severity_now, dateDiff('second', first_seen, coalesce(resolved_at, now64(9))) AS lasted, check, toString(state) AS state_now, first_seen AS since, resolved_at AS ended, summary,
                 acknowledged_by AS on_it, acknowledged_at AS on_it_since, device, fingerprint
          FROM tocsin.alerts
          WHERE (state IN ('open', 'flapping', 'suppressed') OR $__timeFilter(last_seen))
            AND ${chosen('device')}
          ORDER BY resolved_at IS NULL DESC, toInt8(severity) DESC, first_seen DESC
          LIMIT 200`,
      }),
    ),
    row(
      14,
      table({
        id: 2,
        title: 'Timeline',
        description: 'What happened, of every kind, newest first. Healthy: dull. At most 1,000 rows.',
        width: 24,
        empty: { what: 'it said nothing in this time' },
        columns: {
          happened_at: { title: 'when', ...happened },
          kind: { values: words({ alert: red, trap: orange, syslog: grey, WAN: purple }), coloured: true, width: 70 },
          what: { minWidth: 200 },
          device,
        },
        query: sql`
          SELECT happened_at, kind, what, device
          FROM
          (
              SELECT event_time AS happened_at, device, 'syslog' AS kind, concat(toString(severity), ' ', app_name, ' ', msg_id, ': ', message) AS what
              FROM tocsin.syslog
              WHERE ${inRange}
                AND received_at >= (
                    ${dayOfNewest(1000, chosen('device'))}) - INTERVAL 1 DAY
                AND ${chosen('device')}
              ORDER BY event_time DESC LIMIT 1000
              UNION ALL
              SELECT transition_at AS happened_at, device, 'alert' AS kind, concat(toString(transition), ' ', toString(severity), ' ', check, ': ', summary) AS what
              FROM tocsin.alert_history
              WHERE $__timeFilter(transition_at) AND ${chosen('device')}
              ORDER BY transition_at DESC LIMIT 1000
              UNION ALL
              SELECT event_time AS happened_at, device, 'trap' AS kind, concat(trap_name, ' ', toString(varbinds)) AS what
              FROM tocsin.snmp_traps
              WHERE ${inRange} AND ${chosen('device')}
              ORDER BY event_time DESC LIMIT 1000
              UNION ALL
              SELECT event_time AS happened_at, device, 'lost on the way' AS kind, concat(toString(missing), ' messages') AS what
              FROM tocsin.sequence_gaps
              WHERE ${inRange} AND ${chosen('device')}
              ORDER BY event_time DESC LIMIT 1000
              UNION ALL
              SELECT started_at AS happened_at, device, 'WAN' AS kind, concat(link_id, ' ', toString(kind), ' ', toString(state), ', cause ', toString(cause)) AS what
              FROM tocsin.wan_episodes FINAL
              WHERE $__timeFilter(started_at) AND ${chosen('device')}
              ORDER BY started_at DESC LIMIT 1000
          )
          ORDER BY happened_at DESC
          LIMIT 1000`,
      }),
    ),
    row(8, interfacesTable({ id: 6 })),
    row(
      8,
      bars({
        id: 3,
        title: 'Messages by severity',
        description: 'Syslog messages a minute by severity. Healthy: as yesterday.',
        width: 12,
        unit: 'count:messages/min',
        by: 'severity_name',
        colours: syslogSeverities,
        interval: '1m',
        maxDataPoints: 800,
        query: syslogVolume({}, chosen('device')),
      }),
      lines({
        id: 4,
        title: 'Interface load',
        description:
          'Share of the speed that each interface uses, the busier direction. Healthy: below 0.8. The 20 interfaces that were busiest.',
        width: 12,
        empty: 'no interface was polled',
        unit: 'percentunit',
        by: 'interface_name',
        link: toDeviceOfLine,
        joined: true,
        thresholds: nearlyFull,
        interval: '10s',
        maxDataPoints: 800,
        query: interfacePoints({
          name: 'load',
          polled: 'max(greatest(coalesce(in_load, 0), coalesce(out_load, 0)))',
          rolledUp: 'max(greatest(in_load_max, out_load_max))',
          which: busiestInterfaces('max(greatest(in_load_max, out_load_max))'),
        }),
      }),
    ),
    row(
      8,
      lines({
        id: 9,
        title: 'Disks: how busy',
        description:
          'Share of the time in which each disk had anything to do. Healthy: not at 1 for long while its requests wait and the processors idle, which is the alert storage-slow.',
        width: 8,
        empty: 'no disk was read',
        unit: 'percentunit',
        by: 'disk',
        joined: true,
        thresholds: nearlyFull,
        interval: '10s',
        maxDataPoints: 800,
        query: hostFigures({
          by: 'disk',
          line: "concat(device, ' ', instance)",
          name: 'share',
          value: 'max(value) / 100',
          of: ['disk_utilization'],
        }),
      }),
      lines({
        id: 10,
        title: 'Disks: how long a request takes',
        description: 'Mean time from the beginning of a request to its end. Healthy: as yesterday; a few ms, and less than 1 ms on flash.',
        width: 8,
        empty: 'no disk was read',
        unit: 'ms',
        by: 'disk',
        joined: true,
        interval: '10s',
        maxDataPoints: 800,
        query: hostFigures({ by: 'disk', line: "concat(device, ' ', instance)", name: 'wait_ms', value: 'max(value)', of: ['disk_wait'] }),
      }),
      lines({
        id: 11,
        title: 'Processors and memory',
        description:
          'Share of the time in which the processors worked, waiting for a disk not counted, and share of the memory that is left. Healthy: as yesterday.',
        width: 8,
        empty: 'neither was read',
        unit: 'percentunit',
        by: 'figure',
        joined: true,
        interval: '10s',
        maxDataPoints: 800,
        query: hostFigures({
          by: 'figure',
          line: "concat(device, ' ', transform(name, ['memory_available'], ['memory left'], 'processors busy'))",
          name: 'share',
          value: 'avg(value) / 100',
          of: ['cpu_busy', 'memory_available'],
        }),
      }),
    ),
    row(
      8,
      linksTable({
        id: 7,
        width: 12,
        link: linkTo('tocsin-wan', 'This link', 'var-link=${__value.raw:percentencode}&'),
        condition: chosen('device'),
      }),
      table({
        id: 8,
        title: 'Addresses',
        description:
          'Leases that clients of this name had within the time range, and the addresses from which it sent messages in the last day of it, the newest first; a click shows who else had the address. Healthy: the address that you know. At most 200 rows.',
        width: 12,
        empty: { address: 'no lease and no message of it in this time' },
        columns: {
          address: { minWidth: 130, link: linkTo('tocsin-registration', 'Who had it', 'var-lookup=${__value.raw:percentencode}&') },
          kind: { width: 100 },
          first_at: { title: 'from', ...when },
          last_at: { title: 'until', ...when },
          mac: { width: 140, link: linkTo('tocsin-registration', 'Where it was', 'var-lookup=${__value.raw:percentencode}&') },
          place: { width: 120 },
        },
        query: sql`
          SELECT address, kind, first_at, last_at, mac, place
          FROM
          (
              SELECT ip AS address, 'lease' AS kind, min(h.changed_at) AS first_at, max(h.changed_at) AS last_at, mac, toString(anyLast(h.circuit_id)) AS place
              FROM tocsin.registration_history AS h
              WHERE $__timeFilter(changed_at) AND state IN ('bound', 'renewing', 'rebinding') AND ip != ''
                AND ${namedLike('device', 'hostname')}
              GROUP BY ip, mac
              ORDER BY last_at DESC LIMIT 200
              UNION ALL
              SELECT replaceOne(toString(source_ip), '::ffff:', '') AS address, 'sends from' AS kind, min(m.received_at) AS first_at, max(m.received_at) AS last_at, '' AS mac, '' AS place
              FROM tocsin.syslog AS m
              WHERE $__timeFilter(received_at) AND received_at > $__toTime - INTERVAL 1 DAY
                AND ${chosen('device')}
              GROUP BY source_ip
              ORDER BY last_at DESC LIMIT 200
          )
          ORDER BY last_at DESC
          LIMIT 200`,
      }),
    ),
  ],
});
