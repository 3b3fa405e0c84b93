// What colours mean, on every page. Colour says that someone should look; a zero and what is over are grey. In tables what is well has no colour.
// Grafana writes on them in near-white, or in near-black where they are bright: contrast.test.mjs holds that against WCAG 2.2, in light and dark.

export const red = '#d62439';
export const orange = '#ffaa40';
export const yellow = '#fade2a';
export const blue = '#2f6fd0';
export const purple = '#9d4cc6';
export const green = '#34802b';
export const grey = '#5a6068';
export const lightGrey = '#9fa7b3';
export const none = 'transparent';

/** A colour as lines and bars have it, which are seen on white and on black: those that text stands on are too bright or too dark for that. */
export const onGraph = (colour) =>
  ({ [orange]: '#d9660f', [yellow]: '#b58900', [grey]: '#788089', [lightGrey]: '#8c95a1' })[colour] ?? colour;

/** Thresholds: `above({ 1: yellow, 20: red })` is grey below 1. Write the values in ascending order. */
export function above(colours = {}, below = grey) {
  const steps = Object.entries(colours).map(([value, color]) => ({ color, value: Number(value) }));
  return { mode: 'absolute', steps: [{ color: below, value: null }, ...steps] };
}

/** Shares of a limit. */
export const nearlyFull = above({ 0.8: yellow, 0.95: red });

/** A value mapping of words that SQL returns as they are shown: `words({ open: red, closed: grey })`. */
export function words(colours) {
  return numbers(Object.entries(colours).map(([word, colour]) => [word, word, colour]));
}

/** A value mapping of values that are shown as words: `numbers([[6, 'critical', red], ...])`. The legend has this order. */
export function numbers(rows) {
  return [{ type: 'value', options: Object.fromEntries(rows.map(([value, text, color], index) => [value, { text, color, index }])) }];
}

/** Severities of X.733. SQL selects the number, so that a column of them sorts. 7 is not of X.733: it stands where nothing can be known. */
export const severities = numbers([
  [7, 'not known', red],
  [6, 'critical', red],
  [5, 'major', orange],
  [4, 'minor', yellow],
  [3, 'warning', blue],
  [2, 'indeterminate', purple],
  [1, 'cleared', green],
]);

/** What a number is where the answer has none, or where no answer came. */
export const noAnswer = 'no answer';

/** A value mapping of no value: trouble until something answers. */
export const nothing = { type: 'special', options: { match: 'null', result: { text: noAnswer, color: red, index: 99 } } };

/** Severities of syslog, worst first. */
export const syslogSeverities = {
  emerg: red,
  alert: red,
  crit: red,
  err: orange,
  warning: yellow,
  notice: blue,
  info: grey,
  debug: lightGrey,
};

export const alertStates = words({ open: red, flapping: purple, suppressed: blue, resolved: green, expired: grey });
