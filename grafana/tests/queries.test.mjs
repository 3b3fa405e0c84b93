// Sends the SQL of every panel, variable and annotation, as Grafana and the plugin would send it, to a real ClickHouse.
//
//   TOCSIN_TEST_CLICKHOUSE_URL  http://127.0.0.1:8123; without it these tests are skipped, and fail where CI=true
//   TOCSIN_TEST_DATABASE        read this database as it stands (tocsin: what the demo left) instead of a throw-away one with known rows
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { all, asker, minuteMs, panelQuery, ranges } from './answers.mjs';
import { ClickHouse, inDatabase } from './clickhouse.mjs';
import { alertRules, dashboards, queries, queryVariables, root, textVariables } from './dashboards.mjs';
import { panelIntervalMs, pluginVersions } from './macros.mjs';
import { hostileSource, insertRows, totals } from './rows.mjs';

const url = process.env.TOCSIN_TEST_CLICKHOUSE_URL;
const givenDatabase = process.env.TOCSIN_TEST_DATABASE;
const database = givenDatabase ?? `tocsin_grafana_test_${process.pid}`;
const mayBeEmpty = givenDatabase ? JSON.parse(readFileSync(join(root, 'tests', 'may-be-empty.json'), 'utf8')) : {};
const clickhouse = url ? new ClickHouse(url) : undefined;
const runQuery = asker(clickhouse, database);

const answers = new Map();

/** As runQuery, for what does not depend on the moment: what several tests ask for, or two plugins or time ranges say in the same words, is sent once. */
const askOnce = asker(
  {
    select(sql) {
      if (!answers.has(sql)) answers.set(sql, clickhouse.select(sql));
      return answers.get(sql);
    },
  },
  database,
);

const hostileValues = [
  "x' OR 1=1 --",
  "x\\' OR 1=1 --",
  'x\\',
  "x') OR (1=1",
  "') UNION ALL SELECT 1 --",
  '$__dateFilter(1)',
  '$__timeFilter(received_at)',
  '${datasource}',
  '%27 OR 1=1 --',
  '"; DROP TABLE tocsin.syslog; --',
  'a\nb\u0000c',
  '\u202egro.elpmaxe',
];

/** Result types that the plugin 4.0.0 turns into a Grafana field without a surprise (pkg/converters/converters.go). */
const plainTypes = /^(LowCardinality\(String\)|(Nullable\()?(String|U?Int(8|16|32|64)|Float64|DateTime(64\(\d\))?(\(?.*'UTC'\))?)\)?)$/;

const isTime = ({ type }) => /^(Nullable\()?DateTime/.test(type);
const isText = ({ type }) => /String/.test(type);

/** Why the plugin would not make one line for each combination of the texts of these rows; undefined if it would. */
function whyNoTimeSeries({ meta, data }) {
  const times = meta.flatMap((column, index) => (isTime(column) ? [index] : []));
  if (times.length !== 1) return `${times.length} columns of times`;
  if (meta[times[0]].type.startsWith('Nullable')) return 'a time that may be NULL';
  if (!meta.some((column) => !isTime(column) && !isText(column))) return 'no number';
  const late = data.findIndex((row, index) => index > 0 && row[times[0]] < data[index - 1][times[0]]);
  return late === -1 ? undefined : `row ${late} is older than the one before: ORDER BY time`;
}

/** Values that a person could pick for a variable now. */
async function options(dashboard, name) {
  const variable = queries(dashboard).find((query) => query.kind === 'variable' && query.name.endsWith(` ${name}`));
  const { data } = await askOnce(variable, { variables: all(dashboard.model) });
  return data.map(([value]) => value);
}

/** What the row says that a table answers with where it has none. */
const saysNothing = ({ sql }) => /max\(a\.age\)\)\),\s*'([^']*)'\)/.exec(sql)?.[1];

/** Rows of an answer, without the one that says that there are none. */
function rowsOf(query, { data }) {
  const text = saysNothing(query);
  return data.filter((row) => !row.some((cell) => cell === text || String(cell).startsWith('not known: ')));
}

