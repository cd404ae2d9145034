import { expect, test } from '@jest/globals'
import { findAll } from '../scripts/words/files.mjs'
import { rejectedWords } from '../scripts/words/list.mjs'
import { findRejectedWords, isChecked } from '../scripts/words/scan.mjs'

/**
 * Metaphors and vague words in identifiers, comments, public text and documents. `node
 * scripts/rejected-words.mjs <path>` prints them with the words to write instead.
 */
test('no file has a rejected word', () => {
  const found = [...findAll()].flatMap(([path, findings]) =>
    findings.map(({ line, word, instead }) => `${path}:${line}: ${word} → ${instead}`),
  )
  expect(found).toEqual([])
})

const wordsIn = (text: string, path = 'packages/x/src/x.ts') => findRejectedWords(path, text).map(({ word }) => word)

test.each([
  ['const carryOut = 1', 'carry out'],
  ['await sendBack(message)', 'send back'],
  ['/** The gateway remembers roles. */', 'remember'],
  ['  line_up  Int', 'line up'],
  ['export function refuseOther() {}', 'refuse… (function)'],
  ['/** Somebody else waits. */', 'somebody'],
  ['// Who comes is admitted.', 'a sentence that starts with who or what'],
  ['the sealed value', 'seal (of a secret)'],
  ['a secret is sealed again', 'seal (of a secret)'],
])('finds %j', (text, word) => {
  expect(wordsIn(text)).toEqual([word])
})

test.each([
  'return replace(deadlines, headroom)',
  'requests in flight, and a single flight',
  '**What it does.** The relay publishes events.',
  'audit seals and the chain',
  'a certificate authority',
  'let inFlight = 0',
  '`services/audit/test/seal-chain.test.ts` | no record is sealed twice',
])('permits %j', (text) => {
  expect(wordsIn(text)).toEqual([])
})

test('a term of one component is permitted in the others', () => {
  expect(wordsIn('the exchange', 'gateway/src/app.ts')).toEqual(['exchange (gateway)'])
  expect(wordsIn('the exchange', 'packages/messaging/src/broker/topology.ts')).toEqual([])
})

test('every rejected word has an own name and a replacement', () => {
  expect(new Set(rejectedWords.map(({ word }) => word)).size).toBe(rejectedWords.length)
  expect(rejectedWords.filter(({ instead }) => instead === '')).toEqual([])
})

test('code, documents and descriptions are checked; migrations and generated files are not', () => {
  const path = 'services/rbac/prisma'
  expect(['README.md', '.env.example', 'gateway/src/app.ts', `${path}/schema.prisma`].filter(isChecked)).toHaveLength(4)
  expect([`${path}/migrations/1/migration.sql`, 'pnpm-lock.yaml', 'docs/glossary.md'].filter(isChecked)).toEqual([])
})
