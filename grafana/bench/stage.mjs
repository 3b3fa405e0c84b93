// What both benchmarks need: a server, a throw-away database with rows, and the figures of a query.
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { ClickHouse, inDatabase } from '../tests/clickhouse.mjs';

const chunkRows = 1_000_000;
const keptOpen = new Agent({ keepAlive: true, maxSockets: 1 });

/** The server of TOCSIN_TEST_CLICKHOUSE_URL; ends the process with a sentence where none is named. */
export function server() {
  const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
  if (!url) {
    console.error(
      'TOCSIN_TEST_CLICKHOUSE_URL is not set: run this by `make bench-history`, which starts a ClickHouse, or point it at a server that may be filled.',
    );
    process.exit(64);
  }
  return { url, clickhouse: new ClickHouse(url) };
}

/** Fills one table of `database` in pieces, and says every few seconds how far it is. */
export async function fill(clickhouse, database, { name, insert }, rows) {
  let told = Date.now();
  for (let from = 0; from < rows; from += chunkRows) {
    await clickhouse.run(inDatabase(insert(from, Math.min(chunkRows, rows - from), rows), database), { max_insert_threads: '2' });
    if (Date.now() - told > 3000) {
      told = Date.now();
      console.error(`${name}: ${Math.min(from + chunkRows, rows)} of ${rows} rows`);
    }
  }
}

/**
 * Runs a SELECT and returns {ms, rowsRead, bytesRead}, as ClickHouse counted them. Like Grafana it keeps its connection. The answer has no body
 * (format Null), so its head comes at the end, with all that was read.
 */
export async function measure(url, sql, parameters = {}) {
  const query = new URLSearchParams({
    readonly: '2',
    max_execution_time: '300',
    default_format: 'Null',
    max_threads: '2',
    ...parameters,
  });
  const { hostname, port } = new URL(url);
  const started = performance.now();
  const asked = request({ hostname, port, path: `/?${query}`, method: 'POST', agent: keptOpen }).end(sql);
  const [response] = await once(asked, 'response');
  const body = await text(response);
  const ms = performance.now() - started;
  if (response.statusCode !== 200) throw new Error(`${body.trim()}\nin the query:\n${sql}`);
  const summary = JSON.parse(response.headers['x-clickhouse-summary']);
  return { ms, rowsRead: Number(summary.read_rows), bytesRead: Number(summary.read_bytes) };
}

/** CPU time that the server's queries have taken since it started, milliseconds; what it does by itself meanwhile is counted, too. */
export async function cpuMs(clickhouse) {
  return Number(await clickhouse.run("SELECT value FROM system.events WHERE event = 'OSCPUVirtualTimeMicroseconds'")) / 1000;
}

/** The middle of several. */
export function median(values) {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** Rows of cells as aligned text. */
export function table(header, rows) {
  const widths = header.map((name, index) => Math.max(name.length, ...rows.map((row) => String(row[index]).length)));
  const line = (cells) =>
    cells.map((cell, index) => (index === 0 ? String(cell).padEnd(widths[0]) : String(cell).padStart(widths[index]))).join('  ');
  return [header, ...rows].map(line).join('\n');
}
