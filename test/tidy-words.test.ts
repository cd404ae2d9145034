import { expect, test } from '@jest/globals'
import { findAll, findRejectedWords, isChecked, rejectedWords } from '../scripts/tests/rejected-words.mjs'

/**
 * Metaphors and vague words in identifiers, comments, public text and documents. `node
 * scripts/tests/rejected-words.mjs <path>` prints them with the words to write instead.
 */
test('no file has a rejected word', () => {
  const found = [...findAll()].flatMap(([path, findings]) =>
    findings.map(({ line, word, instead }) => `${path}:${line}: ${word} → ${instead}`),
  )
  expect(found).toEqual([])
})

const findInstead = (text: string) => findRejectedWords(text).map(({ instead }) => instead)

test.each([
  ['const carryOut = 1', 'execute'],
  ['await sendBack(message)', 'requeue'],
  ['/** The gateway remembers roles. */', 'cache, store'],
  ['  line_up  Int', 'enqueue'],
  ['export function refuseOther() {}', 'reject…, require…'],
  ['/** Somebody else waits. */', 'the actor by name'],
  ['// Who comes is admitted.', 'the noun that acts'],
])('finds %j', (text, instead) => {
  expect(findInstead(text)).toEqual([instead])
})

test.each([
  'return replace(deadlines, headroom)',
  'requests in flight, and a single flight',
  '**What it does.** The relay publishes events.',
  'let inFlight = 0',
])('permits %j', (text) => {
  expect(findInstead(text)).toEqual([])
})

test('every rejected word is listed once, with a replacement', () => {
  expect(new Set(rejectedWords.map(([word]) => word)).size).toBe(rejectedWords.length)
  expect(rejectedWords.filter(([, instead]) => instead === '')).toEqual([])
})

test('code, documents and descriptions are checked; migrations and generated files are not', () => {
  const path = 'services/rbac/prisma'
  expect(['README.md', '.env.example', 'gateway/src/app.ts', `${path}/schema.prisma`].filter(isChecked)).toHaveLength(4)
  expect([`${path}/migrations/1/migration.sql`, 'pnpm-lock.yaml', 'docs/glossary.md'].filter(isChecked)).toEqual([])
})
