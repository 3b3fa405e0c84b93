// One name a finding: the check of its alert, and the runbook that says what to do.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertRules, root, runbooks } from './dashboards.mjs';

const repository = join(root, '..');

/** Every file below a folder whose name ends so: path below the repository, and text. */
function files(folder, ending) {
  return readdirSync(join(repository, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => ({ path: join(folder, name), text: readFileSync(join(repository, folder, name), 'utf8') }));
}

/** The check that a job or the agent names where it makes an alert: `{ path, check }`. */
function checksOfCode() {
  const kinds = readFileSync(join(repository, 'schemas/proto/tocsin/wan/v1/wan_episode.proto'), 'utf8')
    .match(/^ *KIND_(?!UNSPECIFIED)\w+/gm)
    .map((word) => word.trim().replace('KIND_', '').toLowerCase());
  const ofJobs = files('stream-jobs/correlation/src/main', '.java').flatMap(({ path, text }) => {
    // The first text of the arguments, or the two of a choice.
    const made = [...text.matchAll(/Finding\.of\([^";]*"([^"]+)"(?:\s*:\s*"([^"]+)")?/g)].map(([, ...checks]) => checks.filter(Boolean));
    assert.equal(made.length, text.split('Finding.of(').length - 1, `${path}: a finding whose check is not a text here`);
    const set = [...text.matchAll(/\.setCheck\("([^"]+)"(?: \+ (kind))?\)/g)].flatMap(([, check, kind]) =>
      kind ? kinds.map((each) => check + each) : [check],
    );
    return [...made.flat(), ...set].map((check) => ({ path, check }));
  });
  const ofAgent = files('ingest/agent/src', '.rs').flatMap(({ path, text }) =>
    [...text.matchAll(/source: "tocsin-agent"\.to_owned\(\),\s*check: "([^"]+)"/g)].map(([, check]) => ({ path, check })),
  );
  return [...ofJobs, ...ofAgent];
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

/** The runbook of a check that code raises. */
const runbookOf = (check) => ({ conn_limit: 'connection-limit' })[check] ?? check.replaceAll('_', '-');

const names = runbooks.map(({ name }) => name);
const raised = checksOfCode();
const rules = shippedRules();

test('every runbook says what it means, where to look first, and how to fix it', () => {
  for (const { name, text } of runbooks) {
    assert.match(name, /^[a-z]+(-[a-z]+)*$/);
    assert.deepEqual(text.match(/^## .*$/gm), ['## Meaning', '## First look', '## Fix'], `runbooks/${name}.md`);
  }
});

test('every check that code raises has a runbook of its name', () => {
  assert.ok(raised.length >= 21, `only ${raised.length} were found: ${raised.map(({ check }) => check)}`);
  for (const { path, check } of raised) assert.ok(names.includes(runbookOf(check)), `${path} raises ${check}`);
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
    assert.equal(rule.annotations.runbook_url, `grafana/runbooks/${name}.md`, rule.title);
    assert.ok(names.includes(name), rule.annotations.runbook_url);
  }
});

test('every runbook is reached', () => {
  const reached = new Set([
    ...raised.map(({ check }) => runbookOf(check)),
    ...rules.map(({ runbook }) => runbook),
    ...alertRules.map(({ rule }) => rule.uid.replace('tocsin-', '')),
  ]);
  assert.deepEqual(
    names.filter((name) => !reached.has(name)),
    [],
  );
});
