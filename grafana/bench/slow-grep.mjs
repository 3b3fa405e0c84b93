// `make bench-grep`: 460,000 syslog lines in the table syslog against GNU grep and ripgrep over the same lines in one file, warm.
import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inDatabase } from '../tests/clickhouse.mjs';
import { tables } from './rows.mjs';
import { fill, measure, median, server, table } from './stage.mjs';

const rows = Number(process.env.ROWS ?? 460_000);
const { url, clickhouse } = server();
const database = 'tocsin_bench_grep';
const repeats = 7;

await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
await clickhouse.migrate(database);
await fill(
  clickhouse,
  database,
  tables.find(({ name }) => name === 'syslog'),
  rows,
);
await clickhouse.run(`OPTIMIZE TABLE ${database}.syslog FINAL`);

const folder = mkdtempSync(join(tmpdir(), 'tocsin-grep-'));
const file = join(folder, 'syslog.txt');
const lines = await fetch(`${new URL(url).origin}/`, {
  method: 'POST',
  body: `SELECT raw FROM ${database}.syslog ORDER BY event_time FORMAT TSVRaw`,
});
await finished(Readable.fromWeb(lines.body).pipe(createWriteStream(file)));
const { size } = statSync(file);
const [onDisk] = JSON.parse(
  await clickhouse.run(
    `SELECT sum(bytes_on_disk) FROM system.parts WHERE active AND database = '${database}' AND table = 'syslog' FORMAT JSONCompactColumns`,
  ),
)[0];
console.log(
  `${rows} lines, ${(size / 1e6).toFixed(1)} MB of text; the table with its index: ${(onDisk / 1e6).toFixed(1)} MB, 1/${(size / onDisk).toFixed(1)}\n`,
);

const day = '2 DAY';
const all = (...words) => `hasAllTokens(lower(message), ['${words.join("', '")}'])`;
const searches = [
  ['rare word', ['quasar1'], all('quasar1')],
  ['another rare word', ['quasar2'], all('quasar2')],
  ['word that is not there', ['nosuchword'], all('nosuchword')],
  ['common word', ['session'], all('session')],
  ['phrase', ['hold time expired'], `${all('hold', 'time', 'expired')} AND message LIKE '%hold time expired%'`],
  ['phrase, rare', ['parity fault at quasar0'], `${all('parity', 'fault', 'quasar0')} AND message LIKE '%parity fault at quasar0%'`],
  ['device and word', ['core-017 .*hold time'], `device = 'core-017' AND ${all('hold', 'time')}`],
  ['device and rare word', ['core-003 .*parity'], `device = 'core-003' AND ${all('parity')}`],
  [
    'time range and word',
    ['parity'],
    `event_time > now() - INTERVAL ${day} AND received_at > now() - INTERVAL ${day} AND ${all('parity')}`,
  ],
  ['regex', ['peer AS 6451[2-4],'], `match(message, 'peer AS 6451[2-4],')`],
];

function timed(program, pattern) {
  const times = [];
  for (let run = 0; run < repeats; run++) {
    const started = performance.now();
    const { status } = spawnSync(program, ['-c', ...(program === 'grep' ? ['-E'] : []), pattern, file], {
      env: { ...process.env, LC_ALL: 'C' },
    });
    if (status > 1) throw new Error(`${program} ended with ${status}`);
    times.push(performance.now() - started);
  }
  return median(times);
}

const has = (program) => spawnSync(program, ['--version']).status === 0;
const ripgrep = has('rg');
const lineCount = [];
for (const [name, [pattern], condition] of searches) {
  const sql = inDatabase(`SELECT raw FROM tocsin.syslog WHERE ${condition}`, database);
  const runs = [];
  for (let run = 0; run < repeats; run++) runs.push(await measure(url, sql));
  const hits = (await clickhouse.run(inDatabase(`SELECT count() FROM tocsin.syslog WHERE ${condition}`, database))).trim();
  const grep = timed('grep', pattern);
  const rg = ripgrep ? timed('rg', pattern) : NaN;
  const own = median(runs.map(({ ms }) => ms));
  lineCount.push([
    name,
    hits,
    grep.toFixed(1),
    ripgrep ? rg.toFixed(1) : '-',
    own.toFixed(1),
    (grep / own).toFixed(1),
    runs.at(-1).rowsRead,
  ]);
}
console.log(
  `medians of ${repeats}, warm, ms; ${execFileSync('grep', ['--version']).toString().split('\n')[0]}${ripgrep ? '' : '; ripgrep is not installed (package ripgrep)'}`,
);
console.log(table(['search', 'hits', 'grep', 'rg', 'tocsin', 'grep / tocsin', 'rows read'], lineCount));
rmSync(folder, { recursive: true });
await clickhouse.run(`DROP DATABASE ${database} SYNC`);
