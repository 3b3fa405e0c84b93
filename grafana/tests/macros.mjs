// Turns a panel's SQL into what ClickHouse receives, the way Grafana and grafana-clickhouse-datasource do, in their order:
//   1. $__conditionalAll     plugin, src/data/CHDatasource.ts applyConditionalAll (the same from 4.0.0 to 4.20.0)
//   2. ${name:format}        Grafana 9.3 public/app/features/templating/formatRegistry.ts; Grafana 12
//                            @grafana/scenes src/variables/interpolation/formatRegistry.ts (percentencode is the same in both)
//   3. $__timeFilter(...)    plugin, pkg/macros/macros.go; 4.0.0 and 4.20.0 differ, so both are here. From 4.19.0 on the plugin also
//                            blanks SQL comments; they are left here
// Only what the dashboards use is here; anything else throws, so that a new macro comes with its expansion.

/** Plugin versions whose macros are known: the oldest that must work and the newest that was read. */
export const pluginVersions = ['4.0.0', '4.20.0'];

/** The value of a variable at "All". */
export const ALL = '$__all';

const literals = {
  '4.0.0': (date) => `toDateTime64(${date.getTime()}/1000, 3)`,
  '4.20.0': (date) => `toDateTime(${Math.floor(date.getTime() / 1000)})`,
};

/**
 * `range`: {from, to} as Date. `intervalMs`: what Grafana chose for the panel. `variables`: name to a string, an array of strings (a
 * multi-value variable) or [ALL].
 */
export function expand(sql, { plugin, range, intervalMs, variables }) {
  const afterAll = expandConditionalAll(sql, variables);
  const afterVariables = expandVariables(afterAll, variables);
  return expandMacros(afterVariables, { plugin, range, intervalMs });
}

function expandConditionalAll(sql, variables) {
  const macro = '$__conditionalAll(';
  for (let start = sql.lastIndexOf(macro); start !== -1; start = sql.lastIndexOf(macro)) {
    const open = start + macro.length - 1;
    const { args, end } = macroArguments(sql, open);
    if (args.length !== 2) throw new Error(`$__conditionalAll takes 2 arguments, found ${args.length}`);
    const name = /(?<=\$\{)\w+(?=\})|(?<=\$)\w+/.exec(args[1].trim())?.[0];
    if (!(name in variables)) throw new Error(`$__conditionalAll names the unknown variable ${args[1].trim()}`);
    const value = String(variables[name]);
    // By replace(), as the plugin does: "$$", "$&" and "$'" in the condition would change it here as they do there.
    sql = sql.replace(sql.slice(start, end), value === '' || value === ALL ? '1=1' : args[0]);
  }
  return sql;
}

/** Splits at commas of the outermost bracket. Like the plugin it does not know string literals: brackets in them must balance. */
function macroArguments(sql, open) {
  const args = [];
  let depth = 0;
  let begin = open + 1;
  for (let at = open; at < sql.length; at++) {
    if (sql[at] === '(') depth++;
    if (sql[at] === ')') depth--;
    if ((sql[at] === ',' && depth === 1) || depth === 0) {
      args.push(sql.slice(begin, at));
      begin = at + 1;
    }
    if (depth === 0) return { args, end: at + 1 };
  }
  throw new Error(`bracket never closed: ${sql.slice(open, open + 60)}`);
}

function expandVariables(sql, variables) {
  return sql.replace(/\$\{(\w+)(?::(\w+))?\}|\$(?!__)(\w+)/g, (reference, braced, format, plain) => {
    const name = braced ?? plain;
    if (!(name in variables)) throw new Error(`${reference}: unknown variable`);
    if (format !== 'percentencode') {
      throw new Error(`${reference}: a variable may reach SQL only as \${${name}:percentencode}; grafana/README.md says why`);
    }
    return percentEncode(variables[name]);
  });
}

/** Leaves only letters, digits, "-", "_", ".", "~" and "%": nothing that could end a string literal or begin a macro. */
function percentEncode(value) {
  const text = Array.isArray(value) ? `{${value.join(',')}}` : value;
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}

function expandMacros(sql, { plugin, range, intervalMs }) {
  const literal = literals[plugin];
  const seconds = Math.max(Math.floor(intervalMs / 1000), 1);
  const expansions = [
    [/\$__timeFilter\((\w+)\)/g, (_, column) => `${column} >= ${literal(range.from)} AND ${column} <= ${literal(range.to)}`],
    [/\$__timeInterval\((\w+)\)/g, (_, column) => `toStartOfInterval(toDateTime(${column}), INTERVAL ${seconds} second)`],
    [/\$__fromTime\b/g, () => literal(range.from)],
    [/\$__toTime\b/g, () => literal(range.to)],
    [/\$__interval_s\b/g, () => String(seconds)],
  ];
  const expanded = expansions.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), sql);
  const unknown = /\$__\w+/.exec(expanded);
  if (unknown) throw new Error(`${unknown[0]}: no expansion in grafana/tests/macros.mjs, or an argument that is more than a column name`);
  return expanded;
}

/** Grafana's roundInterval (@grafana/data src/datetime/rangeutil.ts), from a second on: below the first number, the second, in seconds. */
const roundedSeconds = [
  [1.5, 1],
  [3.5, 2],
  [7.5, 5],
  [12.5, 10],
  [17.5, 15],
  [25, 20],
  [45, 30],
  [90, 60],
  [210, 120],
  [450, 300],
  [750, 600],
  [1050, 900],
  [1500, 1200],
  [2700, 1800],
  [5400, 3600],
  [9000, 7200],
  [16200, 10800],
  [32400, 21600],
  [86400, 43200],
  [604800, 86400],
  [1814400, 604800],
];

/**
 * The interval that Grafana chooses for `range` on a panel, not below the panel's own `interval` ("5s", "1m"). A panel without
 * `maxDataPoints` asks for as many points as it is pixels wide.
 */
export function panelIntervalMs(range, { interval = '1s', maxDataPoints = 800 } = {}) {
  const [, count, unit] = /^(\d+)([smh])$/.exec(interval);
  const minimum = Number(count) * { s: 1, m: 60, h: 3600 }[unit];
  const wanted = (range.to - range.from) / 1000 / maxDataPoints;
  const rounded = roundedSeconds.find(([below]) => wanted < below)?.[1] ?? 2592000;
  return Math.max(minimum, rounded) * 1000;
}
