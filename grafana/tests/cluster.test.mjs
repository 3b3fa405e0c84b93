// A cluster and a single server with the same rows answer every query of the dashboards alike. ShardsOnClickHouseTest of integration-tests runs this
// file: it has both servers, and their database tocsin is empty.
//
//   TOCSIN_TEST_WRITER_URL, TOCSIN_TEST_READER_URL                    the single server, with a user's name and password
//   TOCSIN_TEST_CLUSTER_WRITER_URL, TOCSIN_TEST_CLUSTER_READER_URL    a server of the cluster
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { ClickHouse } from './clickhouse.mjs';
import { alertRules, dashboards, queries, queryVariables, textVariables } from './dashboards.mjs';
import { ALL, expand, panelIntervalMs, pluginVersions } from './macros.mjs';
import { insertRows } from './rows.mjs';

const { TOCSIN_TEST_WRITER_URL, TOCSIN_TEST_READER_URL, TOCSIN_TEST_CLUSTER_WRITER_URL, TOCSIN_TEST_CLUSTER_READER_URL } = process.env;
const skip = TOCSIN_TEST_CLUSTER_READER_URL ? false : 'ShardsOnClickHouseTest runs it';

const now = new Date(Math.floor(Date.now() / 1000) * 1000);
const range = { from: new Date(now - 24 * 3_600_000), to: new Date(+now + 60_000) };

/** The same moment for both, wherever a statement asks for the time. */
function atOneMoment(sql) {
  const moment = now.toISOString().slice(0, 19).replace('T', ' ');
  return sql
    .replace(/\bnow64\((\d?)\)/g, (_, digits) => `toDateTime64('${moment}', ${digits || 3}, 'UTC')`)
    .replace(/\bnow\(\)/g, `toDateTime('${moment}', 'UTC')`);
}

/** Rows in any order: where a query leaves ties open, two servers may close them differently. */
async function rows(url, sql) {
  const { data } = await new ClickHouse(url).select(atOneMoment(sql));
  return data.map((row) => JSON.stringify(row)).sort();
}

/** What a dashboard shows when it is opened: "All" chosen everywhere, nothing typed. */
function all(model) {
  return {
    ...Object.fromEntries(queryVariables(model).map((name) => [name, [ALL]])),
    ...Object.fromEntries(textVariables(model).map((name) => [name, ''])),
  };
}

describe('dashboard queries on a cluster', { skip }, () => {
  before(async () => {
    for (const url of [TOCSIN_TEST_WRITER_URL, TOCSIN_TEST_CLUSTER_WRITER_URL]) {
      await insertRows({ run: (sql) => new ClickHouse(url).run(atOneMoment(sql)) }, 'tocsin');
    }
  });

  const asked = [
    ...dashboards.flatMap(({ file, model }) => queries({ file, model }).map((query) => ({ query, variables: all(model) }))),
    ...alertRules.map((query) => ({ query, variables: {} })),
  ];
  for (const { query, variables } of asked) {
    test(`${query.name} gets the answer of a single server`, async () => {
      const intervalMs = panelIntervalMs(range, query.panel?.interval);
      const sql = expand(query.sql, { plugin: pluginVersions.at(-1), range, intervalMs, variables });
      assert.deepEqual(await rows(TOCSIN_TEST_CLUSTER_READER_URL, sql), await rows(TOCSIN_TEST_READER_URL, sql));
    });
  }
});
