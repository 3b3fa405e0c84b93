// No source file over 500 lines, every text file ends with a line end, and no lock file names a registry's host (each installation has its
// own, set in the client's configuration).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, root, sources } from './sources.mjs';

const limit = 500;
const files = sources('*.rs', '*.java', '*.mjs', '*.sh', '*.py', '.ci/run', '.ci/lint/run');
const problems = [];
for (const path of files) {
  const text = readFileSync(join(root, path), 'utf8');
  const lines = text.split('\n').length - 1;
  if (lines > limit) problems.push(`${path}: ${lines} lines, over ${limit}; split it by what its parts are for`);
  if (!text.endsWith('\n')) problems.push(`${path}: no line end at the end of the file`);
}
for (const path of sources('*package-lock.json')) {
  if (/"resolved":\s*"https?:/.test(readFileSync(join(root, path), 'utf8'))) {
    problems.push(`${path}: names a registry's host; npm install --omit-lockfile-registry-resolved`);
  }
}
report(problems, `${files.length} source files, none over ${limit} lines`);
