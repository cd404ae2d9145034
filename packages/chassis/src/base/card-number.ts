import { commonProblems, Problem } from '@payments/contracts/grammar/problem'

/**
 * **What it does.** Finds card numbers in a text, to reject or redact them.
 *
 * **Guarantees.** A number of 14 to 19 digits that passes the Luhn check (ISO/IEC 7812-1 annex B) and begins like a
 * card of a scheme of that length is found. Digits of every script count. Up to three characters that are neither
 * letters nor digits may stand between two digits; a comma, semicolon, colon or plus alone. A number of 13 digits is
 * found without separators.
 *
 * **Not guaranteed.** Ignored: UUIDs, hexadecimal words, dates, times, decimal numbers, addresses of IPv4, and of 13
 * digits the EAN and the phone number after a plus. Not found: a number in several values or in words.
 */
const luhnDigitsMin = 13
const luhnDigitsMax = 19
const separatorMax = 3

/** How the numbers of card schemes begin, by their lengths. */
const schemes: readonly { readonly begins: RegExp; readonly lengths: readonly number[] }[] = [
  { begins: /^4/, lengths: [13, 16, 19] },
  { begins: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  { begins: /^3[47]/, lengths: [15] },
  { begins: /^(?:30[0-5]|3095|3[689])/, lengths: [14, 16, 17, 18, 19] },
  { begins: /^(?:35|50|5[6-8]|6|220[0-5]|8[126]|9792|9860)/, lengths: [16, 17, 18, 19] },
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
  const pending = [parsed(text)]
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

/** undefined if the text is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** `text` is decoded: a JSON string or a form field without its escapes. */
export function containsCardNumber(text: string): boolean {
  return mayContainCardNumber(text) && cardNumbersIn(readable(text)).next().done !== true
}

/** The text with `[card number]` in place of each card number. */
export function redactCardNumbers(text: string): string {
  if (!mayContainCardNumber(text)) return text
  let redacted = ''
  let from = 0
  for (const { start, end } of cardNumbersIn(readable(text))) {
    if (start < from) continue
    redacted += `${text.slice(from, start)}[card number]`
    // A digit of two code units ends with its second one.
    from = /[\udc00-\udfff]/.test(text[end] ?? '') ? end + 1 : end
  }
  return redacted + text.slice(from)
}

/** A path for logs and records. A card number that is percent-encoded is found too. */
export function redactPath(path: string): string {
  const decoded = path.includes('%') ? decodePercent(path) : path
  return containsCardNumber(decoded) ? encodeURI(redactCardNumbers(decoded)) : redactCardNumbers(path)
}

function decodePercent(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    // Not UTF-8: read as Latin-1, in which ASCII digits and separators are the same.
    return path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  }
}

/** Almost every text ends here; a path or a log line with ids at its second test. */
function mayContainCardNumber(text: string): boolean {
  return manyDigits.test(text) && manyDigits.test(text.replaceAll(uuid, mask))
}

/** The alternatives exclude each other, so a test is linear. */
const manyDigits = new RegExp(`\\p{Nd}(?:[^\\p{L}\\p{Nd}]{0,${separatorMax}}\\p{Nd}){${luhnDigitsMin - 1}}`, 'u')

/** Digits that are no card number, each bounded so that no part of a longer number is taken for one. */
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const innocent = [
  uuid,
  /(?<!\d)(?:19|20)\d\d([-/.])\d{1,2}\1\d{1,2}(?!\d)/g,
  /(?<!\d)\d{1,2}([-/.])\d{1,2}\1(?:19|20)\d\d(?!\d)/g,
  /(?<![\d:])\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?![\d:])/g,
  /(?<!\d|\d\.)\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/g,
  /(?<!\d|\d\.)\d{1,3}\.\d+(?!\.?\d)/g,
  /(?<!\d|\d[.,])\d{1,9}[.,]\d\d(?![.,]?\d)/g,
]
const word = /[A-Za-z0-9]+/g
const hexadecimal = /^(?=\d*[a-f])(?=[a-f]*\d)[\da-f]+$/i

/** The text in its length, with ASCII digits, and letters in place of innocent digits. */
function readable(text: string): string {
  const ascii = text.replaceAll(/(?![0-9])\p{Nd}/gu, asciiDigit)
  const masked = innocent.reduce((left, form) => left.replaceAll(form, mask), ascii)
  return masked.replaceAll(word, (one) => (hexadecimal.test(one) ? mask(one) : one))
}

const mask = (found: string) => 'x'.repeat(found.length)

/**
 * The ASCII digit of a decimal digit of any script, any other character as it is. Unicode assigns decimal digits in
 * runs from 0 to 9. A digit of two code units is followed by a separator, which keeps the length.
 */
function asciiDigit(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return `${(code - first) % 10}${'\u200b'.repeat(character.length - 1)}`
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The card numbers of a readable text, by their ends. */
function* cardNumbersIn(text: string): Generator<Span> {
  for (const { index, 0: group } of text.matchAll(/\d+/g)) {
    const end = index + group.length
    const start = startOfCardNumber(text, end - 1)
    if (start !== undefined) yield { start, end }
  }
}

/**
 * Reads digits from `last` to the left and adds them as Luhn does: every second digit counts double, its digits added.
 * Returns the first start of a group from which the digits are a card number.
 */
function startOfCardNumber(text: string, last: number): number | undefined {
  let digits = ''
  let sum = 0
  for (let at = last; digits.length < luhnDigitsMax; at -= 1) {
    const digit = Number(text[at])
    digits = `${digit}${digits}`
    const weighted = digits.length % 2 === 1 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
    if (isDigit(text, at - 1)) continue
    const isWhole = digits.length === last - at + 1
    if (
      sum % 10 === 0 &&
      isOfScheme(digits) &&
      (digits.length > luhnDigitsMin || (isWhole && !isOther(text, at, digits)))
    )
      return at
    const separator = separatorBefore(text, at)
    if (separator === 0) return undefined
    at -= separator
  }
  return undefined
}

function isOfScheme(digits: string): boolean {
  return schemes.some(({ begins, lengths }) => lengths.includes(digits.length) && begins.test(digits))
}

/** Whether 13 digits are a phone number (E.164) or a product code, whose digits weigh 1 and 3 in turn (EAN-13). */
function isOther(text: string, start: number, digits: string): boolean {
  if (text[start - 1] === '+') return true
  return Array.from(digits).reduce((sum, digit, index) => sum + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0
}

/** The length of the separator between the digit at `at` and a digit before; 0 if there is none. */
function separatorBefore(text: string, at: number): number {
  let length = 0
  while (length < separatorMax && isSeparator(text[at - 1 - length])) length += 1
  if (length === 0 || !isDigit(text, at - 1 - length)) return 0
  return length > 1 && /[,;:+]/.test(text.slice(at - length, at)) ? 0 : length
}

function isSeparator(character: string | undefined): boolean {
  return character === ' ' || (character !== undefined && /[^\p{L}\d]/u.test(character))
}

/** False beyond either end of the text. */
function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 48 && code <= 57
}
