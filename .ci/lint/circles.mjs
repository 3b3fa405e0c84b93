// No two files of a crate import each other, by whatever way round: what is above and what is below can be told. A file may name what holds it, as
// every module belongs to the one above it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, root, sources } from './sources.mjs';

/** `a::{b, c::{d}}` as its paths. */
function paths(tree) {
  const open = tree.indexOf('{');
  if (open < 0) return [tree.split(' as ')[0].trim()];
  const inside = tree.slice(open + 1, tree.lastIndexOf('}'));
  const parts = [''];
  let depth = 0;
  for (const letter of inside) {
    depth += (letter === '{') - (letter === '}');
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.filter((part) => part.trim()).flatMap((part) => paths(part).map((path) => tree.slice(0, open).trim() + path));
}

/** The files of a crate by module: "" for its root, "ask::told" for src/ask/told.rs. */
function modules(files) {
  const module = (file) =>
    file
      .replace(/^ingest\/[a-z]+\/src\//, '')
      .replace(/\.rs$/, '')
      .replace(/(^|\/)(mod|lib|main)$/, '')
      .replaceAll('/', '::');
  return new Map(files.map((file) => [module(file), file]));
}

/** The modules that a module names. */
function imports(module, code, all) {
  const used = [...code.matchAll(/\buse\s+((?:crate|super|self)::[^;]+);/g)].flatMap(([, tree]) => paths(tree.replaceAll(/\s+/g, ' ')));
  const named = [...code.matchAll(/\b((?:crate|super)(?:::[a-z_0-9]+)+)/g)].map(([, path]) => path);
  const found = new Set();
  for (const path of [...used, ...named]) {
    let [first, ...rest] = path.split('::').map((part) => part.trim());
    let base = first === 'crate' ? [] : module.split('::').slice(0, first === 'super' ? -1 : undefined);
    while (rest[0] === 'super') [base, rest] = [base.slice(0, -1), rest.slice(1)];
    for (let end = rest.length; end > 0; end--) {
      const target = [...base, ...rest.slice(0, end)].join('::');
      if (all.has(target) && target !== module && !module.startsWith(`${target}::`)) found.add(target);
      if (all.has(target)) break;
    }
  }
  return found;
}

/** Modules that reach themselves, the shortest way of each first. */
function circles(graph) {
  const found = [];
  const done = new Set();
  for (const start of graph.keys()) {
    const ways = [[start]];
    const seen = new Set();
    while (ways.length > 0 && !done.has(start)) {
      const way = ways.shift();
      for (const next of graph.get(way.at(-1))) {
        if (next === start) {
          way.forEach((module) => done.add(module));
          found.push([...way, start]);
          break;
        }
        if (!seen.has(next)) ways.push([...way, next]);
        seen.add(next);
      }
    }
  }
  return found;
}

/** Without its tests and comments. */
function code(file) {
  const [beforeTests] = readFileSync(join(root, file), 'utf8').split('#[cfg(test)]\nmod tests {');
  return beforeTests.replaceAll(/^\s*\/\/.*$/gm, '');
}

const crates = new Map();
for (const file of sources('ingest/*/src/*.rs', 'ingest/*/src/**/*.rs')) {
  const crate = file.split('/')[1];
  if (!/(^|\/)tests(\/|\.rs$)/.test(file)) crates.set(crate, [...(crates.get(crate) ?? []), file]);
}
const problems = [];
for (const [crate, files] of crates) {
  const all = modules(files);
  const graph = new Map([...all].map(([module, file]) => [module, imports(module, code(file), all)]));
  problems.push(
    ...circles(graph).map((way) => `ingest/${crate}/src: ${way.join(' → ')}: files that import each other; move what they share`),
  );
}
report(problems, `${crates.size} crates, no two files of which import each other`);
