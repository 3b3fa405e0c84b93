// Writes the dashboards and the alert rules that Grafana is provisioned with: npm run --prefix grafana build
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format } from './format.mjs';
import { runbookPages } from './runbooks.mjs';

/** Every page: `<folder>/<name>` is built by a file of that name here. */
const pages = [
  'network/what-is-down',
  'network/alert',
  'network/storms',
  'network/trees',
  'network/device',
  'network/syslog',
  'network/traps-interfaces',
  'network/registration',
  'network/wan',
  'network/resolvers',
  'pipeline/balance',
];

/** One drop-down of all pages, which keeps the time range and what was chosen. */
const navigation = {
  type: 'dashboards',
  title: 'Pages',
  tooltip: 'The other pages, at the same time',
  icon: 'dashboard',
  url: '',
  keepTime: true,
  includeVars: true,
  asDropdown: true,
  targetBlank: false,
  tags: ['tocsin'],
};

/** Every file that is built: its path below grafana/, and its text. */
export async function built() {
  const models = await Promise.all(pages.map(async (path) => (await import(`./${path}.mjs`)).default));
  const dashboards = models.map((page, index) => {
    const tags = ['tocsin', dirname(pages[index])];
    return [`dashboards/${pages[index]}.json`, { ...page, tags, links: [navigation] }];
  });
  const { default: alertRules } = await import('./pipeline/alert-rules.mjs');
  const runbooks = runbookPages().map(([name, page]) => [`dashboards/runbooks/${name}.json`, page]);
  const files = [...dashboards, ...runbooks, ['provisioning/alerting/pipeline.json', alertRules]];
  return files.map(([path, model]) => ({ path, text: `${format(model)}\n` }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(dirname(fileURLToPath(import.meta.url)), '..');
  for (const { path, text } of await built()) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
    console.log(path);
  }
}
