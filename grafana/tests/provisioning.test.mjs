// What Grafana reads when it starts: data source, dashboards' provider, alert rules. Grafana overlooks a key that it does not know, and does
// not start with an alert rule that it refuses; both are seen here.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { alertRules, alerting, dashboards, panels, root } from './dashboards.mjs';

const provisioned = (...path) => readFileSync(join(root, 'provisioning', ...path), 'utf8');

/** Every key of a YAML file, lists' too. */
const yamlKeys = (text) => [...text.matchAll(/^[\s-]*(\w+):/gm)].map(([, key]) => key);

function assertKnown(keys, known, where) {
  assert.deepEqual(
    keys.filter((key) => !known.split(' ').includes(key)),
    [],
    `${where}: keys that Grafana overlooks`,
  );
}

describe('provisioned files hold only keys that Grafana documents', () => {
  test('dashboards', () => {
    const options = 'path foldersFromFilesStructure';
    const provider = 'name orgId folder folderUid type disableDeletion updateIntervalSeconds allowUiUpdates options';
    assertKnown(
      yamlKeys(provisioned('dashboards', 'tocsin.yaml')),
      `apiVersion providers ${provider} ${options}`,
      'dashboards/tocsin.yaml',
    );
  });

  test('data source', () => {
    const source = 'name type access orgId uid url basicAuth basicAuthUser isDefault jsonData secureJsonData version editable';
    const plugin = 'host port protocol secure username defaultDatabase dialTimeout queryTimeout customSettings setting value password';
    assertKnown(
      yamlKeys(provisioned('datasources', 'tocsin.yaml')),
      `apiVersion datasources ${source} ${plugin}`,
      'datasources/tocsin.yaml',
    );
  });

  test('alert rules', () => {
    const rule =
      'uid title condition data dashboardUid panelId noDataState execErrState for keepFiringFor annotations labels isPaused notification_settings';
    assertKnown(Object.keys(alerting), 'apiVersion groups deleteRules', 'alerting');
    for (const group of alerting.groups) assertKnown(Object.keys(group), 'orgId name folder interval rules', group.name);
    for (const { rule: model } of alertRules) {
      assertKnown(Object.keys(model), rule, model.title);
      for (const query of model.data) assertKnown(Object.keys(query), 'refId queryType relativeTimeRange datasourceUid model', model.title);
      assertKnown(Object.keys(model.annotations), 'summary description runbook_url __dashboardUid__ __panelId__', model.title);
    }
  });
});

test('the data source and the dashboards are provisioned under the names that the dashboards use', () => {
  const source = provisioned('datasources', 'tocsin.yaml');
  for (const line of [
    'uid: tocsin-clickhouse',
    'type: grafana-clickhouse-datasource',
    'host: $TOCSIN_CLICKHOUSE_HOST',
    'defaultDatabase: tocsin',
  ]) {
    assert.ok(source.includes(line), line);
  }
  assert.match(source, /setting: readonly\n\s+value: "1"/);
  const provider = provisioned('dashboards', 'tocsin.yaml');
  assert.ok(provider.includes('foldersFromFilesStructure: true'));
  assert.ok(provider.includes('path: $TOCSIN_DASHBOARDS_PATH'));
});

describe('alert rules of the pipeline', () => {
  test('have uids, a condition that exists, a severity and the data source', () => {
    const uids = alertRules.map(({ rule }) => rule.uid);
    assert.deepEqual([...new Set(uids)], uids);
    for (const { rule } of alertRules) {
      assert.match(rule.uid, /^tocsin-[a-z-]{1,33}$/);
      assert.ok(
        rule.data.some(({ refId }) => refId === rule.condition),
        rule.title,
      );
      assert.ok(['critical', 'major', 'minor', 'warning'].includes(rule.labels.severity), rule.title);
      assert.equal(rule.data[0].datasourceUid, 'tocsin-clickhouse');
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
});
