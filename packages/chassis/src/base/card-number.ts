import { parseJson } from '@payments/contracts/grammar/json'
import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

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

const lengthsByBegin = Array<readonly number[]>(10_000).fill([])
for (const { begins, lengths } of schemes) {
  for (const range of begins.split(' ')) {
    const [from, to] = range.split('-').map(Number) as [number, number]
    lengthsByBegin.fill(lengths, from, to + 1)
  }
}

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

/** The text with `[card number]` in place of each card number, and of several that overlap. */
export function redactCardNumbers(text: string): string {
  let redacted = ''
  let from = 0
  for (const { start, end } of cardNumbersIn(text)) {
    if (start >= from) redacted += `${text.slice(from, start)}[card number]`
    // A digit of two code units ends with its second one.
    from = Math.max(from, /[\udc00-\udfff]/.test(text[end] ?? '') ? end + 1 : end)
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

/** The card numbers of a text, by their starts, in time linear in the length of the text. */
function* cardNumbersIn(text: string): Generator<Span> {
  if (text.length < digitsMin) return
  const plain = toPlainText(text)
  let views: readonly string[] | undefined
  for (const run of digitRuns(plain)) {
    for (const { start, end } of candidatesIn(plain, run)) {
      views ??= [hideForms(plain), plain.replaceAll(hexadecimalWord, hide)]
      if (views.every((view) => !view.slice(start, end).includes(mask))) yield { start, end }
    }
  }
}

/** Digits of whole groups that begin like a card of a scheme of their length, and pass the Luhn check. */
function* candidatesIn(plain: string, run: readonly number[]): Generator<Span> {
  const digits = run.map((at) => plain.charCodeAt(at) - 0x30)
  const sums = [sumDoubled(digits, 0), sumDoubled(digits, 1)] as const
  for (let first = 0; first + digitsMin <= run.length; first += 1) {
    const start = run[first] as number
    if (run[first - 1] === start - 1) continue
    const [a = 0, b = 0, c = 0, d = 0] = [digits[first], digits[first + 1], digits[first + 2], digits[first + 3]]
    for (const length of lengthsByBegin[a * 1_000 + b * 100 + c * 10 + d] as readonly number[]) {
      const after = first + length
      if (after > run.length) continue
      const end = (run[after - 1] as number) + 1
      // The check doubles every second digit, counted from the last one.
      const sum = sums[(after % 2) as 0 | 1]
      if (run[after] !== end && ((sum[after] as number) - (sum[first] as number)) % 10 === 0) yield { start, end }
    }
  }
}

const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]

/** The sum of the digits before each index, where those at indexes of the parity are doubled. */
function sumDoubled(digits: readonly number[], parity: 0 | 1): Int32Array {
  const sums = new Int32Array(digits.length + 1)
  for (const [at, digit] of digits.entries()) {
    sums[at + 1] = (sums[at] as number) + (at % 2 === parity ? (doubled[digit] as number) : digit)
  }
  return sums
}

/** In place of what is no part of a card number. */
const mask = 'x'
const hide = (found: string): string => mask.repeat(found.length)

/** No letter or digit stands beside a UUID. An underscore may: `order_<UUID>`. */
const uuid = /(?<![\da-z])[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/gi

/** Such as `4f1`. */
const hexadecimalWord = /(?<![\da-z])(?=\d*[a-f])(?=[a-f]*\d)[\da-f]+(?![\da-z])/gi

/** Dates, times, addresses of IPv4, decimal numbers and amounts. Digits of one form belong to no later form. */
const forms = [
  /(?<!\d)(?:19|20)\d\d([-./])\d{1,2}\1\d{1,2}(?!\d)/g,
  /(?<!\d)\d{1,2}([-./])\d{1,2}\1(?:19|20)\d\d(?!\d)/g,
  /(?<![\d:])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\d:])/g,
  /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\d|\.\d)/g,
  /(?<!\d|\d\.)\d{1,3}\.\d+(?!\d|\.\d)/g,
  /(?<!\d|\d[.,])\d{1,9}[.,]\d\d(?!\d|[.,]\d)/g,
]

const hideForms = (plain: string): string => forms.reduce((rest, form) => rest.replaceAll(form, hide), plain)

/** In place of each letter of one code unit that is not ASCII. */
const otherLetter = 'é'

/** The text with the same indexes, with ASCII digits in place of others, and without UUIDs. */
function toPlainText(text: string): string {
  const ascii = /[^\0-\x7f]/.test(text)
    ? text.replaceAll(/(?=[\u0080-\uffff])\p{L}/gu, otherLetter).replaceAll(/(?![0-9])\p{Nd}/gu, toAsciiDigit)
    : text
  return ascii.replaceAll(uuid, hide)
}

const asciiDigits = new Map<string, string>()

/** Unicode assigns decimal digits in runs from 0 to 9. A digit of two code units becomes a digit and a space. */
function toAsciiDigit(digit: string): string {
  const known = asciiDigits.get(digit)
  if (known !== undefined) return known
  const code = digit.codePointAt(0) as number
  let zero = code
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  const ascii = String((code - zero) % 10).padEnd(digit.length)
  asciiDigits.set(digit, ascii)
  return ascii
}

const separatorsMax = 3
const isDigit = (code: number) => code >= 0x30 && code <= 0x39
const isLetter = (code: number) =>
  (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === otherLetter.charCodeAt(0)
/** `+`, `,`, `:` and `;` stand alone between two digits. */
const isStrict = (code: number) => code === 0x2b || code === 0x2c || code === 0x3a || code === 0x3b

/** The indexes of the digits of each run of at least `digitsMin`. The array is valid until the next run. */
function* digitRuns(plain: string): Generator<readonly number[]> {
  const run: number[] = []
  let separators = separatorsMax + 1
  for (let at = 0; at < plain.length; at += 1) {
    const code = plain.charCodeAt(at)
    if (isDigit(code)) {
      if (separators > separatorsMax) {
        if (run.length >= digitsMin) yield run
        run.length = 0
      }
      run.push(at)
      separators = 0
    } else if (separators <= separatorsMax) {
      const isEnd = isLetter(code) || (isStrict(code) && separators > 0)
      separators += isEnd ? separatorsMax + 1 : isStrict(code) ? separatorsMax : 1
    }
  }
  if (run.length >= digitsMin) yield run
}
