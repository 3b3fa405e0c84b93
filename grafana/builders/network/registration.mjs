import { agentSilent, happened, linkTo } from '../columns.mjs';
import { choice, dashboard, row, textbox } from '../dashboard.mjs';
import { above, blue, green, grey, orange, red, words, yellow } from '../palette.mjs';
import { bars, lines, stat, table } from '../panels.mjs';
import { byResolution, chosen, inRange, macOf, mostSilent, sql, typed } from '../sql.mjs';

/** Median and 99th percentile by server of how long leases of a kind took. */
function latency(kind) {
  const rollUp = (table, when) => sql`
    SELECT $__timeInterval(started) AS time, server AS server_name, toFloat64(quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies)[1]) AS p50, toFloat64(quantilesExactWeightedMerge(0.5, 0.95, 0.99)(s.latencies)[3]) AS p99
    FROM (SELECT time AS started, server, kind, latencies FROM tocsin.${table}) AS s
    WHERE ${when} AND $__timeFilter(started) AND kind = '${kind}'
      AND ${chosen('server')}
    GROUP BY time, server_name`;
  return byResolution(
    'time, server_name',
    sql`
      SELECT $__timeInterval(event_time) AS time, server AS server_name, quantile(0.5)(latency_ms) AS p50, quantile(0.99)(latency_ms) AS p99
      FROM tocsin.lease_latencies
      WHERE $__interval_s < 60 AND $__timeFilter(event_time) AND kind = '${kind}'
        AND ${chosen('server')}
      GROUP BY time, server_name`,
    rollUp('lease_latency_1m_states', '$__interval_s BETWEEN 60 AND 3599'),
    rollUp('lease_latency_1h_states', '$__interval_s >= 3600'),
  );
}

/** The newest of the transitions that the condition lets through. */
const newestTransitions = (condition) => sql`
  SELECT changed_at, mac, ip, toString(state) AS state_name, toString(access) AS access_name, hostname, relay, circuit_id, server, cause
  FROM tocsin.registration_history
  WHERE ${condition}
    AND ${chosen('server')}
  ORDER BY changed_at DESC LIMIT 200`;

const leaseStates = {
  bound: green,
  renewing: green,
  rebinding: orange,
  offered: blue,
  discovering: blue,
  expired: grey,
  released: grey,
  declined: red,
};

const lookup = `lower(trimBoth(${typed('lookup')}))`;
const toLookup = linkTo('tocsin-registration', 'Look it up', 'var-lookup=${__value.raw:percentencode}&');

