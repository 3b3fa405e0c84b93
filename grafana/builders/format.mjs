/** JSON with as much on a line as fits: a change of one panel's property is a change of one line. */
export function format(value, indent = '', room = 220) {
  const flat = JSON.stringify(value, null, 1)?.replace(/\n\s*/g, ' ');
  if (value === null || typeof value !== 'object' || indent.length + flat.length <= room) return flat;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const lines = Object.entries(value)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]) => {
      const name = Array.isArray(value) ? '' : `${JSON.stringify(key)}: `;
      return `${indent}  ${name}${format(child, `${indent}  `, room - name.length)}`;
    });
  return `${open}\n${lines.join(',\n')}\n${indent}${close}`;
}
