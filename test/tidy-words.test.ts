import { expect, test } from '@jest/globals'
import { rejectedWords } from '../scripts/words/list.mjs'
import { compare, findAll, readRecord } from '../scripts/words/ratchet.mjs'
import { findRejectedWords, isChecked } from '../scripts/words/scan.mjs'

/**
 * The words that docs/glossary.md rejects, in identifiers, comments, public text and documents. The record
 * test/rejected-words.json holds their number per file. `node scripts/rejected-words.mjs --list <path>` prints them with
 * the words to write instead; without `--list` the script lowers the record.
 */
const { grown, shrunk } = compare(readRecord(), findAll())

test('no file gains a rejected word', () => {
  expect(grown).toEqual([])
})

test('the record of rejected words is as low as their number (write it with `node scripts/rejected-words.mjs`)', () => {
  expect(shrunk).toEqual([])
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
  '`services/audit/test/chain.test.ts` | no record is sealed twice',
])('permits %j', (text) => {
  expect(wordsIn(text)).toEqual([])
})

test('a term of one component is permitted in the others', () => {
  expect(wordsIn('the exchange', 'gateway/src/app.ts')).toEqual(['exchange (gateway)'])
  expect(wordsIn('the exchange', 'packages/messaging/src/topology.ts')).toEqual([])
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
