import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * Rejects a JSON text that parsers read differently (RFC 8259, 4 and 6):
 *
 * - An object has two members of the same name. `JSON.parse` silently uses the last one, other parsers the first. Names
 *   are compared after decoding: `"a"` and `"\u0061"` are the same name.
 * - A number changes when a double stores it: `99.99999999999999999` becomes 100, and `1E400` infinity. Another
 *   notation of the same value is accepted: `1e2`, `100.0`, `-0`.
 *
 * One pass over the text, O(length), with a bounded depth and number of values. The scanner does not check whether the
 * text is JSON: it stops at what it cannot read, and the parser rejects that text afterwards.
 */
const depthMax = 100
/** No contract takes half as many. */
const valuesMax = 10_000
const shownNameMax = 200

/**
 * `inspect` gets each name, string and integer after decoding, before an error can name it, and throws to reject it.
 * Throws invalid_request with the JSON pointer of the duplicate, the number, or the value that is nested too deep, and
 * for too many values.
 */
export function requireStrictJson(text: string, inspect: (decoded: string) => void = () => {}): void {
  const stack: Container[] = []
  let values = 0
  for (let i = 0; i < text.length; i += 1) {
    const top = stack.at(-1)
    const code = text.charCodeAt(i)
    switch (code) {
      case quote: {
        const end = endOfString(text, i)
        const string = end === -1 ? undefined : decode(text.slice(i, end + 1))
        if (string === undefined) return
        inspect(string)
        if (top?.names !== undefined && top.expectsName) {
          top.step = string
          top.expectsName = false
          if (top.names.has(string)) throw invalid(stack, 'occurs more than once')
          top.names.add(string)
        }
        i = end
        break
      }
      case openBrace:
      case openBracket: {
        values += 1
        if (stack.length === depthMax) throw invalid(stack, `must be nested at most ${depthMax} levels deep`)
        const isObject = code === openBrace
        stack.push({ names: isObject ? new Set() : undefined, expectsName: isObject, step: isObject ? '' : 0 })
        break
      }
      case closeBrace:
      case closeBracket:
        stack.pop()
        break
      case comma:
        if (top === undefined) return
        values += 1
        if (values > valuesMax) throw invalid([], `must have at most ${valuesMax} values`)
        if (typeof top.step === 'number') top.step += 1
        else top.expectsName = true
        break
      default: {
        if (!isDigit(code)) break
        const literal = numberAt(text, i)
        inspect(/e/i.test(literal) ? String(Math.trunc(Number(literal))) : literal.replace(/\..*/, ''))
        if (!survivesParsing(literal))
          throw invalid(stack, 'has more digits or a larger exponent than a number can store')
        i += literal.length - 1
      }
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

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** The number from its first digit on. A sign before it changes nothing here. */
function numberAt(text: string, start: number): string {
  number.lastIndex = start
  return number.exec(text)?.[0] ?? ''
}

const number = /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** Two decimal numbers of at most 15 significant digits never have the same double (IEEE 754). */
const exactDigits = 15

/** Whether a double, written with the fewest digits that identify it, is the same decimal number. */
function survivesParsing(literal: string): boolean {
  if (literal.length <= exactDigits && /^[\d.]+$/.test(literal)) return true
  const value = Number(literal)
  return Number.isFinite(value) && significand(literal) === significand(String(value))
}

/** The digits without zeros at both ends, and the exponent of the first one. The same text for the same number. */
function significand(literal: string): string {
  const [mantissa = '', exponent = '0'] = literal.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = whole + fraction
  let first = 0
  while (digits[first] === '0') first += 1
  let end = digits.length
  while (end > first && digits[end - 1] === '0') end -= 1
  return first === end ? '0' : `${digits.slice(first, end)}e${Number(exponent) + whole.length - first}`
}

function invalid(stack: readonly Container[], detail: string): Problem {
  const pointer = stack.map(({ step }) => `/${escapeStep(step)}`).join('')
  return new Problem(commonProblems.invalid_request, { errors: [{ pointer, detail }] })
}

/** A name as a part of a JSON Pointer (RFC 6901). */
export function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

function escapeStep(step: string | number): string {
  const escaped = escapePointer(String(step))
  if (escaped.length <= shownNameMax) return escaped
  // Removes half of a surrogate pair at the end.
  return escaped.slice(0, shownNameMax).replace(/\p{Surrogate}$/u, '')
}
