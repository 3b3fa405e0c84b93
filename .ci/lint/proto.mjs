// Every protobuf message, field, enum and enum value carries a comment, above it or at the end of its line; they are the documentation of
// the wire. A member of a oneof whose type is a message is explained by that message. buf has this rule too, but is in no package registry
// this project uses.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { report, root, sources } from './sources.mjs';

const opening = /^(message|enum|oneof|service|extend)\s+(\w+)\s*\{/;
const field = /^(?:repeated\s+|optional\s+)?(map\s*<[^>]+>|[\w.]+)\s+(\w+)\s*=\s*\d+\s*(?:\[.*\])?\s*;/;
const enumValue = /^(\w+)\s*=\s*-?\d+\s*(?:\[.*\])?\s*;/;

function uncommented(path) {
  const problems = [];
  const scopes = [];
  let commentedAbove = false;
  readFileSync(join(root, path), 'utf8')
    .split('\n')
    .forEach((text, index) => {
      const line = text.trim();
      if (line.startsWith('//')) {
        commentedAbove = true;
        return;
      }
      const commented = commentedAbove || /[;{]\s*\/\//.test(line);
      const [, kind, name] = opening.exec(line) ?? [];
      if (kind && kind !== 'oneof' && !commented) problems.push(`${path}:${index + 1}: ${kind} ${name} has no comment`);
      if (kind) scopes.push(kind);
      else if (scopes.length > 0 && !commented) {
        const [, type, fieldName] = field.exec(line) ?? [];
        const [, valueName] = scopes.at(-1) === 'enum' ? (enumValue.exec(line) ?? []) : [];
        const explainedByType = scopes.at(-1) === 'oneof' && /(^|\.)[A-Z]\w*$/.test(type ?? '');
        if ((fieldName && !explainedByType) || valueName) problems.push(`${path}:${index + 1}: ${fieldName ?? valueName} has no comment`);
      }
      if (/\}\s*;?\s*(\/\/.*)?$/.test(line)) scopes.pop();
      commentedAbove = false;
    });
  return problems;
}

const files = sources('schemas/proto/*.proto');
if (files.length === 0) throw new Error('no .proto under schemas/proto');
report(files.flatMap(uncommented), `${files.length} files, every message, field and enum value has its comment`);
