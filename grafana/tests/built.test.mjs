// What is committed is what the builders make, and SQL comes out of them as it reads there.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { built } from '../builders/build.mjs';
import { format } from '../builders/format.mjs';
import { and, sql } from '../builders/sql.mjs';
import { pages, root } from './dashboards.mjs';

test('dashboards and alert rules are what the builders make', async () => {
  const files = await built();
  for (const { path, text } of files) {
    const committed = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : '';
    assert.ok(committed === text, `${path} differs from what its builder makes: npm run --prefix grafana build`);
  }
  const paths = files.map(({ path }) => path);
  for (const { file } of pages) assert.ok(paths.includes(`dashboards/${file}`), `${file}: no builder makes it`);
});

test('SQL loses the margin of its file, and indents what is inserted', () => {
  const inner = sql`
    SELECT 1
    LIMIT 1`;
  const outer = sql`
        SELECT *
        FROM
        (
            ${inner}
        )
        WHERE 1
          ${and('a', 'b')}`;
  assert.equal(outer, 'SELECT *\nFROM\n(\n    SELECT 1\n    LIMIT 1\n)\nWHERE 1\n  AND a\n  AND b');
});

test('an empty insertion leaves no line', () => {
  assert.equal(
    sql`
      SELECT 1
      ${and()}
      LIMIT 1`,
    'SELECT 1\nLIMIT 1',
  );
});

test('JSON has on a line what fits, and reads back as it was', () => {
  const value = { flat: [1, { a: 'x\ny' }], empty: {}, long: ['a'.repeat(150), 'b'.repeat(150)], absent: undefined };
  const text = format(value);
  assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
  assert.deepEqual(text.split('\n').slice(0, 4), ['{', '  "flat": [ 1, { "a": "x\\ny" } ],', '  "empty": {},', '  "long": [']);
});
