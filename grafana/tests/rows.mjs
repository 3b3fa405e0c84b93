// Known rows for every panel, in a throw-away database: two runs of one agent, all severities, rejects with hostile bytes, pages.
// Times are relative to now, everything else is fixed.
import { inDatabase } from './clickhouse.mjs';
import { networkStatements } from './network-rows.mjs';

/** A source that tries to break out of a SQL string; one open alert carries it. */
export const hostileSource = "grafana-test-x' OR 1=1 --";

/** What the rows add up to; queries.test.mjs compares the panels with it. */
export const totals = {
  received: 3600 + 1800,
  kernelDropped: 40,
  open: { critical: 2, major: 1, minor: 1, warning: 2, indeterminate: 1 },
};

const firstRun = 'toUnixTimestamp64Nano(now64(9) - INTERVAL 120 MINUTE)';
const secondRun = 'toUnixTimestamp64Nano(now64(9) - INTERVAL 30 MINUTE)';
const columns = 'event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site';

/** Common columns of an event row; `number` counts the rows and `at` is the SQL of its arrival. */
function common(kind, at, device) {
  return `concat('grafana-test-agent-', '${kind}-', toString(number)), 'grafana-test-agent', ${secondRun}, number + 1, 'syslog-udp',
    ${at}, ${at}, '::ffff:192.0.2.1', ${device}, 'grafana-test-site'`;
}

/** One report each second for `seconds`, two frames received in each; drops grow by 1 a second up to `drops`. */
function run(start, seconds, drops) {
  const at = `fromUnixTimestamp64Nano(${start} + toInt64(number) * 1000000000, 'UTC')`;
  return `INSERT INTO tocsin.agent_stats (${columns}, received, received_bytes, kernel_dropped, malformed, rate_limited, events, spooled,
    published, acked, dropped, buffer_bytes, buffer_peak_bytes, buffer_limit_bytes)
  SELECT concat('grafana-test-agent-stats-', toString(${start}), '-', toString(number)), 'grafana-test-agent', ${start}, number + 1, 'syslog-udp',
    ${at}, ${at}, '::1', 'grafana-test-host.example.net', 'grafana-test-site',
    number * 2, number * 400, least(number, ${drops}), intDiv(number, 100), 0, number * 2 - intDiv(number, 100), 0,
    number * 2, number * 2, 0, 1280 * (number % 50), 1280 * (number % 160), 212992
  FROM numbers(${seconds} + 1)`;
}

const alertColumns = `fingerprint, fingerprint_fields, version, transition, transition_at, state, severity, source, device, check, summary,
  site, labels, first_seen, last_seen, resolved_at, update_count, storm_id, cause, event_id, acknowledged_by, acknowledged_at`;

function alert(number, severity, { state = 'open', source = 'grafana-test-monitor', site = 'grafana-test-site', onIt = '' } = {}) {
  const resolved = state === 'open' ? 'NULL' : 'now64(9) - INTERVAL 5 MINUTE';
  const quoted = source.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `SELECT leftPad('${number}', 32, '0'), map(), 1, '${state === 'open' ? 'opened' : 'resolved'}', now64(9), '${state}', '${severity}',
    '${quoted}', 'grafana-test-n${number}.example.net', 'node', 'node down', '${site}', map(), now64(9) - INTERVAL ${number + 10} MINUTE,
    now64(9), ${resolved}, 3, '', '', 'grafana-test-agent-1-${number}',
    '${onIt}', ${onIt === '' ? 'NULL' : 'now64(9) - INTERVAL 3 MINUTE'}`;
}

const alerts = [
  alert(1, 'critical'),
  alert(2, 'critical', { source: hostileSource, site: 'grafana-test-elsewhere' }),
  alert(3, 'major', { onIt: 'grafana-test-ada' }),
  alert(4, 'minor'),
  alert(5, 'warning'),
  alert(6, 'indeterminate'),
  alert(7, 'cleared', { state: 'resolved' }),
];

const statements = [
  run(firstRun, 1800, 10),
  run(secondRun, 900, 30),
  `INSERT INTO tocsin.syslog (given_${columns}, facility, severity, message, raw_header)
   SELECT ${common('syslog', 'now64(9) - toIntervalSecond(number)', "'grafana-test-n1'")}, 'daemon', 'info', 'hello', '<30>hello'
   FROM numbers(600)`,
  `INSERT INTO tocsin.rejects (${columns}, stage, reason, detail, original_bytes, raw)
   SELECT ${common('reject', 'now64(9) - toIntervalSecond(number)', "'192.0.2.1'")}, 'parse', if(number % 2, 'not_text', 'missing_field'),
     'bytes are not text', 40, unhex('fffe1b5b33316d3c7363726970743ee280ae00')
   FROM numbers(8)`,
  `INSERT INTO tocsin.duplicates (event_id, agent_id, boot_id, agent_sequence, listener, received_at, device, site, copies_group, kept_event_id)
   SELECT concat('copy-', toString(number)), 'grafana-test', 1, number, 'syslog-udp', now64(9) - toIntervalSecond(number), 'n1', '', 'core', concat('kept-', toString(number))
   FROM numbers(5)`,
  `INSERT INTO tocsin.quarantined_blocks (token, quarantined_at, table, columns, rows, bytes, error, origins, zstd_rows)
   SELECT toString(number), now64(3), 'syslog', ['message'], 3, 4, concat('Code: 469. Constraint ', unhex('1b5b33316d'), 'small'), [], 'rows' FROM numbers(2)`,
  `INSERT INTO tocsin.alert_history (${alertColumns}) ${alerts.join(' UNION ALL ')}`,
  `INSERT INTO tocsin.pages (sent_at, receiver, status, group_key, firing, resolved, summary, raw)
   SELECT now64(3) - toIntervalMinute(number), 'grafana-test-pager', if(number % 2, 'firing', 'resolved'), 'g', 3, 0, '3 nodes down', '{}'
   FROM numbers(4)`,
];

/** Inserts the rows into `database`. */
export async function insertRows(clickhouse, database) {
  for (const statement of [...statements, ...networkStatements]) await clickhouse.run(inDatabase(statement, database));
}
