import { commonProblems, Problem } from '@payments/contracts/problem'

/**
 * Finds card numbers, so that a request with one is rejected before anything is stored or logged. A card number has
 * 13 to 19 digits, optionally in groups separated by single spaces or dashes, and passes the Luhn check (ISO/IEC 7812-1
 * annex B). Ignored: digits inside a longer word, UUIDs, and the fraction of a decimal number.
 * Not guaranteed: finding a number that is split over several fields or written in words.
 */
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const word = /[A-Za-z0-9]+/g
const escapedDigit = /\\u003([0-9])/g
const digitsMin = 13
const digitsMax = 19

/** Throws raw_card_data_not_allowed. `place` names the text in the problem, which does not repeat the number. */
export function rejectCardNumbers(text: string, place = 'body'): void {
  if (!containsCardNumber(text)) return
  throw new Problem(commonProblems.raw_card_data_not_allowed, {
    detail: `The ${place} contains a number with the form and checksum of a card number`,
  })
}

export function containsCardNumber(body: string): boolean {
  const text = body.replaceAll(escapedDigit, '$1').replaceAll(uuid, 'uuid')
  for (const match of text.matchAll(word)) {
    if (/^[0-9]+$/.test(match[0]) && endsCardNumber(text, match.index + match[0].length - 1)) return true
  }
  return false
}

/**
 * Reads digits from `last` to the left and adds them as Luhn does: every second digit counts double, its digits added.
 * At each start of a group, the digits read so far are a card number when their sum ends in 0.
 */
function endsCardNumber(text: string, last: number): boolean {
  let sum = 0
  let at = last
  for (let count = 1; count <= digitsMax; count += 1, at -= 1) {
    const digit = text.charCodeAt(at) - zero
    const weighted = count % 2 === 1 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
    if (isDigit(text, at - 1)) continue
    const isSeparated = (text[at - 1] === ' ' || text[at - 1] === '-') && isDigit(text, at - 2)
    if (!isSeparated && isInsideAnother(text, at)) return false
    if (count >= digitsMin && sum % 10 === 0) return true
    if (!isSeparated) return false
    at -= 1
  }
  return false
}

const zero = 48

/** False beyond either end of the text. */
function isDigit(text: string, at: number): boolean {
  const digit = text.charCodeAt(at) - zero
  return digit >= 0 && digit <= 9
}

/** Whether the digits at `at` continue a word or the fraction of a decimal number. */
function isInsideAnother(text: string, at: number): boolean {
  const before = text[at - 1] ?? ''
  return /[A-Za-z]/.test(before) || (before === '.' && isDigit(text, at - 2))
}
