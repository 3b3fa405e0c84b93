// What must be true of every dashboard, without a Grafana and without data.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { red } from '../builders/palette.mjs';
import { dashboards, panels, queries, queryVariables, root, textVariables } from './dashboards.mjs';
import { ALL, expand, panelIntervalMs, pluginVersions } from './macros.mjs';

const pluginType = 'grafana-clickhouse-datasource';

/** Panel types that both Grafana 9.3 and 12 ship. */
const panelTypes = new Set(['bargauge', 'gauge', 'heatmap', 'row', 'stat', 'table', 'text', 'timeseries']);

/** Unit ids that Grafana 9.3 knows and the dashboards use. A misspelt id shows as a suffix and fails nowhere else. */
const units = new Set(['none', 'short', 's', 'ms', 'bytes', 'percentunit', 'dthms', 'dateTimeFromNow', 'dateTimeAsIso']);

/** Rates say of what they are, and times may leave out what everybody knows. */
const saidUnits = /^(count:[a-z]+\/(s|min)|time:[MDHhms :-]+)$/;
const isUnit = (unit) => units.has(unit) || saidUnits.test(unit);

const withData = (model) => panels(model).filter((panel) => !['row', 'text'].includes(panel.type));

function fieldUnits(panel) {
  const { defaults, overrides } = panel.fieldConfig;
  const overriding = overrides.flatMap(({ properties }) => properties.filter(({ id }) => id === 'unit').map(({ value }) => value));
  return [defaults.unit, ...overriding];
}

/** Every data source named anywhere in the model. */
function dataSources(value) {
  if (Array.isArray(value)) return value.flatMap(dataSources);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) => (key === 'datasource' ? [child] : dataSources(child)));
}

test('uids and titles are unique, and uids begin with tocsin-', () => {
  for (const key of ['uid', 'title']) {
    const values = dashboards.map(({ model }) => model[key]);
    assert.deepEqual([...new Set(values)], values);
  }
  for (const { file, model } of dashboards) assert.match(model.uid, /^tocsin-[a-z-]{1,33}$/, file);
});

test('every entry of may-be-empty.json names a query that exists, with a reason', () => {
  const names = new Set(dashboards.flatMap(queries).map(({ name }) => name));
  const entries = JSON.parse(readFileSync(join(root, 'tests', 'may-be-empty.json'), 'utf8'));
  for (const [name, reason] of Object.entries(entries)) {
    assert.ok(names.has(name), `${name}: no such query`);
    assert.ok(reason.length > 10, `${name}: say why`);
  }
});

