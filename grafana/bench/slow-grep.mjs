// `make bench-grep`: the 460,000 syslog lines of a day in the table syslog against GNU grep and ripgrep over the same lines in one file, warm.
//
// grep counts its lines (-c). Of Tocsin there are two figures: the count, and the lines themselves with their time and device, as the question
// `search` shows them. The programs take turns, and the best of each is told: what else the machine does then disturbs all of them alike.
import { execFileSync, spawnSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { inDatabase } from '../tests/clickhouse.mjs';
import { tables } from './rows.mjs';
import { cpuMs, fill, measure, server, table } from './stage.mjs';

const rows = Number(process.env.ROWS || 460_000);
const { url, clickhouse } = server();
const database = 'tocsin_bench_grep';
const rounds = 8;
const runsInARow = 5;

for (const name of ['grep', 'rg']) {
  if (spawnSync(name, ['--version']).status !== 0) {
    console.error(`${name} is not installed: Debian's packages are grep and ripgrep.`);
    process.exit(69);
  }
}

const all = (...words) => `hasAllTokens(lower(message), ['${words.join("', '")}'])`;
const lately = 'event_time > now() - INTERVAL 3 HOUR AND received_at > now() - INTERVAL 3 HOUR';
const searches = [
  { name: 'rare word', pattern: 'quasar1', condition: all('quasar1') },
  { name: 'word of 20 lines', pattern: 'pulsar', condition: all('pulsar') },
  { name: 'word that is not there', pattern: 'nosuchword', condition: all('nosuchword') },
  { name: 'common word', pattern: 'session', condition: all('session') },
  { name: 'phrase', pattern: 'stratum 3 offset', condition: `${all('stratum', '3', 'offset')} AND message LIKE '%stratum 3 offset%'` },
  {
    name: 'phrase, rare',
    pattern: 'parity fault at quasar0',
    condition: `${all('parity', 'fault', 'quasar0')} AND message LIKE '%parity fault at quasar0%'`,
  },
  { name: 'device and word', pattern: 'core-017 .*hold', condition: `device = 'core-017' AND ${all('hold')}` },
  { name: 'device and rare word', pattern: 'core-000 .*parity', condition: `device = 'core-000' AND ${all('parity')}` },
  { name: 'time range and word', pattern: 'parity', condition: `${lately} AND ${all('parity')}` },
  { name: 'regex', pattern: 'peer AS 6451[2-4],', condition: `match(message, 'peer AS 6451[2-4],')` },
];

await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
await clickhouse.makeTables(database);
const syslog = tables.find(({ name }) => name === 'syslog');
await fill(clickhouse, database, { ...syslog, insert: (from, some, total) => syslog.insert(from, some, total, 1) }, rows);
await clickhouse.run(`OPTIMIZE TABLE ${database}.syslog FINAL`);
const folder = mkdtempSync(join(tmpdir(), 'tocsin-grep-'));
const file = join(folder, 'syslog.txt');
await writeLines();
await printSizes();
await printSearches();
rmSync(folder, { recursive: true });
await clickhouse.run(`DROP DATABASE ${database} SYNC`);

async function writeLines() {
  const body = `SELECT raw FROM ${database}.syslog ORDER BY event_time FORMAT TSVRaw`;
  const lines = await fetch(`${new URL(url).origin}/`, { method: 'POST', body });
  await finished(Readable.fromWeb(lines.body).pipe(createWriteStream(file)));
}

/** The table's bytes on disk by what they hold, and as a share of the text. */
async function printSizes() {
  const { size } = statSync(file);
  const where = `active AND database = '${database}' AND table = 'syslog'`;
  const { data } = await clickhouse.select(
    `SELECT 'raw_header' AS what, sum(column_data_compressed_bytes) AS bytes FROM system.parts_columns WHERE ${where} AND column = 'raw_header'
     UNION ALL SELECT 'message', sum(column_data_compressed_bytes) FROM system.parts_columns WHERE ${where} AND column = 'message'
     UNION ALL SELECT 'text index', sum(secondary_indices_compressed_bytes) FROM system.parts WHERE ${where}
     UNION ALL SELECT 'everything', sum(bytes_on_disk) FROM system.parts WHERE ${where}`,
  );
  const cells = data.map(([what, bytes]) => [what, (bytes / 1e6).toFixed(1), `1/${(size / bytes).toFixed(1)}`]);
  console.log(`${rows} lines, ${(size / 1e6).toFixed(1)} MB of text; on disk:`);
  console.log(table(['of the table', 'MB', 'of the text'], cells.sort()), '\n');
}

async function printSearches() {
  const lines = [];
  for (const { name, pattern, condition } of searches) {
    const select = (columns) => inDatabase(`SELECT ${columns} FROM tocsin.syslog WHERE ${condition}`, database);
    const lineCount = Number(await clickhouse.run(select('count()')));
    const rivals = [
      () => program('grep', ['-cE', pattern, file]),
      () => program('rg', ['-c', pattern, file]),
      () => measure(url, select('count()')),
      () => measure(url, select('event_time, device, message')),
    ];
    const wall = await least(rivals, ({ ms }) => ms);
    const cpu = await least(rivals.map(withCpuTime), ({ cpuMs }) => cpuMs);
    const ratio = ([grep, , count, lines]) => [grep / count, grep / lines];
    lines.push([name, lineCount, ...[...wall, ...ratio(wall), ...cpu, ...ratio(cpu)].map((value) => value.toFixed(1))]);
  }
  const version = execFileSync('grep', ['--version']).toString().split('\n')[0];
  console.log(`best of ${rounds * runsInARow}, warm; load average ${loadavg()[0].toFixed(1)}; ${version}`);
  const programs = ['grep -c', 'rg -c', 'count', 'lines', 'grep/count', 'grep/lines'];
  const header = ['search', 'hits', ...programs.map((of) => `ms ${of}`), ...programs.map((of) => `CPU ${of}`)];
  console.log(table(header, lines));
}

/** Time and CPU time of a program that searches; found nothing (1) is an answer, too. */
function program(name, words) {
  const script = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const { status, error, stderr } = spawnSync('bash', ['-c', script, 'time', name, ...words], { env: { ...process.env, LC_ALL: 'C' } });
  const [real, user, system] = String(stderr).trim().split(' ').map(Number);
  if (error || status > 1 || Number.isNaN(system)) throw new Error(`${name} ended with ${status ?? error}: ${stderr}`);
  return { ms: real * 1000, cpuMs: (user + system) * 1000 };
}

/** The least that each rival took, taking turns. A turn is some runs in a row: the first of them finds the processor's caches full of another's bytes. */
async function least(rivals, figure) {
  const figures = rivals.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, rival] of rivals.entries()) {
      for (let run = 0; run < runsInARow; run++) figures[index].push(figure(await rival()));
    }
  }
  return figures.map((all) => Math.min(...all));
}

/** A rival with the CPU time that it took: its own, or what the server counted meanwhile. Asking the server costs time, so it is not done beside the clock. */
function withCpuTime(rival) {
  return async () => {
    const before = await cpuMs(clickhouse);
    const { cpuMs: own } = await rival();
    return { cpuMs: own ?? (await cpuMs(clickhouse)) - before };
  };
}
