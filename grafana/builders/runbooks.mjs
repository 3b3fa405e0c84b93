// A page for each runbook: who reads of an alert in Grafana, or is paged, reads there what to do.
import { readFileSync, readdirSync } from 'node:fs';

const folder = new URL('../runbooks/', import.meta.url);

/** Where a runbook stands, by its name. */
export const runbookPage = (name) => `/d/tocsin-runbook-${name}`;

/** The page of each runbook, by its name. */
export function runbookPages() {
  const files = readdirSync(folder).filter((file) => file.endsWith('.md'));
  return files
    .sort()
    .map((file) => [file.replace(/\.md$/, ''), page(file.replace(/\.md$/, ''), readFileSync(new URL(file, folder), 'utf8'))]);
}

/** Links of Markdown as they are in Grafana: a runbook is its page; other files of the checkout are not there. */
const linked = (markdown) =>
  markdown.replace(/\]\(([a-z-]+)\.md\)/g, (_, name) => `](${runbookPage(name)})`).replace(/\[([^\]]*)\]\(\.\.[^)]*\)/g, '$1');

function page(name, markdown) {
  const [heading, ...text] = linked(markdown).split('\n');
  const title = heading.replace(/^# /, '');
  const panel = {
    id: 1,
    type: 'text',
    title: name,
    gridPos: { x: 0, y: 0, w: 24, h: 20 },
    options: { mode: 'markdown', content: text.join('\n').trim() },
  };
  return {
    uid: `tocsin-runbook-${name}`,
    title: `Runbook: ${title}`,
    tags: ['runbook'],
    description: `What alerts of check ${name} mean, where to look first, how to fix it.`,
    schemaVersion: 37,
    id: null,
    editable: true,
    timezone: 'browser',
    time: { from: 'now-1h', to: 'now' },
    templating: { list: [] },
    annotations: { list: [] },
    panels: [panel],
  };
}
