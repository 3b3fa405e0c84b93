// House rules of schemas/**/*.sql: a file begins with a comment that says why. With TOCSIN_TEST_CLICKHOUSE_URL every statement is parsed by
// ClickHouse too; formatters for SQL do not know its DDL. What a baseline and migrations may hold is checked by `tocsin schema` and its tests.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, root, sources } from './sources.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;

/** Statements of a file, without comments. Knows string literals, so that a ";" or "--" in a COMMENT ends nothing. */
function statements(text) {
  const found = [''];
  for (const [token] of text.matchAll(/--[^\n]*|'(?:[^'\\]|\\.|'')*'|;|[^;'-]+|-/g)) {
    if (token === ';') found.push('');
    else if (!token.startsWith('--')) found[found.length - 1] += token;
  }
  return found.map((statement) => statement.trim()).filter(Boolean);
}

function houseRules(path, text) {
  const problems = [];
  if (!text.startsWith('-- ')) problems.push('begins with a comment that says what it is and why');
  if (/[ \t]+\n|\t/.test(text)) problems.push('has no tabs and no blanks at the end of a line');
  if (!text.endsWith('\n')) problems.push('ends with a line end');
  return problems.map((problem) => `${path}: a file of schemas/clickhouse ${problem}`);
}

async function parse(path, text) {
  const problems = [];
  for (const statement of statements(text)) {
    const response = await fetch(`${new URL(url).origin}/?param_statement=${encodeURIComponent(escapeTsv(statement))}`, {
      method: 'POST',
      body: 'SELECT formatQuery({statement:String}) FORMAT Null',
    });
    if (!response.ok) problems.push(`${path}: ${(await response.text()).trim().split('\n')[0]}`);
  }
  return problems;
}

/** Query parameters travel as TSV values. */
function escapeTsv(text) {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

const files = sources('schemas/*.sql').map((path) => [path, readFileSync(join(root, path), 'utf8')]);
const problems = files.flatMap(([path, text]) => houseRules(path, text));
if (url) for (const [path, text] of files) problems.push(...(await parse(path, text)));
report(
  problems,
  `${files.length} files${url ? ', parsed by ClickHouse' : '; set TOCSIN_TEST_CLICKHOUSE_URL to have ClickHouse parse them too'}`,
);
