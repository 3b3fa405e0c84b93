// Grafana overlooks a key of a page that it does not know, and a word that it does not know falls back to another: both are seen here. The lists are those of
// Grafana's schema (kinds/dashboard, packages/grafana-schema, panelcfg.cue of each panel; the same in 11 and 12), as far as pages may need them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pages } from './dashboards.mjs';

const dashboard =
  'id uid title description tags style timezone editable graphTooltip time timepicker fiscalYearStartMonth liveNow weekStart refresh schemaVersion version panels templating annotations links';
const panel =
  'type id pluginVersion targets title description transparent datasource gridPos links repeat repeatDirection maxPerRow maxDataPoints transformations interval timeFrom timeShift hideTimeOverride libraryPanel cacheTimeout queryCachingTTL options fieldConfig';
const fieldDefaults =
  'displayName displayNameFromDS description path writeable filterable unit decimals min max mappings thresholds color links actions noValue custom';
const graph =
  'lineColor lineWidth lineInterpolation lineStyle spanNulls insertNulls fillColor fillOpacity fillBelowTo showPoints pointSize pointColor axisPlacement axisColorMode axisLabel axisWidth axisSoftMin axisSoftMax axisGridShow axisCenteredZero axisBorderShow scaleDistribution barAlignment barWidthFactor barMaxWidth stacking drawStyle gradientMode thresholdsStyle transform';

const options = {
  stat: 'reduceOptions text orientation graphMode colorMode justifyMode textMode wideLayout showPercentChange percentChangeColorMode',
  table: 'frameIndex showHeader showTypeIcons sortBy footer cellHeight',
  timeseries: 'legend tooltip timezone orientation',
  heatmap:
    'calculate calculation color filterValues rowsFrame showValue cellGap cellRadius cellValues yAxis legend tooltip exemplars selectionMode',
  text: 'mode code content',
};
const custom = {
  stat: '',
  // displayMode is that of 9.3, which newer ones migrate to cellOptions.
  table: 'width minWidth align displayMode cellOptions hidden inspect filterable hideHeader',
  timeseries: `${graph} hideFrom`,
  heatmap: 'scaleDistribution hideFrom',
  text: '',
};
const variable =
  'type name label description hide skipUrlSync query definition datasource current multi allowCustomValue options refresh sort includeAll allValue regex';

/** Words that Grafana knows, by key. */
const words = {
  mode: 'off line dashed area line+area dashed+area series absolute percentage thresholds palette-classic fixed none normal percent single multi markdown html scheme opacity count size',
  drawStyle: 'line bars points',
  showPoints: 'auto never always',
  lineInterpolation: 'linear smooth stepBefore stepAfter',
  gradientMode: 'none opacity hue scheme',
  axisPlacement: 'auto top right bottom left hidden',
  graphMode: 'none line area',
  colorMode: 'value background background_solid none',
  justifyMode: 'auto center',
  textMode: 'auto value value_and_name name none',
  placement: 'bottom right',
  displayMode: 'list table hidden auto color-text color-background color-background-solid',
  match: 'true false null nan null+nan empty',
  align: 'auto left right center',
};

function assertKnown(object, known, where) {
  const list = known.split(' ');
  const overlooked = Object.keys(object).filter((key) => !list.includes(key));
  assert.equal(overlooked.length, 0, `${where}: Grafana overlooks the keys ${overlooked.join(', ')}`);
}

/** Every pair of a key and a text in a value. */
function texts(value) {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) => (typeof child === 'string' ? [[key, child]] : texts(child)));
}

function assertPanel(model, where) {
  assertKnown(model, panel, where);
  assert.ok(model.type in options, `${where}: type ${model.type}`);
  assertKnown(model.options, options[model.type], `${where}: options`);
  assertKnown(model.gridPos, 'x y w h', `${where}: gridPos`);
  for (const link of model.links ?? [])
    assertKnown(link, 'title type icon tooltip url tags asDropdown targetBlank includeVars keepTime', where);
  for (const [key, word] of texts(model.options)) {
    if (words[key]) assert.ok(words[key].split(' ').includes(word), `${where}: ${key} ${word}`);
  }
  if (!model.fieldConfig) return;
  const { defaults, overrides, ...rest } = model.fieldConfig;
  assert.deepEqual(rest, {}, where);
  assertKnown(defaults, fieldDefaults, `${where}: fieldConfig`);
  assertKnown(defaults.custom, custom[model.type], `${where}: custom`);
  for (const { matcher, properties } of overrides) {
    assert.ok(['byName', 'byRegexp', 'byType', 'byFrameRefID'].includes(matcher.id), `${where}: ${matcher.id}`);
    for (const { id } of properties) {
      const [name, list] = id.startsWith('custom.') ? [id.slice(7), custom[model.type]] : [id, fieldDefaults];
      assert.ok(list.split(' ').includes(name), `${where}: override of ${id}`);
    }
  }
  for (const [key, word] of texts(model.fieldConfig)) {
    if (words[key]) assert.ok(words[key].split(' ').includes(word), `${where}: ${key} ${word}`);
  }
}

test('pages hold only keys and words that Grafana knows', () => {
  for (const { file, model } of pages) {
    assertKnown(model, dashboard, file);
    for (const one of model.panels) assertPanel(one, `${file} ${one.title}`);
    for (const one of model.templating.list) {
      assertKnown(one, variable, `${file} variable ${one.name}`);
      assert.ok(['query', 'custom', 'textbox', 'constant', 'datasource', 'interval', 'adhoc'].includes(one.type), one.type);
    }
    for (const one of model.annotations.list)
      assertKnown(one, 'name datasource enable hide iconColor filter target type builtIn', `${file} annotation ${one.name}`);
    for (const one of model.links ?? [])
      assertKnown(one, 'title type icon tooltip url tags asDropdown targetBlank includeVars keepTime', `${file} ${one.title}`);
  }
});

test('a key that Grafana does not know is refused, wherever it stands', () => {
  const stat = pages.find(({ file }) => file === 'network/what-is-down.json').model.panels[0];
  const changed = (change) => {
    const copy = structuredClone(stat);
    change(copy);
    return () => assertPanel(copy, 'changed');
  };
  assert.doesNotThrow(changed(() => {}));
  assert.throws(
    changed((copy) => (copy.height = 5)),
    /height/,
  );
  assert.throws(
    changed((copy) => (copy.type = 'singlestat')),
    /singlestat/,
  );
  assert.throws(
    changed((copy) => (copy.options.colourMode = 'background')),
    /colourMode/,
  );
  assert.throws(
    changed((copy) => (copy.options.justifyMode = 'middle')),
    /justifyMode middle/,
  );
  assert.throws(
    changed((copy) => copy.fieldConfig.overrides[0].properties.push({ id: 'custom.displaymode', value: 1 })),
    /displaymode/,
  );
});
