// Roll-ups against the rows that they are made of: after rows in order, after rows that come days late, after an insert that the sink repeats
// with its token, and after merges.
//
//   TOCSIN_TEST_CLICKHOUSE_URL  http://127.0.0.1:8123; without it these tests are skipped, and queries.test.mjs fails where CI=true
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ClickHouse, inDatabase } from './clickhouse.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
const database = `tocsin_rollups_test_${process.pid}`;
const clickhouse = url ? new ClickHouse(url) : undefined;
const run = (sql, settings) => clickhouse.run(inDatabase(sql, database), settings);

const rowsOfAnInsert = 600;
/** Seven seconds from row to row: an insert spans more than an hour, and a day's end now and then. */
const onTime = "(now64(9, 'UTC') - INTERVAL 90 MINUTE + toIntervalSecond(number * 7))";
const daysLate = `(${onTime} - INTERVAL 3 DAY)`;

const event = (columns, values, id = 'event_id') => ({
  columns: `${id}, agent_id, boot_id, agent_sequence, listener, received_at, event_time, device, site, ${columns}`,
  values: (at, token) => `concat('${token}-', toString(number)), concat('agent-', toString(number % 2)), 7, number, 'main',
    ${at}, ${at} - INTERVAL 1500 MILLISECOND, concat('device-', toString(number % 3)), concat('site-', toString(number % 2)), ${values}`,
});

// Whole numbers and fractions of two, so that sums of floats do not depend on their order.
const sources = {
  syslog: event(
    'severity, app_name, message, raw_header',
    "toString(CAST(number % 8, 'Enum8(\\'emerg\\' = 0, \\'alert\\' = 1, \\'crit\\' = 2, \\'err\\' = 3, \\'warning\\' = 4, \\'notice\\' = 5, \\'info\\' = 6, \\'debug\\' = 7)')), 'sshd', concat('session ', toString(number), ' opened'), repeat('x', number % 50)",
    'given_event_id',
  ),
  interface_counters: event(
    'interface, oper_status, in_bps, out_bps, in_load, out_load, out_discards_per_second, in_errors_per_second, interval_ms',
    `concat('Gi0/', toString(number % 2)), if(number % 9 = 0, 'down', 'up'), if(number % 10 = 0, NULL, number * 8), number * 4,
     number / 512, number / 1024, number % 4, number % 3, if(number % 10 = 0, 0, 60000)`,
  ),
  link_probes: event(
    'interface, link_id, rtt_ms, lost, interval_ms',
    "concat('Gi0/', toString(number % 2)), concat('link-', toString(number % 2)), if(number % 20 = 0, NULL, 20 + cityHash64(number) % 1000 / 100), number % 20 = 0, 1000",
  ),
  lease_latencies: {
    columns: 'event_id, event_time, kind, family, mac, ip, server, scope, relay, site, latency_ms',
    values: (
      at,
      token,
    ) => `concat('${token}-', toString(number)), ${at}, if(number % 2, 'ack', 'offer'), 4, '02:00:00:00:00:01', '10.9.8.7',
      concat('server-', toString(intDiv(number, 2) % 2)), concat('10.', toString(intDiv(number, 4) % 2), '.0.1'), '',
      concat('site-', toString(intDiv(number, 8) % 2)), cityHash64(number) % 5000 / 128`,
  },
  agent_stats: event('received, kernel_dropped, malformed, events, acked', 'number * 10, number, number % 7, number * 9, number * 8'),
  rejects: event('stage, raw', "['framing', 'parse', 'publish', 'archive', 'alerts'][1 + number % 5], repeat('y', number % 30)"),
  alert_history: {
    columns:
      'fingerprint, version, told_at, transition, transition_at, state, severity, source, device, check, site, first_seen, last_seen, resolved_at',
    values: (at, token) => `concat('${token}-', toString(intDiv(number, 2))), toUnixTimestamp64Nano(${at}), ${at},
      if(number % 2 = 0, 'opened', if(number % 3 = 0, 'expired', 'resolved')), ${at},
      if(number % 2 = 0, 'open', if(number % 3 = 0, 'expired', 'resolved')), ['warning', 'minor', 'major', 'critical'][1 + intDiv(number, 2) % 4],
      'rule', concat('device-', toString(intDiv(number, 2) % 3)), 'link', 'site-0', ${at} - INTERVAL number MINUTE, ${at},
      if(number % 2 = 0, NULL, ${at})`,
  },
};

