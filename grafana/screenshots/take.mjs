// `make screenshots GRAFANA_URL=http://127.0.0.1:3000`: a picture of every dashboard, 1600 and 390 pixels wide, by a headless Chromium.
//
//   GRAFANA_URL    the Grafana, with the dashboards of this folder
//   GRAFANA_TOKEN  a service account's token, where Grafana asks who one is
//   SCREENSHOTS    where the pictures go (.tocsin/screenshots)
//   ONLY           these dashboards alone, by file name without ending, separated by blanks
//   RANGE          from when the dashboards show (now-1h)
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { dashboards, root } from '../tests/dashboards.mjs';
import { Chromium, findChromium } from './chromium.mjs';
import { Requests } from './requests.mjs';

const widths = [1600, 390];
/** Grafana draws a panel when it comes into view: with a window as high as this all of them are in view. */
const windowHeight = 8000;
const givesUpMs = 60_000;

const url = process.env.GRAFANA_URL?.replace(/\/+$/, '');
const token = process.env.GRAFANA_TOKEN;
const folder = process.env.SCREENSHOTS ?? join(root, '..', '.tocsin', 'screenshots');
const from = process.env.RANGE ?? 'now-1h';
const only = (process.env.ONLY ?? '').split(' ').filter(Boolean);
const headers = token ? { Authorization: `Bearer ${token}` } : {};

function fail(sentence, code) {
  console.error(sentence);
  process.exit(code);
}

if (!url) fail('GRAFANA_URL is not set: make screenshots GRAFANA_URL=http://127.0.0.1:3000', 64);
const program = findChromium(process.env, existsSync);
if (!program) fail("no Chromium on PATH: install Debian's package chromium, or name one with CHROMIUM=", 69);
const health = await fetch(`${url}/api/health`, { signal: AbortSignal.timeout(10_000) }).catch((error) => ({ error }));
if (!health.ok) {
  fail(
    `no Grafana answers at ${url}: ${health.error?.cause?.message ?? health.error?.message ?? `status ${health.status}`}. Start one with make up GRAFANA=1.`,
    69,
  );
}

const name = (file) => basename(file, '.json');
const wanted = dashboards.filter(({ file }) => only.length === 0 || only.includes(name(file)));
if (wanted.length < only.length)
  fail(`ONLY names a dashboard that is not there: ${dashboards.map(({ file }) => name(file)).join(' ')}`, 64);
mkdirSync(folder, { recursive: true });
const chromium = new Chromium(program);
let missing = 0;
let withoutData = 0;
try {
  for (const { file, model } of wanted) {
    const answer = await fetch(`${url}/api/dashboards/uid/${model.uid}`, { headers });
    if (!answer.ok) {
      const remedy = answer.status === 404 ? 'provision the dashboards of this folder' : 'give a token with GRAFANA_TOKEN=';
      console.error(`${file}: Grafana answers ${answer.status} for ${model.uid}: ${remedy}`);
      missing++;
      continue;
    }
    for (const width of widths) {
      const picture = join(folder, `${name(file)}-${width}.png`);
      const { png, failedQueries } = await take(`${url}/d/${model.uid}?from=${from}&to=now`, width);
      writeFileSync(picture, png);
      console.log(picture);
      if (failedQueries === 0) continue;
      console.error(`${picture}: ${failedQueries} of its queries failed, so it does not show the data: does Grafana reach ClickHouse?`);
      withoutData++;
    }
  }
} finally {
  await chromium.close();
}
process.exit(missing || withoutData ? 1 : 0);

/** The page as PNG bytes, `width` pixels wide and as high as its panels reach, and how many of its queries failed. */
async function take(address, width) {
  const page = await chromium.open();
  const send = (method, params) => chromium.send(method, params, page);
  await send('Network.enable');
  await send('Network.setExtraHTTPHeaders', { headers });
  await send('Emulation.setDeviceMetricsOverride', { width, height: windowHeight, deviceScaleFactor: 1, mobile: width < 600 });
  const requests = new Requests(chromium, page);
  const { errorText } = await send('Page.navigate', { url: address });
  if (errorText) throw new Error(`${address}: ${errorText}`);
  const { result } = await send('Runtime.evaluate', { expression: `(${panelComes})(${givesUpMs / 2})`, awaitPromise: true });
  if (!result.value) throw new Error(`${address} shows no panel: is it a page to log in? Give a token with GRAFANA_TOKEN=`);
  await requests.quiet(givesUpMs);
  const bottom = (await send('Runtime.evaluate', { expression: `(${lowestPanel})()` })).result.value;
  const clip = { x: 0, y: 0, width, height: Math.min(bottom + 16, windowHeight), scale: 1 };
  const { data } = await send('Page.captureScreenshot', { format: 'png', clip });
  await send('Page.close');
  return { png: Buffer.from(data, 'base64'), failedQueries: requests.failedQueries };
}

/** Runs in the page: true as soon as it has a panel, false after `ms` without one. */
function panelComes(ms) {
  const has = () => document.querySelector('.react-grid-item, [data-griditem-key]') !== null;
  return new Promise((resolve) => {
    if (has()) return resolve(true);
    new MutationObserver(() => has() && resolve(true)).observe(document, { childList: true, subtree: true });
    setTimeout(() => resolve(false), ms);
  });
}

/** Runs in the page: where its last panel ends, in pixels from the top. */
function lowestPanel() {
  return Math.ceil(
    Math.max(...[...document.querySelectorAll('.react-grid-item, [data-griditem-key]')].map((item) => item.getBoundingClientRect().bottom)),
  );
}
