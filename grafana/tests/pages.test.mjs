// What pages show of rows that are known: what lasts, what is worst, what a filter or a word leaves.
//
//   TOCSIN_TEST_CLICKHOUSE_URL  http://127.0.0.1:8123; without it these tests are skipped, and queries.test.mjs fails where CI=true
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { all, asker, minuteMs, panelQuery } from './answers.mjs';
import { ClickHouse, inDatabase } from './clickhouse.mjs';
import { dashboards } from './dashboards.mjs';
import { insertRows } from './rows.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
const database = `tocsin_pages_test_${process.pid}`;
const clickhouse = url ? new ClickHouse(url) : undefined;
const runQuery = asker(clickhouse, database);
const run = (sql) => clickhouse.run(inDatabase(sql, database));

const model = (file) => dashboards.find((dashboard) => dashboard.file === file).model;

/** Rows of a panel as objects. */
async function shown(file, id, { range, ...variables } = {}) {
  const { meta, data } = await runQuery(panelQuery(file, id), { variables: { ...all(model(file)), ...variables }, range });
  return data.map((row) => Object.fromEntries(row.map((cell, index) => [meta[index].name, cell])));
}

/** The last minutes. */
const last = (minutes) => ({ from: new Date(Date.now() - minutes * minuteMs), to: new Date() });

/** A time before anything happened. */
const longAgo = { from: new Date(Date.now() - 30 * minuteMs * 60), to: new Date(Date.now() - 29 * minuteMs * 60) };

const columns = 'event_id, agent_id, boot_id, agent_sequence, listener, received_at, event_time, source_ip, device, site';
const event = (kind, at) =>
  `concat('${kind}-', toString(number)), 'a', 1, number + 1, '${kind}', ${at}, ${at}, '::1', 'grafana-test-n1', ''`;

