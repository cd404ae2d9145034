/** Finds the rejected words of a text. No I/O. */
import { rejectedWords } from './list.mjs'

/** @typedef {{ line: number, word: string, instead: string, text: string }} Finding */

/**
 * @param {string} path
 * @param {string} text
 * @param {readonly import('./list.mjs').RejectedWord[]} words
 * @returns {Finding[]}
 */
export function findRejectedWords(path, text, words = rejectedWords) {
  const here = words.filter(({ only, except }) => (only?.test(path) ?? true) && !(except?.test(path) ?? false))
  const patterns = here.map((entry) => ({ ...entry, ...compiled(entry) }))
  const any = new RegExp(
    patterns
      .filter(({ raw }) => raw !== true)
      .map(({ find }) => find.source)
      .join('|'),
  )
  return text.split('\n').flatMap((line, index) => {
    const words = splitWords(line)
    const hasAny = any.test(words)
    return patterns.flatMap(({ word, instead, raw, find, permitted }) => {
      if (raw !== true && !hasAny) return []
      const searched = permitted === undefined ? words : words.replaceAll(permitted, '·')
      const count = [...(raw === true ? line : searched).matchAll(find)].length
      return Array.from({ length: count }, () => ({ line: index + 1, word, instead, text: line.trim() }))
    })
  })
}

/**
 * `carryOut`, `carry_out` and `carry-out` become `carry out`; other characters stay, so that a phrase ends at a full
 * stop.
 *
 * @param {string} line
 */
export function splitWords(line) {
  return line
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .replaceAll(/ +/g, ' ')
    .toLowerCase()
}

/** @param {import('./list.mjs').RejectedWord} entry */
function compiled({ pattern, raw, allow }) {
  if (raw === true)
    return { find: new RegExp(pattern, [...new Set(`${pattern.flags}g`)].join('')), permitted: undefined }
  const whole = (/** @type {RegExp} */ inner) => new RegExp(`(?<![a-z])(?:${inner.source})(?![a-z])`, 'g')
  return { find: whole(pattern), permitted: allow === undefined ? undefined : whole(allow) }
}

/**
 * Whether the words of a file are checked: code, documents, configuration texts and schemas that we write by hand.
 *
 * @param {string} path
 */
export function isChecked(path) {
  return (
    /\.(?:tsx?|mjs|cjs|md)$|(?:^|\/)\.env\.example$|\/schema\.prisma$/.test(path) &&
    !/(?:^|\/)(?:generated|migrations)\//.test(path) &&
    !exempt.includes(path)
  )
}

/** The rules of the glossary and this check name the words; the change log names what was renamed. */
const exempt = [
  'docs/glossary.md',
  'CHANGELOG.md',
  'scripts/words/list.mjs',
  'scripts/words/scan.mjs',
  'test/tidy-words.test.ts',
]
