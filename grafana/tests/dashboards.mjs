// Reads the dashboards from disk and walks through them. No checks here: the tests make them.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The grafana/ folder. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** Every page that Grafana is provisioned with: `file` relative to dashboards/, and `model`, the parsed JSON. */
export const pages = readdirSync(join(root, 'dashboards'), { recursive: true })
  .filter((file) => file.endsWith('.json'))
  .sort()
  .map((file) => ({ file, model: JSON.parse(readFileSync(join(root, 'dashboards', file), 'utf8')) }));

/** Those that ask ClickHouse; the others are runbooks. */
export const dashboards = pages.filter(({ file }) => !file.startsWith('runbooks/'));

if (dashboards.length === 0) throw new Error(`no dashboard under ${relative('.', join(root, 'dashboards'))}`);

/** Panels of a dashboard, those inside collapsed rows too. */
export function panels(model) {
  return model.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
}

/**
 * Everything of a dashboard that sends SQL: `{name, kind, sql, panel?}` with kind panel, variable or annotation. `name` is stable
 * ("pipeline/balance.json panel 7") and is what may-be-empty.json refers to.
 */
export function queries({ file, model }) {
  return [
    ...panels(model).flatMap((panel) =>
      (panel.targets ?? []).map((target) => ({
        name: `${file} panel ${panel.id}`,
        kind: 'panel',
        sql: target.rawSql,
        target,
        panel,
      })),
    ),
    ...model.templating.list
      .filter((variable) => variable.type === 'query')
      .map((variable) => ({ name: `${file} variable ${variable.name}`, kind: 'variable', sql: variable.query })),
    ...model.annotations.list
      .filter((annotation) => !annotation.builtIn)
      .map((annotation) => ({
        name: `${file} annotation ${annotation.name}`,
        kind: 'annotation',
        sql: annotation.target.rawSql,
        target: annotation.target,
      })),
  ];
}

/** Names of the variables with values to choose from, which reach SQL. */
export function queryVariables(model) {
  return model.templating.list.filter((variable) => variable.type === 'query').map((variable) => variable.name);
}

/** Names of the variables that a person types, which reach SQL. */
export function textVariables(model) {
  return model.templating.list.filter((variable) => variable.type === 'textbox').map((variable) => variable.name);
}

/** Alert rules of the pipeline, as provisioned. */
export const alerting = JSON.parse(readFileSync(join(root, 'provisioning', 'alerting', 'pipeline.json'), 'utf8'));

/** Each of these rules with its SQL. */
export const alertRules = alerting.groups.flatMap((group) =>
  group.rules.map((rule) => ({ name: `alert rule ${rule.title}`, kind: 'alert', rule, sql: rule.data[0].model.rawSql })),
);

/** Runbooks: name without ending, and text. */
export const runbooks = readdirSync(join(root, 'runbooks'))
  .filter((file) => file.endsWith('.md') && file !== 'README.md')
  .map((file) => ({ name: file.replace(/\.md$/, ''), text: readFileSync(join(root, 'runbooks', file), 'utf8') }));
