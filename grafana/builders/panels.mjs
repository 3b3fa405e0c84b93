// Panels in the form that Grafana 9.3 reads and newer ones migrate. Each takes an id that stays (links and may-be-empty.json name it), a title, a
// description, its width of 24, what an answer without rows says, and a query. Where no answer comes Grafana shows `noValue`: so that is never an
// all-clear.
import { above, green, grey, lightGrey, noAnswer, none, nothing, onGraph, red } from './palette.mjs';
import { orSaying } from './sql.mjs';

/** The data source, by the variable that every dashboard has. */
export const datasource = { type: 'grafana-clickhouse-datasource', uid: '${datasource}' };

/** A query in the form that the plugin reads from 4.0 on. */
export function target(rawSql, queryType = 'table', refId = 'A') {
  const format = { table: 1, timeseries: 0 }[queryType];
  return { refId, datasource, editorType: 'sql', queryType, format, pluginVersion: '4.0.0', rawSql };
}

/** A setting with its colours as they are in another place. */
const recoloured = (setting, colourOf) =>
  setting && JSON.parse(JSON.stringify(setting), (key, value) => (key === 'color' && typeof value === 'string' ? colourOf(value) : value));

/** In a table only what someone should look at has a ground. */
const inCell = (setting) => recoloured(setting, (colour) => ([green, grey, lightGrey].includes(colour) ? none : colour));

/**
 * What a column or a value has of its own, by its name in the query: `title`, `unit`, `decimals`, `colour`, `values` (a value mapping),
 * `thresholds`, `coloured` (a cell of a table: coloured text would not be read on both a light and a dark page, so its ground is), `width`, `minWidth`,
 * `hidden`, `link`.
 */
function override(name, field, further) {
  const properties = {
    displayName: field.title,
    unit: field.unit,
    decimals: field.decimals,
    color: field.colour && { mode: 'fixed', fixedColor: onGraph(field.colour) },
    mappings: field.coloured ? inCell(field.values) : field.values,
    thresholds: field.coloured ? inCell(field.thresholds) : field.thresholds,
    'custom.displayMode': field.coloured && 'color-background-solid',
    'custom.width': field.width,
    'custom.minWidth': field.minWidth,
    'custom.hidden': field.hidden,
    links: field.link && [field.link],
    ...further,
  };
  return {
    matcher: { id: 'byName', options: name },
    properties: Object.entries(properties)
      .filter(([, value]) => value !== undefined)
      .map(([id, value]) => ({ id, value })),
  };
}

const overrides = (fields, further) => Object.entries(fields).map(([name, field]) => override(name, field, further));

function panel(type, { id, title, description, width, links, query, ...sampling }, { queryType, defaults, fields, options }) {
  return {
    id,
    type,
    title,
    description,
    datasource,
    gridPos: { w: width },
    pluginVersion: '9.3.0',
    links,
    ...sampling,
    fieldConfig: { defaults, overrides: fields },
    options,
    targets: [target(query, queryType)],
  };
}

/**
 * Big numbers, one for each column of the one row that the query returns, each with an entry of `fields`. Red and "no answer" belong to the panel,
 * and every column takes its own colours: so a number without an answer is red.
 */
export function stat({ unit = 'none', decimals, text = false, fields, ...rest }) {
  const coloured = Object.entries(fields).map(([name, field]) => {
    const { thresholds = above(), values = [] } = field;
    return override(name, { ...field, thresholds, values: [...values, nothing] });
  });
  return panel('stat', rest, {
    defaults: { color: { mode: 'thresholds' }, custom: {}, mappings: [], noValue: noAnswer, thresholds: above({}, red), unit, decimals },
    fields: coloured,
    options: {
      colorMode: 'background',
      graphMode: 'none',
      justifyMode: 'center',
      orientation: 'auto',
      textMode: 'value_and_name',
      // A column of text is shown only where fields are named.
      reduceOptions: { calcs: ['lastNotNull'], fields: text ? '/.*/' : '', values: false },
    },
  });
}

