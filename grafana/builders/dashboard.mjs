// What every page has: its head, its variables, its annotations, and panels in rows.
import { blue, red } from './palette.mjs';
import { datasource, target } from './panels.mjs';
import { and, chosen, few, sql } from './sql.mjs';

/**
 * A page. `from` is the time range that it opens with; `rows` the panels in reading order,
 * each row made by `row`.
 */
export function dashboard({ uid, title, description, from, variables, annotations = [], rows }) {
  return {
    uid,
    title,
    description,
    schemaVersion: 37,
    version: 1,
    id: null,
    editable: true,
    graphTooltip: 1,
    fiscalYearStartMonth: 0,
    weekStart: '',
    style: 'dark',
    timezone: 'browser',
    liveNow: false,
    refresh: '30s',
    time: { from, to: 'now' },
    // Longer than a query may take (the data source's timeouts): a refresh gives up the queries before it.
    timepicker: { refresh_intervals: ['30s', '1m', '5m'] },
    templating: { list: [whichDatasource, ...variables] },
    annotations: { list: [builtIn, ...annotations] },
    panels: stacked(rows),
  };
}

/** Panels beside each other, all this high. */
export function row(height, ...panels) {
  return { height, panels };
}

function stacked(rows) {
  let y = 0;
  return rows.flatMap(({ height, panels }) => {
    let x = 0;
    const placed = panels.map((panel) => {
      const place = { ...panel, gridPos: { x, y, w: panel.gridPos.w, h: height } };
      x += panel.gridPos.w;
      return place;
    });
    y += height;
    return placed;
  });
}

const asked = { hide: 0, skipUrlSync: false };

const whichDatasource = {
  name: 'datasource',
  type: 'datasource',
  label: 'Data source',
  query: datasource.type,
  refresh: 1,
  regex: '',
  multi: false,
  includeAll: false,
  ...asked,
  // Who has several sets it in the address; nobody else need see it.
  hide: 2,
  options: [],
  current: { selected: false, text: 'tocsin-clickhouse', value: 'tocsin-clickhouse' },
};

/** A variable with values to choose from, which starts at "All"; SQL reads it by `chosen`. */
export function choice(name, label, description, query) {
  return {
    name,
    type: 'query',
    label,
    description,
    datasource,
    query,
    definition: query,
    refresh: 1,
    sort: 1,
    regex: '',
    multi: true,
    includeAll: true,
    ...asked,
    options: [],
    current: { selected: true, text: ['All'], value: ['$__all'] },
  };
}

/** A variable to type into; SQL reads it by `typed`. */
export function textbox(name, label, description) {
  const empty = { selected: true, text: '', value: '' };
  return { name, type: 'textbox', label, description, query: '', ...asked, options: [empty], current: empty };
}

export const devices = choice(
  'device',
  'Device',
  'Name of the device as events carry it',
  "SELECT device FROM tocsin.devices_seen WHERE NOT has((SELECT groupArray(n.alias) FROM tocsin.device_names AS n FINAL WHERE n.name != ''), device) GROUP BY device ORDER BY device LIMIT 5000",
);

/** Sites by a query of their names. */
const sites = (query) => choice('site', 'Site', 'Place of the device: configured, or told by its monitor', query);

export const sitesOfAlerts = sites("SELECT DISTINCT site FROM tocsin.alerts_latest WHERE site != '' ORDER BY site");

export const sitesOfDevices = sites(
  "SELECT DISTINCT toString(site) AS site_name FROM tocsin.devices_seen WHERE site != '' ORDER BY site_name",
);

const builtIn = {
  builtIn: 1,
  datasource: { type: 'grafana', uid: '-- Grafana --' },
  enable: true,
  hide: true,
  iconColor: 'rgba(0, 211, 255, 1)',
  name: 'Annotations & Alerts',
  type: 'dashboard',
};

/** Something that happened at a time, drawn over every graph of a page, without a switch at its head. */
export function annotation(name, iconColor, query, refId) {
  return { datasource, enable: true, hide: true, iconColor, name, target: target(query, 'table', refId) };
}

/** Bands where alerts of the chosen devices were open and where maintenance hid some; none where more than three are chosen: red all over says nothing. */
export function alertsAndMaintenance(...further) {
  const conditions = [chosen('device'), few('device'), ...further];
  const alerts = sql`
    SELECT
        min(h.first_seen) AS time,
        max(coalesce(h.resolved_at, h.last_seen)) AS timeEnd,
        concat(any(h.device), ' ', any(h.check)) AS title,
        argMax(h.summary, h.told_at) AS text,
        toString(max(h.severity)) AS tags
    FROM tocsin.alert_history AS h
    WHERE $__timeFilter(transition_at)
      AND h.severity IN ('critical', 'major')
      AND h.transition_at >= (
          SELECT min(newest.first_seen)
          FROM
          (
              SELECT DISTINCT first_seen
              FROM tocsin.alert_history
              WHERE $__timeFilter(transition_at)
                AND severity IN ('critical', 'major')
                ${and(...conditions)}
              ORDER BY first_seen DESC
              LIMIT 100
          ) AS newest)
      ${and(...conditions)}
    GROUP BY h.fingerprint, h.first_seen
    ORDER BY time DESC
    LIMIT 100`;
  const maintenance = sql`
    SELECT
        min(h.transition_at) AS time,
        max(h.transition_at) AS timeEnd,
        h.cause AS title,
        concat(toString(uniq(h.fingerprint)), ' alerts suppressed') AS text,
        'maintenance' AS tags
    FROM tocsin.alert_history AS h
    WHERE $__timeFilter(transition_at)
      AND startsWith(h.cause, 'maintenance:')
      ${and(...conditions)}
    GROUP BY h.cause
    ORDER BY time DESC
    LIMIT 100`;
  return [annotation('Alerts', red, alerts), annotation('Maintenance', blue, maintenance)];
}