/** The rows of one insert as text, so that a repeated insert repeats its bytes. */
async function prepare(table, token, at) {
  const { columns, values } = sources[table];
  const rows = await run(`SELECT ${values(at, token)} FROM numbers(${rowsOfAnInsert}) FORMAT TSV`);
  return { query: inDatabase(`INSERT INTO tocsin.${table} (${columns}) FORMAT TSV`, database), rows, token };
}

/** As the sink inserts. */
function insert({ query, rows, token }) {
  return run(rows, { query, insert_deduplication_token: token, deduplicate_blocks_in_dependent_materialized_views: '1' });
}

const volume = (unit, start) => ({
  name: `syslog volume by the ${unit}`,
  rolledUp: `SELECT ${unit}, device, site, severity, sum(messages), sum(bytes) FROM tocsin.syslog_volume_1${unit[0]} GROUP BY ALL ORDER BY ALL`,
  raw: `SELECT toDateTime(${start}(received_at, 'UTC'), 'UTC') AS time, device, site, severity, count(), sum(length(raw))
    FROM tocsin.syslog GROUP BY ALL ORDER BY ALL`,
});

const load = (unit, start) => ({
  name: `interface load by the ${unit}`,
  rolledUp: `SELECT ${unit}, device, interface, sum(in_bps_sum), sum(out_bps_sum), max(in_bps_max), max(out_bps_max), max(in_load_max),
      max(out_load_max), sum(polls), sum(out_discards), sum(in_errors), sum(down_polls)
    FROM tocsin.interface_load_1${unit[0]} GROUP BY ALL ORDER BY ALL`,
  raw: `SELECT toDateTime(${start}(event_time, 'UTC'), 'UTC') AS time, device, interface, sum(coalesce(c.in_bps, 0)), sum(c.out_bps),
      max(coalesce(c.in_bps, 0)), max(c.out_bps), max(c.in_load), max(c.out_load), countIf(interval_ms > 0),
      sum(out_discards_per_second * interval_ms / 1000), sum(in_errors_per_second * interval_ms / 1000), countIf(oper_status != 'up')
    FROM tocsin.interface_counters AS c GROUP BY ALL ORDER BY ALL`,
});

const probes = (unit, start) => ({
  name: `WAN probes by the ${unit}`,
  rolledUp: `SELECT link_id, time, probes, lost, rtt_max_ms FROM tocsin.wan_latency_1${unit[0]} ORDER BY ALL`,
  raw: `SELECT link_id, toDateTime(${start}(event_time), 'UTC') AS at, count(), countIf(lost), max(rtt_ms) FROM tocsin.link_probes GROUP BY ALL ORDER BY ALL`,
});

const answers = (unit, start) => ({
  name: `answers of DHCP servers by the ${unit}`,
  rolledUp: `SELECT server, scope, site, kind, time, answers, latency_max_ms FROM tocsin.lease_latency_1${unit[0]} ORDER BY ALL`,
  raw: `SELECT server, scope, site, kind, toDateTime(${start}(event_time), 'UTC') AS at, count(), max(latency_ms)
    FROM tocsin.lease_latencies GROUP BY ALL ORDER BY ALL`,
});