/** An answer without what changes by the second. */
function still({ meta, data }) {
  const moves = ({ name }) => ['silent_for', 'lasted'].includes(name);
  return data.map((row) => row.filter((_, index) => !moves(meta[index])).map((cell) => String(cell).replace(/^(not known: ).*/, '$1')));
}

/** Fails unless a variable with any of these values makes a query answer as with `absent`, which nothing has. */
async function assertTakenAsWritten(dashboard, query, name, absent, values) {
  const answer = async (value) => still(await askOnce(query, { variables: { ...all(dashboard.model), [name]: value } }));
  for (const value of values) {
    assert.deepEqual(await answer(value), await answer(absent), `${JSON.stringify(value)} changed the result`);
  }
}

let insertedAt;

const skip = url ? false : 'TOCSIN_TEST_CLICKHOUSE_URL is not set; `make up` starts a ClickHouse on http://127.0.0.1:8123';

test('a ClickHouse is given where CI=true', { skip: process.env.CI !== 'true' && 'not in CI' }, () => {
  assert.ok(url, skip);
});

describe('dashboard queries', { skip }, () => {
  before(async () => {
    if (givenDatabase) return;
    await clickhouse.makeTables(database);
    insertedAt = Date.now();
    await insertRows(clickhouse, database);
  });

  after(async () => {
    if (!givenDatabase) await clickhouse.run(`DROP DATABASE IF EXISTS ${database} SYNC`);
  });

  describe('every dashboard', { concurrency: availableParallelism() }, () => {
    for (const dashboard of dashboards) {
      describe(dashboard.file, () => {
        for (const query of queries(dashboard)) {
          for (const plugin of pluginVersions) {
            test(`${query.name} runs at every time range with the macros of plugin ${plugin}`, async () => {
              for (const [name, range] of Object.entries(ranges)) {
                const { meta, data } = await askOnce(query, { variables: all(dashboard.model), range, plugin });
                for (const column of meta) {
                  assert.match(column.type, plainTypes, `column ${column.name} at ${name}: cast it to a plain type`);
                }
                if (query.target?.queryType === 'timeseries') assert.equal(whyNoTimeSeries({ meta, data }), undefined, name);
              }
            });
          }

          test(`${query.name} shows rows where data exists`, async () => {
            const data = rowsOf(query, await askOnce(query, { variables: all(dashboard.model) }));
            const reason = mayBeEmpty[query.name];
            assert.ok(data.length > 0 || reason, `${query.name} is empty over 24 hours; if it may be, say why in tests/may-be-empty.json`);
          });

          if (query.panel?.type === 'table') {
            test(`${query.name} has an override for every column and a column for every override`, async () => {
              const { meta } = await askOnce(query, { variables: all(dashboard.model) });
              const overridden = query.panel.fieldConfig.overrides.map(({ matcher }) => matcher.options);
              assert.deepEqual(overridden.sort(), meta.map(({ name }) => name).sort());
            });
          }

          if (query.panel?.type === 'stat') {
            test(`${query.name} shows every column, in its own colours`, async () => {
              const { meta } = await askOnce(query, { variables: all(dashboard.model) });
              const overridden = query.panel.fieldConfig.overrides.map(({ matcher }) => matcher.options);
              assert.deepEqual(overridden.sort(), meta.map(({ name }) => name).sort());
              // fields: "" means the numbers alone.
              if (query.panel.options.reduceOptions.fields === '') assert.deepEqual(meta.filter(isText), []);
            });
          }

          if (query.kind === 'annotation') {
            test(`${query.name} has a time and a text`, async () => {
              const { meta } = await askOnce(query, { variables: all(dashboard.model) });
              const named = (name) => meta.find((column) => column.name === name);
              assert.ok(isTime(named('time')));
              assert.ok(isText(named('text')));
              if (named('timeEnd')) assert.ok(isTime(named('timeEnd')));
            });
          }

          if (query.kind === 'variable') {
            test(`${query.name} is one column of texts`, async () => {
              const { meta } = await askOnce(query, { variables: all(dashboard.model) });
              assert.ok(meta.length === 1 && isText(meta[0]), JSON.stringify(meta));
            });
            continue;
          }

          for (const name of textVariables(dashboard.model).filter((variable) => query.sql.includes(`\${${variable}:`))) {
            if (givenDatabase) continue; // Hostile text does the same on any rows.
            test(`${query.name} takes hostile text in ${name} for what it is: text that nothing holds`, async () => {
              await assertTakenAsWritten(dashboard, query, name, 'no-such-text', hostileValues);
            });
          }

          for (const name of queryVariables(dashboard.model).filter((variable) => query.sql.includes(`\${${variable}:`))) {
            test(`${query.name} runs with ${name} at one and at many values`, async () => {
              const values = await options(dashboard, name);
              if (values.length === 0) assert.ok(mayBeEmpty[`${dashboard.file} variable ${name}`], `variable ${name} offers no value`);
              const everything = await runQuery(query, { variables: all(dashboard.model) });
              for (const chosen of [values.slice(0, 1), values, values[0] ?? '']) {
                const { data } = await runQuery(query, { variables: { ...all(dashboard.model), [name]: chosen } });
                assert.ok(data.length <= everything.data.length, 'a filter must not add rows');
              }
            });

            if (givenDatabase) continue;
            test(`${query.name} takes hostile values of ${name} for what they are: names that nothing has`, async () => {
              // One at a time, and all of them as several and as one: what is chosen is one literal, which any of them would leave beside the others too.
              const values = [...hostileValues.map((hostile) => [hostile]), ['no-such-name', ...hostileValues], hostileValues.join(' ')];
              await assertTakenAsWritten(dashboard, query, name, ['no-such-name'], values);
            });
          }
        }
      });
    }
  });

  for (const query of alertRules) {
    test(`${query.name} gives one number a row, labels that tell the rows apart, and a row also where all is quiet`, async () => {
      const { meta, data } = await runQuery(query, { variables: {} });
      const numbers = meta.filter(({ type }) => type === 'Float64');
      assert.equal(numbers.length, 1, 'Grafana compares one number a row');
      for (const column of meta) {
        assert.match(column.type, plainTypes, column.name);
        assert.ok(!isTime(column), `${column.name}: with a time Grafana takes the table for a series`);
      }
      const labels = data.map((row) => JSON.stringify(row.filter((_, index) => isText(meta[index]))));
      assert.deepEqual([...new Set(labels)], labels);
      // The agent of the known rows has reported nothing for a quarter of an hour. Grafana 9.3 takes an answer without a row for an error.
      assert.ok(data.length > 0, 'no row');
    });
  }

  describe('known rows', { skip: givenDatabase && 'only a throw-away database has known rows' }, () => {
    const home = dashboards.find(({ file }) => file === 'network/what-is-down.json');
    const balance = dashboards.find(({ file }) => file === 'pipeline/balance.json');

    const noRows = { ...all(home.model), source: ['no-such-source'] };

    /** One more report of the agent, so that nothing of it is old. */
    const report = (secondsAgo) =>
      clickhouse.run(
        inDatabase(
          `INSERT INTO tocsin.listener_totals (agent_id, boot_id, listener, reported_at) VALUES ('grafana-test-agent', 1, 'syslog-udp', now64(9) - ${secondsAgo})`,
          database,
        ),
      );

    test('severity counts are those of the open alerts', async () => {
      const { data } = await runQuery(panelQuery(home.file, 1), { variables: all(home.model) });
      assert.deepEqual(data[0].slice(0, 5).map(Number), Object.values(totals.open));
    });

    test('a source with a quote in its name can be chosen, and alone is shown', async () => {
      const { data } = await runQuery(panelQuery(home.file, 3), { variables: { ...all(home.model), source: [hostileSource] } });
      assert.deepEqual(
        data.slice(1).map((row) => row.at(-3)),
        [hostileSource],
      );
    });

    test('an agent that is silent stands before the open alerts, storms next, then the worst, under their whole names', async () => {
      const { data } = await runQuery(panelQuery(home.file, 3), { variables: all(home.model) });
      assert.deepEqual(
        data.map(([severity, , device]) => [severity, device]),
        [
          [7, 'grafana-test-agent'],
          [3, 'storm: source grafana-test-monitor'],
          [6, 'grafana-test-n1.example.net'],
          [6, 'grafana-test-n2.example.net'],
          [5, 'grafana-test-n3.example.net'],
          [4, 'grafana-test-n4.example.net'],
          [3, 'grafana-test-n5.example.net'],
          [2, 'grafana-test-n6.example.net'],
        ],
      );
    });

    test('what is suppressed, in maintenance or hidden by a filter is counted', async () => {
      const counts = async (variables) => (await runQuery(panelQuery(home.file, 1), { variables })).data[0].slice(5, 8).map(Number);
      assert.deepEqual(await counts(all(home.model)), [3, 1, 0]);
      assert.deepEqual(await counts({ ...all(home.model), site: ['grafana-test-elsewhere'] }), [0, 0, 6]);
      assert.deepEqual(await counts(noRows), [0, 0, 7]);
    });

    test('the balance of an agent that has stopped reporting is not closed', async () => {
      const state = async () => {
        const { meta, data } = await runQuery(panelQuery(balance.file, 2), { variables: all(balance.model) });
        return data[0][meta.findIndex(({ name }) => name === 'state_now')];
      };
      assert.equal(await state(), 2);
    });

    test('nothing is down only where every agent reports', async () => {
      const says = async () => (await runQuery(panelQuery(home.file, 3), { variables: noRows })).data.map((row) => row[2]);
      assert.deepEqual(await says(), ['grafana-test-agent']);
      const storms = async () => {
        const variables = { site: ['no-such-site'] };
        return (await runQuery(panelQuery('network/storms.json', 2), { variables })).data.map((row) => row[2]);
      };
      assert.match((await storms())[0], /^not known: grafana-test-agent has been silent for \d\d minutes/);
      await report(2);
      assert.deepEqual(await says(), ['nothing is down']);
      assert.deepEqual(await storms(), ['no storm']);
    });

    test('rates add up to the counters over both runs of the agent, at every interval', async () => {
      for (const range of [ranges['24 hours'], ranges['30 days']]) {
        const sum = async (id, column) => {
          const query = panelQuery(balance.file, id);
          const { data } = await runQuery(query, { variables: all(balance.model), range });
          const seconds = panelIntervalMs(range, query.panel) / 1000;
          return Math.round(data.reduce((total, row) => total + row[column] * seconds, 0));
        };
        assert.equal(await sum(3, 2), totals.received);
        assert.equal(await sum(4, 2), totals.kernelDropped);
      }
    });

    test('a range that begins within a run counts only what happened in it', async () => {
      const range = { from: new Date(insertedAt - 20 * minuteMs), to: new Date() };
      const query = panelQuery(balance.file, 3);
      const { data } = await runQuery(query, { variables: all(balance.model), range });
      const seconds = panelIntervalMs(range, query.panel) / 1000;
      const sum = data.reduce((total, row) => total + row[2] * seconds, 0);
      // The run reported for 15 minutes from 30 minutes before: five of them at 2 frames a second, less what came before the first sample.
      assert.ok(sum >= 590 && sum <= 602, `expected just under 600, got ${sum}`);
    });

    test('bytes of a hostile device arrive as printable ASCII', async () => {
      const { data } = await runQuery(panelQuery(balance.file, 7), { variables: all(balance.model) });
      assert.ok(data.length === 2);
      for (const row of data) assert.match(row.at(-1), /^[ -~]+$/);
    });
  });
});
