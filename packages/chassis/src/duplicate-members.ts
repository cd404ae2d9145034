import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * Rejects a JSON text in which an object has two members of the same name. `JSON.parse` silently uses the last one,
 * other parsers the first: a proxy, a log and a service would each read another request (RFC 8259, 4).
 *
 * One pass over the text, O(length). Names are compared after decoding: `"a"` and `"\u0061"` are the same name. The
 * depth is bounded, because a stack holds the path of a duplicate. The scanner does not check whether the text is JSON:
 * it stops at what it cannot read, and the parser rejects that text afterwards.
 */
export const depthMax = 100
const shownNameMax = 200

/** Throws invalid_request with the JSON pointer of the duplicate or of the value that is nested too deep. */
export function rejectDuplicateMembers(text: string): void {
  const stack: Container[] = []
  for (let i = 0; i < text.length; i += 1) {
    const top = stack.at(-1)
    switch (text.charCodeAt(i)) {
      case quote: {
        const end = endOfString(text, i)
        if (end === -1) return
        if (top?.names !== undefined && top.expectsName) {
          const name = decode(text.slice(i, end + 1))
          if (name === undefined) return
          top.step = name
          top.expectsName = false
          if (top.names.has(name)) throw invalid(stack, 'occurs more than once')
          top.names.add(name)
        }
        i = end
        break
      }
      case openBrace:
      case openBracket: {
        if (stack.length === depthMax) throw invalid(stack, `must be nested at most ${depthMax} levels deep`)
        const isObject = text.charCodeAt(i) === openBrace
        stack.push({ names: isObject ? new Set() : undefined, expectsName: isObject, step: isObject ? '' : 0 })
        break
      }
      case closeBrace:
      case closeBracket:
        stack.pop()
        break
      case comma:
        if (top === undefined) return
        if (typeof top.step === 'number') top.step += 1
        else top.expectsName = true
        break
      default:
    }
  }
}

interface Container {
  /** The names read so far; undefined for an array. */
  readonly names: Set<string> | undefined
  /** Whether the next string is a name. */
  expectsName: boolean
  /** The current member, or the index of the current item. */
  step: string | number
}

const quote = 0x22
const comma = 0x2c
const openBracket = 0x5b
const backslash = 0x5c
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** The index of the closing quote, or -1. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i += 1) {
    const code = text.charCodeAt(i)
    if (code === quote) return i
    if (code === backslash) i += 1
  }
  return -1
}

/** Undefined if the string is not valid JSON. */
function decode(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  try {
    return JSON.parse(quoted) as string
  } catch {
    // An invalid escape: the parser of the whole text rejects it.
    return undefined
  }
}

function invalid(stack: readonly Container[], detail: string): Problem {
  const pointer = stack.map(({ step }) => `/${shown(step)}`).join('')
  return new Problem(commonProblems.invalid_request, { errors: [{ pointer, detail }] })
}

function shown(step: string | number): string {
  const escaped = String(step).replaceAll('~', '~0').replaceAll('/', '~1')
  if (escaped.length <= shownNameMax) return escaped
  // Removes half of a surrogate pair at the end.
  return escaped.slice(0, shownNameMax).replace(/\p{Surrogate}$/u, '')
}
