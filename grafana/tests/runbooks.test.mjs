// One name a finding: the check of its alert, and the runbook that says what to do.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertRules, pages, root, runbooks } from './dashboards.mjs';

const repository = join(root, '..');

/** Every file below a folder whose name ends so: path below the repository, and text. */
function files(folder, ending) {
  return readdirSync(join(repository, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(repository, folder, name), 'utf8') }));
}

/** What texts of the sources match: `{ path, check }` for each. */
function checks(folder, ending, pattern) {
  return files(folder, ending).flatMap(({ path, text }) => [...text.matchAll(pattern)].map(([, check]) => ({ path, check })));
}

/** The checks of alerts that jobs, the agent and the watch over jobs make. In `correlation` names in kebab case are those of jobs and of checks alone. */
function checksOfCode() {
  const jobs = 'stream-jobs/correlation/src/main/java/io/tocsin/correlation';
  const kinds = checks('schemas/proto/tocsin/wan/v1', 'wan_episode.proto', /^ *KIND_(?!UNSPECIFIED)(\w+) =/gm);
  const ofEpisodes = checks(`${jobs}/wan`, '.java', /"([a-z]+-)" \+ /g).flatMap(({ path, check }) =>
    kinds.map((kind) => ({ path, check: check + kind.check.toLowerCase() })),
  );
  return [
    ...checks(`${jobs}/findings`, '.java', /"(?!tocsin-)([a-z]+(?:-[a-z]+)+)"/g),
    ...checks(`${jobs}/registrations/findings`, '.java', /"(?!tocsin-)([a-z]+(?:-[a-z]+)+)"/g),
    ...ofEpisodes,
    ...checks(`${jobs}/alerts`, '.java', /\.set(?:Check|Runbook)\("([^"]+)"\)/g),
    ...checks('ingest/operate/src', '.rs', /const CHECK: &str = "([^"]+)"/g),
    ...checks('deploy/packages/server', 'backup', /"check":"([^"]+)"/g),
    ...checks('ingest/agent/src', '.rs', /source: "tocsin-agent"\.to_owned\(\),\s*check: "([^"]+)"/g),
  ];
}

/** The alerts of Prometheus's rules: `{ path, check, runbook }`. */
function metricRules() {
  const path = 'deploy/prometheus/rules.yml';
  return readFileSync(join(repository, path), 'utf8')
    .split(/^ *- alert: /m)
    .slice(1)
    .map((rule) => ({ path, check: rule.match(/^\S+/)[0], runbook: rule.match(/runbook: grafana\/runbooks\/(\S+)\.md/)?.[1] }));
}

/** The rules that are shipped: `{ path, check, runbook }`. */
function shippedRules() {
  return files('deploy/rules', '.yaml').flatMap(({ path, text }) =>
    text.split(/^---$/m).map((document) => {
      const field = (name) => document.match(new RegExp(`^${name}: (\\S+)`, 'm'))?.[1];
      return { path, check: field('check') ?? field('name'), runbook: field('runbook') };
    }),
  );
}

const names = runbooks.map(({ name }) => name);
const raised = checksOfCode();
const rules = shippedRules();
const ofMetrics = metricRules();

test('every runbook says what it means, where to look first, and how to fix it', () => {
  for (const { name, text } of runbooks) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    assert.deepEqual(text.match(/^## .*$/gm), ['## Meaning', '## First look', '## Fix'], `runbooks/${name}.md`);
  }
});

test('every check that code raises has a runbook of its name', () => {
  assert.ok(new Set(raised.map(({ check }) => check)).size >= 23, `only ${raised.length} were found: ${raised.map(({ check }) => check)}`);
  for (const { path, check } of raised) assert.ok(names.includes(check), `${path} raises ${check}`);
});

test('every shipped rule has a runbook of the name of its check', () => {
  assert.ok(rules.length >= 20, `only ${rules.length} were found`);
  for (const { path, check, runbook } of rules) {
    assert.equal(runbook, check, `${path}: the runbook of ${check}`);
    assert.ok(names.includes(runbook), `${path}: ${runbook}`);
  }
});

test('every alert rule of the pipeline leads to a runbook of its name', () => {
  for (const { rule } of alertRules) {
    const name = rule.uid.replace('tocsin-', '');
    assert.equal(rule.annotations.runbook_url, `/d/tocsin-runbook-${name}`, rule.title);
    assert.ok(names.includes(name), rule.annotations.runbook_url);
  }
});

test('every runbook is a page of its name in Grafana, with all of its text', () => {
  const shown = pages.filter(({ file }) => file.startsWith('runbooks/'));
  assert.deepEqual(
    shown.map(({ model }) => model.uid),
    names.map((name) => `tocsin-runbook-${name}`).sort(),
  );
  const withoutTargets = (text) => text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  for (const { file, model } of shown) {
    const { text } = runbooks.find(({ name }) => model.uid === `tocsin-runbook-${name}`);
    assert.ok(model.uid.length <= 40, `${file}: Grafana takes uids of 40 characters`);
    const { content } = model.panels[0].options;
    assert.equal(withoutTargets(`# ${model.title.replace('Runbook: ', '')}\n\n${content}\n`), withoutTargets(text), file);
    for (const [, target] of content.matchAll(/\]\(([^)]*)\)/g)) {
      assert.ok(target.startsWith('https://') || shown.some(({ model: { uid } }) => target === `/d/${uid}`), `${file}: ${target}`);
    }
  }
});

test('every alert of a metric has a runbook of its name', () => {
  assert.ok(ofMetrics.length >= 8, `only ${ofMetrics.length} were found`);
  for (const { path, check, runbook } of ofMetrics) {
    assert.equal(runbook, check, `${path}: the runbook of ${check}`);
    assert.ok(names.includes(runbook), `${path}: ${runbook}`);
  }
});

test('every runbook is reached', () => {
  const reached = new Set([
    ...raised.map(({ check }) => check),
    ...rules.map(({ runbook }) => runbook),
    ...ofMetrics.map(({ runbook }) => runbook),
    ...alertRules.map(({ rule }) => rule.uid.replace('tocsin-', '')),
  ]);
  assert.deepEqual(
    names.filter((name) => !reached.has(name)),
    [],
  );
});
