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
    assert.deepEqual(await ask('alert_hours_by_site', lastDay, 'site, severity, alerts, running, round(hours)'), [
      ['dc1', 'major', '3', '1', '37'],
    ]);
  });

  test('hours of WAN episodes are those within the time', async () => {
    assert.deepEqual(await ask('wan_hours_over_baseline', lastDay, 'link_id, episodes, round(hours)'), [['link-a', '1', '6']]);
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
        'link_id, round(available_percent, 1), is_kept, outages, minutes_away, lost_percent, probed_percent',
      ),
      [
        ['link-b', '75', '0', '1', '360', '25', '4'],
        ['link-a', '100', '1', '0', '0', '25', '4'],
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

  test('a device is shown with the days around it alone: what came in later than that is not read', async () => {
    for (const [text, received] of [
      ['in-time', '89 DAY'],
      ['late', '80 DAY'],
    ])
      await run(`INSERT INTO tocsin.alert_updates (event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site, action, source, check, severity, summary)
        SELECT '${text}', 'a', 1, 1, 'udp', ${ago(received)} - INTERVAL 1 HOUR, ${ago('90 DAY')}, '::1', 'n5', '', 'update', 'monitor', 'node', 'major', '${text}'`);
    assert.deepEqual(await ask('device_timeline', { device: "'n5'", at: 'now64(3) - INTERVAL 90 DAY', minutes: 5 }, 'kind, text'), [
      ['alert update', 'update monitor/node: in-time'],
    ]);
  });

  test('who says most in syslog, and which checks open most alerts, stand beside as long a time before', async () => {
    const said = (device, messages, at) =>
      run(`INSERT INTO tocsin.syslog_volume_1h SELECT toStartOfHour(${ago(at)}), '${device}', '', 'err', ${messages}, ${messages * 100}`);
    await said('loud', 30, '3 DAY');
    await said('loud', 10, '10 DAY');
    await said('new', 50, '1 DAY');
    await said('loud', 1000, '15 DAY');
    assert.deepEqual(await ask('noisiest_devices', { ...lastWeek, count: 10 }, 'device, messages, messages_before, ratio, errors, bytes'), [
      ['new', '50', '0', 'null', '50', '5000'],
      ['loud', '30', '10', '3', '30', '3000'],
    ]);
    for (const opened of ['100 DAY', '98 DAY', '96 DAY', '105 DAY'])
      await run(alert(`noisy-${opened}`, opened).replaceAll("'node'", "'fan'"));
    assert.deepEqual(
      await ask(
        'noisiest_checks',
        { since: ago('101 DAY'), until: ago('95 DAY'), count: 10 },
        'check, opened, opened_before, ratio, devices',
      ),
      [['fan', '3', '1', '3', '1']],
    );
  });

  const started = Date.now();
  const day = 24 * 60;
  /** A time in SQL, so many minutes before these tests began: always the same one. */
  const earlier = (minutes) =>
    `toDateTime64('${new Date(started - minutes * 60_000).toISOString().replace(/[TZ]/g, ' ').trim()}', 9, 'UTC')`;

  const told = (
    fingerprint,
    opened,
    transition,
    at,
    { team, severity = 'major', check = 'node', rule = '', state = 'open', device = 'n6' } = {},
  ) =>
    run(`INSERT INTO tocsin.alert_history (fingerprint, version, told_at, transition, transition_at, state, severity, source, device, check, labels, rule, first_seen, last_seen, resolved_at)
      SELECT '${fingerprint}', ${Math.round(1e9 - at)}, ${earlier(at)}, '${transition}', ${earlier(at)}, '${state}', '${severity}', 'rules', '${device}', '${check}',
        ${team ? `map('team', '${team}')` : 'map()'}, '${rule}', ${earlier(opened)}, ${earlier(at)}, ${state === 'resolved' ? earlier(at) : 'NULL'}`);

  test('teams have their mean times from an opening to its acknowledgement and to its end', async () => {
    const team = { team: 'network' };
    await told('slow', 300 * day, 'opened', 300 * day, team);
    await told('slow', 300 * day, 'acknowledged', 431980, team);
    // A second word of the same person is no second acknowledgement.
    await told('slow', 300 * day, 'acknowledged', 431970, team);
    await told('slow', 300 * day, 'resolved', 431940, { ...team, state: 'resolved' });
    await told('quick', 299 * day, 'opened', 299 * day, team);
    await told('quick', 299 * day, 'acknowledged', 430550, team);
    await told('alone', 298 * day, 'opened', 298 * day);
    await told('before', 310 * day, 'opened', 310 * day, team);
    assert.deepEqual(
      await ask(
        'time_to_acknowledge',
        { since: ago('301 DAY'), until: ago('297 DAY') },
        'team, opened, acknowledged, resolved, mean_minutes_to_acknowledge, mean_minutes_to_resolve',
      ),
      [
        ['network', '2', '2', '1', '15', '60'],
        ['', '1', '0', '0', 'null', 'null'],
      ],
    );
  });

  test('checks that nobody acts on are those without any acknowledgement or note', async () => {
    for (const days of [250, 249, 248]) await told(`ignored-${days}`, days * day, 'opened', days * day, { check: 'ignored' });
    await told('ignored-250', 250 * day, 'resolved', 359990, { check: 'ignored', state: 'resolved' });
    await told('noted-1', 250 * day, 'opened', 250 * day, { check: 'noted' });
    await told('noted-2', 249 * day, 'opened', 249 * day, { check: 'noted' });
    await told('noted-2', 249 * day, 'noted', 248 * day, { check: 'noted' });
    assert.deepEqual(
      await ask(
        'never_acted_on',
        { since: ago('251 DAY'), until: ago('247 DAY'), count: 10 },
        'check, severity, opened, devices, ended_by_themselves_percent, median_minutes',
      ),
      [['ignored', 'major', '3', '1', '33.3', '10']],
    );
  });

  test('rules that never fire are those that are named and unknown, and those that fired only before', async () => {
    await told('old-rule', 200 * day, 'opened', 200 * day, { rule: 'old-rule' });
    await told('new-rule', 30 * day, 'opened', 30 * day, { rule: 'new-rule' });
    assert.deepEqual(
      await ask('rules_that_never_fire', { since: ago('90 DAY'), rules: "'never-rule, old-rule\nnew-rule'" }, 'rule, days_ago'),
      [
        ['never-rule', 'null'],
        ['old-rule', '200'],
      ],
    );
  });

  test('devices are worst by the hours of their alerts within the time, running ones up to now', async () => {
    await told('bad-1', 150 * day, 'opened', 150 * day, { device: 'bad', severity: 'critical' });
    await told('bad-1', 150 * day, 'resolved', 3590 * 60, { device: 'bad', state: 'resolved', severity: 'critical' });
    await told('bad-2', 149 * day, 'opened', 149 * day, { device: 'bad', check: 'fan' });
    await told('bad-2', 149 * day, 'resolved', 3575 * 60, { device: 'bad', check: 'fan', state: 'resolved' });
    const worst = async (device, since, until, columns) => {
      const rows = await ask('worst_devices', { since, until, count: 100 }, `device, ${columns}`);
      return rows.filter(([name]) => name === device);
    };
    assert.deepEqual(await worst('bad', ago('3599 HOUR'), ago('3570 HOUR'), 'worst, alerts, running, round(hours), checks'), [
      ['bad', 'critical', '2', '0', '10', 'fan,node'],
    ]);
    await told('runs-on', 2 * 60, 'opened', 2 * 60, { device: 'running' });
    assert.deepEqual(await worst('running', ago('3 HOUR'), 'now64(3) + INTERVAL 9 DAY', 'running, round(hours)'), [['running', '1', '2']]);
  });

  test('pages are counted by the week of a time zone and the worst severity that fires in them', async () => {
    const page = (at, status, ...severities) =>
      run(`INSERT INTO tocsin.pages (sent_at, receiver, status, group_key, firing, resolved, summary, raw)
        SELECT '${at}', 'pager', '${status}', 'g', 1, 0, '', '${JSON.stringify({ alerts: severities.map(([status, severity]) => ({ status, labels: { severity } })) })}'`);
    // Monday in Berlin begins at 23:00 UTC in winter.
    await page('2026-01-11 22:30:00', 'firing', ['firing', 'minor'], ['firing', 'critical']);
    await page('2026-01-11 23:30:00', 'firing', ['resolved', 'critical'], ['firing', 'warning']);
    await page('2026-01-12 10:00:00', 'firing', ['firing', 'indeterminate']);
    await page('2026-01-12 11:00:00', 'resolved', ['resolved', 'critical']);
    assert.deepEqual(
      await ask(
        'pages_by_week',
        { since: "'2026-01-01'", until: "'2026-02-01'", zone: "'Europe/Berlin'" },
        'week, pages, critical, major, minor, warning, other',
      ),
      [
        ['2026-01-05', '1', '1', '0', '0', '0', '0'],
        ['2026-01-12', '2', '0', '0', '0', '1', '1'],
      ],
    );
  });

  test('clients and refusals are counted by server and relay', async () => {
    await run(`INSERT INTO tocsin.registration_history (mac, family, version, ip, state, access, server, relay, changed_at)
      SELECT concat('02:00:00:00:01:0', toString(number % 3)), 4, number, '10.7.0.1', if(number = 5, 'expired', 'bound'), if(number % 3 = 0, 'blocked', 'allowed'),
        'dhcp-7', '10.7.0.254', ${ago('90 DAY')} FROM numbers(6)`);
    await run(`INSERT INTO tocsin.dhcp (event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site, message_type, mac, server, relay)
      SELECT concat('n', toString(number)), 'a', 1, number, 'dhcp', ${ago('90 DAY')}, ${ago('90 DAY')}, '::1', 'relay', '',
        if(number = 0, 'nak', 'no_free_leases'), '', 'dhcp-7', '10.7.0.254' FROM numbers(4)`);
    assert.deepEqual(
      await ask(
        'leases_by_relay',
        { since: ago('91 DAY'), until: ago('89 DAY') },
        'server, relay, clients, not_registered, leases_expired, no_free_leases, naks, declines',
      ),
      [['dhcp-7', '10.7.0.254', '3', '1', '1', '3', '1', '0']],
    );
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

  test('an address has its holders of a time, with the ends of their leases', async () => {
    const between = (since, until) =>
      ask(
        'ip_history',
        { ip: "'10.1.2.3'", since: clock(since), until: clock(until) },
        "hostname, formatDateTime(had_from, '%F %T'), formatDateTime(had_until, '%F %T')",
      );
    const first = ['host-2a', `${threeDaysAgo} 01:00:00`, `${threeDaysAgo} 03:00:00`];
    const second = ['host-2b', `${threeDaysAgo} 04:00:00`, `${threeDaysAgo} 05:00:00`];
    assert.deepEqual(await between('00:00', '06:00'), [first, second]);
    assert.deepEqual(await between('02:30', '02:30'), [first]);
    assert.deepEqual(await between('03:30', '03:30'), []);
    assert.deepEqual(await between('04:30', '06:00'), [second]);
    await run(lease('02:00:00:00:00:2d', 1, '09:00', 'bound').replace("'10.1.2.3'", "'10.1.2.9'"));
    assert.deepEqual(
      await ask('ip_history', { ip: "'10.1.2.9'", ...lastWeek }, 'hostname, had_until'),
      [['host-2d', 'null']],
      'has it still',
    );
  });
});
