/**
 * Parses a JSON document of another party, such as a key set. Some parties send a byte order mark, or `null` for a
 * member or item that they do not have: these are left out, among the first 10 000 values. Throws SyntaxError.
 *
 * A reviver would call a function for each value, which holds the event loop for a document of many short values.
 */
export function parseForeignJson(text: string): unknown {
  return withoutNull(JSON.parse(text.replace(/^\uFEFF/, '')), { values: valuesMax })
}

const valuesMax = 10_000
const depthMax = 16

function withoutNull(value: unknown, left: { values: number }, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth === depthMax) return value
  if (Array.isArray(value)) {
    left.values -= value.length
    if (left.values < 0) return value
    return value.filter((item) => item !== null).map((item) => withoutNull(item, left, depth + 1))
  }
  const members = Object.entries(value)
  left.values -= members.length
  if (left.values < 0) return value
  const present = members.filter(([, member]) => member !== null)
  return Object.fromEntries(present.map(([name, member]) => [name, withoutNull(member, left, depth + 1)]))
}