describe('pages', { skip: url ? false : 'TOCSIN_TEST_CLICKHOUSE_URL is not set' }, () => {
  before(async () => {
    await clickhouse.makeTables(database);
    await insertRows(clickhouse, database);
    // A link that answered last ten minutes ago, one that nobody has asked for three hours, and a resolver like that.
    await run(`INSERT INTO tocsin.link_probes (${columns}, link_id, method, interface, rtt_ms, lost)
      SELECT ${event('dead', 'now64(9) - toIntervalSecond(number)')}, 'dead', 'icmp', 'Gi0/2', if(number < 600, NULL, 30), number < 600 FROM numbers(700)`);
    await run(`INSERT INTO tocsin.link_probes (${columns}, link_id, method, interface, rtt_ms, lost)
      SELECT ${event('forgotten', 'now64(9) - toIntervalSecond(10800 + number)')}, if(number % 2, 'forgotten', 'resolver'), if(number % 2, 'icmp', 'dns'), 'Gi0/3', 30, false FROM numbers(10)`);
    // One interface is down, one has errors, one was polled 19 minutes ago, one three hours ago.
    await run(`INSERT INTO tocsin.interface_counters (${columns}, interface, oper_status, admin_status, in_load, out_load, in_errors_per_second, interval_ms)
      SELECT ${event('polls', 'now64(9) - [0, 0, 19, 180][1 + number] * 60 - 5')}, ['is-down', 'has-errors', 'was-polled', 'is-gone'][1 + number],
        if(number = 0, 'down', 'up'), 'up', 0, 0, if(number = 1, 3, 0), 30000 FROM numbers(4)`);
    // A client that calls itself like a device, without its domain.
    await run(`INSERT INTO tocsin.registration_history (mac, family, version, ip, state, circuit_id, hostname, changed_at)
      SELECT '02:00:00:00:00:99', 4, 1, '10.9.8.99', 'bound', 'ge-0/0/9', 'Grafana-Test-N3', now64(9) - 60`);
    // Two of a device's names; the second was taken back.
    await run(
      `INSERT INTO tocsin.device_names (alias, name, told_at) VALUES ('grafana-test-n1', 'renamed', now64(9)), ('grafana-test-n3.example.net', 'renamed', now64(9) - 9), ('grafana-test-n3.example.net', '', now64(9))`,
    );
    // Rebinds are broadcast and name no server.
    await run(`INSERT INTO tocsin.dhcp (${columns}, message_type, request_kind, mac, ip)
      SELECT ${event('dhcp', 'now64(9) - 30')}, 'request', 'rebinding', '02:00:00:00:00:03', '10.9.8.3' FROM numbers(8)`);
  });

  after(() => clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`));

  test('a device that was renamed keeps what is stored under its old name', async () => {
    for (const [file, id] of [
      ['network/device.json', 6],
      ['network/traps-interfaces.json', 1],
    ]) {
      const rows = (device) => shown(file, id, { range: last(60), device: [device] });
      const [before, after, nobody] = await Promise.all(['grafana-test-n1', 'renamed', 'nobody'].map(rows));
      assert.equal(after.length, before.length, file);
      assert.notDeepEqual(before, nobody, file);
    }
    const { query } = model('network/device.json').templating.list.find(({ name }) => name === 'device');
    const asked = (sql) => runQuery({ sql }, { variables: {} }).then(({ data }) => data.map(([name]) => name));
    const [offered, seen] = [await asked(query), await asked('SELECT DISTINCT device FROM tocsin.devices_seen')];
    assert.deepEqual([...offered, 'grafana-test-n1'].sort(), seen.sort());
  });

  test('storms, alerts of a device and episodes that last are shown whenever they began', async () => {
    assert.deepEqual(
      (await shown('network/storms.json', 2, { range: longAgo })).map(({ device_name }) => device_name),
      ['storm: source grafana-test-monitor'],
    );
    const alerts = await shown('network/device.json', 5, { range: longAgo, device: ['grafana-test-n3.example.net'] });
    assert.deepEqual(
      alerts.map(({ check, summary }) => [check, summary]),
      [['node', 'node down']],
    );
    const episodes = await shown('network/wan.json', 2, { range: longAgo });
    assert.deepEqual(
      episodes.map(({ link_id, state_name }) => [link_id, state_name]),
      [['grafana-test-link-a', 'open']],
    );
  });

  test('who works on an alert stands beside it, and since when', async () => {
    const home = await shown('network/what-is-down.json', 3);
    const device = await shown('network/device.json', 5, { device: ['grafana-test-n3.example.net'] });
    for (const rows of [home.filter((row) => row.device_name === 'grafana-test-n3.example.net'), device]) {
      assert.deepEqual(
        rows.map(({ on_it, on_it_since }) => [on_it, on_it_since !== null]),
        [['grafana-test-ada', true]],
      );
    }
    assert.ok(home.some(({ on_it, on_it_since }) => on_it === '' && on_it_since === null));
    const alert = await shown('network/alert.json', 2, { fingerprint: '3'.padStart(32, '0') });
    assert.match(alert.find(({ what }) => what === 'on it').value, /^grafana-test-ada since .* UTC, \d+ minutes/);
  });

  test('a dead link is down since its last answer, one that nobody asks is not probed, a resolver is no link', async () => {
    const [now] = await shown('network/wan.json', 1);
    assert.deepEqual([now.up, now.degraded, now.down, now.not_probed, now.episodes].map(Number), [0, 2, 1, 1, 1]);
    const links = await shown('network/wan.json', 9);
    assert.deepEqual(
      links.map(({ link, state_number }) => [link, state_number]),
      [
        ['dead', 4],
        ['forgotten', 3],
        ['grafana-test-link-a', 2],
        ['grafana-test-link-b', 2],
      ],
    );
    assert.ok(Math.abs(links[0].outage - 600) < 120, `${links[0].outage} s`);
    assert.ok(Math.abs(links[1].outage - 10800) < 120, `${links[1].outage} s`);
    assert.match(links[2].trouble, /^latency, egress_saturated$/);
  });

  test('interfaces that are down come first, then those that are no longer polled, then those with errors', async () => {
    const interfaces = await shown('network/traps-interfaces.json', 3, { range: last(60) });
    assert.deepEqual(
      interfaces.map((row) => [row.interface, row.status_number]).filter(([name]) => !name.startsWith('Gi')),
      [
        ['is-down', 2],
        ['was-polled', 8],
        ['has-errors', 1],
      ],
    );
    assert.equal(interfaces[0].interface, 'is-down');
    const old = interfaces.find((row) => row.interface === 'was-polled');
    assert.ok(old.polled > 600, `${old.polled} s`);
    const [now] = await shown('network/traps-interfaces.json', 7);
    assert.deepEqual([now.polled, now.down, now.busy, now.failing, now.not_polled].map(Number), [4, 1, 2, 3, 2]);
    const ofDevice = await shown('network/device.json', 6, { range: last(60), device: ['grafana-test-n1'] });
    // The age of a poll grows between the two questions.
    const withoutAge = (rows) => rows.map((row) => ({ ...row, polled: undefined }));
    assert.deepEqual(withoutAge(ofDevice), withoutAge(interfaces));
  });

  test('rebinds stand under the server that gave the lease', async () => {
    const rebinds = async (server) => {
      const rows = await shown('network/registration.json', 3, { range: last(6), server });
      return rows.map(({ server_name, share }) => [server_name, share]);
    };
    assert.deepEqual((await rebinds(['grafana-test-dhcp'])).at(-1), ['grafana-test-dhcp', 1]);
    assert.deepEqual(await rebinds(['another']), []);
  });

  test('a look-up takes any notation of a MAC, an address and a name, within the time range', async () => {
    const macs = async (lookup, range = last(60)) => (await shown('network/registration.json', 6, { lookup, range })).map(({ mac }) => mac);
    for (const typed of ['02-00-00-00-00-07', '0200.0000.0007', '10.9.8.7'])
      assert.deepEqual(await macs(typed), ['02:00:00:00:00:07'], typed);
    assert.deepEqual(await macs('  10.9.8.7 '), ['02:00:00:00:00:07'], 'as it is pasted');
    assert.equal((await macs('HOST')).length, 20);
    assert.match((await macs('10.9.8.7', longAgo))[0], /^(nothing is known of it|not known: .*)$/);
  });

  test('the volume of syslog is that of the words searched for', async () => {
    const volume = async (search) => {
      const query = panelQuery('network/syslog.json', 1);
      const rows = await shown('network/syslog.json', 1, { search, range: last(30) });
      const seconds = 60;
      assert.equal(query.panel.interval, '1m');
      return Math.round(rows.reduce((total, { messages }) => total + (messages * seconds) / 60, 0));
    };
    assert.equal(await volume(''), 600);
    assert.equal(await volume('hello'), 600);
    assert.equal(await volume('goodbye'), 0);
  });

  test('an alert is read field by field with links, and its history is without repetitions', async () => {
    const fingerprint = 'f'.repeat(32);
    const transition = (
      version,
      what,
    ) => `SELECT '${fingerprint}', ${version}, now64(9) - 10 + ${version} AS told, '${what}', told, 'suppressed', 'major', 'edge 1',
      'link', repeat('long ', 60), map('port', 'Gi0/1'), now64(9) - 60, now64(9) - 60, 'dependency:${'1'.padStart(32, '0')}', 'link'`;
    await run(`INSERT INTO tocsin.alert_history (fingerprint, version, told_at, transition, transition_at, state, severity, device, check, summary, labels,
      first_seen, last_seen, cause, runbook) ${[transition(1, 'opened'), transition(2, 'refreshed'), transition(3, 'suppressed')].join(' UNION ALL ')}`);
    const fields = await shown('network/alert.json', 2, { fingerprint });
    const field = (name) => fields.find(({ what }) => what === name);
    assert.equal(field('not chosen'), undefined);
    assert.equal((await shown('network/alert.json', 2))[0].what, 'not chosen');
    assert.equal(field('summary').value, 'long '.repeat(60));
    assert.match(field('device').go, /^\/d\/tocsin-device\?var-device=edge%201&from=\d+&to=now$/);
    assert.equal(field('label port').value, 'Gi0/1');
    assert.equal(field('runbook').value, 'link');
    assert.match(field('since').value, /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC, 1 minute.* ago$/);
    assert.deepEqual(field('explained by'), {
      what: 'explained by',
      value: 'grafana-test-n1.example.net node: node down',
      go: `/d/tocsin-alert?var-fingerprint=${'1'.padStart(32, '0')}`,
    });
    assert.deepEqual(
      (await shown('network/alert.json', 3, { fingerprint })).map(({ what }) => what),
      ['suppressed', 'opened'],
    );
  });

  test('an alert leads to the interface, the link and the clients that its labels name, at its time', async () => {
    const fingerprint = 'e'.repeat(32);
    await run(`INSERT INTO tocsin.alert_history (fingerprint, version, transition, transition_at, state, severity, device, check, summary, labels,
      first_seen, last_seen, resolved_at, storm_id) SELECT '${fingerprint}', 1, 'opened', now64(9), 'resolved', 'major', 'edge 1', 'link', 'down',
      map('interface', 'Gi0/1', 'link_id', 'fra zrh', 'mac', '02:00:00:00:00:07', 'server', 'dhcp-1', 'vendor', 'x'),
      toDateTime64('2026-01-02 03:00:00', 9, 'UTC'), now64(9), toDateTime64('2026-01-02 04:00:00', 9, 'UTC'), 'grafana-test-storm-0'`);
    const its = `&from=${Date.UTC(2026, 0, 2, 2)}&to=${Date.UTC(2026, 0, 2, 5)}`;
    const fields = await shown('network/alert.json', 2, { fingerprint });
    const go = (name) => fields.find(({ what }) => what === name)?.go;
    assert.equal(go('device'), `/d/tocsin-device?var-device=edge%201${its}`);
    assert.equal(go('label interface'), `/d/tocsin-traps-interfaces?var-device=edge%201${its}`);
    assert.equal(go('label link_id'), `/d/tocsin-wan?var-link=fra%20zrh${its}`);
    assert.equal(go('label mac'), `/d/tocsin-registration?var-lookup=02%3A00%3A00%3A00%3A00%3A07${its}`);
    assert.equal(go('label server'), `/d/tocsin-registration?var-server=dhcp-1${its}`);
    assert.equal(go('label vendor'), `/d/tocsin-alert?var-fingerprint=${fingerprint}`);
    assert.equal(go('explained by'), '/d/tocsin-alert?var-fingerprint=grafana-test-storm-0');
  });

  test('what nobody is paged for stands under the name of what holds it back, on home and on the page of storms', async () => {
    const home = await shown('network/what-is-down.json', 6);
    assert.deepEqual(
      home
        .map(({ alerts, reason, held_by, reason_page }) => [Number(alerts), held_by, reason, reason_page])
        .filter(([, held]) => ['storm', 'maintenance'].includes(held)),
      [
        [3, 'storm', 'storm: source grafana-test-monitor', 'tocsin-alert?var-fingerprint=grafana-test-storm-0'],
        [1, 'maintenance', 'grafana-test-window', 'tocsin-storms?'],
      ],
    );
    const elsewhere = await shown('network/what-is-down.json', 6, { site: ['no-such-site'] });
    assert.match(elsewhere[0].reason, /^(nothing is held back|not known: .*)$/);
    const storms = await shown('network/storms.json', 5);
    assert.ok(storms.some(({ held_by, reason }) => held_by === 'maintenance' && reason === 'grafana-test-window'));
  });

  test('what a fault tree or an upstream explains counts as explained, in numbers and by name', async () => {
    const [before] = await shown('network/storms.json', 1);
    await run(`INSERT INTO tocsin.alert_history (fingerprint, version, transition, transition_at, state, severity, device, check, first_seen, last_seen, cause)
      SELECT concat('leaf-', toString(number)), 1, 'suppressed', now64(9), 'suppressed', 'minor', 'n1', 'node', now64(9), now64(9),
        concat(if(number = 1, 'tree:', 'dependency:'), '${'1'.padStart(32, '0')}') FROM numbers(2)`);
    const [now] = await shown('network/storms.json', 1);
    assert.deepEqual([now.dependent - before.dependent, now.under_trees - before.under_trees, now.in_storms - before.in_storms], [1, 1, 0]);
    const leaves = (await shown('network/storms.json', 5)).filter(({ fingerprint }) => fingerprint.startsWith('leaf-'));
    assert.deepEqual(leaves.map(({ held_by, reason }) => `${held_by} ${reason}`).sort(), [
      'dependency grafana-test-n1.example.net node',
      'tree grafana-test-n1.example.net node',
    ]);
  });

  test('fault trees stand by what they are, with what is down, the alert behind it, and what is one step away', async () => {
    const tell = (fingerprint, tree, redundancy, state, more) =>
      run(`INSERT INTO tocsin.alert_history (fingerprint, fingerprint_fields, version, transition, transition_at, state, severity, source, check, summary,
          first_seen, last_seen, resolved_at, tree_down, cut_sets, tree_next)
        SELECT '${fingerprint}', map('tree', '${tree}'${redundancy ? ", 'redundancy', 'lost'" : ''}), 1, 'opened', now64(9), '${state}', 'major', 'tree',
          '${tree}', '${tree} is told', now64(9) - 60, now64(9), if('${state}' = 'resolved', now64(9), NULL), ${more}`);
    await run(`INSERT INTO tocsin.alert_history (fingerprint, version, transition, transition_at, state, severity, source, device, check, summary,
        first_seen, last_seen, raised_by, rule, rule_pushed_at, held_back)
      SELECT 'tree-disk', 1, 'suppressed', now64(9), 'suppressed', 'minor', 'link', 'disk-box', 'disk', 'a disk is gone', now64(9) - 90, now64(9),
        ['disk-0'], 'disk', now64(9) - 3600, [('tree:tree-down', 'array', now64(9) - 60)]`);
    await run(`INSERT INTO tocsin.alert_updates (${columns}, action, source, check, severity, summary, raw)
      SELECT ${event('disk', 'now64(9) - 90').replace('grafana-test-n1', 'disk-box')}, 'update', 'link', 'disk', 'minor', 'a disk is gone', '{"disk":1}' FROM numbers(1)`);
    await tell('tree-down', 'array', false, 'open', "[('disk 1', 'tree-disk')], [['disk 1']], []");
    await tell('tree-under', 'shelf', false, 'suppressed', "[('disk 1', 'tree-disk')], [['disk 1']], []");
    await tell('tree-was-lost', 'array', true, 'resolved', "[], [], ['disk 9']");
    await tell('tree-lost', 'uplinks', true, 'open', "[('link 1', 'gone')], [], ['link 2', 'link 3']");
    await tell('tree-up', 'power', false, 'resolved', "[('feed 1', 'gone')], [['feed 1']], []");

    const [numbers] = await shown('network/trees.json', 1);
    assert.deepEqual([numbers.down, numbers.one_step_away].map(Number), [2, 2]);
    const own = ({ tree }) => !tree.startsWith('grafana-test');
    const trees = (await shown('network/trees.json', 2, { range: longAgo })).filter(own);
    assert.deepEqual(
      trees.map(({ stands, tree, why, fingerprint }) => [stands, tree, why, fingerprint]),
      [
        ['down', 'array', 'array is told', 'tree-down'],
        ['under another', 'shelf', 'shelf is told', 'tree-under'],
        ['one step away', 'uplinks', 'uplinks is told', 'tree-lost'],
        ['up', 'power', '', 'tree-up'],
      ],
    );
    const down = (await shown('network/trees.json', 3)).filter(own);
    assert.deepEqual(
      down.map(({ tree, part, summary, fingerprint }) => [tree, part, summary, fingerprint]),
      [
        ['array', 'disk 1', 'a disk is gone', 'tree-disk'],
        ['shelf', 'disk 1', 'a disk is gone', 'tree-disk'],
        ['uplinks', 'link 1', '', 'gone'],
      ],
    );
    const next = (await shown('network/trees.json', 4)).filter(own);
    assert.deepEqual(
      next.map(({ tree, part }) => `${tree}: ${part}`),
      ['uplinks: link 2', 'uplinks: link 3'],
    );

    const why = async (fingerprint) =>
      new Map((await shown('network/alert.json', 2, { fingerprint })).map(({ what, value, go }) => [what, { value, go }]));
    const disk = await why('tree-disk');
    assert.match(disk.get('held back by').value, /^tree array since .* ago$/);
    assert.match(disk.get('rule').value, /^disk as pushed at .* UTC, 1 hour.* ago$/);
    const top = await why('tree-down');
    assert.deepEqual(top.get('enough').value, 'disk 1');
    assert.deepEqual(top.get('down'), { value: 'disk 1', go: '/d/tocsin-alert?var-fingerprint=tree-disk' });
    assert.equal((await why('tree-lost')).get('one step away').go, '/d/tocsin-trees');
    assert.deepEqual(
      (await shown('network/alert.json', 6, { fingerprint: 'tree-disk' })).map(({ line, kind }) => [line, kind]),
      [['{"disk":1}', 'alert update']],
    );
  });

  test('a job that is down stands before all alerts, until it is told to be back', async () => {
    const told = (status, secondsAgo) =>
      run(`INSERT INTO tocsin.pages (sent_at, receiver, status, group_key, group_labels, firing, summary)
        VALUES (now64(3) - ${secondsAgo}, 'page-recorder', '${status}', 'jobs', map('alertname', 'job-down'), 1, 'job tocsin-alerts is down: it is failed')`);
    const jobs = async () => (await shown('network/what-is-down.json', 3)).filter(({ check }) => check === 'job');
    await told('firing', 300);
    await told('resolved', 200);
    assert.deepEqual(await jobs(), []);
    await told('firing', 100);
    await told('firing', 40);
    const [job] = await jobs();
    assert.equal(job.summary, 'what it would tell is not known: job tocsin-alerts is down: it is failed');
    assert.ok(job.lasted >= 100 && job.lasted < 200, `${job.lasted}`);
    assert.equal(job.page, 'tocsin-runbook-job-down?');
    await told('resolved', 1);
    assert.deepEqual(await jobs(), []);
  });

  test('a silent agent leads to the balance, an alert to its page', async () => {
    const rows = await shown('network/what-is-down.json', 3);
    assert.equal(rows.find(({ check }) => check === 'agent').page, 'tocsin-pipeline-balance?var-agent=grafana-test-agent');
    assert.equal(rows.find(({ device_name }) => device_name.includes('n1.')).page, `tocsin-alert?var-fingerprint=${'1'.padStart(32, '0')}`);
  });

  test('a device has the leases of its name, with and without its domain, and the addresses it sends from', async () => {
    const addresses = async (device) =>
      (await shown('network/device.json', 8, { device: [device], range: last(60) })).map(({ address, kind, place }) => [
        address,
        kind,
        place,
      ]);
    assert.deepEqual(await addresses('grafana-test-n3.example.net'), [['10.9.8.99', 'lease', 'ge-0/0/9']]);
    assert.deepEqual(await addresses('grafana-test-n1'), [['192.0.2.1', 'sends from', '']]);
    assert.match((await addresses('grafana-test-n4.example.net'))[0][0], /^(no lease and|not known)/);
  });

  test('evidence of an alert is the bytes that it was made of', async () => {
    const evidence = await shown('network/alert.json', 6, { fingerprint: 'grafana-test-storm-1' });
    assert.deepEqual(
      evidence.map(({ line, kind }) => [line, kind]),
      [['{"action":"update"}', 'alert update']],
    );
  });
});
