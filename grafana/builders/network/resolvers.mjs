import { agentSilent, device, linkTo, when } from '../columns.mjs';
import { choice, dashboard, row } from '../dashboard.mjs';
import { above, green, grey, orange, red, words, yellow } from '../palette.mjs';
import { lines, stat, table } from '../panels.mjs';
import { chosen, inRange, mostSilent, sql } from '../sql.mjs';

const codes = words({ NOERROR: green, NXDOMAIN: orange, REFUSED: red, SERVFAIL: red });

/** Answers of the time range that count. */
const answers = `${inRange} AND ${chosen('group', 'resolver_group')} AND a.loss_reason != 'not_sent'`;

export default dashboard({
  uid: 'tocsin-resolvers',
  title: 'Resolvers',
  description: 'DNS resolvers that are asked the same questions: where they differ, how long they take, which names are slow.',
  from: 'now-3h',
  variables: [
    choice(
      'group',
      'Group',
      'Configured name of the resolvers that should answer alike',
      'SELECT DISTINCT resolver_group FROM tocsin.dns_answers WHERE received_at > now64(9) - INTERVAL 1 DAY ORDER BY resolver_group LIMIT 1000',
    ),
  ],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'Now',
        description:
          'Resolvers that were asked within the last 15 minutes; those whose newest answer to any question differs from the others of their group, and those that answered none of their questions last. Healthy: nothing coloured, and an agent below 15 s. Independent of the time range.',
        width: 24,
        decimals: 0,
        fields: {
          asked: {},
          differ: { thresholds: above({ 1: yellow }) },
          silent: { thresholds: above({ 1: red }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT count() AS asked, countIf(differing > 0) AS differ, countIf(answered = 0) AS silent, ${mostSilent} AS silent_for
          FROM
          (
              SELECT q.resolver_group AS resolvers, q.device AS resolver, countIf(q.difference != 'none') AS differing, countIf(NOT q.was_lost) AS answered
              FROM
              (
                  SELECT a.resolver_group, a.device, argMax(a.disagreement, a.event_time) AS difference, argMax(a.lost, a.event_time) AS was_lost
                  FROM tocsin.dns_answers AS a
                  WHERE a.received_at > now64(9) - INTERVAL 15 MINUTE AND a.loss_reason != 'not_sent' AND ${chosen('group', 'resolver_group')}
                  GROUP BY a.resolver_group, a.device, a.query_name, a.query_type
              ) AS q
              GROUP BY resolvers, resolver
          )`,
      }),
    ),
    row(
      8,
      table({
        id: 2,
        title: 'Each resolver',
        description:
          'What each resolver did in the time range: how many questions, the share of answers that differ from the others and of questions that were lost, its times, and the share of answers that it says it has validated by DNSSEC. Healthy: nothing differs, nothing is lost. At most 200 rows.',
        width: 24,
        empty: { resolver_group: 'no resolver is asked' },
        columns: {
          resolver_group: {
            title: 'group',
            width: 140,
            link: linkTo('tocsin-resolvers', 'This group alone', 'var-group=${__value.raw:percentencode}&'),
          },
          device: { ...device, title: 'resolver' },
          asked_at: { title: 'address', width: 160 },
          questions: { title: 'asked', width: 90 },
          differing: { title: 'differ', unit: 'percentunit', thresholds: above({ 0.0001: yellow, 0.1: red }), coloured: true, width: 90 },
          lost_share: { title: 'lost', unit: 'percentunit', thresholds: above({ 0.01: yellow, 0.1: red }), coloured: true, width: 90 },
          median_ms: { title: 'median', unit: 'ms', decimals: 1, width: 100 },
          p99_ms: { title: '99th percentile', unit: 'ms', decimals: 1, width: 130 },
          validated: { unit: 'percentunit', width: 100 },
        },
        query: sql`
          SELECT resolver_group, device, any(a.target) AS asked_at, count() AS questions, countIf(a.disagreement != 'none') / count() AS differing, countIf(a.lost) / count() AS lost_share,
              quantileIf(0.5)(assumeNotNull(a.rtt_ms), a.rtt_ms IS NOT NULL) AS median_ms, quantileIf(0.99)(assumeNotNull(a.rtt_ms), a.rtt_ms IS NOT NULL) AS p99_ms,
              countIf(a.authenticated) / greatest(countIf(NOT a.lost), 1) AS validated
          FROM tocsin.dns_answers AS a
          WHERE ${answers}
          GROUP BY resolver_group, device
          ORDER BY differing DESC, lost_share DESC, resolver_group, device
          LIMIT 200`,
      }),
    ),
    row(
      8,
      table({
        id: 3,
        title: 'Answers that differ',
        description:
          'Questions that a resolver answered otherwise than most of its group in the time range, newest first: its newest differing answer, and what the others said. Healthy: empty, or short while a change spreads; resolver-disagrees tells of what lasts longer than the answer may be kept. At most 200 rows.',
        width: 24,
        empty: { query_name: 'all agree' },
        columns: {
          query_name: { title: 'name', minWidth: 160 },
          query_type: { title: 'type', width: 70 },
          device: { ...device, title: 'resolver' },
          what: {
            title: 'differs in',
            values: words({ answer_code: red, records: orange, old_serial: yellow, none: grey }),
            coloured: true,
            width: 110,
          },
          code: { title: 'it says', values: codes, coloured: true, width: 100 },
          records: { title: 'its answer', minWidth: 160 },
          others: { title: 'others', minWidth: 160 },
          first_at: { title: 'first', ...when },
          last_at: { title: 'last', ...when },
          times: { title: 'times', width: 80 },
          resolver_group: { title: 'group', width: 140 },
        },
        query: sql`
          SELECT query_name, query_type, device, toString(argMax(a.disagreement, a.event_time)) AS what, argMax(a.answer_code, a.event_time) AS code,
              argMax(a.answer, a.event_time) AS records, argMax(a.expected, a.event_time) AS others, min(a.event_time) AS first_at, max(a.event_time) AS last_at, count() AS times, resolver_group
          FROM tocsin.dns_answers AS a
          WHERE ${answers} AND a.disagreement != 'none'
          GROUP BY query_name, query_type, device, resolver_group
          ORDER BY last_at DESC, query_name, query_type, device
          LIMIT 200`,
      }),
    ),
    row(
      8,
      lines({
        id: 4,
        title: 'Time to the answer',
        description:
          '50th and 99th percentile of the time to an answer, by resolver. Healthy: level, and the same for all of a group. The 20 slowest resolvers.',
        width: 12,
        empty: 'no question was answered',
        unit: 'ms',
        interval: '1m',
        maxDataPoints: 800,
        query: sql`
          SELECT $__timeInterval(event_time) AS time, concat(resolver_group, ' ', device) AS resolver, quantile(0.5)(assumeNotNull(rtt_ms)) AS p50, quantile(0.99)(assumeNotNull(rtt_ms)) AS p99
          FROM tocsin.dns_answers AS a
          WHERE ${answers} AND rtt_ms IS NOT NULL
            AND (resolver_group, device) IN (
                SELECT resolver_group, device FROM tocsin.dns_answers AS a WHERE ${answers} GROUP BY resolver_group, device ORDER BY avg(rtt_ms) DESC LIMIT 20)
          GROUP BY time, resolver
          ORDER BY time, resolver`,
      }),
      lines({
        id: 5,
        title: 'Differ or lost',
        description:
          'Share of questions that a resolver answered otherwise than the others, or not at all. Healthy: 0. The 20 resolvers with most.',
        width: 12,
        empty: 'no resolver is asked',
        unit: 'percentunit',
        interval: '1m',
        maxDataPoints: 800,
        query: sql`
          SELECT $__timeInterval(event_time) AS time, concat(resolver_group, ' ', device) AS resolver, countIf(a.disagreement != 'none') / count() AS differ, countIf(a.lost) / count() AS unanswered
          FROM tocsin.dns_answers AS a
          WHERE ${answers}
            AND (resolver_group, device) IN (
                SELECT resolver_group, device FROM tocsin.dns_answers AS a WHERE ${answers} GROUP BY resolver_group, device ORDER BY countIf(a.disagreement != 'none') + countIf(a.lost) DESC LIMIT 20)
          GROUP BY time, resolver
          ORDER BY time, resolver`,
      }),
    ),
    row(
      8,
      table({
        id: 6,
        title: 'Slow names',
        description:
          'Names by the share of all waiting that they are, in the time range; a lost question counts as its timeout. Healthy: no name stands out. A few slow names that dominate are slow at whoever answers for them, not at the resolver. At most 100 rows.',
        width: 24,
        empty: { query_name: 'no question was asked' },
        columns: {
          query_name: { title: 'name', minWidth: 200 },
          query_type: { title: 'type', width: 80 },
          waiting: { title: 'of all waiting', unit: 'percentunit', thresholds: above({ 0.5: yellow }), coloured: true, width: 120 },
          questions: { title: 'asked', width: 90 },
          unanswered: { title: 'lost', thresholds: above({ 1: red }), coloured: true, width: 80 },
          median_ms: { title: 'median', unit: 'ms', decimals: 1, width: 100 },
          p99_ms: { title: '99th percentile', unit: 'ms', decimals: 1, width: 130 },
          slowest: { title: 'slowest resolver', width: 160 },
        },
        query: sql`
          SELECT query_name, query_type, waited / sum(waited) OVER () AS waiting, questions, unanswered, median_ms, p99_ms, slowest
          FROM
          (
              SELECT query_name, query_type, sum(coalesce(a.rtt_ms, a.timeout_ms)) AS waited, count() AS questions, countIf(a.lost) AS unanswered,
                  quantileIf(0.5)(assumeNotNull(a.rtt_ms), a.rtt_ms IS NOT NULL) AS median_ms, quantileIf(0.99)(assumeNotNull(a.rtt_ms), a.rtt_ms IS NOT NULL) AS p99_ms,
                  argMax(a.device, a.rtt_ms) AS slowest
              FROM tocsin.dns_answers AS a
              WHERE ${answers}
              GROUP BY query_name, query_type
          )
          ORDER BY waiting DESC, query_name, query_type
          LIMIT 100`,
      }),
    ),
  ],
});