const comparisons = [
  volume('minute', 'toStartOfMinute'),
  volume('hour', 'toStartOfHour'),
  volume('day', 'toStartOfDay'),
  load('minute', 'toStartOfMinute'),
  load('hour', 'toStartOfHour'),
  load('day', 'toStartOfDay'),
  probes('minute', 'toStartOfMinute'),
  probes('hour', 'toStartOfHour'),
  probes('day', 'toStartOfDay'),
  answers('minute', 'toStartOfMinute'),
  answers('hour', 'toStartOfHour'),
  answers('day', 'toStartOfDay'),
  {
    name: 'links seen',
    rolledUp: 'SELECT link_id, device, interface, min(first_seen), max(last_seen) FROM tocsin.links_seen GROUP BY ALL ORDER BY ALL',
    raw: 'SELECT link_id, device, interface, min(received_at), max(received_at) FROM tocsin.link_probes GROUP BY ALL ORDER BY ALL',
  },
  {
    name: 'alerts that ended, by the day',
    rolledUp:
      'SELECT day, site, device, source, check, severity, sum(ended), sum(seconds) FROM tocsin.alert_durations_1d GROUP BY ALL ORDER BY ALL',
    raw: `SELECT toDateTime(toStartOfDay(assumeNotNull(resolved_at), 'UTC'), 'UTC') AS at, site, device, source, check, severity, count(),
        sum(toUnixTimestamp(assumeNotNull(resolved_at)) - toUnixTimestamp(first_seen))
      FROM tocsin.alert_history WHERE resolved_at IS NOT NULL GROUP BY ALL ORDER BY ALL`,
  },
  {
    name: 'the newest transition of each alert',
    rolledUp: 'SELECT fingerprint, version, transition FROM tocsin.alerts ORDER BY ALL',
    raw: 'SELECT fingerprint, max(h.version), argMax(h.transition, h.told_at) FROM tocsin.alert_history AS h GROUP BY fingerprint ORDER BY ALL',
  },
  {
    name: 'the balance sheet',
    rolledUp:
      'SELECT agent_id, received, kernel_dropped, malformed, events, acked, stored_events, stored_rejects FROM tocsin.balance ORDER BY ALL',
    raw: `SELECT agent_id, max(s.received), max(s.kernel_dropped), max(s.malformed), max(s.events), max(s.acked), any(stored_events), any(stored_rejects)
      FROM tocsin.agent_stats AS s
      INNER JOIN
      (
          SELECT agent_id, countIf(kind = 'event') AS stored_events, countIf(kind = 'reject') AS stored_rejects FROM
          (
              SELECT agent_id, 'event' AS kind FROM tocsin.syslog
              UNION ALL SELECT agent_id, 'event' FROM tocsin.interface_counters
              UNION ALL SELECT agent_id, 'event' FROM tocsin.link_probes
              UNION ALL SELECT agent_id, 'reject' FROM tocsin.rejects WHERE stage IN ('framing', 'parse', 'archive')
          )
          GROUP BY agent_id
      ) AS stored USING agent_id
      GROUP BY agent_id ORDER BY ALL`,
  },
  {
    name: 'devices seen',
    rolledUp:
      "SELECT device, sum(events), min(first_seen), max(last_seen) FROM tocsin.devices_seen WHERE kind = 'syslog' GROUP BY device ORDER BY ALL",
    raw: 'SELECT device, count(), min(received_at), max(received_at) FROM tocsin.syslog GROUP BY device ORDER BY ALL',
  },
  {
    name: 'patterns seen',
    rolledUp: 'SELECT pattern, sum(messages), min(first_seen), max(last_seen) FROM tocsin.syslog_patterns GROUP BY pattern ORDER BY ALL',
    raw: "SELECT 'session * opened', count(), min(received_at), max(received_at) FROM tocsin.syslog",
  },
];

async function assertEqual() {
  for (const { name, rolledUp, raw } of comparisons) {
    const expected = await run(`${raw} FORMAT TSV`);
    assert.notEqual(expected, '', `${name}: there are rows to compare`);
    assert.equal(await run(`${rolledUp} FORMAT TSV`), expected, name);
  }
}

