import fc from 'fast-check'

/** Every real path with mutations: separators, escapes, dot segments, path ends, and upper or lower case. */
const pieces = fc.constantFrom(
  ...['\\', '#', '?', '/', '//', '/.', '/..', '.', '..', ';', '%2e', '%2E%2e', '%2f', '%5c', '%5C', '%23', '%3f'],
  ...['%00', '%0a', '%7f', '%zz', '%', '%ff', '%c0%af', '%e9', '\u0085', '\u00e9', '\u00ff', '\t', '\v', '\u007f'],
  ...['@', ':', '&', '=', '+', '*', '[', ']', '{', '}', '|', '^', '`', '"', '<', '>', "'", '%72', '%52'],
  ...['/reveal', '\\reveal', '/capture', '\\refund', '\\reveal#', '\\..\\', '#/../', '?/../', '/self', 'http:', '//a'],
)

const change = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), piece: pieces }),
  fc.record({ kind: fc.constant('append' as const), at: fc.nat(), piece: pieces }),
  fc.record({ kind: fc.constant('separator' as const), at: fc.nat(), piece: pieces }),
  fc.record({ kind: fc.constant('case' as const), at: fc.nat(), piece: fc.constant('') }),
  fc.record({ kind: fc.constant('escape' as const), at: fc.nat(), piece: fc.constant('') }),
  fc.record({ kind: fc.constant('cut' as const), at: fc.nat(), piece: fc.constant('') }),
)
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function changed(target: string, { kind, at, piece }: Change): string {
  const i = at % (target.length + 1)
  const letter = target.charAt(i)
  const slashes = [...target.matchAll(/\//g)].map(({ index }) => index)
  const slash = slashes[at % Math.max(1, slashes.length)] ?? 0
  switch (kind) {
    case 'insert':
      return target.slice(0, i) + piece + target.slice(i)
    case 'append':
      return target + piece
    case 'separator':
      return target.slice(0, slash) + piece + target.slice(slash + 1)
    case 'case':
      return target.slice(0, i) + letter.toUpperCase() + target.slice(i + 1)
    case 'escape':
      return letter === '' ? target : `${target.slice(0, i)}%${letter.charCodeAt(0).toString(16)}${target.slice(i + 1)}`
    case 'cut':
      return target.slice(0, i) || '/'
  }
}

const prefixes = fc.constantFrom('', '', '', '', 'http://a', '//a', '/', '/.', '*')

interface Operation {
  readonly method: string
  readonly path: string
}

const id = '0198c5a0-0000-7000-8000-000000000000'

/** Requests for these operations with mutated targets, some with the method of another operation. */
export const requestTargets = (operations: readonly Operation[]) =>
  fc
    .record({
      operation: fc.constantFrom(...operations),
      other: fc.constantFrom(...operations),
      isOther: fc.boolean(),
      prefix: prefixes,
      changes: fc.array(change, { maxLength: 4 }),
    })
    .map(({ operation: { method, path }, other, isOther, prefix, changes }) => {
      const target = changes.reduce(changed, path.replaceAll(/\{\w+\}/g, id))
      return { method: isOther ? other.method : method, target: prefix + target }
    })
