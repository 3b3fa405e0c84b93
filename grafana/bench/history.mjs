// `make bench-history ROWS=n`: 30 days of rows in a throw-away database, then every query of every dashboard over 24 hours and 30 days, and every saved
// question by its own example: time and rows read.
import { readdirSync, readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { inDatabase } from '../tests/clickhouse.mjs';
import { dashboards, queries, queryVariables, root, textVariables } from '../tests/dashboards.mjs';
import { ALL, expand, panelIntervalMs, pluginVersions } from '../tests/macros.mjs';
import { tables } from './rows.mjs';
import { cpuMs, fill, measure, median, server, table } from './stage.mjs';

const rows = Number(process.env.ROWS || 1_000_000);
if (!Number.isInteger(rows) || rows < 1000) {
  console.error(`ROWS is ${process.env.ROWS}: give a whole number of at least 1000`);
  process.exit(64);
}
const { url, clickhouse } = server();
const database = 'tocsin_bench_history';
const repeats = 3;

const started = Date.now();
await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
await clickhouse.makeTables(database);
for (const each of tables) await fill(clickhouse, database, each, Math.round(rows * each.share));
console.log(`filled ${rows} rows in ${Math.round((Date.now() - started) / 1000)} s\n`);

async function figures(sql, parameters) {
  const runs = [];
  for (let run = 0; run < repeats; run++) {
    const before = await cpuMs(clickhouse);
    const { ms, rowsRead } = await measure(url, inDatabase(sql, database), parameters);
    runs.push({ ms, rowsRead, cpu: (await cpuMs(clickhouse)) - before });
  }
  return { ms: median(runs.map(({ ms }) => ms)), cpu: median(runs.map(({ cpu }) => cpu)), rowsRead: runs.at(-1).rowsRead };
}

/** One of the devices that say most. */
const oneDevice = 'core-000';

for (const hours of [24, 30 * 24]) {
  const range = { from: new Date(Date.now() - hours * 3_600_000), to: new Date() };
  const lines = [];
  for (const dashboard of dashboards) {
    lines.push([dashboard.file, ...(await page(dashboard, range, {}))]);
    if (queryVariables(dashboard.model).includes('device')) {
      lines.push([`${dashboard.file}, ${oneDevice}`, ...(await page(dashboard, range, { device: [oneDevice] }))]);
    }
  }
  console.log(
    `dashboards over ${hours} hours, all queries of a page one after the other, medians of ${repeats}; load average ${loadavg()[0].toFixed(1)}`,
  );
  console.log(table(['dashboard', 'ms', 'CPU ms', 'rows read', 'most CPU, ms'], lines), '\n');
}

/** What all queries of a dashboard cost over `range`; a variable without a value in `chosen` is at "All". */
async function page(dashboard, range, chosen) {
  const variables = {
    ...Object.fromEntries(queryVariables(dashboard.model).map((name) => [name, [ALL]])),
    ...Object.fromEntries(textVariables(dashboard.model).map((name) => [name, ''])),
    ...chosen,
  };
  let total = 0;
  let totalCpu = 0;
  let rowsRead = 0;
  let slowest = { cpu: 0, name: '' };
  for (const query of queries(dashboard)) {
    const sql = expand(query.sql, {
      plugin: pluginVersions.at(-1),
      range,
      intervalMs: panelIntervalMs(range, query.panel),
      variables,
    });
    const { ms, cpu, rowsRead: read } = await figures(sql);
    total += ms;
    totalCpu += cpu;
    rowsRead += read;
    if (cpu > slowest.cpu) slowest = { cpu, name: query.panel?.title ?? query.name };
  }
  return [Math.round(total), Math.round(totalCpu), rowsRead, `${slowest.name} ${Math.round(slowest.cpu)}`];
}

const folder = join(root, '..', 'schemas', 'clickhouse', 'questions');
const lines = [];
for (const file of readdirSync(folder).sort()) {
  const text = readFileSync(join(folder, file), 'utf8');
  await clickhouse.run(inDatabase(text, database));
  const name = file.replace(/\.sql$/, '');
  const given = Object.fromEntries(
    [.../-- Example: tocsin ask \w+(.*)/.exec(text)[1].matchAll(/(\w+)=(?:'([^']*)'|(\S+))/g)].map(([, key, quoted, plain]) => [
      key,
      quoted ?? plain,
    ]),
  );
  const values = {};
  const list = [...text.matchAll(/^-- Parameter (\w+) (.*?): .*?(?:; default (.*))?\.$/gm)].map(([, key, type, standard]) => {
    const value = given[key] ?? standard.replace(/^'(.*)'$/, '$1');
    if (value === 'now') return `${key} = now64(3)`;
    const ago = /^-(\d+)d$/.exec(value);
    if (ago) return `${key} = now64(3) - INTERVAL ${ago[1]} DAY`;
    values[`param_${key}`] = value;
    return `${key} = {${key}:${type}}`;
  });
  const { ms, cpu, rowsRead } = await figures(`SELECT * FROM tocsin.ask_${name}(${list.join(', ')})`, values);
  lines.push([name, ms.toFixed(1), cpu.toFixed(1), rowsRead]);
}
console.log(`saved questions, each by its own example, medians of ${repeats}`);
console.log(table(['question', 'ms', 'CPU ms', 'rows read'], lines));
await clickhouse.run(`DROP DATABASE ${database} SYNC`);