const skip = url
  ? process.env.TOCSIN_TEST_DATABASE && 'these tests make rows of their own, and ran without TOCSIN_TEST_DATABASE'
  : 'TOCSIN_TEST_CLICKHOUSE_URL is not set; `make up` starts a ClickHouse on http://127.0.0.1:8123';

describe('roll-ups', { skip }, () => {
  let first;

  before(async () => {
    await clickhouse.makeTables(database);
    first = await Promise.all(Object.keys(sources).map((table) => prepare(table, `${table}-first`, onTime)));
    for (const each of first) await insert(each);
  });

  after(async () => {
    await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
  });

  test('equal the rows that they are made of', assertEqual);

  test('still do after rows that come days late', async () => {
    for (const table of Object.keys(sources)) await insert(await prepare(table, `${table}-late`, daysLate));
    await assertEqual();
  });

  test('count an insert that is repeated with its token once', async () => {
    for (const each of first) await insert(each);
    for (const table of Object.keys(sources)) {
      assert.equal((await run(`SELECT count() FROM tocsin.${table}`)).trim(), String(2 * rowsOfAnInsert), table);
    }
    await assertEqual();
  });

  test('stay the same when their parts are merged', async () => {
    const tables = await run(
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine LIKE '%MergeTree' AND engine != 'MergeTree' FORMAT TSV",
      { database },
    );
    for (const table of tables.trim().split('\n')) await run(`OPTIMIZE TABLE tocsin.${table} FINAL`);
    await assertEqual();
  });

  test('of WAN probes hold percentiles within 1 % of those of the samples', async () => {
    for (const [table, start] of [
      ['wan_latency_1m', 'toStartOfMinute'],
      ['wan_latency_1h', 'toStartOfHour'],
      ['wan_latency_1d', 'toStartOfDay'],
    ]) {
      const worst = await run(`
        SELECT max(greatest(abs(r.rtt_p50_ms / p50 - 1), abs(r.rtt_p95_ms / p95 - 1), abs(r.rtt_p99_ms / p99 - 1)))
        FROM tocsin.${table} AS r
        INNER JOIN
        (
            SELECT link_id, toDateTime(${start}(event_time), 'UTC') AS time,
                quantileExact(0.5)(rtt_ms) AS p50, quantileExact(0.95)(rtt_ms) AS p95, quantileExact(0.99)(rtt_ms) AS p99
            FROM tocsin.link_probes WHERE NOT lost GROUP BY link_id, time
        ) AS s USING (link_id, time)`);
      assert.ok(Number(worst) > 0 && Number(worst) < 0.01, `${table}: ${worst}`);
    }
  });

  test('of lease latencies hold percentiles within 0.4 % of those of the answers', async () => {
    for (const [table, start] of [
      ['lease_latency_1m', 'toStartOfMinute'],
      ['lease_latency_1h', 'toStartOfHour'],
      ['lease_latency_1d', 'toStartOfDay'],
    ]) {
      const worst = await run(`
        SELECT max(greatest(abs(r.latency_p50_ms - p50) / p50, abs(r.latency_p95_ms - p95) / p95, abs(r.latency_p99_ms - p99) / p99))
        FROM tocsin.${table} AS r
        INNER JOIN
        (
            SELECT server, scope, site, kind, toDateTime(${start}(event_time), 'UTC') AS time, quantileExactWeighted(0.5)(latency_ms, 1) AS p50,
                quantileExactWeighted(0.95)(latency_ms, 1) AS p95, quantileExactWeighted(0.99)(latency_ms, 1) AS p99
            FROM tocsin.lease_latencies GROUP BY server, scope, site, kind, time
        ) AS s USING (server, scope, site, kind, time)`);
      assert.ok(Number(worst) > 0 && Number(worst) < 0.004, `${table}: ${worst}`);
    }
  });
});
