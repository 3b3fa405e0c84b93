import { agentSilent, device, toDeviceOfLine } from '../columns.mjs';
import { alertsAndMaintenance, dashboard, devices, row } from '../dashboard.mjs';
import { above, blue, green, grey, nearlyFull, numbers, orange, red } from '../palette.mjs';
import { bars, lines, stat, table } from '../panels.mjs';
import { interfacesTable } from '../states.mjs';
import { busiestInterfaces, chosen, inRange, interfacePoints, mostSilent, outputDiscards, outputLoad, sql } from '../sql.mjs';

export default dashboard({
  uid: 'tocsin-traps-interfaces',
  title: 'Traps and interfaces',
  description: 'SNMP: what devices report by themselves, and what their interfaces and gauges were found at.',
  from: 'now-6h',
  variables: [devices],
  annotations: [...alertsAndMaintenance()],
  rows: [
    row(
      4,
      stat({
        id: 7,
        title: 'Now',
        description:
          'Interfaces polled in the last ten minutes: those that should be up and are not, those above 80 %, those with errors or discards; then those polled within the last day and no longer, of which nothing is known; and for how long the most silent agent has reported nothing. Healthy: grey zeros, and an agent below 15 s. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          polled: { title: 'interfaces polled' },
          down: { thresholds: above({ 1: red }) },
          busy: { title: 'above 80 %', thresholds: above({ 1: orange }) },
          failing: { title: 'with errors', thresholds: above({ 1: orange }) },
          not_polled: { title: 'not polled', thresholds: above({ 1: red }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              count() AS polled,
              countIf(i.is_down) AS down,
              countIf(i.load > 0.8) AS busy,
              countIf(i.lost > 0) AS failing,
              greatest((SELECT toInt64(uniqExact(device, interface)) FROM tocsin.interface_load_1h WHERE hour > now() - INTERVAL 1 DAY AND ${chosen('device')}) - toInt64(polled), 0) AS not_polled,
              ${mostSilent} AS silent_for
          FROM
          (
              SELECT
                  argMax(c.admin_status = 'up' AND c.oper_status NOT IN ('up', 'dormant'), c.event_time) AS is_down,
                  argMax(greatest(coalesce(c.in_load, 0), coalesce(c.out_load, 0)), c.event_time) AS load,
                  argMax(coalesce(c.in_errors_per_second, 0) + coalesce(c.out_discards_per_second, 0), c.event_time) AS lost
              FROM tocsin.interface_counters AS c
              WHERE c.event_time > now64(9) - INTERVAL 10 MINUTE AND c.received_at > now64(9) - INTERVAL 1 DAY
                AND ${chosen('device')}
              GROUP BY device, interface
          ) AS i`,
      }),
    ),
    row(
      8,
      bars({
        id: 1,
        title: 'Traps by name',
        description: 'Traps and informs a minute by name. Healthy: few; a burst of linkDown is an outage.',
        width: 12,
        empty: 'no trap in this time',
        unit: 'count:traps/min',
        by: 'trap',
        interval: '1m',
        query: sql`
          SELECT
              $__timeInterval(event_time) AS time,
              trap_name AS trap,
              count() * 60 / $__interval_s AS traps
          FROM tocsin.snmp_traps
          WHERE ${inRange}
            AND ${chosen('device')}
          GROUP BY time, trap
          ORDER BY time, trap`,
      }),
      table({
        id: 2,
        title: 'Traps',
        description:
          'Newest first, with their variables. Healthy: nothing unknown: a name of digits wants its MIB compiled (tocsin mibs compile). At most 200 rows.',
        width: 12,
        empty: { variables: 'no trap in this time' },
        columns: {
          event_time: { title: 'when', unit: 'time:MM-DD HH:mm:ss', width: 112 },
          device,
          trap_name: { title: 'trap', width: 180 },
          variables: { minWidth: 200 },
          version_name: { title: 'version', width: 70 },
        },
        query: sql`
          SELECT event_time, device, trap_name, toString(varbinds) AS variables, toString(version) AS version_name
          FROM tocsin.snmp_traps
          WHERE ${inRange}
            AND ${chosen('device')}
          ORDER BY event_time DESC
          LIMIT 200`,
      }),
    ),
    row(10, interfacesTable({ id: 3 })),
    row(
      8,
      lines({
        id: 4,
        title: 'Output load',
        description:
          'Share of the speed that is used, sending. Healthy: below 0.8; at 1 the queue throws away. The 20 interfaces that were busiest.',
        width: 12,
        empty: 'no interface was polled',
        unit: 'percentunit',
        by: 'interface_name',
        link: toDeviceOfLine,
        joined: true,
        thresholds: nearlyFull,
        interval: '10s',
        maxDataPoints: 800,
        query: interfacePoints({ ...outputLoad, which: busiestInterfaces(outputLoad.rolledUp) }),
      }),
      lines({
        id: 5,
        title: 'Output discards',
        description:
          "Packets a second that full queues threw away. Healthy: none. The 20 interfaces that threw away most; means over a point's time.",
        width: 12,
        empty: 'no interface was polled',
        unit: 'count:packets/s',
        by: 'interface_name',
        link: toDeviceOfLine,
        joined: true,
        interval: '10s',
        maxDataPoints: 800,
        query: interfacePoints({ ...outputDiscards, which: busiestInterfaces('sum(out_discards)') }),
      }),
    ),
    row(
      8,
      lines({
        id: 6,
        title: 'Gauges against their limits',
        description: 'Polled figures as a share of their limit: connection tables, power units. Healthy: below 0.8.',
        width: 24,
        empty: 'no gauge with a limit was polled',
        unit: 'percentunit',
        by: 'gauge_name',
        joined: true,
        thresholds: nearlyFull,
        interval: '10s',
        query: sql`
          SELECT
              $__timeInterval(event_time) AS time,
              trimRight(concat(device, ' ', name, ' ', instance)) AS gauge_name,
              max(value / limit) AS share
          FROM tocsin.gauges
          WHERE ${inRange} AND limit > 0
            AND ${chosen('device')}
          GROUP BY time, gauge_name
          ORDER BY time, gauge_name`,
      }),
    ),
  ],
});
