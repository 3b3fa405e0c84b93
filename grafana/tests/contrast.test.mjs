// What our colours are read by, in light and dark: text on cells and numbers as Grafana writes it, lines and bars on a panel; and the report of a month.
// WCAG 2.2, 1.4.3 (text: 4.5) and 1.4.11 (graphics: 3).
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { dashboards, panels, root } from './dashboards.mjs';

const grounds = { light: '#ffffff', dark: '#181b1f' };

const parts = (colour) => [1, 3, 5].map((index) => parseInt(colour.slice(index, index + 2), 16));

/** Relative luminance of WCAG 2.2. */
function luminance(colour) {
  const [red, green, blue] = parts(colour).map((part) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, other) {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

/** The colour that Grafana writes in on a ground (getTextColorForAlphaBackground of @grafana/ui). */
function textOn(ground) {
  const [red, green, blue] = parts(ground);
  return (red * 299 + green * 587 + blue * 114) / 1000 > 180 ? '#202226' : '#f7f8fa';
}

/** Every colour of a setting; `transparent` leaves Grafana's own. */
function coloursOf(value) {
  if (Array.isArray(value)) return value.flatMap(coloursOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, child]) =>
    ['color', 'fixedColor'].includes(key) && typeof child === 'string' ? [child] : coloursOf(child),
  );
}

const shown = (panel) => [...new Set(coloursOf(panel.fieldConfig))].filter((colour) => colour !== 'transparent');

test('the measure is that of WCAG', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});

test("text and bars of the month's report can be read on its paper", () => {
  const css = readFileSync(join(root, '..', 'ingest', 'operate', 'src', 'report', 'style.css'), 'utf8');
  const coloured = (property) => [...css.matchAll(new RegExp(`(?<![-\\w])${property}: (#[0-9a-f]{3,6})`, 'g'))].map(([, colour]) => colour);
  const whole = (colour) => (colour.length === 4 ? colour.replace(/[0-9a-f]/g, '$&$&') : colour);
  const papers = coloured('background').map(whole);
  assert.ok(papers.length > 0 && coloured('fill').length > 0);
  for (const paper of papers) {
    for (const colour of coloured('color')) assert.ok(contrast(whole(colour), paper) >= 4.5, `text ${colour} on ${paper}`);
    for (const colour of coloured('fill'))
      assert.ok(contrast(whole(colour), paper) >= 3, `bar ${colour} on ${paper}: ${contrast(whole(colour), paper).toFixed(2)}`);
  }
});

for (const { file, model } of dashboards) {
  describe(file, () => {
    test('text on every colour of a cell or a number can be read', () => {
      for (const panel of panels(model).filter(({ type }) => ['stat', 'table'].includes(type))) {
        for (const { properties } of panel.fieldConfig.overrides) {
          const mode = properties.find(({ id }) => id === 'custom.displayMode')?.value;
          assert.ok([undefined, 'color-background-solid'].includes(mode), `${panel.title}: ${mode}: coloured text`);
        }
        for (const colour of shown(panel))
          assert.ok(contrast(colour, textOn(colour)) >= 4.5, `${panel.title}: ${contrast(colour, textOn(colour)).toFixed(2)} on ${colour}`);
      }
    });

    test('every colour of a line or a bar is seen on a light and on a dark page', () => {
      for (const panel of panels(model).filter(({ type }) => type === 'timeseries')) {
        for (const colour of shown(panel)) {
          for (const [theme, ground] of Object.entries(grounds))
            assert.ok(contrast(colour, ground) >= 3, `${panel.title}: ${contrast(colour, ground).toFixed(2)} of ${colour}, ${theme}`);
        }
      }
    });
  });
}
