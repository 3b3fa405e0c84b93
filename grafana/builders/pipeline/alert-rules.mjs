// Alert rules for Tocsin's own pipeline: they still speak where the pipeline itself does not. Each asks for one number and texts that tell the
// rows apart, with a row for every agent also where all is quiet: Grafana 9.3 takes an answer without a row for an error.
import { target } from '../panels.mjs';
import { runbookPage } from '../runbooks.mjs';
import { growth, sql } from '../sql.mjs';

const relativeTimeRange = { from: 600, to: 0 };

/**
 * Alerts go to Tocsin's Alertmanager, whose routes tell people. It forgets what nobody repeats for five minutes, so Grafana repeats each minute; people
 * hear of it as often as Alertmanager's own `repeat_interval` says.
 */
const contactPoint = {
  orgId: 1,
  name: 'tocsin',
  receivers: [{ uid: 'tocsin-alertmanager', type: 'prometheus-alertmanager', settings: { url: '$TOCSIN_ALERTMANAGER_URL' } }],
};
const notificationSettings = { receiver: contactPoint.name, group_wait: '5s', group_interval: '1m', repeat_interval: '1m' };

/** The agent that a row is about. Grafana reads variables of its environment in labels of a provisioned rule: "$$" is a "$" there. */
const agent = '{{ $$labels.agent_id }}';

/** A page of this Grafana, for who reads of it elsewhere: Grafana's own address ends with a slash or does not. */
const whole = (path) => `{{ externalURL | reReplaceAll \`/+\\z\` "" }}${path}`;

/** `name` is that of the runbook; `device` what the alert concerns; `panel` is the one of the balance page that shows it; it fires where the number of `query` is `above` this. */
function rule({ name, title, severity, device, summary, description, panel, above, lasting, query }) {
  const { datasource, ...model } = target(query);
  const expression = { type: '__expr__', uid: '__expr__' };
  return {
    uid: `tocsin-${name}`,
    title,
    condition: 'B',
    data: [
      { refId: 'A', relativeTimeRange, datasourceUid: 'tocsin-clickhouse', model },
      {
        refId: 'B',
        relativeTimeRange,
        datasourceUid: '__expr__',
        model: { refId: 'B', type: 'math', expression: `$A > ${above}`, datasource: expression },
      },
    ],
    noDataState: 'OK',
    execErrState: 'Error',
    for: lasting,
    labels: { severity, source: 'tocsin-pipeline', device },
    notification_settings: notificationSettings,
    annotations: {
      summary,
      description,
      runbook_url: runbookPage(name),
      runbook: whole(runbookPage(name)),
      dashboard: whole(`/d/tocsin-pipeline-balance?viewPanel=${panel}`),
      __dashboardUid__: 'tocsin-pipeline-balance',
      __panelId__: String(panel),
    },
  };
}

/**
 * What a counter of `agent_stats` grew by within five minutes, by listener, in a column named after its unit; zero for those that are quiet.
 */
function lately(counter, unit) {
  return sql`
    SELECT agent_id, listener, toFloat64(sum(growth)) AS ${unit}
    FROM
    (
        SELECT agent_id, listener, ${growth(counter, 'now64(9) - INTERVAL 5 MINUTE')} AS growth
        FROM tocsin.agent_stats AS s
        WHERE s.received_at > now() - INTERVAL 5 MINUTE
        GROUP BY agent_id, listener, boot_id
        UNION ALL
        SELECT DISTINCT agent_id, listener, 0 AS growth
        FROM tocsin.listener_totals
        WHERE reported_at > now() - INTERVAL 7 DAY
    )
    GROUP BY agent_id, listener`;
}

