import { expect, test } from '@jest/globals'
import { splitWords } from '../scripts/tests/rejected-words.mjs'
import { longComments } from './comment-length.ts'
import { files, read } from './tracked-files.ts'

/** Documents and comments as the style guide wants them. No database, no network. */
const code = files.filter((file) => /\.(tsx?|mjs|cjs|prisma)$/.test(file) && !/(^|\/)generated\//.test(file))

/** Terms of tables with the column Term that occur in none of the texts. `lease (of work)` is the term `lease`. */
function unusedTerms(glossary: string, texts: readonly string[]): string[] {
  const used = texts.map((text) => splitWords(text).replaceAll(/[\s*#-]+/g, ' ')).join('\n')
  const tables = [...glossary.matchAll(/^\| Term \| Meaning \|\n\|-+\|-+\|\n((?:\|.*\n)+)/gm)]
  const terms = tables.flatMap(([, rows = '']) => [...rows.matchAll(/^\| `?(.+?)`?(?: \(.*?\))? \|/gm)])
  return terms.map(([, term = '']) => term).filter((term) => !used.includes(splitWords(term)))
}

test('every term of the glossary is in the code', () => {
  expect(read('docs/glossary.md').split('\n| ').length).toBeGreaterThan(80)
  expect(unusedTerms(read('docs/glossary.md'), code.map(read))).toEqual([])
})

test('… and a term that nothing uses is found', () => {
  const glossary =
    '| Term | Meaning |\n|---|---|\n| lease (of work) | a |\n| in-flight limit | b |\n| slip road | c |\n'
  expect(unusedTerms(glossary, ['const leaseMs = 1', '/** The in-flight\n * limit. */'])).toEqual(['slip road'])
})

const recordWordsMax = 350
const commentWordsMax = 120

const countWords = (text: string) => text.split(/\s+/).filter(Boolean).length

test('no decision record has more than 350 words', () => {
  const records = files.filter((file) => /^docs\/decisions\/\d{4}-.*\.md$/.test(file))
  expect(records.length).toBeGreaterThan(70)
  expect(records.filter((file) => countWords(read(file)) > recordWordsMax)).toEqual([])
})

test('… and the words of a record are counted', () => {
  expect(countWords('# A title\n\nTwo words.\n')).toBe(5)
})

test('no comment has more than 120 words', () => {
  const long = code.map((file) => ({ file, comments: longComments(read(file), commentWordsMax) }))
  expect(long.filter(({ comments }) => comments.length > 0)).toEqual([])
})

test.each([
  ['a block', 'a()\n/**\n * One two\n * three.\n */\nb()', 2],
  ['a block in a function', 'f() {\n  /* one two three */\n}', 2],
  ['lines', 'a()\n// one two\n// three\nb()', 2],
  ['lines of a schema', 'model Key {\n  /// one two\n  /// three\n}', 2],
])('… and finds %s', (_what, text, line) => {
  expect(longComments(text, 2)).toEqual([{ line, words: 3 }])
})

test('… and counts words, not drawings; a comment ends at the next statement', () => {
  expect(longComments('/**\n * | one ──► two |\n * |---|---|\n */\na()\n// three', 2)).toEqual([])
})