export default dashboard({
  uid: 'tocsin-registration',
  title: 'Registration',
  description: 'Devices on the network as DHCP shows them: states, renewals against rebinds, latency of servers, moves and conflicts.',
  from: 'now-6h',
  variables: [
    choice(
      'server',
      'Server',
      'DHCP server, as messages name it',
      "SELECT DISTINCT server FROM tocsin.registrations_latest WHERE server != '' ORDER BY server LIMIT 1000",
    ),
    textbox('lookup', 'MAC, IP or name', 'A hardware address in any notation, an IP address or a host name; empty: the newest changes'),
  ],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'States now',
        description:
          'Devices by state of their lease. Healthy: most are bound; rebinding means that a server does not answer. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          bound: {},
          renewing: {},
          rebinding: { thresholds: above({ 1: yellow, 20: red }) },
          looking: { title: 'looking for a server' },
          declined: { thresholds: above({ 1: red }) },
          gone: {},
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              countIf(state = 'bound') AS bound,
              countIf(state = 'renewing') AS renewing,
              countIf(state = 'rebinding') AS rebinding,
              countIf(state IN ('discovering', 'offered')) AS looking,
              countIf(state = 'declined') AS declined,
              countIf(state IN ('expired', 'released')) AS gone,
              ${mostSilent} AS silent_for
          FROM tocsin.registrations
          WHERE ${chosen('server')}`,
      }),
    ),
    row(
      10,
      table({
        id: 6,
        title: 'Look-up',
        description:
          'Where a MAC, an address or a name has been within the time range, newest first; a click on one looks it up. Healthy: one place for long. At most 200 rows.',
        width: 24,
        empty: { mac: 'nothing is known of it' },
        columns: {
          changed_at: { title: 'when', width: 170 },
          mac: { width: 140, link: toLookup },
          ip: { width: 130, link: toLookup },
          state_name: {
            title: 'state',
            values: words(leaseStates),
            coloured: true,
            width: 100,
          },
          access_name: {
            title: 'access',
            values: words({ allowed: green, blocked: grey, quarantined: orange }),
            coloured: true,
            width: 90,
          },
          hostname: { width: 120 },
          relay: { width: 120 },
          circuit_id: { title: 'circuit', width: 120 },
          server: { width: 120 },
          cause: { minWidth: 100 },
        },
        query: sql`
          SELECT *
          FROM
          (
              ${newestTransitions(`${lookup} = '' AND $__timeFilter(changed_at)`)}
              UNION ALL
              ${newestTransitions(`${lookup} != '' AND $__timeFilter(changed_at) AND (mac = ${macOf(lookup)} OR ip = ${lookup} OR lower(hostname) = ${lookup} OR startsWith(lower(hostname), concat(${lookup}, '.')))`)}
          )
          ORDER BY changed_at DESC
          LIMIT 200`,
      }),
    ),
    row(
      8,
      bars({
        id: 2,
        title: 'Transitions',
        description: 'Changes of state a minute by the new state. Healthy: even; a spike is a power cut or a lease storm.',
        width: 12,
        empty: 'no transition in this time',
        unit: 'count:changes/min',
        by: 'state_name',
        colours: leaseStates,
        interval: '1m',
        query: sql`
          SELECT
              $__timeInterval(changed_at) AS time,
              toString(state) AS state_name,
              uniqExact(transition_id) * 60 / $__interval_s AS transitions
          FROM tocsin.registration_history
          WHERE $__timeFilter(changed_at)
            AND ${chosen('server')}
          GROUP BY time, state_name
          ORDER BY time, state_name`,
      }),
      lines({
        id: 3,
        title: 'Rebinds among renewals',
        description:
          'Share of requests to extend a lease that had to be broadcast, because the server did not answer, by the server that gave the lease: a broadcast itself names none. Healthy: below 0.05.',
        width: 12,
        empty: 'no renewal in this time',
        unit: 'percentunit',
        max: 1,
        by: 'server_name',
        joined: true,
        thresholds: above({ 0.05: yellow, 0.2: red }),
        interval: '1m',
        query: sql`
          SELECT
              $__timeInterval(event_time) AS time,
              if(d.server = '', r.lease_server, toString(d.server)) AS server_name,
              countIf(d.request_kind = 'rebinding') / count() AS share
          FROM tocsin.dhcp AS d
          LEFT JOIN
          (
              SELECT mac, toString(any(server)) AS lease_server
              FROM tocsin.registrations_latest
              WHERE server != ''
              GROUP BY mac
          ) AS r USING (mac)
          WHERE ${inRange} AND d.request_kind IN ('renewing', 'rebinding')
            AND ${chosen('server', 'server_name')}
          GROUP BY time, server_name
          ORDER BY time, server_name`,
      }),
    ),
    row(
      8,
      lines({
        id: 4,
        title: 'Offer latency',
        description:
          'Median and 99th percentile of the time from DISCOVER to OFFER by server. Healthy: a few milliseconds; a ping check adds about a second. From points of a minute on they are read from the roll-ups, exact within 0.4 %.',
        width: 12,
        empty: 'no offer in this time',
        unit: 'ms',
        joined: true,
        interval: '10s',
        query: latency('offer'),
      }),
      lines({
        id: 5,
        title: 'Acknowledgement latency',
        description:
          'Median and 99th percentile of the time from REQUEST to ACK by server. Healthy: a few milliseconds; seconds mean that the server waits for its disk. From points of a minute on they are read from the roll-ups, exact within 0.4 %.',
        width: 12,
        empty: 'no acknowledgement in this time',
        unit: 'ms',
        joined: true,
        interval: '10s',
        query: latency('ack'),
      }),
    ),
    row(
      8,
      table({
        id: 7,
        title: 'Moves and conflicts',
        description:
          'Addresses that went to another MAC in the time range: look for the gateway that still has the old one. Healthy: few, and each explained by an expired lease. At most 100 rows.',
        width: 12,
        empty: { who: 'no address changed hands' },
        columns: {
          ip: { width: 140, link: toLookup },
          macs: { thresholds: above({ 2: orange }), coloured: true, width: 70 },
          who: { minWidth: 240 },
          newest: happened,
          one_relay: { title: 'relay', width: 130 },
        },
        query: sql`
          SELECT ip, count() AS macs, arrayStringConcat(arraySlice(groupArray(h.mac), 1, 5), ', ') AS who, max(h.had_at) AS newest, any(h.its_relay) AS one_relay
          FROM
          (
              SELECT ip, mac, max(changed_at) AS had_at, any(relay) AS its_relay
              FROM tocsin.registration_history
              WHERE $__timeFilter(changed_at) AND state = 'bound' AND ip != ''
                AND ${chosen('server')}
              GROUP BY ip, mac
          ) AS h
          GROUP BY ip
          HAVING macs > 1
          ORDER BY newest DESC
          LIMIT 100`,
      }),
      table({
        id: 8,
        title: 'Not registered',
        description:
          'Devices with a lease that nobody has registered, newest first. Healthy: empty where registration is required. Independent of the time range; at most 200 rows.',
        width: 12,
        empty: { mac: 'everybody is registered' },
        columns: {
          since: happened,
          mac: { width: 140, link: toLookup },
          ip: { width: 120, link: toLookup },
          hostname: { width: 110 },
          relay: { width: 110 },
          circuit_id: { title: 'circuit', width: 110 },
          vendor_class: { title: 'vendor', minWidth: 100 },
        },
        query: sql`
          SELECT changed_at AS since, mac, ip, hostname, relay, circuit_id, vendor_class
          FROM tocsin.registrations
          WHERE access != 'allowed' AND state IN ('bound', 'renewing', 'rebinding')
            AND ${chosen('server')}
          ORDER BY changed_at DESC
          LIMIT 200`,
      }),
    ),
  ],
});
