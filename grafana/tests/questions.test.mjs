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

  test('what broke within minutes of an alert is listed with how long before or after it', async () => {
    await run(alert('cause', '70 HOUR'));
    await run(alert('effect', '4199 MINUTE').replaceAll("'n1'", "'n2'"));
    await run(alert('unrelated', '4190 MINUTE'));
    assert.deepEqual(
      await ask('broke_together', { fingerprint: "'cause'", minutes: 5 }, 'abs(seconds_after - 60) < 3, device, fingerprint'),
      [['1', 'n2', 'effect']],
    );
  });

  test('changes before a time are configurations, restarts and new messages, the last first; restarts are counted', async () => {
    for (const [name, at] of [
      ['first', '50 HOUR'],
      ['second', '49 HOUR'],
    ])
      await run(alert(name, at, '48 HOUR').replaceAll("'n1', 'node'", "'n3', 'restart'"));
    const moment = { at: 'now64(3) - INTERVAL 2 DAY', hours: 24, count: 10 };
    assert.deepEqual(await ask('changed_before', moment, 'kind, device'), [
      ['restart', 'n3'],
      ['restart', 'n3'],
    ]);
    assert.deepEqual(await ask('changed_before', { ...moment, at: 'now64(3) - INTERVAL 60 HOUR', hours: 1 }, 'kind'), []);
    assert.deepEqual(await ask('restarts', lastWeek, 'device, restarts'), [['n3', '2']]);
  });

  test('availability of a link is the time without an episode of kind down, against what was promised', async () => {
    await run(episode('dead', '30 HOUR', '18 HOUR').replace("'latency'", "'down'").replace("'link-a'", "'link-b'"));
    for (const link of ['link-a', 'link-b']) {
      await run(`INSERT INTO tocsin.link_probes (event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site, link_id, method, rtt_ms, lost)
        SELECT concat('${link}', toString(number)), 'a', 1, number, 'probe', ${ago('20 HOUR')}, ${ago('20 HOUR')}, '::1', 'n1', '', '${link}', 'icmp', NULL, number = 0 FROM numbers(4)`);
    }
    assert.deepEqual(
      await ask(
        'link_availability',
        { ...lastDay, promised: '99.9' },
        'link_id, round(available_percent, 1), is_kept, outages, minutes_away, lost_percent',
      ),
      [
        ['link-b', '75', '0', '1', '360', '25'],
        ['link-a', '100', '1', '0', '0', '25'],
      ],
    );
  });

  test('rebinds count for the server that gave the lease, in shares and by the hour; unregistered devices by their port', async () => {
    await run(`INSERT INTO tocsin.registration_history (mac, family, version, ip, state, access, server, circuit_id, changed_at)
      SELECT '02:00:00:00:00:2c', 4, 1, '10.1.2.4', 'bound', 'blocked', 'dhcp-1', 'ge-0/0/9', ${ago('1 HOUR')}`);
    await run(`INSERT INTO tocsin.dhcp (event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site, message_type, request_kind, mac, server)
      SELECT concat('d', toString(number)), 'a', 1, number, 'dhcp', ${ago('1 MINUTE')}, ${ago('1 MINUTE')}, '::1', 'relay', '', 'request',
        if(number = 0, 'renewing', 'rebinding'), '02:00:00:00:00:2c', if(number = 0, 'dhcp-1', '') FROM numbers(4)`);
    assert.deepEqual(await ask('rebind_share', lastDay, 'server, renewals, rebinds, rebind_share'), [['dhcp-1', '1', '3', '0.75']]);
    assert.deepEqual(await ask('renewals_by_hour', lastDay, 'server, renewals, rebinds, rebinding_clients'), [['dhcp-1', '1', '3', '1']]);
    assert.deepEqual(await ask('unregistered_by_port', { count: 10 }, 'circuit_id, devices, examples'), [
      ['ge-0/0/9', '1', '02:00:00:00:00:2c'],
      ['ge-0/0/7', '1', '02:00:00:00:00:2a host-2a'],
    ]);
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
