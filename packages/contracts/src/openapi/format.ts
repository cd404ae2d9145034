const columnsMax = 120

/** The document as JSON text. A value that fits into a line is one line, so that a reviewer sees a change as a line. */
export function formatDocument(document: unknown): string {
  return `${format(document, '', 0)}\n`
}

/** `columnsTaken`: by the key before the value and the comma after it. */
function format(value: unknown, indent: string, columnsTaken: number): string {
  const whole = inline(value)
  if (typeof value !== 'object' || value === null) return whole
  if (indent.length + columnsTaken + whole.length <= columnsMax) return whole
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return `[\n${value.map((item) => inner + format(item, inner, 1)).join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(([key, member]) => {
    const name = `${JSON.stringify(key)}: `
    return inner + name + format(member, inner, name.length + 1)
  })
  return `{\n${members.join(',\n')}\n${indent}}`
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${inline(member)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}
