// Pages that Tocsin writes for people, under every rule of axe-core in a headless Chromium: light and dark, wide, on a phone and as printed. What is
// written as it is in the tests of its program is what is looked at here.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Chromium, findChromium } from '../../grafana/screenshots/chromium.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const replays = 'stream-jobs/rules/src/test/resources';
const pages = ['ingest/operate/testdata/report.html', `${replays}/replay.html`, `${replays}/replay-key.html`];
const widths = [1200, 390];
const looks = [
  { media: 'screen', scheme: 'light' },
  { media: 'screen', scheme: 'dark' },
  { media: 'print', scheme: 'light' },
];

const program = findChromium(process.env, existsSync);
if (!program) {
  console.log("skipped: no Chromium on PATH; install Debian's package chromium");
  process.exit(77);
}

/** What axe finds on the page that stands open: a line each, of the rule, what is wrong, and where. */
async function findings(chromium, page) {
  const expression = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) => ({
    rules: passes.length,
    found: violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + help + ' at ' + target.join(' ') + '. ' + failureSummary)),
  }))`;
  const { result, exceptionDetails } = await chromium.send(
    'Runtime.evaluate',
    { expression, awaitPromise: true, returnByValue: true },
    page,
  );
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  if (result.value.rules === 0) throw new Error('axe has looked at nothing');
  return result.value.found;
}

const axe = readFileSync(join(here, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const chromium = new Chromium(program);
let count = 0;
try {
  const page = await chromium.open();
  await chromium.send('Page.enable', {}, page);
  for (const file of pages) {
    const loaded = new Promise((resolve) => chromium.on(page, (method) => method === 'Page.loadEventFired' && resolve()));
    // The report forbids scripts, as it should; axe is not its own.
    await chromium.send('Page.setBypassCSP', { enabled: true }, page);
    const { errorText } = await chromium.send('Page.navigate', { url: pathToFileURL(join(root, file)).href }, page);
    if (errorText) throw new Error(`${file}: ${errorText}`);
    await loaded;
    await chromium.send('Runtime.evaluate', { expression: axe }, page);
    for (const width of widths) {
      await chromium.send('Emulation.setDeviceMetricsOverride', { width, height: 900, deviceScaleFactor: 1, mobile: false }, page);
      for (const { media, scheme } of looks) {
        const features = [{ name: 'prefers-color-scheme', value: scheme }];
        await chromium.send('Emulation.setEmulatedMedia', { media, features }, page);
        for (const found of await findings(chromium, page)) {
          count += 1;
          console.log(`${file}, ${width} wide, ${media}, ${scheme}: ${found}`);
        }
      }
    }
  }
} finally {
  await chromium.close();
}
process.exitCode = count > 0 ? 1 : 0;
