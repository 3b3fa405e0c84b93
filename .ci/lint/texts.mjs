// What the READMEs name exists: links and their headings, paths, make's targets, subcommands, and how many of a thing there are.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { report, root, sources } from './sources.mjs';

const texts = sources('*.md');
const tracked = sources('*');
const folders = new Set(tracked.flatMap((path) => parents(path)));
const read = (path) => readFileSync(join(root, path), 'utf8');

function parents(path) {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

// What is built, fetched or left behind by a run is not tracked, and may be named all the same.
const made = /(^|\/)(target|node_modules|\.tocsin)(\/|$)/;

/** The anchors that a viewer makes of a text's headings. */
function anchors(text) {
  return [...text.replace(/```[\s\S]*?```/g, '').matchAll(/^#+ +(.*)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- ]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Whether something tracked answers to this path, in which `*`, `<x>`, `{x}` and NNNN stand for anything. */
function isTracked(path) {
  const plain = normalize(path).replace(/\/$/, '');
  if (plain === '.' || folders.has(plain)) return true;
  const pattern = plain
    .split(/<[^>]*>|\{[^}]*\}|\*+|NNNN/)
    .map((part) => part.replace(/[.+?^$()|[\]\\]/g, '\\$&'))
    .join('.+');
  const expected = new RegExp(`^${pattern}(/|$)`);
  return tracked.some((candidate) => expected.test(candidate));
}

function linkProblems(path, text) {
  const problems = [];
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^[a-z]+:/.test(target)) continue;
    const [file, anchor] = target.split('#');
    const place = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(root, place))) problems.push(`${path}: link to ${target}, which is not there`);
    else if (anchor && statSync(join(root, place)).isFile() && !anchors(read(place)).includes(anchor))
      problems.push(`${path}: link to ${target}, which has no such heading`);
  }
  return problems;
}

// A word with a slash in it whose first part is a folder at the root or beside the text is a path.
function pathProblems(path, text) {
  const problems = [];
  const here = dirname(path);
  for (const [, code] of text.matchAll(/`([^`\n]+)`/g)) {
    for (const [, word] of code.matchAll(/(?:^|[\s=(,'"])((?:\.\.?\/)*[\w.-]+\/(?:[\w./*<>-]|\{[^}\s]*\})*)/g)) {
      const name = word.replace(/[.,:;]+$/, '');
      if (made.test(name)) continue;
      const first = name.split('/')[0];
      const starts = first === '..' || first === '.' ? [here] : ['.', here].filter((start) => folders.has(normalize(join(start, first))));
      if (starts.length > 0 && !starts.some((start) => isTracked(join(start, name))))
        problems.push(`${path}: names ${name}, which is not there`);
    }
  }
  return problems;
}

// What can be called: `make TARGET`, `tocsin COMMAND`, `tocsin-rules COMMAND`.
const kebab = (name) => name.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
const commands = {
  make: [...read('Makefile').matchAll(/^([a-z-]+):/gm)].map(([, target]) => target),
  tocsin: [...read('ingest/tocsin/src/main.rs').matchAll(/^ {4}([A-Z]\w*)\(\w+Args\),?$/gm)].map(([, variant]) => kebab(variant)),
  'tocsin-rules': sources('stream-jobs/rules/**/command/*Command.java').map((path) => kebab(path.match(/(\w+)Command\.java$/)[1])),
};

function commandProblems(path, text) {
  const problems = [];
  const codes = [...text.matchAll(/```[^\n]*\n([\s\S]*?)```|`([^`\n]+)`/g)].map(([, block, code]) => block ?? code);
  for (const code of codes) {
    for (const [, program, command] of code.matchAll(/(?:^|[\s/;&|])(make|tocsin|tocsin-rules) +([a-z][a-z-]+)\b(?![.\w=])/gm)) {
      if (!commands[program].includes(command)) problems.push(`${path}: names '${program} ${command}', which is not a command`);
    }
  }
  return problems;
}

// "the six jobs", "eight topics": a number before one of these words tells how many there are in all.
const numbers = 'no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen'.split(' ');
const counted = {
  jobs: sources('stream-jobs/jobs/src/main/**/*Job.java').length,
  topics: sources('schemas/topics/*.yaml').length,
  dashboards: sources('grafana/dashboards/**/*.json').length,
};

function countProblems(path, text) {
  const problems = [];
  const expected = new RegExp(`\\b(?:the|all) (${numbers.join('|')}|\\d+) (${Object.keys(counted).join('|')})\\b`, 'gi');
  for (const [phrase, number, what] of text.matchAll(expected)) {
    const told = numbers.indexOf(number.toLowerCase());
    if ((told < 0 ? Number(number) : told) !== counted[what.toLowerCase()])
      problems.push(`${path}: says '${phrase}'; there are ${counted[what.toLowerCase()]}`);
  }
  return problems;
}

const problems = texts.flatMap((path) => {
  const text = read(path);
  return [linkProblems, pathProblems, commandProblems, countProblems].flatMap((check) => check(path, text));
});
report(problems, `${texts.length} texts name nothing that is not there`);