/** Rows, with an entry of `columns` for every column. `empty` names a column of text and what a row says in it where there is none. */
export function table({ empty, unit = 'none', columns, query, ...rest }) {
  const asked = { ...rest, query: orSaying(query, Object.keys(columns), empty) };
  return panel('table', asked, {
    defaults: {
      color: { mode: 'thresholds' },
      custom: { align: 'auto', displayMode: 'auto', filterable: false, inspect: false, minWidth: 70 },
      mappings: [],
      noValue: noAnswer,
      thresholds: above(),
      unit,
    },
    // This would stand in every empty cell too.
    fields: overrides(columns, { noValue: '-' }),
    options: { showHeader: true, footer: { show: false, reducer: ['sum'], countRows: false, fields: '' } },
  });
}

/** No series is no answer, or none of what was asked for: Grafana cannot tell these apart. */
const orNoAnswer = (empty) => `${empty}, or ${noAnswer}`;

/** Series whose name has one of these words in its colour, whatever else is there: a colour by the order of names would change its meaning. */
function colouredSeries(colours) {
  return Object.entries(colours).map(([name, fixedColor]) => ({
    matcher: { id: 'byRegexp', options: `/(^| )${name}( |$)/` },
    properties: [{ id: 'color', value: { mode: 'fixed', fixedColor: onGraph(fixedColor) } }],
  }));
}

function timeseries(
  { empty = 'nothing in this time', unit, max, by, link, colours = {}, thresholds, thresholdsStyle = 'dashed', fields = {}, ...rest },
  custom,
) {
  return panel('timeseries', rest, {
    queryType: 'timeseries',
    defaults: {
      color: { mode: 'palette-classic' },
      custom: {
        lineInterpolation: 'linear',
        lineWidth: 1,
        gradientMode: 'none',
        pointSize: 5,
        axisPlacement: 'auto',
        axisLabel: '',
        scaleDistribution: { type: 'linear' },
        thresholdsStyle: { mode: thresholds ? thresholdsStyle : 'off' },
        ...custom,
      },
      mappings: [],
      noValue: orNoAnswer(empty),
      thresholds: recoloured(thresholds ?? above(), onGraph),
      unit,
      min: 0,
      max,
      displayName: by && `\${__field.labels.${by}}`,
      links: link && [link],
    },
    fields: [...overrides(fields), ...colouredSeries(colours)],
    options: {
      legend: { calcs: ['lastNotNull', 'max'], displayMode: 'table', placement: 'bottom', showLegend: true, sortBy: 'Max', sortDesc: true },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  });
}

/**
 * Lines; `by` names the column that tells them apart, `link` leads to what a line is of, `colours` gives its values theirs. `joined`: devices or servers speak at different seconds, so a gap below five minutes
 * says nothing.
 */
export function lines({ joined = false, fill = 10, ...rest }) {
  // All lines of a panel share their times, with NULL where one has no value: without points such a line would not be drawn at all.
  return timeseries(rest, {
    drawStyle: 'line',
    fillOpacity: fill,
    showPoints: 'auto',
    spanNulls: joined ? 300000 : false,
    stacking: { mode: 'none', group: 'A' },
  });
}

/** Counts as stacked bars; `by` names the column that tells them apart. */
export function bars(settings) {
  return timeseries(settings, {
    drawStyle: 'bars',
    fillOpacity: 60,
    showPoints: 'never',
    spanNulls: false,
    stacking: { mode: 'normal', group: 'A' },
  });
}

/** How a quantity spreads over time. */
export function heatmap({ empty, unit, ...rest }) {
  return panel('heatmap', rest, {
    queryType: 'timeseries',
    defaults: {
      custom: { hideFrom: { legend: false, tooltip: false, viz: false }, scaleDistribution: { type: 'linear' } },
      noValue: orNoAnswer(empty),
      thresholds: above(),
      unit,
    },
    fields: [],
    options: {
      calculate: true,
      calculation: { xBuckets: { mode: 'count', value: '80' }, yBuckets: { mode: 'count', value: '30' } },
      cellGap: 1,
      cellValues: {},
      color: { mode: 'scheme', scheme: 'Oranges', fill: 'dark-orange', exponent: 0.5, steps: 64, reverse: false, scale: 'exponential' },
      exemplars: { color: 'rgba(255,0,255,0.7)' },
      filterValues: { le: 1e-9 },
      legend: { show: true },
      rowsFrame: { layout: 'auto' },
      showValue: 'never',
      tooltip: { show: true, yHistogram: false },
      yAxis: { axisPlacement: 'left', reverse: false, unit },
    },
  });
}