for (const dashboard of dashboards) {
  const { file, model } = dashboard;

  describe(file, () => {
    test('has a description, the tag tocsin, a refresh and no id of its own', () => {
      assert.ok(model.description);
      assert.ok(model.tags.includes('tocsin'));
      assert.match(model.refresh, /^\d+[sm]$/);
      assert.ok(model.timepicker.refresh_intervals.includes(model.refresh));
      assert.equal(model.id, null);
    });

    test('keeps the schema version of Grafana 9.3, which newer ones migrate', () => {
      assert.equal(model.schemaVersion, 37);
    });

    test('names its data source only by the variable', () => {
      const variable = model.templating.list.find(({ name }) => name === 'datasource');
      assert.equal(variable?.type, 'datasource');
      assert.equal(variable.query, pluginType);
      const builtIn = new Set(model.annotations.list.filter((annotation) => annotation.builtIn).map(({ datasource }) => datasource));
      for (const source of dataSources(model)) {
        if (!builtIn.has(source)) assert.deepEqual(source, { type: pluginType, uid: '${datasource}' });
      }
    });

    test('has panel types, titles, descriptions and units that 9.3 and 12 know', () => {
      const titles = panels(model).map(({ title }) => title);
      assert.deepEqual([...new Set(titles)], titles, 'titles are unique');
      for (const panel of panels(model)) {
        assert.ok(panelTypes.has(panel.type), `panel ${panel.id}: type ${panel.type}`);
        assert.ok(panel.title, `panel ${panel.id}: title`);
      }
      for (const panel of withData(model)) {
        assert.match(panel.description, /Healthy: /, `${panel.title}: say what healthy looks like`);
        assert.ok(panel.fieldConfig.defaults.thresholds.steps.length > 0, `${panel.title}: thresholds`);
        assert.ok(panel.fieldConfig.defaults.noValue, `${panel.title}: what an empty panel says (noValue)`);
        for (const unit of fieldUnits(panel)) assert.ok(isUnit(unit), `${panel.title}: unit ${unit}`);
      }
    });

    test('sets cell colours the way that both 9.3 and 12 read', () => {
      for (const panel of withData(model)) {
        // Grafana 12 migrates custom.displayMode only where defaults.custom is there; 9.3 does not know cellOptions.
        assert.ok(panel.fieldConfig.defaults.custom, `${panel.title}: fieldConfig.defaults.custom`);
        assert.ok(!JSON.stringify(panel.fieldConfig).includes('cellOptions'), `${panel.title}: cellOptions`);
      }
    });

    test('gives no all-clear without an answer: numbers are red then, tables and graphs say so', () => {
      for (const { type, title, fieldConfig } of withData(model)) {
        const { noValue, thresholds } = fieldConfig.defaults;
        assert.ok(noValue.endsWith('no answer'), `${title}: without an answer it says "${noValue}"`);
        if (type === 'stat' || type === 'table') assert.equal(noValue, 'no answer', title);
        if (type !== 'stat') continue;
        assert.equal(thresholds.steps[0].color, red, `${title}: the colour of no answer`);
        for (const { matcher, properties } of fieldConfig.overrides) {
          const mappings = properties.find(({ id }) => id === 'mappings')?.value;
          const isNothing = ({ options }) =>
            options.match === 'null' && options.result.text === 'no answer' && options.result.color === red;
          assert.ok(mappings?.some(isNothing), `${title}: ${matcher.options} without a value`);
        }
      }
    });

    test('tables without rows answer by a row of their own, which a silent agent makes a "not known"', () => {
      for (const { title, targets } of panels(model).filter(({ type }) => type === 'table')) {
        assert.match(targets[0].rawSql, /found\.1 IS NULL, *\([^]*not known: [^]*'\)/, title);
      }
    });

    test('says on every page for how long agents have been silent', () => {
      const silent = panels(model).filter(({ type, targets }) => type === 'stat' && / AS silent_for$/m.test(targets[0].rawSql));
      assert.equal(silent.length, 1);
      assert.ok(silent[0].gridPos.y === 0, 'in its first row');
    });

    test('shows points that have no neighbour', () => {
      // One query gives all lines of a panel their times in common, and NULL where a line has no value of its own. Where devices are polled
      // at different seconds each value stands between two of them, and Grafana 12 draws nothing at all with "never".
      for (const panel of panels(model).filter(({ type }) => type === 'timeseries')) {
        const { drawStyle, showPoints } = panel.fieldConfig.defaults.custom;
        if (drawStyle === 'line') assert.equal(showPoints, 'auto', panel.title);
      }
    });

    test('says in the table, not in its cells, what an empty table means', () => {
      // noValue is the text of an empty panel and of an empty cell, so every column of a table needs its own.
      for (const panel of panels(model).filter(({ type }) => type === 'table')) {
        for (const { matcher, properties } of panel.fieldConfig.overrides) {
          assert.ok(
            properties.some(({ id, value }) => id === 'noValue' && value === '-'),
            `${panel.title}: noValue of ${matcher.options}`,
          );
        }
      }
    });

    test('lays panels out in reading order without overlap, and a phone stacks them in that order', () => {
      const cells = new Set();
      for (const { id, gridPos } of model.panels) {
        assert.ok(gridPos.x + gridPos.w <= 24, `panel ${id} leaves the grid`);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++) {
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            assert.ok(!cells.has(`${x},${y}`), `panel ${id} overlaps another`);
            cells.add(`${x},${y}`);
          }
        }
      }
      const ids = model.panels.map(({ id }) => id);
      assert.deepEqual([...new Set(ids)], ids, 'ids are unique');
      const sorted = [...model.panels].sort((a, b) => a.gridPos.y - b.gridPos.y || a.gridPos.x - b.gridPos.x);
      assert.deepEqual(
        ids,
        sorted.map(({ id }) => id),
      );
    });

    test('overrides name columns that the query returns', () => {
      for (const panel of withData(model)) {
        const sql = panel.targets.map(({ rawSql }) => rawSql).join('\n');
        for (const { matcher } of panel.fieldConfig.overrides) {
          if (matcher.id === 'byRegexp' && panel.type === 'timeseries') continue;
          assert.equal(matcher.id, 'byName');
          assert.match(sql, new RegExp(`\\b${matcher.options}\\b`), `${panel.title}: override for ${matcher.options}`);
        }
      }
    });

    test('has at its head one drop-down of pages, what people choose, and nothing else', () => {
      assert.deepEqual(
        model.links.map(({ type, asDropdown, tags, keepTime }) => ({ type, asDropdown, tags, keepTime })),
        [{ type: 'dashboards', asDropdown: true, tags: ['tocsin'], keepTime: true }],
      );
      for (const variable of model.templating.list) assert.equal(variable.hide, variable.type === 'datasource' ? 2 : 0, variable.name);
      for (const annotation of model.annotations.list) assert.ok(annotation.hide, `${annotation.name}: a switch`);
    });

    test('draws alerts only over graphs of what the page is about', () => {
      for (const { name, target } of model.annotations.list.filter(({ name }) => ['Alerts', 'Maintenance', 'Episodes'].includes(name))) {
        assert.match(target.rawSql, /length\(extractAll\(.*\$\{(device|link):percentencode\}.*\)\) <= 3/, name);
      }
    });

    test('cuts no name of a device, a link or an interface at fewer than 22 letters', () => {
      const names = /^(.*_)?(device|link|link_id|interface)$/;
      const [letter, padding] = [7.2, 12];
      for (const { title, fieldConfig } of panels(model).filter(({ type }) => type === 'table')) {
        for (const { matcher, properties } of fieldConfig.overrides.filter(({ matcher: { options } }) => names.test(options))) {
          // What has no width takes what is left.
          const width = properties.find(({ id }) => id === 'custom.width')?.value ?? Infinity;
          assert.ok((width - padding) / letter >= 22, `${title}: ${matcher.options} is ${width} wide`);
        }
      }
    });

    test('gives series of severities and states a colour by their meaning', () => {
      for (const { title, targets, fieldConfig } of panels(model).filter(({ type }) => type === 'timeseries')) {
        const [name] = /\b(severity|state)_name\b/.exec(fieldConfig.defaults.displayName ?? '') ?? [];
        if (!name) continue;
        const words = { severity_name: 'err crit info', state_name: 'bound rebinding declined' }[name].split(' ');
        const coloured = fieldConfig.overrides.map(({ matcher }) => new RegExp(matcher.options.slice(1, -1)));
        for (const word of words) {
          for (const shown of [word, `messages ${word}`])
            assert.equal(coloured.filter((pattern) => pattern.test(shown)).length, 1, `${title}: ${shown}`);
        }
        assert.ok(targets[0].rawSql.includes(name));
      }
    });

    test('has legends with the last value and the highest, worst first', () => {
      for (const { title, options } of panels(model).filter(({ type }) => type === 'timeseries')) {
        const { calcs, sortBy, sortDesc } = options.legend;
        assert.deepEqual({ calcs, sortBy, sortDesc }, { calcs: ['lastNotNull', 'max'], sortBy: 'Max', sortDesc: true }, title);
      }
    });

    test('links of cells and lines keep the time range and the data source, and lead to pages that exist', () => {
      const uids = new Set(dashboards.map((other) => other.model.uid));
      const links = panels(model).flatMap(({ fieldConfig }) => [
        ...(fieldConfig.defaults.links ?? []),
        ...fieldConfig.overrides.flatMap(({ properties }) => properties.filter(({ id }) => id === 'links').flatMap(({ value }) => value)),
      ]);
      for (const { url } of links) {
        // A row of an alert's fields says itself where it leads: to a runbook outside too.
        if (url === '${__data.fields.go:raw}') continue;
        const [, uid] = /^\/d\/(\$\{__data\.fields\.\w+:raw\}&|[a-z-]+(?=\?))/.exec(url) ?? assert.fail(url);
        assert.ok(uid.startsWith('$') || uids.has(uid), url);
        assert.match(url, /\$\{datasource:queryparam\}&\$\{__url_time_range\}$/);
      }
    });

    test('links lead to dashboards that exist and keep the time range', () => {
      const uids = new Set(dashboards.map((other) => other.model.uid));
      const target = (url) => /^\/d\/([a-z-]+)(\?|$)/.exec(url)?.[1];
      for (const link of panels(model).flatMap((panel) => panel.links ?? [])) {
        assert.ok(uids.has(target(link.url)), link.url);
        assert.ok(link.url.includes('${__url_time_range}'), link.url);
      }
    });

    test('sends SQL in the form that the plugin 4.0 and newer read, with macros that have an expansion', () => {
      for (const query of queries(dashboard)) {
        if (query.target) {
          const { editorType, queryType, format, pluginVersion } = query.target;
          assert.equal(editorType, 'sql', query.name);
          assert.equal(format, { table: 1, timeseries: 0 }[queryType], `${query.name}: format belongs to queryType`);
          assert.equal(pluginVersion, '4.0.0', query.name);
        }
        const variables = {
          ...Object.fromEntries(queryVariables(model).map((name) => [name, ["x' OR 1=1 --"]])),
          ...Object.fromEntries(textVariables(model).map((name) => [name, "x' OR 1=1 --"])),
        };
        const range = { from: new Date(0), to: new Date(3_600_000) };
        for (const plugin of pluginVersions) {
          const sql = expand(query.sql, { plugin, range, intervalMs: panelIntervalMs(range), variables });
          assert.ok(!sql.includes("x' OR"), `${query.name}: a value reached SQL as it is`);
        }
      }
    });

    test('variables for people offer "All" and start there', () => {
      for (const variable of model.templating.list.filter(({ type }) => type === 'query')) {
        assert.ok(variable.multi && variable.includeAll, variable.name);
        assert.deepEqual(variable.current.value, [ALL]);
        assert.ok(!variable.allValue, `${variable.name}: allValue would keep $__conditionalAll from seeing "All"`);
        assert.ok(variable.label && variable.description, variable.name);
      }
    });
  });
}

test('home has severity, duration, device and check of ten faults on a phone', () => {
  // A phone of 390 pixels: Grafana leaves 16 at each side of the page and 8 within a panel, and stacks panels with rows of 38 pixels.
  const { model } = dashboards.find(({ file }) => file === 'network/what-is-down.json');
  const alerts = panels(model).find(({ title }) => title === 'Open alerts');
  const widths = alerts.fieldConfig.overrides.slice(0, 4).map(({ matcher, properties }) => {
    const value = (name) => properties.find(({ id }) => id === name)?.value;
    return [matcher.options, value('custom.width') ?? value('custom.minWidth')];
  });
  assert.deepEqual(
    widths.map(([name]) => name),
    ['severity', 'lasted', 'device_name', 'check'],
  );
  assert.ok(widths.reduce((sum, [, width]) => sum + width, 0) <= 390 - 2 * (16 + 8), String(widths));
  const [title, header, row] = [32, 36, 36];
  assert.ok(alerts.gridPos.h * 38 - 8 - title - header >= 10 * row, `${alerts.gridPos.h} high`);
});
