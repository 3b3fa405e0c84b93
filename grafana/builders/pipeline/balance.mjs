import { agentSilent, ago, device } from '../columns.mjs';
import { annotation, choice, dashboard, row } from '../dashboard.mjs';
import { above, blue, green, numbers, orange, purple, red, yellow } from '../palette.mjs';
import { bars, lines, stat, table } from '../panels.mjs';
import { chosen, growth, mostSilent, sql } from '../sql.mjs';

/**
 * Counters a second, by listener. They are cumulative within a run (boot_id) of an agent: the highest value of each interval, less that of the
 * interval before. The first interval counts from zero when the run began within the range, else from its own first value.
 */
function rates(...counters) {
  const each = (column) => counters.map(column).join(',\n');
  return sql`
    WITH
        intervals AS
        (
            SELECT
                agent_id,
                boot_id,
                listener,
                $__timeInterval(received_at) AS interval_start,
                ${each((counter) => `max(${counter}) AS ${counter}_max,\nmin(${counter}) AS ${counter}_min`)}
            FROM tocsin.agent_stats
            WHERE $__timeFilter(received_at)
              AND ${chosen('agent', 'agent_id')}
            GROUP BY agent_id, boot_id, listener, interval_start
        ),
        deltas AS
        (
            SELECT
                interval_start,
                listener,
                ${each(
                  (counter) =>
                    `${counter}_max - lagInFrame(${counter}_max, 1, if(fromUnixTimestamp64Nano(toInt64(boot_id), 'UTC') >= $__fromTime, 0, ${counter}_min)) OVER run AS ${counter}_delta`,
                )}
            FROM intervals
            WINDOW run AS (PARTITION BY agent_id, boot_id, listener ORDER BY interval_start ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)
        )
    SELECT
        interval_start AS time,
        toString(listener) AS listener_name,
        ${each((counter) => `sum(${counter}_delta) / $__interval_s AS ${counter}`)}
    FROM deltas
    GROUP BY time, listener_name
    ORDER BY time, listener_name`;
}

