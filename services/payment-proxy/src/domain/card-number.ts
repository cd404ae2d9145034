/**
 * Finds what looks like a card number, so that it can be refused before anything is kept: 13 to 19 digits, possibly in
 * groups parted by single spaces or dashes, valid by Luhn's algorithm (ISO/IEC 7812-1 annex B).
 * Left alone: digits inside a longer word, UUIDs, and the fraction of a decimal number.
 * Not promised: that a number cut into several fields or written in words is found.
 */
const uuid = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi
const word = /[A-Za-z0-9]+/g
const escapedDigit = /\\u003([0-9])/g
const digitsMin = 13
const digitsMax = 19

export function containsCardNumber(body: string): boolean {
  const text = body.replaceAll(escapedDigit, '$1').replaceAll(uuid, 'uuid')
  let groups: string[] = []
  let end = 0
  for (const match of text.matchAll(word)) {
    const joined = match.index === end + 1 && (text[end] === ' ' || text[end] === '-')
    if (!joined) groups = []
    end = match.index + match[0].length
    if (!isDigits(match[0]) || isFraction(text, match.index)) groups = []
    else if (endsInCardNumber(groups, match[0])) return true
  }
  return false
}

/** Adds the group, keeps no more groups than a card number can have, and looks at every run that ends here. */
function endsInCardNumber(groups: string[], group: string): boolean {
  groups.push(group)
  if (groups.length > digitsMax) groups.shift()
  let run = ''
  for (const part of groups.toReversed()) {
    run = part + run
    if (run.length > digitsMax) return false
    if (run.length >= digitsMin && isLuhnValid(run)) return true
  }
  return false
}

function isDigits(text: string): boolean {
  return /^[0-9]+$/.test(text)
}

function isFraction(text: string, start: number): boolean {
  return text[start - 1] === '.' && /[0-9]/.test(text[start - 2] ?? '')
}

/** From the right, every second digit counts double, and its digits are added; the sum must end in 0. */
function isLuhnValid(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i += 1) {
    const digit = Number(digits[digits.length - 1 - i])
    const weighted = i % 2 === 0 ? digit : digit * 2
    sum += weighted > 9 ? weighted - 9 : weighted
  }
  return sum % 10 === 0
}
