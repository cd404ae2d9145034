import { expect, test } from '@jest/globals'
import { files, isSource, read } from './tracked-files.ts'

/** Subqueries with row locks, which a nested loop runs again for each row: they then lock and return further rows. */
const repeatedLocks = (text: string) =>
  [...text.matchAll(/\b(?:IN|ANY|ALL|SOME|EXISTS|FROM|USING|JOIN)\s*(?=\(\s*(?:SELECT|WITH)\b)/gi)]
    .map(({ 0: { length }, index }) => readParentheses(text.slice(index + length)))
    .filter((subquery) => /\bFOR\s+(?:NO\s+KEY\s+UPDATE|UPDATE|(?:KEY\s+)?SHARE)\b/i.test(subquery))

/** The text to the parenthesis that closes the first one. */
function readParentheses(text: string): string {
  let depth = 0
  const end = text.split('').findIndex((character) => {
    depth += Number(character === '(') - Number(character === ')')
    return depth === 0
  })
  return text.slice(0, end)
}

test('a subquery locks a batch of rows in ANY (ARRAY(…)) or in WITH, which run once', () => {
  const statements = files.filter((file) => isSource(file) || file.endsWith('.sql'))
  expect(statements.filter((file) => /\bFOR UPDATE SKIP LOCKED\b/.test(read(file))).length).toBeGreaterThan(20)
  expect(statements.flatMap((file) => repeatedLocks(read(file)).map((found) => `${file}: ${found}`))).toEqual([])
})

const batch = '(SELECT id FROM t WHERE f(a) LIMIT $1 FOR UPDATE SKIP LOCKED)'
test.each([
  `DELETE FROM t WHERE id IN ${batch}`,
  `DELETE FROM t WHERE (a, b) in\n(\n SELECT a, b FROM t LIMIT (1)\n FOR NO KEY UPDATE SKIP LOCKED)`,
  `DELETE FROM t WHERE id = ANY ${batch}`,
  `DELETE FROM t USING ${batch} AS batch WHERE t.id = batch.id`,
  `UPDATE t SET a = 1 FROM ${batch} AS batch WHERE t.id = batch.id`,
])('… and reports %j', (text) => {
  expect(repeatedLocks(text)).toHaveLength(1)
})

test.each([
  `DELETE FROM t WHERE id = ANY (ARRAY${batch})`,
  `WITH batch AS MATERIALIZED ${batch} DELETE FROM t USING batch WHERE t.id = batch.id`,
  'SELECT id FROM t WHERE id IN (SELECT id FROM u) ORDER BY id FOR UPDATE SKIP LOCKED',
])('… and permits %j', (text) => {
  expect(repeatedLocks(text)).toEqual([])
})
