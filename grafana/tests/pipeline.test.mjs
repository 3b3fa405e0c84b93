// What the alert rules of the pipeline say of an agent whose records are lost, with rows made for it.
//
//   TOCSIN_TEST_CLICKHOUSE_URL  http://127.0.0.1:8123; without it these tests are skipped, and queries.test.mjs fails where CI=true
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClickHouse, inDatabase } from './clickhouse.mjs';
import { alertRules, root } from './dashboards.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
const database = `tocsin_pipeline_test_${process.pid}`;
const clickhouse = url ? new ClickHouse(url) : undefined;
const run = (sql) => clickhouse.run(inDatabase(sql, database));

const columns = 'agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site';

/** Rows `(number)` of a run of an agent that began `seconds` ago, ten syslog messages a second; those that `stored` is true of. */
const messages = (agent, seconds, stored = '1') => `
  INSERT INTO tocsin.syslog (given_event_id, ${columns}, facility, severity, message, raw_header)
  SELECT concat('${agent}-', toString(number)), '${agent}', ${boot(seconds)}, number + 1, 'syslog-udp', at, at, '::1', 'n1', '', 'daemon', 'info', 'hello', '<30>'
  FROM (SELECT number, fromUnixTimestamp64Nano(toInt64(${boot(seconds)}) + toInt64(number) * 100000000, 'UTC') AS at FROM numbers(${seconds * 10}))
  WHERE ${stored}`;

/** A report each second, 0.37 s after it, of a run that began `seconds` ago; `counters` are SQL of the messages made so far, `made`. */
const reports = (agent, seconds, counters, first = 0) => `
  INSERT INTO tocsin.agent_stats (event_id, ${columns}, ${Object.keys(counters)})
  SELECT concat('${agent}-stats-', toString(number)), '${agent}', ${boot(seconds)}, number + 1, 'syslog-udp', at, at, '::1', 'host', '', ${Object.values(counters)}
  FROM (
    SELECT number, number * 10 + 4 AS made, fromUnixTimestamp64Nano(toInt64(${boot(seconds)}) + toInt64(number) * 1000000000 + 370000000, 'UTC') AS at
    FROM numbers(${seconds})
    WHERE number >= ${first})`;

/** A block of syslog rows of a run that began `seconds` ago, as the archive quarantines it. */
const quarantined = (agent, seconds, rows) => `
  INSERT INTO tocsin.quarantined_blocks (token, table, columns, rows, bytes, error, origins, zstd_rows)
  VALUES ('${agent}', 'syslog', ['message'], ${rows}, 4, 'Constraint small', [('events-syslog-v1', 0, 7, 16, '${agent}', ${boot(seconds)}, 'syslog-udp', ${rows})], 'rows')`;

// So that messages and reports keep their distance.
const wholeSecond = () => Math.floor(Date.now() / 1000) * 1000;
let now;
const boot = (seconds) => (BigInt(now - seconds * 1000) * 1_000_000n).toString();

/** The number of a rule for each agent. */
async function values(uid) {
  const { sql } = alertRules.find(({ rule }) => rule.uid === uid);
  const { meta, data } = await clickhouse.select(inDatabase(sql, database));
  const number = meta.findIndex(({ type }) => type === 'Float64');
  return Object.fromEntries(data.map((row) => [row[0], row[number]]));
}

