// Saved questions whose answers depend on where a time begins and ends, with rows made for them. That every question answers is asked elsewhere.
//
//   TOCSIN_TEST_CLICKHOUSE_URL  http://127.0.0.1:8123; without it these tests are skipped, and queries.test.mjs fails where CI=true
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { ClickHouse, inDatabase } from './clickhouse.mjs';
import { root } from './dashboards.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
const database = `tocsin_questions_test_${process.pid}`;
const clickhouse = url ? new ClickHouse(url) : undefined;
const run = (sql) => clickhouse.run(inDatabase(sql, database));

const folder = join(root, '..', 'schemas', 'clickhouse', 'questions');
const ago = (time) => `now64(9, 'UTC') - INTERVAL ${time}`;

/** Columns of the rows that a question answers with. */
async function ask(question, parameters, columns) {
  const given = Object.entries(parameters).map(([name, value]) => `${name} = ${value}`);
  const { data } = await clickhouse.select(`SELECT ${columns} FROM ${database}.ask_${question}(${given.join(', ')})`);
  return data.map((row) => row.map(String));
}

const alert = (name, opened, ended) => `
  INSERT INTO tocsin.alert_history (fingerprint, version, transition, transition_at, state, severity, device, check, site, first_seen, last_seen, resolved_at)
  SELECT '${name}', 1, 'opened', ${ago(opened)}, 'open', 'major', 'n1', 'node', 'dc1', ${ago(opened)}, ${ago(opened)}, NULL
  ${ended ? `UNION ALL SELECT '${name}', 2, 'resolved', ${ago(ended)}, 'resolved', 'major', 'n1', 'node', 'dc1', ${ago(opened)}, ${ago(ended)}, ${ago(ended)}` : ''}`;

const episode = (name, started, ended) => `
  INSERT INTO tocsin.wan_episodes (episode_id, version, link_id, kind, state, started_at, ended_at, changed_at, cause)
  SELECT '${name}', 1, 'link-a', 'latency', 'closed', ${ago(started)}, ${ago(ended)}, ${ago(ended)}, 'unexplained'`;

const threeDaysAgo = new Date(Date.now() - 3 * 24 * 3600 * 1000).toISOString().slice(0, 10);
const clock = (time) => `toDateTime64('${threeDaysAgo} ${time}:00', 9, 'UTC')`;

const lease = (mac, version, at, state, expires) => `
  INSERT INTO tocsin.registration_history (mac, family, version, ip, state, changed_at, lease_expires_at, hostname, circuit_id)
  SELECT '${mac}', 4, ${version}, '10.1.2.3', '${state}', ${clock(at)}, ${expires ? clock(expires) : 'NULL'}, 'host-${mac.slice(-2)}', 'ge-0/0/7'`;

describe('questions', { skip: url ? false : 'TOCSIN_TEST_CLICKHOUSE_URL is not set' }, () => {
  before(async () => {
    await clickhouse.makeTables(database);
    for (const file of readdirSync(folder)) {
      const text = readFileSync(join(folder, file), 'utf8');
      await run(text.replace(/^ *--.*$/gm, '').replace(/;\s*$/, ''));
    }
    // Within the last day: 24 hours of one that runs, 12 of one that began before, 1 of a short one, none of one that was over.
    for (const statement of [alert('runs', '3 DAY'), alert('began-before', '2 DAY', '12 HOUR'), alert('short', '5 HOUR', '4 HOUR')])
      await run(statement);
    await run(alert('over', '3 DAY', '2 DAY'));
    await run(episode('began-before', '30 HOUR', '18 HOUR'));
    await run(episode('over', '50 HOUR', '40 HOUR'));
    // Two have the address after each other; the first lets its lease run out, the second gives it back.
    await run(lease('02:00:00:00:00:2a', 1, '01:00', 'bound', '02:00'));
    await run(lease('02:00:00:00:00:2a', 2, '02:00', 'renewing', '03:00'));
    await run(lease('02:00:00:00:00:2b', 1, '04:00', 'bound', '05:00'));
    await run(lease('02:00:00:00:00:2b', 2, '05:00', 'released'));
  });

  after(() => clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`));

  const lastWeek = { since: 'now64(3) - INTERVAL 7 DAY', until: 'now64(3)' };
  const lastDay = { since: 'now64(3) - INTERVAL 1 DAY', until: 'now64(3)' };

  test('hours of alerts are those within the time, of alerts that run too', async () => {
    assert.deepEqual(await ask('alert_hours_by_site', lastDay, 'site, severity, alerts, running, hours'), [
      ['dc1', 'major', '3', '1', '37'],
    ]);
  });

  test('hours of WAN episodes are those within the time', async () => {
    assert.deepEqual(await ask('wan_hours_over_baseline', lastDay, 'link_id, episodes, hours'), [['link-a', '1', '6']]);
  });

  test('a MAC is found in any notation', async () => {
    for (const mac of ['02:00:00:00:00:2a', '02-00-00-00-00-2A', '0200.0000.002A', '02000000002a']) {
      assert.deepEqual(
        await ask('where_has_mac_been', { mac: `'${mac}'`, ...lastWeek }, 'circuit_id, ip'),
        [['ge-0/0/7', '10.1.2.3']],
        mac,
      );
    }
  });

  test('an address has its holders of a time, with the ends of their leases, in a time zone', async () => {
    const between = (since, until) =>
      ask(
        'ip_history',
        { ip: "'10.1.2.3'", zone: "'Asia/Tokyo'", since: clock(since), until: clock(until) },
        'hostname, had_from, had_until',
      );
    const first = ['host-2a', `${threeDaysAgo} 10:00:00`, `${threeDaysAgo} 12:00:00`];
    const second = ['host-2b', `${threeDaysAgo} 13:00:00`, `${threeDaysAgo} 14:00:00`];
    assert.deepEqual(await between('00:00', '06:00'), [first, second]);
    assert.deepEqual(await between('02:30', '02:30'), [first]);
    assert.deepEqual(await between('03:30', '03:30'), []);
    assert.deepEqual(await between('04:30', '06:00'), [second]);
  });
});
