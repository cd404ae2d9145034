import { parseJson } from '@payments/contracts/grammar/json'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'
import { DigitRun, DigitRunReader } from './digit-runs.ts'
import { innocentGroups } from './innocent-groups.ts'

/**
 * **What it does.** Finds card numbers in a text, to reject or redact them.
 *
 * **Guarantees.** A number of 14 to 19 digits that passes the Luhn check (ISO/IEC 7812-1 annex B) and begins like a
 * card of a scheme of that length is found. Digits of every script count. Up to three characters that are neither
 * letters nor digits may stand between two digits; a comma, semicolon, colon or plus alone.
 *
 * **Not guaranteed.** Ignored: UUIDs, hexadecimal words, dates, times, decimal numbers and addresses of IPv4. Not
 * found: a number in several values or in words, and one of 13 digits. No scheme issues those; phone numbers and
 * product codes have them.
 */
const digitsMin = 14
const digitsMax = 19

/** How the numbers of card schemes begin, in their first four digits, by their lengths. */
const schemes = [
  { begins: '4000-4999', lengths: [16, 19] },
  { begins: '2221-2720 5100-5599', lengths: [16] },
  { begins: '3400-3499 3700-3799', lengths: [15] },
  { begins: '3000-3059 3095-3095 3600-3699 3800-3999', lengths: [14, 16, 17, 18, 19] },
  {
    begins: '2200-2205 3500-3599 5000-5099 5600-5899 6000-6999 8100-8299 8600-8699 9792-9792 9860-9860',
    lengths: [16, 17, 18, 19],
  },
]

/** Throws raw_card_data_not_allowed. `place` names the text in the problem, which does not repeat the number. */
export function rejectCardNumbers(text: string, place = 'body'): void {
  if (!containsCardNumber(text)) return
  throw new Problem(commonProblems.raw_card_data_not_allowed, {
    detail: `The ${place} contains a number with the form and checksum of a card number`,
  })
}

/**
 * The same for a body of any form. JSON and forms are read decoded too: `\\u0034` in JSON and `%34` in a form are a 4.
 */
export function rejectCardNumbersInBody(text: string): void {
  rejectCardNumbers(text)
  for (const decoded of decodedTexts(text)) rejectCardNumbers(decoded)
}

/** The same for a parsed query. */
export function rejectCardNumbersInQuery(query: object): void {
  for (const text of Object.entries(query).flat(2)) {
    if (typeof text === 'string') rejectCardNumbers(text, 'query')
  }
}

function* decodedTexts(text: string): Generator<string> {
  const pending = [parseJson(text)]
  if (pending[0] === undefined) for (const pair of new URLSearchParams(text)) yield* pair
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if (typeof value === 'string') yield value
    else if (typeof value === 'object' && value !== null) {
      for (const [name, inner] of Object.entries(value)) {
        if (!Array.isArray(value)) yield name
        pending.push(inner)
      }
    }
  }
}

/** `text` is decoded: a JSON string or a form field without its escapes. */
export function containsCardNumber(text: string): boolean {
  return cardNumbersIn(text).next().done !== true
}

/** The text with `[card number]` in place of each card number. */
export function redactCardNumbers(text: string): string {
  let redacted = ''
  let from = 0
  for (const { start, end } of cardNumbersIn(text)) {
    if (start < from) continue
    redacted += `${text.slice(from, start)}[card number]`
    // A digit of two code units ends with its second one.
    from = /[\udc00-\udfff]/.test(text[end] ?? '') ? end + 1 : end
  }
  return redacted + text.slice(from)
}

/** Whether the address contains a card number, also where it is percent-encoded. */
export function addressHasCardNumber(address: string): boolean {
  return containsCardNumber(address) || containsCardNumber(decodePercent(address))
}

/** The text with each percent-encoded character decoded. */
export function decodePercent(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Not UTF-8: read as Latin-1, in which ASCII digits and separators are the same.
    return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Used again by each shorter text. Each search ends before another begins. */
const sharedRun = new DigitRun(2_048)

/** The card numbers of a text, by their ends. One pass, in time linear in the length of the text. */
function* cardNumbersIn(text: string): Generator<Span> {
  if (text.length < digitsMin) return
  const reader = new DigitRunReader(text, text.length <= sharedRun.capacity ? sharedRun : new DigitRun(text.length))
  for (let run = reader.next(digitsMin); run !== undefined; run = reader.next(digitsMin)) {
    let innocent: Uint8Array | undefined
    for (let last = 0; last < run.groupCount; last += 1) {
      const first = firstGroup(run, last)
      if (first === undefined) continue
      innocent ??= innocentGroups(text, run)
      if (!innocent.subarray(first, last + 1).includes(1)) {
        yield { start: run.starts[first] as number, end: run.textEnd(last) }
      }
    }
  }
}

/** The last group from which the digits up to the end of the group `last` have the form of a card number. */
function firstGroup(run: DigitRun, last: number): number | undefined {
  const end = run.groupEnd(last)
  for (let first = end - digitsMin; first >= Math.max(0, end - digitsMax); first -= 1) {
    if (run.isFirst(first) && run.passesLuhn(first, end) && isOfScheme(run.digits, first, end - first)) {
      return run.groups[first]
    }
  }
  return undefined
}

/** A bit for each length of the schemes that begin so. */
const lengthsByBegin = new Uint32Array(10_000)
for (const { begins, lengths } of schemes) {
  const mask = lengths.reduce((all, length) => all | (1 << length), 0)
  for (const range of begins.split(' ')) {
    const [from, to] = range.split('-').map(Number) as [number, number]
    lengthsByBegin.fill(mask, from, to + 1)
  }
}

function isOfScheme(digits: Uint8Array, first: number, count: number): boolean {
  let begin = 0
  for (let index = first; index < first + 4; index += 1) begin = begin * 10 + (digits[index] ?? 0)
  return ((lengthsByBegin[begin] ?? 0) & (1 << count)) !== 0
}
