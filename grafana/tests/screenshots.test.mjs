// `make screenshots` against a page that is made like Grafana's: a health check, dashboards by uid, panels in a grid that come after a while.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { findChromium } from '../screenshots/chromium.mjs';
import { dashboards, root } from './dashboards.mjs';

const page = `<!doctype html><style>body { margin: 0 }</style><div id="grid"></div><script>
  fetch('/api/ds/query').then((answer) => answer.text()).then((height) => {
    grid.innerHTML = '<div class="react-grid-item" style="width: 100%; background: #37872d; height: ' + height + 'px"></div>';
  });
</script>`;

/** A server on a free port; `answer(path)` gives [status, body]. */
async function serve(answer) {
  const asked = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    const [status, body] = answer(new URL(url, 'http://x').pathname);
    response.writeHead(status, { 'Content-Type': body.startsWith('<') ? 'text/html' : 'text/plain' }).end(body);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, asked, close: () => new Promise((resolve) => server.close(resolve)) };
}

/** `make test ONLY=grafana` means a stage by it, and no dashboard. */
function takePictures(environment) {
  const script = spawn(process.execPath, [join(root, 'screenshots', 'take.mjs')], { env: { ...process.env, ONLY: '', ...environment } });
  let output = '';
  for (const stream of [script.stdout, script.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => script.once('close', (code) => resolve({ code, output })));
}

/** Width and height of a PNG, from its first chunk (PNG specification, IHDR). */
function size(file) {
  const bytes = readFileSync(file);
  assert.equal(bytes.toString('latin1', 1, 4), 'PNG', file);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

const chromium = findChromium(process.env, existsSync);
const missing = "no Chromium: install Debian's package chromium";

const mayBeMissing = process.env.CI === 'true' ? process.env.TOCSIN_WITHOUT_CHROMIUM : 'not in CI';

test('a Chromium is there where CI=true', { skip: mayBeMissing ?? false }, () => {
  assert.ok(chromium, missing);
});

describe('screenshots', { skip: chromium ? false : missing }, () => {
  test('are made in both widths, as high as the panels of each dashboard reach', async () => {
    const server = await serve((path) => {
      if (path.startsWith('/d/')) return [200, page];
      return [200, path === '/api/ds/query' ? '700' : '{}'];
    });
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-screenshots-'));
    try {
      const { code, output } = await takePictures({ GRAFANA_URL: `${server.url}/`, SCREENSHOTS: folder, ONLY: 'what-is-down wan' });
      assert.equal(code, 0, output);
      assert.deepEqual(readdirSync(folder).sort(), ['wan-1600.png', 'wan-390.png', 'what-is-down-1600.png', 'what-is-down-390.png']);
      // With the head, which is a good part of a phone's first screen.
      assert.deepEqual(
        server.asked.filter((path) => path.includes('kiosk')),
        [],
      );
      assert.deepEqual(size(join(folder, 'what-is-down-1600.png')), [1600, 716]);
      assert.deepEqual(size(join(folder, 'what-is-down-390.png')), [390, 716]);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('of a page whose queries fail are made, and said to show no data', async () => {
    const server = await serve((path) => {
      if (path.startsWith('/d/')) return [200, page];
      return path === '/api/ds/query' ? [500, '700'] : [200, '{}'];
    });
    const folder = mkdtempSync(join(tmpdir(), 'tocsin-screenshots-'));
    try {
      const { code, output } = await takePictures({ GRAFANA_URL: server.url, SCREENSHOTS: folder, ONLY: 'wan' });
      assert.equal(code, 1, output);
      assert.match(output, /wan-1600\.png: 1 of its queries failed.*ClickHouse/);
      assert.deepEqual(readdirSync(folder).sort(), ['wan-1600.png', 'wan-390.png']);
    } finally {
      await server.close();
      rmSync(folder, { recursive: true });
    }
  });

  test('are refused with a sentence where no Grafana answers', async () => {
    const server = await serve(() => [200, '{}']);
    await server.close();
    const { code, output } = await takePictures({ GRAFANA_URL: server.url });
    assert.equal(code, 69);
    assert.match(output, /no Grafana answers at http:\/\/127\.0\.0\.1:\d+: .*ECONNREFUSED.*make up GRAFANA=1/);
  });

  test('name the dashboards that Grafana does not have', async () => {
    const server = await serve((path) => (path === '/api/health' ? [200, '{}'] : [404, 'not found']));
    const { code, output } = await takePictures({ GRAFANA_URL: server.url });
    await server.close();
    assert.equal(code, 1);
    for (const { file, model } of dashboards) assert.ok(output.includes(`${file}: Grafana answers 404 for ${model.uid}`), output);
  });

  test('of a dashboard that is not there are refused with the names of those that are', async () => {
    const server = await serve(() => [200, '{}']);
    const { code, output } = await takePictures({ GRAFANA_URL: server.url, ONLY: 'wan nosuch' });
    await server.close();
    assert.equal(code, 64);
    assert.match(output, /alert .*what-is-down/);
  });

  test('want to be told where Grafana is', async () => {
    const { code, output } = await takePictures({ GRAFANA_URL: '' });
    assert.deepEqual([code, /GRAFANA_URL is not set/.test(output)], [64, true]);
  });
});
