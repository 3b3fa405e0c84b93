// What a person's Grafana would send for a panel, and what ClickHouse answers. No checks here: the tests make them.
import { inDatabase } from './clickhouse.mjs';
import { dashboards, queries, queryVariables, textVariables } from './dashboards.mjs';
import { ALL, expand, panelIntervalMs, pluginVersions } from './macros.mjs';

export const minuteMs = 60_000;
/** Time ranges that people choose. */
export const ranges = Object.fromEntries(
  [
    ['5 minutes', 5],
    ['24 hours', 24 * 60],
    ['30 days', 30 * 24 * 60],
    ['400 days', 400 * 24 * 60],
  ].map(([name, minutes]) => [name, { from: new Date(Date.now() - minutes * minuteMs), to: new Date(Date.now() + minuteMs) }]),
);

/** What a dashboard shows when it is opened: "All" chosen everywhere, nothing typed. */
export function all(model) {
  return {
    ...Object.fromEntries(queryVariables(model).map((name) => [name, [ALL]])),
    ...Object.fromEntries(textVariables(model).map((name) => [name, ''])),
  };
}

/** Asks a database: a query of `queries` with values of its variables, at a time range, with the macros of a version of the plugin. */
export function asker(clickhouse, database) {
  return (query, { variables, range = ranges['24 hours'], plugin = pluginVersions.at(-1) }) => {
    const intervalMs = panelIntervalMs(range, query.panel);
    return clickhouse.select(inDatabase(expand(query.sql, { plugin, range, intervalMs, variables }), database));
  };
}

/** The query of a panel by its dashboard and id. */
export function panelQuery(file, id) {
  const dashboard = dashboards.find((candidate) => candidate.file === file);
  return queries(dashboard).find((query) => query.kind === 'panel' && query.panel.id === id);
}
