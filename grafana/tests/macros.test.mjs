// The expansions against what the plugin's and Grafana's own sources say.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL, expand, panelIntervalMs } from './macros.mjs';

const range = { from: new Date('2026-11-20T12:00:00.500Z'), to: new Date('2026-11-20T13:00:00Z') };

function expanded(sql, { plugin = '4.20.0', intervalMs = 15_000, variables = {} } = {}) {
  return expand(sql, { plugin, range, intervalMs, variables });
}

test('time macros of 4.20.0 are whole seconds, those of 4.0.0 milliseconds', () => {
  assert.equal(expanded('$__timeFilter(at)'), 'at >= toDateTime(1795176000) AND at <= toDateTime(1795179600)');
  assert.equal(
    expanded('$__timeFilter(at)', { plugin: '4.0.0' }),
    'at >= toDateTime64(1795176000500/1000, 3) AND at <= toDateTime64(1795179600000/1000, 3)',
  );
  assert.equal(expanded('$__fromTime'), 'toDateTime(1795176000)');
  assert.equal(expanded('$__timeInterval(at) $__interval_s'), 'toStartOfInterval(toDateTime(at), INTERVAL 15 second) 15');
  assert.equal(expanded('$__interval_s', { intervalMs: 20 }), '1');
});

test('$__conditionalAll is 1=1 at "All" and the condition otherwise', () => {
  const sql = "WHERE $__conditionalAll(has(f('${site:percentencode}', '[^{},]+'), site), $site) AND 1";
  assert.equal(expanded(sql, { variables: { site: [ALL] } }), 'WHERE 1=1 AND 1');
  assert.equal(expanded(sql, { variables: { site: '' } }), 'WHERE 1=1 AND 1');
  assert.equal(expanded(sql, { variables: { site: 'a' } }), "WHERE has(f('a', '[^{},]+'), site) AND 1");
  // The plugin replaces by a string in which $$ means one $.
  assert.equal(expanded("$__conditionalAll(match(site, 'a$$'), $site)", { variables: { site: 'a' } }), "match(site, 'a$')");
  assert.equal(expanded(sql, { variables: { site: ['a', "b'"] } }), "WHERE has(f('%7Ba%2Cb%27%7D', '[^{},]+'), site) AND 1");
});

test('a percent-encoded value has no character that could end a literal or begin a macro', () => {
  const everything = String.fromCharCode(...Array(0x250).keys());
  assert.match(expanded('${site:percentencode}', { variables: { site: everything } }), /^[A-Za-z0-9%_.~-]+$/);
});

test('what has no expansion is refused', () => {
  assert.throws(() => expanded('$__timeFilter_ms(at)'), /no expansion/);
  assert.throws(() => expanded('$__timeFilter(f(at))'), /more than a column name/);
  assert.throws(() => expanded('$site'), /unknown variable/);
  assert.throws(() => expanded('${site:singlequote}', { variables: { site: 'a' } }), /only as/);
});

test('the interval is the one that Grafana rounds to, and keeps the minimum of the panel', () => {
  const hours = (count) => ({ from: new Date(0), to: new Date(count * 3_600_000) });
  assert.equal(panelIntervalMs(hours(1), { interval: '5s' }), 5_000);
  assert.equal(panelIntervalMs(hours(1), { interval: '1m' }), 60_000);
  assert.equal(panelIntervalMs(hours(6), { interval: '5s' }), 30_000);
  assert.equal(panelIntervalMs(hours(24), { interval: '5s' }), 120_000);
  assert.equal(panelIntervalMs(hours(24), { maxDataPoints: 350 }), 300_000);
  assert.equal(panelIntervalMs(hours(30 * 24)), 3_600_000);
  assert.equal(panelIntervalMs(hours(60 * 24)), 7_200_000);
});