describe('records that are lost', { skip: url ? false : 'TOCSIN_TEST_CLICKHOUSE_URL is not set' }, () => {
  before(async () => {
    await clickhouse.makeTables(database);
    now = wholeSecond();
    const all = { events: 'made', acked: 'made' };
    await run(messages('keeps-all', 600));
    await run(reports('keeps-all', 600, all));
    await run(messages('lost-one', 600, 'number != 4750'));
    await run(reports('lost-one', 600, all));
    await run(messages('holds-ten', 600, 'number NOT BETWEEN 4750 AND 4759'));
    await run(reports('holds-ten', 600, { events: 'made', acked: 'if(made > 4760, made - 10, made)' }));
    await run(messages('gave-up-ten', 600, 'number NOT BETWEEN 4750 AND 4759'));
    await run(
      reports('gave-up-ten', 600, { events: 'made', acked: 'if(made > 4760, made - 10, made)', dropped: 'if(made > 4760, 10, 0)' }),
    );
    await run(messages('refused-ten', 600, 'number NOT BETWEEN 4750 AND 4759'));
    await run(reports('refused-ten', 600, all));
    await run(quarantined('refused-ten', 600, 10));
    await run(messages('is-late', 600, 'at < now64(9) - INTERVAL 20 SECOND'));
    await run(reports('is-late', 600, all));
    // One run that lost a record before it ended, and the next one.
    await run(messages('restarted', 600, 'number != 17 AND number < 3594'));
    await run(reports('restarted', 600, all).replace('WHERE number >= 0', 'WHERE number < 360'));
    await run(messages('restarted', 200).replace("'restarted-'", "'restarted-again-'"));
    await run(reports('restarted', 200, all));
  });

  after(() => clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`));

  test('the balance does not close from one lost record on, within two minutes, while the agent goes on', async () => {
    assert.deepEqual(await values('tocsin-balance-open'), {
      'keeps-all': 0,
      'lost-one': 1,
      'holds-ten': 0,
      'gave-up-ten': 0,
      'refused-ten': 0,
      'is-late': 0,
      restarted: 1,
    });
    const { rule } = alertRules.find(({ rule: { uid } }) => uid === 'tocsin-balance-open');
    assert.equal(rule.for, '0s');
  });

  test('rows in the quarantine are told by the table that refused them, and close the balance until they are inserted', async () => {
    const sheet = () =>
      clickhouse.select(`SELECT stored_events, quarantined, missing, closed FROM ${database}.balance WHERE agent_id = 'refused-ten'`);
    assert.equal((await values('tocsin-blocks-quarantined')).syslog, 10);
    assert.deepEqual((await sheet()).data[0].slice(1).map(Number), [10, 0, 1]);

    await run(messages('refused-ten', 600, 'number BETWEEN 4750 AND 4759'));
    await run(`INSERT INTO tocsin.quarantined_blocks (token, table, rows, origins, inserted_at)
      SELECT token, table, rows, origins, now64(3) FROM tocsin.quarantined_blocks FINAL`);
    assert.equal((await values('tocsin-blocks-quarantined')).syslog, 0);
    assert.deepEqual((await sheet()).data[0].slice(1).map(Number), [0, 0, 1]);
  });

  test('a buffer that was nearly full is told before anything is dropped, and one that is silent or has none is not', async () => {
    now = wholeSecond();
    await run(reports('nearly-full', 60, { received: 'made', buffer_peak_bytes: 'if(number = 30, 900, 10)', buffer_limit_bytes: '1000' }));
    await run(reports('half-full', 60, { received: 'made', buffer_peak_bytes: '500', buffer_limit_bytes: '1000' }));
    await run(reports('has-none', 60, { received: 'made' }));
    const percent = await values('tocsin-buffer-nearly-full');
    assert.deepEqual([percent['nearly-full'], percent['half-full'], percent['has-none']], [90, 50, 0]);
  });

  test('what was dropped before the first report of a run counts, to the rules and to the question', async () => {
    now = wholeSecond();
    // The run began two minutes ago; its first report is ten seconds later and has all of it.
    await run(reports('drops', 120, { received: '1000', kernel_dropped: '7', dropped: '3' }, 10));
    assert.equal((await values('tocsin-kernel-drops')).drops, 7);
    assert.equal((await values('tocsin-agent-drops')).drops, 3);
    const question = readFileSync(join(root, '..', 'schemas/clickhouse/questions/drops.sql'), 'utf8');
    await run(question.replace(/^ *--.*$/gm, '').replace(/;\s*$/, ''));
    const { data } = await clickhouse.select(
      `SELECT received, kernel_dropped, dropped FROM ${database}.ask_drops(since = now64(3) - INTERVAL 1 HOUR, until = now64(3)) WHERE agent_id = 'drops'`,
    );
    assert.deepEqual(data[0].map(Number), [1000, 7, 3]);
  });
});
