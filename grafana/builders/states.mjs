// Where links and interfaces stand now, as more than one page shows it: worst first, and what is no longer asked before what is well.
import { device, interfaceName, toDevicePage } from './columns.mjs';
import { above, blue, green, grey, nearlyFull, numbers, orange, red, yellow } from './palette.mjs';
import { table } from './panels.mjs';
import { chosen, sql } from './sql.mjs';

/**
 * Each link of the last day that a condition lets through, resolvers apart: 1 up, 2 degraded, 3 not probed, 4 down; and what it did in the last minute.
 */
export const linksNow = (condition) => sql`
  SELECT
      l.link AS link_id, l.via_device AS device, l.via_interface AS interface, p.median_ms AS median_ms,
      if(p.probes = 0, NULL, p.lost / p.probes) AS loss,
      multiIf(p.probes = 0, 3, p.lost = p.probes, 4, p.lost > 0 OR e.trouble != '', 2, 1) AS state_number,
      dateDiff('second', multiIf(
          p.probes = 0, l.probed,
          e.down_since > toDateTime64(0, 9, 'UTC'), e.down_since,
          greatest(p.answered, now64(9) - INTERVAL 1 HOUR)), now64(9)) AS outage,
      e.trouble AS trouble
  FROM
  (
      SELECT link_id AS link, argMax(s.device, s.last_seen) AS via_device, argMax(s.interface, s.last_seen) AS via_interface, max(s.last_seen) AS probed
      FROM tocsin.links_seen AS s
      WHERE s.method != 'dns' AND s.last_seen > now() - INTERVAL 1 DAY AND ${condition}
      GROUP BY link
  ) AS l
  LEFT JOIN
  (
      SELECT
          n.link_id AS link,
          countIf(n.received_at > now64(9) - INTERVAL 1 MINUTE) AS probes,
          countIf(n.lost AND n.received_at > now64(9) - INTERVAL 1 MINUTE) AS lost,
          maxIf(n.received_at, NOT n.lost) AS answered,
          quantileIf(0.5)(assumeNotNull(n.rtt_ms), n.rtt_ms IS NOT NULL AND n.received_at > now64(9) - INTERVAL 1 MINUTE) AS median_ms
      FROM tocsin.link_probes AS n
      WHERE n.received_at > now64(9) - INTERVAL 1 HOUR AND n.method != 'dns'
      GROUP BY link
  ) AS p USING (link)
  LEFT JOIN
  (
      SELECT
          w.link_id AS link,
          minIf(w.started_at, w.kind = 'down') AS down_since,
          arrayStringConcat(groupArray(concat(toString(w.kind), ', ', toString(w.cause))), '; ') AS trouble
      FROM tocsin.wan_episodes AS w FINAL
      WHERE w.state = 'open'
      GROUP BY link
  ) AS e USING (link)`;

const linkStates = numbers([
  [4, 'down', red],
  [3, 'not probed', red],
  [2, 'degraded', yellow],
  [1, 'up', green],
]);

/** Links that a condition lets through, the worst first. */
export const linksTable = ({ id, width, link, condition }) =>
  table({
    id,
    title: 'Links now',
    description:
      'Every link that was probed within the last day, the worst first, with what it did in the last minute: for how long a dead link has answered nothing (an hour at most, where no episode says more), for how long nobody has probed it. Healthy: all up. Independent of the time range; at most 500 rows.',
    width,
    empty: { link: 'no link was probed for a day' },
    columns: {
      state_number: { title: 'state', values: linkStates, coloured: true, width: 92 },
      outage: { title: 'for', unit: 'dthms', width: 80 },
      link: { minWidth: 140, link },
      median_ms: { title: 'median', unit: 'ms', decimals: 1, width: 84 },
      loss: { unit: 'percentunit', thresholds: above({ 0.01: yellow, 0.1: red }), coloured: true, width: 70 },
      trouble: { title: 'episode', minWidth: 160 },
      device,
      interface: { ...interfaceName, link: toDevicePage('tocsin-traps-interfaces', 'Interfaces of this device') },
    },
    query: sql`
      SELECT state_number, if(state_number IN (3, 4), toNullable(outage), NULL) AS outage, link_id AS link, median_ms, loss, trouble, device, interface
      FROM
      (
          ${linksNow(condition)}
      )
      ORDER BY state_number DESC, trouble != '' DESC, loss DESC, median_ms DESC
      LIMIT 500`,
  });

/** Interfaces of the chosen devices, the worst first. */
export const interfacesTable = ({ id }) =>
  table({
    id,
    title: 'Interfaces now',
    description:
      'The newest poll of each interface in the last day of the time range, worst first: those that should be up and are not, those that were polled longer than ten minutes before its end, of which nothing is known now, those with errors or discards, the busiest. Healthy: up, below 80 %, no discards. At most 500 rows.',
    width: 24,
    empty: { interface: 'no interface was polled' },
    columns: {
      status_number: {
        title: 'status',
        values: numbers([
          [1, 'up', green],
          [2, 'down', red],
          [3, 'testing', blue],
          [4, 'unknown', grey],
          [5, 'dormant', blue],
          [6, 'not present', grey],
          [7, 'lower layer down', red],
          [8, 'not polled', red],
          [0, '-', grey],
        ]),
        coloured: true,
        width: 90,
      },
      interface: interfaceName,
      device,
      load_in: { title: 'in', thresholds: nearlyFull, coloured: true, unit: 'percentunit', width: 80 },
      load_out: { title: 'out', thresholds: nearlyFull, coloured: true, unit: 'percentunit', width: 80 },
      discards: { thresholds: above({ 0.1: orange }), coloured: true, unit: 'count:packets/s', width: 110 },
      errors: { thresholds: above({ 0.1: orange }), coloured: true, unit: 'count:packets/s', width: 110 },
      description: { minWidth: 140 },
      polled: { title: 'polled before', unit: 'dthms', thresholds: above({ 600: red }), coloured: true, width: 120 },
    },
    query: sql`
      SELECT if(polled > 600 AND NOT is_down, 8, status) AS status_number, interface, device, load_in, load_out, discards, errors, description, polled
      FROM
      (
          SELECT device, interface,
              argMax(toInt8(c.oper_status), c.event_time) AS status,
              argMax(c.in_load, c.event_time) AS load_in,
              argMax(c.out_load, c.event_time) AS load_out,
              argMax(c.out_discards_per_second, c.event_time) AS discards,
              argMax(c.in_errors_per_second, c.event_time) AS errors,
              argMax(c.alias, c.event_time) AS description,
              argMax(c.admin_status = 'up' AND c.oper_status NOT IN ('up', 'dormant'), c.event_time) AS is_down,
              dateDiff('second', max(c.event_time), $__toTime) AS polled
          FROM tocsin.interface_counters AS c
          WHERE $__timeFilter(event_time) AND event_time > $__toTime - INTERVAL 1 DAY
            AND c.received_at >= greatest($__fromTime, $__toTime - INTERVAL 1 DAY) - INTERVAL 1 DAY
            AND ${chosen('device')}
          GROUP BY device, interface
      )
      ORDER BY is_down DESC, polled > 600 DESC, coalesce(errors, 0) + coalesce(discards, 0) > 0 DESC, greatest(coalesce(load_in, 0), coalesce(load_out, 0)) DESC
      LIMIT 500`,
  });
