// The files that the checks look at: what git tracks or would track, so that nothing built or downloaded is among them.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Root of the repository. */
export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Paths relative to the root that match one of the git patterns. */
export function sources(...patterns) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', ...patterns], {
    cwd: root,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((path) => path && existsSync(join(root, path)))
    .sort();
}

/** Prints one line a problem and ends with 1, or one line of what was looked at. */
export function report(problems, summary) {
  for (const problem of problems) console.log(problem);
  if (problems.length === 0) console.log(summary);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