export default dashboard({
  uid: 'tocsin-pipeline-balance',
  title: 'Pipeline balance',
  description: "Does everything that was sent arrive? In the data's order, left to right and top to bottom.",
  from: 'now-1h',
  variables: [
    choice(
      'agent',
      'Agent',
      'Agent that received the data',
      'SELECT DISTINCT agent_id FROM tocsin.agent_stats WHERE received_at >= now() - INTERVAL 30 DAY ORDER BY agent_id',
    ),
  ],
  annotations: [
    annotation(
      'Agent starts',
      blue,
      sql`
      SELECT DISTINCT
          fromUnixTimestamp64Nano(toInt64(boot_id), 'UTC') AS time,
          concat('agent ', agent_id, ' started') AS text
      FROM tocsin.agent_stats
      WHERE $__timeFilter(received_at)
        AND time >= $__fromTime
        AND ${chosen('agent', 'agent_id')}
      ORDER BY time`,
      'Anno',
    ),
  ],
  rows: [
    row(
      4,
      stat({
        id: 1,
        title: 'From sent to stored',
        description:
          'All listeners together, since the beginning. Healthy: kernel dropped, given up, in quarantine and missing are 0; rejected is small; in flight goes back to 0 within seconds when traffic stops. Stored counts events and rejects, duplicates what another agent of a group had told before; what was lost or refused lately stands beside. Independent of the time range.',
        width: 16,
        unit: 'short',
        fields: {
          sent: { title: 'sent' },
          kernel_dropped: { title: 'kernel dropped' },
          received: { title: 'received' },
          malformed: { title: 'rejected' },
          events: { title: 'events' },
          dropped: { title: 'given up' },
          in_flight: { title: 'in flight', thresholds: above({ 1: yellow }) },
          acked: { title: 'acknowledged' },
          stored: { title: 'stored' },
          duplicates: { title: 'duplicates' },
          quarantined: { title: 'in quarantine', thresholds: above({ 1: red }) },
          missing: { title: 'missing', thresholds: above({ 1: red }) },
          silent_for: agentSilent,
        },
        query: sql`
          SELECT
              sum(b.sent) AS sent,
              sum(b.kernel_dropped) AS kernel_dropped,
              sum(b.received) AS received,
              sum(b.malformed) AS malformed,
              sum(b.events) AS events,
              sum(b.dropped) AS dropped,
              sum(b.in_flight) AS in_flight,
              sum(b.acked) AS acked,
              sum(b.stored_events) + sum(b.stored_rejects) AS stored,
              sum(b.duplicates) AS duplicates,
              sum(b.quarantined) AS quarantined,
              sum(b.missing) AS missing,
              ${mostSilent} AS silent_for
          FROM tocsin.balance AS b
          WHERE ${chosen('agent', 'agent_id')}
          HAVING count() > 0`,
      }),
      stat({
        id: 9,
        title: 'Lost or refused in this time',
        description:
          'What the kernel dropped, what was rejected or refused, and what an agent gave up within the time range. Healthy: grey zeros; what is red here is gone.',
        width: 8,
        unit: 'short',
        decimals: 0,
        fields: {
          kernel_dropped: { title: 'kernel dropped', thresholds: above({ 1: red }) },
          malformed: { title: 'rejected', thresholds: above({ 1: yellow }) },
          rate_limited: { title: 'rate limited', thresholds: above({ 1: yellow }) },
          dropped: { title: 'given up', thresholds: above({ 1: red }) },
        },
        query: sql`
          SELECT
              sum(r.kernel_dropped) AS kernel_dropped,
              sum(r.malformed) AS malformed,
              sum(r.rate_limited) AS rate_limited,
              sum(r.dropped) AS dropped
          FROM
          (
              SELECT
                  ${['kernel_dropped', 'malformed', 'rate_limited', 'dropped'].map((counter) => `${growth(counter, '$__fromTime')} AS ${counter}`).join(',\n')}
              FROM tocsin.agent_stats AS s
              WHERE $__timeFilter(received_at)
                AND ${chosen('agent', 'agent_id')}
              GROUP BY agent_id, boot_id, listener
          ) AS r
          HAVING count() > 0`,
      }),
    ),
    row(
      7,
      table({
        id: 2,
        title: 'Balance sheet by listener',
        description:
          'sent = received + kernel dropped; events + rejected = acknowledged + in flight + given up; acknowledged = stored + duplicates + in quarantine + missing; duplicates are what another agent of the group had told before. Healthy: closed, or open with only in flight above 0 while traffic flows. The state is that of the last report, and "agent silent" where that is over a minute old. Kernel dropped above 0: raise receive_buffer of that listener, see receive-buffer use below. Independent of the time range.',
        width: 24,
        empty: { agent: 'no agent has ever reported' },
        unit: 'short',
        columns: {
          sent: { title: 'sent' },
          kernel_dropped: { title: 'kernel dropped' },
          received: { title: 'received' },
          malformed: { title: 'rejected' },
          events: { title: 'events' },
          dropped: { title: 'given up' },
          in_flight: { title: 'in flight', thresholds: above({ 1: yellow }), coloured: true },
          acked: { title: 'acknowledged' },
          stored: { title: 'stored' },
          duplicates: { title: 'duplicates' },
          quarantined: { title: 'in quarantine', thresholds: above({ 1: red }), coloured: true },
          missing: { title: 'missing', thresholds: above({ 1: red }), coloured: true },
          agent: { minWidth: 110 },
          listener: { minWidth: 110 },
          rate_limited: { title: 'rate limited' },
          state_now: {
            title: 'state',
            values: numbers([
              [2, 'agent silent', red],
              [1, 'closed', green],
              [0, 'open', orange],
            ]),
            coloured: true,
            unit: 'none',
          },
          reported: { unit: 'dateTimeFromNow', minWidth: 120 },
        },
        query: sql`
          SELECT
              agent_id AS agent,
              listener,
              sent,
              kernel_dropped,
              received,
              malformed,
              rate_limited,
              events,
              dropped,
              in_flight,
              acked,
              stored_events + stored_rejects AS stored,
              duplicates,
              quarantined,
              missing,
              if(reported_at < now64(9) - INTERVAL 1 MINUTE, 2, toInt8(closed)) AS state_now,
              reported_at AS reported
          FROM tocsin.balance
          WHERE ${chosen('agent', 'agent_id')}
          ORDER BY agent_id, listener`,
      }),
    ),
    row(
      8,
      lines({
        id: 3,
        title: 'Received',
        description:
          'Datagrams and frames taken from the socket each second, by listener. Healthy: follows the traffic; a fall to nothing on a busy listener means that senders or the network stopped.',
        width: 12,
        unit: 'count:messages/s',
        by: 'listener_name',
        interval: '5s',
        query: rates('received'),
      }),
      lines({
        id: 4,
        title: 'Lost or refused',
        description:
          'Each second, by listener: dropped by the kernel before the agent could read them, rejected as malformed, refused by a rate limit, given up after they were received. Healthy: a flat line at zero.',
        width: 12,
        unit: 'count:messages/s',
        colours: { kernel_dropped: red, malformed: yellow, rate_limited: orange, dropped: purple },
        interval: '5s',
        query: rates('kernel_dropped', 'malformed', 'rate_limited', 'dropped'),
      }),
    ),
    row(
      8,
      lines({
        id: 5,
        title: 'Receive-buffer use',
        description:
          "Share of each listener's receive buffer in use: the highest within the interval (peak) and the mean of the samples (use). Listeners without a measured buffer are left out. Healthy: peaks below 50 %. At 100 % the kernel drops: raise receive_buffer.",
        width: 12,
        unit: 'percentunit',
        fill: 0,
        thresholds: above({ 0.5: yellow, 0.8: red }, green),
        thresholdsStyle: 'line',
        interval: '5s',
        query: sql`
          SELECT
              $__timeInterval(received_at) AS time,
              toString(listener) AS listener_name,
              max(buffer_peak_bytes / buffer_limit_bytes) AS peak,
              avg(buffer_bytes / buffer_limit_bytes) AS use
          FROM tocsin.agent_stats
          WHERE $__timeFilter(received_at)
            AND buffer_limit_bytes > 0
            AND ${chosen('agent', 'agent_id')}
          GROUP BY time, listener_name
          ORDER BY time, listener_name`,
      }),
      bars({
        id: 6,
        title: 'Rows stored',
        description:
          'Rows stored in ClickHouse per minute of their arrival at the agent, by kind. Healthy: follows Received within seconds; falling behind means that Kafka or the archive job is late.',
        width: 12,
        unit: 'count:rows/min',
        by: 'kind_name',
        interval: '1m',
        query: sql`
          SELECT
              $__timeInterval(minute) AS time,
              toString(kind) AS kind_name,
              sum(stored) * 60 / $__interval_s AS rows
          FROM tocsin.stored_events_1m
          WHERE $__timeFilter(minute)
            AND ${chosen('agent', 'agent_id')}
          GROUP BY time, kind_name
          ORDER BY time, kind_name`,
      }),
    ),
    row(
      9,
      table({
        id: 7,
        title: 'Rejects by reason',
        description:
          'What was refused within the time range, by stage and reason, with the newest example of each. Bytes outside printable ASCII stand as dots, and at most 160 bytes are shown, so that a hostile sender cannot draw on this page. Healthy: empty, or a device you know.',
        width: 14,
        empty: { newest_detail: 'nothing was refused in this time range' },
        columns: {
          reason: { width: 130 },
          stage: { width: 80 },
          rejects: { title: 'count', unit: 'short', width: 80 },
          newest: ago(120),
          newest_device: { ...device, title: 'device' },
          newest_detail: { title: 'detail', minWidth: 160 },
          newest_bytes: { title: 'bytes', minWidth: 200 },
        },
        query: sql`
          SELECT
              reason,
              stage,
              count() AS rejects,
              max(received_at) AS newest,
              argMax(device, received_at) AS newest_device,
              argMax(detail, received_at) AS newest_detail,
              replaceRegexpAll(toValidUTF8(substring(argMax(raw, received_at), 1, 160)), '[^ -~]', '.') AS newest_bytes
          FROM tocsin.rejects
          WHERE $__timeFilter(received_at)
            AND ${chosen('agent', 'agent_id')}
          GROUP BY reason, stage
          ORDER BY rejects DESC
          LIMIT 100`,
      }),
      table({
        id: 8,
        title: 'Agents',
        description:
          'When each agent seen in the last day last reported; the most silent first. Agents report each second. Healthy: all below 15 s. Independent of the time range.',
        width: 10,
        empty: { agent: 'no agent report for a day' },
        columns: {
          agent: { minWidth: 120 },
          silent_for: {
            title: 'silent for',
            unit: 's',
            decimals: 0,
            thresholds: above({ 15: yellow, 60: red }, green),
            coloured: true,
            width: 110,
          },
          agent_site: { title: 'site' },
          started: ago(130),
        },
        query: sql`
          SELECT
              agent_id AS agent,
              greatest(dateDiff('second', max(received_at), now64(9)), 0) AS silent_for,
              argMax(site, received_at) AS agent_site,
              fromUnixTimestamp64Nano(toInt64(max(boot_id)), 'UTC') AS started
          FROM tocsin.agent_stats
          WHERE received_at >= now() - INTERVAL 1 DAY
            AND ${chosen('agent', 'agent_id')}
          GROUP BY agent_id
          ORDER BY silent_for DESC`,
      }),
    ),
    row(
      6,
      table({
        id: 10,
        title: 'Quarantine',
        description:
          'Rows that ClickHouse refused for good, by table, with its newest words. They wait with their bytes: mend what refuses them, then run `tocsin quarantine insert`. Healthy: empty. Independent of the time range and of the agent.',
        width: 24,
        empty: { newest_error: 'nothing waits in the quarantine' },
        unit: 'short',
        columns: {
          refusing_table: { title: 'table', width: 160 },
          row_count: { title: 'rows', width: 100 },
          blocks: { width: 90 },
          oldest: ago(130),
          newest: ago(130),
          newest_error: { title: 'error', minWidth: 300 },
        },
        query: sql`
          SELECT
              toString(q.table) AS refusing_table,
              sum(q.rows) AS row_count,
              count() AS blocks,
              min(q.quarantined_at) AS oldest,
              max(q.quarantined_at) AS newest,
              replaceRegexpAll(toValidUTF8(substring(argMax(q.error, q.quarantined_at), 1, 300)), '[^ -~]', '.') AS newest_error
          FROM tocsin.quarantined_blocks AS q FINAL
          WHERE q.inserted_at = toDateTime64(0, 3, 'UTC')
          GROUP BY refusing_table
          ORDER BY row_count DESC
          LIMIT 100`,
      }),
    ),
  ],
});