const rules = [
  rule({
    name: 'agent-silent',
    title: 'An agent is silent',
    severity: 'critical',
    device: agent,
    summary: '{{ $labels.agent_id }} has reported nothing for {{ $values.A }} seconds',
    description: 'Agents report once a second. What its devices say meanwhile is lost where it is sent over UDP.',
    panel: 8,
    above: 60,
    lasting: '1m',
    query: sql`
      SELECT agent_id, toFloat64(dateDiff('second', max(reported_at), now64(9))) AS seconds
      FROM tocsin.listener_totals
      GROUP BY agent_id
      HAVING max(reported_at) > now() - INTERVAL 7 DAY`,
  }),
  rule({
    name: 'kernel-drops',
    title: 'A receive buffer overflows',
    severity: 'major',
    device: agent,
    summary: '{{ $labels.listener }} of {{ $labels.agent_id }}: the kernel dropped {{ $values.A }} datagrams in five minutes',
    description: 'The receive buffer was full; what it would have held is counted and gone.',
    panel: 4,
    above: 0,
    lasting: '0s',
    query: lately('kernel_dropped', 'datagrams'),
  }),
  rule({
    name: 'buffer-nearly-full',
    title: 'A receive buffer is nearly full',
    severity: 'warning',
    device: agent,
    summary: '{{ $labels.listener }} of {{ $labels.agent_id }}: its receive buffer was {{ $values.A }} % full within five minutes',
    description: 'Nothing is lost yet. A burst that is a little larger will be.',
    panel: 5,
    above: 80,
    lasting: '0s',
    query: sql`
      SELECT agent_id, listener, round(max(share) * 100) AS percent
      FROM
      (
          SELECT agent_id, listener, buffer_peak_bytes / buffer_limit_bytes AS share
          FROM tocsin.agent_stats AS s
          WHERE s.received_at > now() - INTERVAL 5 MINUTE AND s.buffer_limit_bytes > 0
          UNION ALL
          SELECT DISTINCT agent_id, listener, toFloat64(0) AS share
          FROM tocsin.listener_totals
          WHERE reported_at > now() - INTERVAL 7 DAY
      )
      GROUP BY agent_id, listener`,
  }),
  rule({
    name: 'agent-drops',
    title: 'An agent gives up records',
    severity: 'critical',
    device: agent,
    summary: '{{ $labels.listener }} of {{ $labels.agent_id }} gave up {{ $values.A }} records in five minutes',
    description: 'They were received, and neither Kafka nor the disk spool took them.',
    panel: 4,
    above: 0,
    lasting: '0s',
    query: lately('dropped', 'records'),
  }),
  rule({
    name: 'rows-stop',
    title: 'Rows do not arrive in ClickHouse',
    severity: 'critical',
    device: 'clickhouse',
    summary: 'The newest row is {{ $values.A }} seconds old',
    description:
      'Rows become visible at the checkpoints of the archive job: it has stopped, its checkpoints fail, or every agent is silent.',
    panel: 6,
    above: 60,
    lasting: '1m',
    query: sql`
      SELECT toFloat64(dateDiff('second', max(s.received_at), now64(9))) AS seconds
      FROM tocsin.agent_stats AS s
      WHERE s.received_at > now() - INTERVAL 1 DAY`,
  }),
  rule({
    name: 'lag',
    title: 'Events wait in Kafka',
    severity: 'major',
    device: agent,
    summary: '{{ $values.A }} records of {{ $labels.listener }} of {{ $labels.agent_id }} are acknowledged and not stored yet',
    description: 'The archive job is slower than what arrives, or stands still. Nothing is lost while Kafka keeps it (72 hours).',
    panel: 2,
    above: 100000,
    lasting: '2m',
    query: sql`
      SELECT agent_id, listener, toFloat64(if(reported_at > now() - INTERVAL 1 HOUR, missing, 0)) AS records
      FROM tocsin.balance
      WHERE reported_at > now() - INTERVAL 7 DAY`,
  }),
  rule({
    name: 'balance-open',
    title: 'The balance sheet does not close',
    severity: 'critical',
    device: agent,
    summary:
      '{{ $values.A }} records of {{ $labels.listener }} of {{ $labels.agent_id }} were acknowledged by Kafka and are not in ClickHouse',
    description: 'They were made over half a minute ago, and neither given up nor still waiting for Kafka: they are lost or stuck.',
    panel: 2,
    above: 0,
    lasting: '0s',
    query: sql`
      SELECT agent_id, listener, toFloat64(records) AS lost
      FROM tocsin.missing_records`,
  }),
  rule({
    name: 'blocks-quarantined',
    title: 'ClickHouse refuses rows',
    severity: 'critical',
    device: 'clickhouse',
    summary: '{{ $values.A }} rows of table {{ $labels.refusing_table }} wait in the quarantine',
    description:
      'ClickHouse refused blocks of them for good; all other rows are stored. They wait with their bytes until they are inserted.',
    panel: 10,
    above: 0,
    lasting: '0s',
    query: sql`
      SELECT refusing_table, toFloat64(sum(waiting)) AS row_count
      FROM
      (
          SELECT toString(q.table) AS refusing_table, q.rows AS waiting
          FROM tocsin.quarantined_blocks AS q FINAL
          WHERE q.inserted_at = toDateTime64(0, 3, 'UTC')
          UNION ALL
          SELECT DISTINCT toString(kind) AS refusing_table, 0 AS waiting
          FROM tocsin.stored_totals
          WHERE updated_at > now() - INTERVAL 7 DAY
      )
      GROUP BY refusing_table`,
  }),
];

export default {
  apiVersion: 1,
  contactPoints: [contactPoint],
  groups: [{ orgId: 1, name: 'pipeline', folder: 'pipeline', interval: '30s', rules }],
};
