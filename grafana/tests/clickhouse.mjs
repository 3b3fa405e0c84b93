// ClickHouse over HTTP, and a throw-away database with Tocsin's schema.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './dashboards.mjs';

/** Sends queries to the server at `url` (http://host:port, user and password in it if needed). */
export class ClickHouse {
  constructor(url) {
    const { username, password, origin } = new URL(url);
    this.origin = origin;
    this.headers = username ? { 'X-ClickHouse-User': decodeURIComponent(username), 'X-ClickHouse-Key': decodeURIComponent(password) } : {};
  }

  /** Runs one statement and returns the body as text. Throws with ClickHouse's own message. */
  async run(sql, settings = {}) {
    const parameters = new URLSearchParams(settings);
    const response = await fetch(`${this.origin}/?${parameters}`, { method: 'POST', body: sql, headers: this.headers });
    const body = await response.text();
    if (!response.ok) throw new Error(`${body.trim()}\nin the query:\n${sql}`);
    return body;
  }

  /** Runs a SELECT like the provisioned data source does (readonly). Returns {meta: [{name, type}], data: [[...]]}. */
  async select(sql) {
    const body = await this.run(sql, { readonly: '1', default_format: 'JSONCompact', max_execution_time: '30' });
    return JSON.parse(body);
  }

  /** Makes `database` by the files of schemas/clickhouse, with their database name replaced. */
  async makeTables(database) {
    await this.run(`CREATE DATABASE IF NOT EXISTS ${database}`);
    for (const statement of schema()) await this.run(inDatabase(statement, database));
  }
}

/** The statements of the baseline in the order of `tocsin schema apply`, tables, materialized views, views; then the migrations. */
function schema() {
  const folder = join(root, '..', 'schemas', 'clickhouse');
  const files = readdirSync(folder, { recursive: true })
    .filter((path) => path.endsWith('.sql') && !path.startsWith('questions'))
    .sort();
  const [migrations, baseline] = [
    files.filter((path) => path.startsWith('migrations')),
    files.filter((path) => !path.startsWith('migrations')),
  ];
  const statements = (path) =>
    readFileSync(join(folder, path), 'utf8')
      .replace(/^ *--.*$/gm, '')
      .split(/;\n/)
      .map((sql) => sql.trim());
  const ordered = baseline.flatMap(statements).filter(Boolean);
  const making = (kind) => ordered.filter((sql) => sql.startsWith(`CREATE ${kind} `));
  return [...making('TABLE'), ...making('MATERIALIZED VIEW'), ...making('VIEW'), ...migrations.flatMap(statements).filter(Boolean)];
}

/** `sql` with every name in the database tocsin moved to `database`. */
export function inDatabase(sql, database) {
  return sql.replace(/\btocsin(?=\.[a-z_])/g, database);
}
