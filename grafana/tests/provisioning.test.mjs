// What Grafana reads when it starts: data source, dashboards' provider, contact point and alert rules, held against the rules of its own readers
// (pkg/services/provisioning of Grafana 11 and 12). Grafana overlooks a key that it does not know, and does not start with what it refuses; both are
// seen here.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { alertRules, alerting, dashboards, pages, panels, root } from './dashboards.mjs';

const provisioned = (...path) => readFileSync(join(root, 'provisioning', ...path), 'utf8');

/** Every key of a YAML file, lists' too. */
const yamlKeys = (text) => [...text.matchAll(/^[\s-]*(\w+):/gm)].map(([, key]) => key);

/** The value of a key of a YAML file, without quotes and comment. */
const yamlValue = (text, key) => new RegExp(`^[\\s-]*${key}: *"?([^"#\\n]*?)"? *(#.*)?$`, 'm').exec(text)?.[1];

function assertKnown(keys, known, where) {
  assert.deepEqual(
    keys.filter((key) => !known.split(' ').includes(key)),
    [],
    `${where}: keys that Grafana overlooks`,
  );
}

/** Seconds of a duration as Prometheus writes it: 30s, 1m. */
function seconds(duration) {
  const [, count, unit] = /^(\d+)(s|m|h|d)$/.exec(duration) ?? assert.fail(`${duration} is no duration`);
  return Number(count) * { s: 1, m: 60, h: 3600, d: 86400 }[unit];
}

const uids = pages.map(({ model }) => model.uid);

/** Asserts that a path of Grafana is that of a page. */
function assertPage(path, where) {
  assert.ok(uids.includes(/^\/d\/([a-z-]+)(\?|$)/.exec(path)?.[1]), `${where}: there is no page ${path}`);
}

test('there is no file whose keys nobody checks', () => {
  assert.deepEqual(
    readdirSync(join(root, 'provisioning'), { recursive: true })
      .filter((name) => /\.\w+$/.test(name))
      .sort(),
    ['alerting/pipeline.json', 'dashboards/tocsin.yaml', 'datasources/tocsin.yaml'],
  );
});

describe('the provider of dashboards', () => {
  const text = provisioned('dashboards', 'tocsin.yaml');

  test('holds only keys that Grafana documents', () => {
    const options = 'path foldersFromFilesStructure';
    const provider = 'name orgId folder folderUid type disableDeletion updateIntervalSeconds allowUiUpdates options';
    assertKnown(yamlKeys(text), `apiVersion providers ${provider} ${options}`, 'dashboards/tocsin.yaml');
  });

  test('makes a folder of each folder, for which Grafana wants no folder to be named', () => {
    assert.equal(yamlValue(text, 'foldersFromFilesStructure'), 'true');
    assert.equal(yamlValue(text, 'folder'), undefined);
    assert.equal(yamlValue(text, 'folderUid'), undefined);
    assert.equal(yamlValue(text, 'path'), '$TOCSIN_DASHBOARDS_PATH');
  });
});

for (const path of ['provisioning/datasources/tocsin.yaml', '../deploy/compose/grafana-datasource.yaml']) {
  describe(`the data source of ${path}`, () => {
    const text = readFileSync(join(root, path), 'utf8');

    test('holds only keys that Grafana and the plugin document', () => {
      const source = 'name type access orgId uid url basicAuth basicAuthUser isDefault jsonData secureJsonData version editable';
      const plugin =
        'host port protocol secure username defaultDatabase dialTimeout queryTimeout customSettings setting value password tlsAuthWithCACert tlsCACert';
      assertKnown(yamlKeys(text), `apiVersion datasources ${source} ${plugin}`, path);
    });

    test('has the name and the database that dashboards ask for', () => {
      assert.equal(yamlValue(text, 'uid'), 'tocsin-clickhouse');
      assert.equal(yamlValue(text, 'type'), 'grafana-clickhouse-datasource');
      assert.equal(yamlValue(text, 'defaultDatabase'), 'tocsin');
    });

    test('gives up a query before the page asks again', () => {
      // A refresh cancels what still runs. Were it the sooner, a page would show the last answer of a ClickHouse that hangs for ever.
      const longest = Number(yamlValue(text, 'dialTimeout')) + Number(yamlValue(text, 'queryTimeout'));
      for (const { file, model } of dashboards) {
        for (const interval of [model.refresh, ...model.timepicker.refresh_intervals])
          assert.ok(seconds(interval) > longest, `${file}: refresh ${interval}, a query may take ${longest} s`);
      }
    });
  });
}

test('whoever may look can only read', () => {
  assert.match(provisioned('datasources', 'tocsin.yaml'), /setting: readonly\n\s+value: "1"/);
});

describe('the contact point', () => {
  const [contactPoint] = alerting.contactPoints;

  test('holds only keys that Grafana documents, and all that it wants', () => {
    assertKnown(Object.keys(contactPoint), 'orgId name receivers', 'contact point');
    for (const receiver of contactPoint.receivers) {
      assertKnown(Object.keys(receiver), 'uid type settings disableResolveMessage', receiver.uid);
      assert.match(receiver.uid, /^[a-zA-Z0-9_-]{1,40}$/);
      assert.equal(receiver.type, 'prometheus-alertmanager');
      assertKnown(Object.keys(receiver.settings), 'url basicAuthUser basicAuthPassword', receiver.uid);
      assert.equal(receiver.settings.url, '$TOCSIN_ALERTMANAGER_URL');
    }
  });
});

