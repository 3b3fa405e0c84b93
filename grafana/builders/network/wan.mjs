import { agentSilent, ago } from '../columns.mjs';
import { alertsAndMaintenance, annotation, choice, dashboard, row } from '../dashboard.mjs';
import { above, blue, green, grey, nearlyFull, orange, purple, red, words, yellow } from '../palette.mjs';
import { heatmap, lines, stat, table } from '../panels.mjs';
import { byResolution, chosen, inRange, interfacePoints, mostSilent, outputDiscards, outputLoad, sql } from '../sql.mjs';

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
  shows: 'Latency, loss and their causes',
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
    ...alertsAndMaintenance(),
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
      WHERE $__timeFilter(started_at)
        AND ${chosen('link', 'link_id')}
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
        description: 'Links that answer, that lose, and that are in an episode, over the last minute. Healthy: nothing coloured.',
        width: 24,
        decimals: 0,
        fields: {
          links: {},
          losing: { thresholds: above({ 1: yellow }) },
          episodes: { title: 'open episodes', thresholds: above({ 1: red }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              uniq(p.link_id) AS links,
              uniqIf(p.link_id, p.lost) AS losing,
              (SELECT count() FROM tocsin.wan_episodes FINAL WHERE state = 'open' AND ${chosen('link', 'link_id')}) AS episodes,
              ${mostSilent} AS silent_for
          FROM tocsin.link_probes AS p
          WHERE p.received_at > now() - INTERVAL 1 MINUTE
            AND ${chosen('link', 'link_id')}`,
      }),
    ),
    row(
      8,
      table({
        id: 2,
        title: 'Episodes',
        description: 'Episodes of the time range, newest first, with cause and evidence. Healthy: empty. At most 200 rows.',
        width: 24,
        empty: { link_id: 'no episode' },
        columns: {
          link_id: { title: 'link', width: 140 },
          kind_name: { title: 'kind', width: 80 },
          state_name: { title: 'state', values: words({ open: red, closed: grey }), cell: 'text', width: 70 },
          cause_name: {
            title: 'cause',
            values: words({
              egress_saturated: orange,
              loss_without_congestion: red,
              path_change: blue,
              remote_unreachable: red,
              unexplained: grey,
            }),
            cell: 'text',
            width: 170,
          },
          started_at: { title: 'since', ...ago(130) },
          lasted: { unit: 's', width: 90 },
          baseline_ms: { title: 'usual', unit: 'ms', decimals: 1, width: 90 },
          peak_ms: { title: 'peak', unit: 'ms', decimals: 1, width: 90 },
          loss_ratio: { title: 'loss', unit: 'percentunit', width: 80 },
          evidence_text: { title: 'evidence', minWidth: 220 },
        },
        query: sql`
          SELECT link_id, toString(kind) AS kind_name, toString(state) AS state_name, toString(cause) AS cause_name, started_at, dateDiff('second', started_at, coalesce(ended_at, now64(9))) AS lasted, baseline_ms, peak_ms, loss_ratio,
              arrayStringConcat(arrayMap(e -> concat(e.1, ' ', if(e.4 = '', concat(toString(round(e.2, 2)), ' ', e.3), e.4)), evidence), '; ') AS evidence_text
          FROM tocsin.wan_episodes FINAL
          WHERE $__timeFilter(started_at)
            AND ${chosen('link', 'link_id')}
          ORDER BY started_at DESC
          LIMIT 200`,
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
        unit: 'cps',
        by: 'interface_name',
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
          code: { values: words({ NOERROR: green, NXDOMAIN: orange, REFUSED: red, SERVFAIL: red }), cell: 'text', width: 100 },
          records: { title: 'answer', minWidth: 160 },
          median_ms: { title: 'median', unit: 'ms', decimals: 1, width: 100 },
          lost_probes: { title: 'lost', thresholds: above({ 1: red }), cell: 'text', width: 80 },
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
