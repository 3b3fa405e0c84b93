import { agentSilent, device, interfaceName, lasted, linkTo, toAlertOfRow, toDeviceOfLine, toDevicePage, when } from '../columns.mjs';
import { annotation, choice, dashboard, row } from '../dashboard.mjs';
import { above, blue, green, grey, nearlyFull, numbers, orange, purple, red, words, yellow } from '../palette.mjs';
import { heatmap, lines, stat, table } from '../panels.mjs';
import { linksNow, linksTable } from '../states.mjs';
import { byResolution, chosen, few, inRange, interfacePoints, mostSilent, outputDiscards, outputLoad, sql } from '../sql.mjs';

/** The chosen links that are first in an order of their roll-ups by the hour. */
const firstLinks = (order) => sql`
  SELECT link_id FROM tocsin.wan_latency_1h_states
  WHERE time BETWEEN toStartOfHour($__fromTime) AND $__toTime
    AND ${chosen('link', 'link_id')}
  GROUP BY link_id ORDER BY ${order} DESC LIMIT 20`;

const slowestLinks = firstLinks('max(rtt_max_ms)');
const lossiestLinks = firstLinks('sum(lost) / sum(probes)');

/** A query of each roll-up, with the interval of the panel that it is for and how its percentiles are merged. */
const fromRollUps = (query) =>
  [
    { table: 'wan_latency_1m_states', when: '$__interval_s BETWEEN 60 AND 3599', merge: 'quantilesExactMerge' },
    { table: 'wan_latency_1h_states', when: '$__interval_s BETWEEN 3600 AND 86399', merge: 'quantilesExactMerge' },
    { table: 'wan_latency_1d_states', when: '$__interval_s >= 86400', merge: 'quantilesExactWeightedMerge' },
  ].map(query);

/** The fastest, the slowest, and every 5th percentile between. */
const everyFifth = Array.from({ length: 21 }, (_, index) => index / 20).join(', ');

const interfacesOfLinks = `SELECT device, interface FROM tocsin.links_seen WHERE last_seen >= $__fromTime AND ${chosen('link', 'link_id')}`;