describe('alert rules of the pipeline', () => {
  test('hold only keys that Grafana documents', () => {
    // No `policies`: they would replace the whole tree of the organisation's own.
    assertKnown(Object.keys(alerting), 'apiVersion groups contactPoints', 'alerting');
    const rule =
      'uid title condition data dashboardUid panelId noDataState execErrState for keepFiringFor annotations labels isPaused notification_settings';
    const settings = 'receiver group_by group_wait group_interval repeat_interval mute_time_intervals active_time_intervals';
    for (const group of alerting.groups) assertKnown(Object.keys(group), 'orgId name folder interval rules', group.name);
    for (const { rule: model } of alertRules) {
      assertKnown(Object.keys(model), rule, model.title);
      for (const query of model.data) assertKnown(Object.keys(query), 'refId queryType relativeTimeRange datasourceUid model', model.title);
      assertKnown(
        Object.keys(model.annotations),
        'summary description runbook_url runbook dashboard __dashboardUid__ __panelId__',
        model.title,
      );
      assertKnown(Object.keys(model.notification_settings), settings, model.title);
    }
  });

  test('have uids, titles, times and states that Grafana takes', () => {
    for (const key of ['uid', 'title']) {
      const values = alertRules.map(({ rule }) => rule[key]);
      assert.deepEqual([...new Set(values)], values);
    }
    for (const group of alerting.groups) assert.equal(seconds(group.interval) % 10, 0, `${group.name}: Grafana looks every 10 s`);
    for (const { rule } of alertRules) {
      assert.match(rule.uid, /^tocsin-[a-z-]{1,33}$/);
      seconds(rule.for);
      assert.ok(['NoData', 'Alerting', 'OK', 'KeepLast'].includes(rule.noDataState), rule.title);
      // A ClickHouse that does not answer is an alert of its own.
      assert.equal(rule.execErrState, 'Error', rule.title);
    }
  });

  test('have a condition that exists, the data source and a severity', () => {
    for (const { rule } of alertRules) {
      const ids = rule.data.map(({ refId }) => refId);
      assert.deepEqual([...new Set(ids)], ids);
      assert.ok(ids.includes(rule.condition), rule.title);
      for (const { refId, model } of rule.data) assert.equal(model.refId, refId, rule.title);
      assert.equal(rule.data[0].datasourceUid, 'tocsin-clickhouse');
      assert.ok(['critical', 'major', 'minor', 'warning'].includes(rule.labels.severity), rule.title);
      assert.ok(rule.labels.device, `${rule.title}: what it concerns`);
    }
  });

  test('say in labels "$$" where they mean "$", which is a variable of the environment there', () => {
    for (const { rule } of alertRules) {
      for (const [name, value] of Object.entries(rule.labels)) {
        assert.match(name, /^[a-z_]+$/);
        assert.ok(!value.replaceAll('$$', '').includes('$'), `${rule.title}: ${name}=${value}`);
      }
      for (const [name, value] of Object.entries(rule.annotations)) assert.ok(!value.includes('${'), `${rule.title}: ${name}=${value}`);
    }
  });

  test('name dashboard and panel together, and both exist', () => {
    // Grafana does not start with one of the two alone.
    for (const { rule } of alertRules) {
      const { __dashboardUid__: uid, __panelId__: id } = rule.annotations;
      const dashboard = dashboards.find(({ model }) => model.uid === uid);
      assert.ok(dashboard, `${rule.title}: no dashboard ${uid}`);
      assert.ok(
        panels(dashboard.model).some((panel) => String(panel.id) === id),
        `${rule.title}: ${uid} has no panel ${id}`,
      );
    }
  });

  test('lead to pages that exist, by a path within Grafana and by a whole address in what is sent', () => {
    const own = '{{ externalURL | reReplaceAll `/+\\z` "" }}';
    for (const { rule } of alertRules) {
      const { runbook_url: here, runbook, dashboard } = rule.annotations;
      assertPage(here, rule.title);
      assert.equal(runbook, `${own}${here}`);
      assert.ok(dashboard.startsWith(own), rule.title);
      assertPage(dashboard.slice(own.length), rule.title);
    }
  });

  test('reach the contact point, which repeats them before Alertmanager takes them for ended', () => {
    const names = alerting.contactPoints.map(({ name }) => name);
    const resolveTimeout = 300; // Alertmanager's resolve_timeout, which no file of deploy/alertmanager changes.
    for (const { rule } of alertRules) {
      const { receiver, group_wait, group_interval, repeat_interval } = rule.notification_settings;
      assert.ok(names.includes(receiver), rule.title);
      seconds(group_wait);
      assert.ok(seconds(repeat_interval) >= seconds(group_interval), 'Grafana refuses a shorter one');
      assert.ok(seconds(repeat_interval) + seconds(group_interval) < resolveTimeout / 2, repeat_interval);
    }
    for (const file of ['alertmanager.yml', 'production.yml'])
      assert.ok(!readFileSync(join(root, '..', 'deploy', 'alertmanager', file), 'utf8').includes('resolve_timeout'), file);
  });
});
