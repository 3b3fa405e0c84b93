import { agentSilent, device, happened } from '../columns.mjs';
import { alertsAndMaintenance, dashboard, devices, row, sitesOfDevices, textbox } from '../dashboard.mjs';
import { above, numbers, orange, red, syslogSeverities, words, yellow } from '../palette.mjs';
import { bars, stat, table } from '../panels.mjs';
import { chosen, dayOfNewest, holdsWords, inRange, mostSilent, sql, syslogVolume, typed } from '../sql.mjs';

export default dashboard({
  uid: 'tocsin-syslog',
  title: 'Syslog',
  description: 'How much devices say, how bad it is, who says most, what is new, and what was lost on the way.',
  from: 'now-6h',
  variables: [
    sitesOfDevices,
    devices,
    textbox('search', 'Words', 'Words that a message must hold, in any order and case; empty: all messages'),
  ],
  annotations: [...alertsAndMaintenance(chosen('site'))],
  rows: [
    row(
      4,
      stat({
        id: 6,
        title: 'Now',
        description:
          'Messages and those of severity err and worse in the last five minutes, from how many devices; and for how long the most silent agent has reported nothing. Healthy: as always, and an agent below 15 s. Independent of the time range.',
        width: 24,
        decimals: 0,
        unit: 'short',
        fields: {
          messages: { title: 'in 5 minutes' },
          errors: { title: 'err and worse', thresholds: above({ 1: orange }) },
          talking: { title: 'devices' },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              sum(v.messages) AS messages,
              sumIf(v.messages, v.severity <= 'err') AS errors,
              uniqExact(v.device) AS talking,
              ${mostSilent} AS silent_for
          FROM tocsin.syslog_volume_1m AS v
          WHERE v.minute > now() - INTERVAL 6 MINUTE
            AND ${chosen('site')}
            AND ${chosen('device')}`,
      }),
    ),
    row(
      8,
      bars({
        id: 1,
        title: 'Volume by severity',
        description:
          'Messages a minute by severity; of words that were typed, those that hold them. Healthy: as yesterday; a step up or a fall to nothing wants a look.',
        width: 24,
        unit: 'count:messages/min',
        by: 'severity_name',
        colours: syslogSeverities,
        interval: '1m',
        maxDataPoints: 800,
        query: syslogVolume({ words: typed('search') }, chosen('site'), chosen('device')),
      }),
    ),
    row(
      12,
      table({
        id: 2,
        title: 'Messages',
        description:
          "Messages with all the words above that arrived in the time range, newest first; the time shown is the device's own. Healthy: nothing you did not expect. At most 500 rows.",
        width: 24,
        empty: { message: 'no message holds these words in this time' },
        columns: {
          event_time: { title: 'when', ...happened },
          device,
          severity_name: {
            title: 'severity',
            values: words(syslogSeverities),
            coloured: true,
            width: 80,
          },
          app_name: { title: 'app', width: 110 },
          msg_id: { title: 'mnemonic', width: 150 },
          message: { minWidth: 260 },
        },
        query: sql`
          SELECT event_time, device, toString(severity) AS severity_name, app_name, msg_id, message
          FROM tocsin.syslog
          WHERE $__timeFilter(received_at)
            AND ${chosen('site')}
            AND ${chosen('device')}
            AND ${holdsWords(typed('search'))}
            AND received_at >= if(${typed('search')} = '', (
                ${dayOfNewest(500, chosen('site'), chosen('device'))}), toDateTime(0, 'UTC'))
          ORDER BY received_at DESC
          LIMIT 500`,
      }),
    ),
    row(
      9,
      table({
        id: 3,
        title: 'Top talkers',
        description:
          'Devices that said most in the time range, with the time before beside. Healthy: the ratio is near 1. From two days on counted by whole hours. At most 50 rows.',
        width: 12,
        empty: { device: 'nobody said anything' },
        columns: {
          device,
          messages: { unit: 'short', width: 100 },
          before: { unit: 'short', width: 100 },
          ratio: { thresholds: above({ 3: yellow, 10: red }), coloured: true, decimals: 2, width: 80 },
          errors: { thresholds: above({ 1: orange }), coloured: true, unit: 'short', width: 90 },
        },
        query: sql`
          WITH toDateTime($__fromTime) AS first, toDateTime($__toTime) AS last
          SELECT device,
              sumIf(v.messages, v.start >= first) AS messages,
              sumIf(v.messages, v.start < first) AS before,
              if(before = 0, NULL, messages / before) AS ratio,
              sumIf(v.messages, v.start >= first AND v.severity <= 'err') AS errors
          FROM
          (
              SELECT minute AS start, device, severity, messages
              FROM tocsin.syslog_volume_1m
              WHERE dateDiff('hour', first, last) < 48 AND minute BETWEEN first - toIntervalSecond(dateDiff('second', first, last)) AND last
                AND ${chosen('site')}
                AND ${chosen('device')}
              UNION ALL
              SELECT hour AS start, device, severity, messages
              FROM tocsin.syslog_volume_1h
              WHERE dateDiff('hour', first, last) >= 48 AND hour BETWEEN first - toIntervalSecond(dateDiff('second', first, last)) AND last
                AND ${chosen('site')}
                AND ${chosen('device')}
          ) AS v
          GROUP BY device
          HAVING messages > 0
          ORDER BY messages DESC
          LIMIT 50`,
      }),
      table({
        id: 4,
        title: 'New patterns',
        description:
          'Kinds of message that were never seen before the time range, worst first. Healthy: few after an upgrade, none otherwise. At most 100 rows.',
        width: 12,
        empty: { example: 'nothing new' },
        columns: {
          first_seen_at: { title: 'first seen', ...happened },
          severity_number: {
            title: 'severity',
            values: numbers(Object.entries(syslogSeverities).map(([word, colour], number) => [number, word, colour])),
            coloured: true,
            width: 80,
          },
          app_name: { title: 'app', width: 100 },
          msg_id: { title: 'mnemonic', width: 130 },
          messages: { unit: 'short', width: 80 },
          one_device: { ...device, title: 'device' },
          example: { minWidth: 220 },
        },
        query: sql`
          SELECT toDateTime64(min(p.first_seen), 9, 'UTC') AS first_seen_at, toUInt8(min(p.severity)) AS severity_number, app_name, msg_id, toUInt64(sum(p.messages)) AS messages, toString(anyLast(p.device)) AS one_device, toString(anyLast(p.example)) AS example
          FROM tocsin.syslog_patterns AS p
          GROUP BY app_name, msg_id, pattern
          HAVING first_seen_at >= $__fromTime AND first_seen_at <= $__toTime
          ORDER BY severity_number, messages DESC
          LIMIT 100`,
      }),
    ),
    row(
      7,
      table({
        id: 5,
        title: 'Lost on the way',
        description:
          'Messages that devices numbered and that never arrived: the network lost them before the agent. Healthy: empty. At most 100 rows.',
        width: 24,
        empty: { device: 'no gap in any sequence' },
        columns: {
          device,
          messages_missing: { title: 'messages', thresholds: above({ 1: orange }), coloured: true, unit: 'short', width: 110 },
          gaps: { unit: 'short', width: 80 },
          newest: happened,
        },
        query: sql`
          SELECT device, sum(g.missing) AS messages_missing, count() AS gaps, max(g.event_time) AS newest
          FROM tocsin.sequence_gaps AS g
          WHERE ${inRange}
            AND ${chosen('site')}
            AND ${chosen('device')}
          GROUP BY device
          ORDER BY messages_missing DESC
          LIMIT 100`,
      }),
    ),
  ],
});