export default dashboard({
  uid: 'tocsin-wan',
  title: 'WAN',
  description:
    'Links between sites: round-trip times, loss, episodes with their cause, and the load of the interface each link leaves through.',
  from: 'now-3h',
  variables: [
    choice(
      'link',
      'Link',
      'Configured name of the link',
      'SELECT DISTINCT link_id FROM tocsin.links_seen WHERE last_seen > now() - INTERVAL 7 DAY ORDER BY link_id LIMIT 5000',
    ),
  ],
  annotations: [
    annotation(
      'Episodes',
      purple,
      sql`
      SELECT
          started_at AS time,
          coalesce(ended_at, now64(9)) AS timeEnd,
          concat(link_id, ' ', toString(kind)) AS title,
          concat('cause ', toString(cause), ', usual ', toString(round(baseline_ms, 1)), ' ms, peak ', toString(round(peak_ms, 1)), ' ms') AS text,
          toString(cause) AS tags
      FROM tocsin.wan_episodes FINAL
      WHERE started_at <= $__toTime AND coalesce(ended_at, now64(9)) >= $__fromTime
        AND ${chosen('link', 'link_id')}
        AND ${few('link')}
      ORDER BY time DESC
      LIMIT 200`,
    ),
  ],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Now',
        description:
          'Links probed within the last day: those that answer, that lose or are worse than usual, that answer nothing, and that nobody probed in the last minute; episodes that last. Resolvers are below. Healthy: nothing coloured, and an agent below 15 s. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          up: {},
          degraded: { thresholds: above({ 1: yellow }) },
          down: { thresholds: above({ 1: red }) },
          not_probed: { title: 'not probed', thresholds: above({ 1: red }) },
          episodes: { title: 'open episodes', thresholds: above({ 1: red }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              countIf(state_number = 1) AS up,
              countIf(state_number = 2) AS degraded,
              countIf(state_number = 4) AS down,
              countIf(state_number = 3) AS not_probed,
              (SELECT count() FROM tocsin.wan_episodes FINAL WHERE state = 'open' AND ${chosen('link', 'link_id')}) AS episodes,
              ${mostSilent} AS silent_for
          FROM
          (
              ${linksNow(chosen('link', 'link_id'))}
          )`,
      }),
    ),
    row(
      8,
      linksTable({
        id: 9,
        width: 24,
        link: linkTo('tocsin-wan', 'This link alone', 'var-link=${__value.raw:percentencode}&'),
        condition: chosen('link', 'link_id'),
      }),
    ),
    row(
      8,
      table({
        id: 2,
        title: 'Episodes',
        description:
          'Episodes that last, whenever they began, and those of the time range, newest first, with cause and evidence. Healthy: empty. At most 200 rows.',
        width: 24,
        empty: { link_id: 'no episode' },
        columns: {
          link_id: { title: 'link', width: 200 },
          kind_name: {
            title: 'kind',
            values: words({ down: red, loss: orange, latency: yellow, jitter: yellow }),
            coloured: true,
            width: 80,
          },
          state_name: { title: 'state', values: words({ open: red, closed: grey }), coloured: true, width: 70 },
          cause_name: {
            title: 'cause',
            values: words({
              egress_saturated: orange,
              loss_without_congestion: red,
              path_change: blue,
              remote_unreachable: red,
              unexplained: grey,
            }),
            coloured: true,
            width: 170,
          },
          started_at: { title: 'since', ...when },
          lasted,
          baseline_ms: { title: 'usual', unit: 'ms', decimals: 1, width: 90 },
          peak: { unit: 'ms', decimals: 1, width: 90 },
          loss_ratio: { title: 'loss', unit: 'percentunit', width: 80 },
          evidence_text: { title: 'evidence', minWidth: 220 },
          device,
          interface: { ...interfaceName, link: toDevicePage('tocsin-traps-interfaces', 'Interfaces of this device') },
          alert: { width: 110, link: toAlertOfRow },
          fingerprint: { hidden: true },
        },
        query: sql`
          SELECT link_id, toString(e.kind) AS kind_name, toString(e.state) AS state_name, toString(e.cause) AS cause_name, started_at, dateDiff('second', started_at, coalesce(ended_at, now64(9))) AS lasted, baseline_ms, if(peak_ms = 0, NULL, peak_ms) AS peak, loss_ratio,
              arrayStringConcat(arrayMap(e -> concat(e.1, ' ', if(e.4 = '', concat(toString(round(e.2, 2)), ' ', e.3), e.4)), evidence), '; ') AS evidence_text,
              device, interface, if(a.fingerprint = '', '', 'its alert') AS alert, a.fingerprint AS fingerprint
          FROM
          (
              SELECT *
              FROM tocsin.wan_episodes FINAL
              WHERE (state = 'open' OR $__timeFilter(started_at))
                AND ${chosen('link', 'link_id')}
              ORDER BY state = 'open' DESC, started_at DESC
              LIMIT 200
          ) AS e
          LEFT JOIN
          (
              SELECT labels['episode_id'] AS episode, any(fingerprint) AS fingerprint
              FROM tocsin.alerts
              WHERE startsWith(check, 'wan-')
              GROUP BY episode
          ) AS a ON a.episode = e.episode_id
          ORDER BY e.state = 'open' DESC, started_at DESC`,
      }),
    ),
    row(
      8,
      heatmap({
        id: 3,
        title: 'Round-trip times',
        description:
          'How round-trip times are spread over time, each point by its fastest, its slowest and every 5th percentile between. Healthy: one narrow band; a second band is another path, a cloud above is a full queue. The 20 links with the longest round-trip time. From points of a minute on, a link counts by its 50th, 95th and 99th percentile.',
        width: 24,
        empty: 'no probe was answered',
        unit: 'ms',
        interval: '10s',
        maxDataPoints: 800,
        query: sql`
          SELECT time, arrayJoin(spread) AS rtt_ms
          FROM
          (
              SELECT $__timeInterval(event_time) AS time, quantiles(${everyFifth})(assumeNotNull(rtt_ms)) AS spread
              FROM tocsin.link_probes
              WHERE $__interval_s < 60 AND ${inRange} AND rtt_ms IS NOT NULL
                AND link_id IN (
                    ${slowestLinks})
              GROUP BY time
              UNION ALL
              ${fromRollUps(
                ({ table, when }) => sql`
                  SELECT $__timeInterval(started) AS time, quantilesExactWeighted(${everyFifth})(toFloat64(weighed.1), toUInt64(weighed.2 * answers)) AS spread
                  FROM
                  (
                      SELECT time AS started, link_id, probes - lost AS answers, arrayJoin(arrayZip(finalizeAggregation(rtts), [15, 4, 1])) AS weighed
                      FROM tocsin.${table}
                  )
                  WHERE ${when} AND $__timeFilter(started) AND answers > 0
                    AND link_id IN (
                        ${slowestLinks})
                  GROUP BY time`,
              ).join('\nUNION ALL\n')}
          )
          ORDER BY time
          LIMIT 20000`,
      }),
    ),
    row(
      8,
      lines({
        id: 4,
        title: 'Percentiles',
        description:
          '50th and 95th percentile of the round-trip time by link. Healthy: close together. The 20 links with the longest round-trip time. From points of a minute on they are read from the roll-ups, exact within 0.4 %.',
        width: 12,
        empty: 'no probe was answered',
        unit: 'ms',
        interval: '10s',
        maxDataPoints: 800,
        query: byResolution(
          'time, link_id',
          sql`
            SELECT $__timeInterval(event_time) AS time, link_id, quantile(0.5)(rtt_ms) AS p50, quantile(0.95)(rtt_ms) AS p95
            FROM tocsin.link_probes
            WHERE $__interval_s < 60 AND ${inRange} AND rtt_ms IS NOT NULL
              AND link_id IN (
                  ${slowestLinks})
            GROUP BY time, link_id`,
          ...fromRollUps(
            ({ table, when, merge }) => sql`
              SELECT $__timeInterval(started) AS time, link_id, toFloat64(${merge}(0.5, 0.95, 0.99)(s.rtts)[1]) AS p50, toFloat64(${merge}(0.5, 0.95, 0.99)(s.rtts)[2]) AS p95
              FROM (SELECT time AS started, link_id, probes, lost, rtts FROM tocsin.${table}) AS s
              WHERE ${when} AND $__timeFilter(started)
                AND link_id IN (
                    ${slowestLinks})
              GROUP BY time, link_id
              HAVING sum(s.probes) > sum(s.lost)`,
          ),
        ),
      }),
      lines({
        id: 5,
        title: 'Loss',
        description: 'Share of probes that were lost, by link. Healthy: 0. The 20 links that lost most.',
        width: 12,
        empty: 'no link was probed',
        unit: 'percentunit',
        by: 'link_name',
        link: linkTo('tocsin-wan', 'This link alone', 'var-link=${__field.labels.link_name:percentencode}&'),
        thresholds: above({ 0.01: yellow, 0.1: red }),
        interval: '10s',
        maxDataPoints: 800,
        query: byResolution(
          'time, link_name',
          sql`
            SELECT $__timeInterval(event_time) AS time, link_id AS link_name, countIf(lost) / count() AS loss
            FROM tocsin.link_probes
            WHERE $__interval_s < 60 AND ${inRange}
              AND link_id IN (
                  ${lossiestLinks})
            GROUP BY time, link_name`,
          ...fromRollUps(
            ({ table, when }) => sql`
              SELECT $__timeInterval(started) AS time, link_id AS link_name, sum(s.lost) / sum(s.probes) AS loss
              FROM (SELECT time AS started, link_id, probes, lost FROM tocsin.${table}) AS s
              WHERE ${when} AND $__timeFilter(started)
                AND link_id IN (
                    ${lossiestLinks})
              GROUP BY time, link_name`,
          ),
        ),
      }),
    ),
    row(
      8,
      lines({
        id: 6,
        title: 'Load of the interface the link leaves through',
        description: 'Share of the speed that is used, sending, of the interfaces that the links leave through. Healthy: below 0.8.',
        width: 12,
        empty: 'its interface is not polled',
        unit: 'percentunit',
        by: 'interface_name',
        link: toDeviceOfLine,
        joined: true,
        thresholds: nearlyFull,
        interval: '10s',
        maxDataPoints: 800,
        query: interfacePoints({ ...outputLoad, which: interfacesOfLinks }),
      }),
      lines({
        id: 7,
        title: 'Discards of that interface',
        description: "Packets a second that its full queue threw away, means over a point's time. Healthy: none.",
        width: 12,
        empty: 'its interface is not polled',
        unit: 'count:packets/s',
        by: 'interface_name',
        link: toDeviceOfLine,
        joined: true,
        interval: '10s',
        maxDataPoints: 800,
        query: interfacePoints({ ...outputDiscards, which: interfacesOfLinks }),
      }),
    ),
    row(
      7,
      table({
        id: 8,
        title: 'Resolvers',
        description:
          'DNS probes: what each resolver answered, newest in the last day of the time range. Healthy: all agree. At most 200 rows.',
        width: 24,
        empty: { query_name: 'no DNS probe is configured' },
        columns: {
          query_name: { title: 'name', width: 180 },
          target: { title: 'resolver', width: 160 },
          code: { values: words({ NOERROR: green, NXDOMAIN: orange, REFUSED: red, SERVFAIL: red }), coloured: true, width: 100 },
          records: { title: 'answer', minWidth: 160 },
          median_ms: { title: 'median', unit: 'ms', decimals: 1, width: 100 },
          lost_probes: { title: 'lost', thresholds: above({ 1: red }), coloured: true, width: 80 },
        },
        query: sql`
          SELECT query_name, target, argMax(p.answer_code, p.event_time) AS code, argMax(p.answer, p.event_time) AS records, quantileIf(0.5)(assumeNotNull(p.rtt_ms), p.rtt_ms IS NOT NULL) AS median_ms, countIf(p.lost) AS lost_probes
          FROM tocsin.link_probes AS p
          WHERE $__timeFilter(event_time) AND event_time > $__toTime - INTERVAL 1 DAY
            AND p.received_at >= greatest($__fromTime, $__toTime - INTERVAL 1 DAY) - INTERVAL 1 DAY AND p.method = 'dns'
            AND ${chosen('link', 'link_id')}
          GROUP BY query_name, target
          ORDER BY query_name, target
          LIMIT 200`,
      }),
    ),
  ],
});
