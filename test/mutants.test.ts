import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { mutantsOf, withMutant } from '../scripts/mutation/mutants.mjs'
import { decisive, matching, suitesFor } from '../scripts/mutation/suites.mjs'

const root = resolve(import.meta.dirname, '..')
const mutated = (source: string) => mutantsOf(source).map((mutant) => withMutant(source, mutant))

test.each([
  ['a condition', 'if (a(b)) c()', ['if (!(a(b))) c()', 'if (a(b)) ;']],
  ['a boundary, whatever bytes stand before it', 'const é = a <= b', ['const é = a < b']],
  ['an equality', 'x = a === b', ['x = a !== b', ';']],
  ['a conjunction', 'const x = a && !b', ['const x = a || !b', 'const x = a && b']],
  [
    'a constant',
    'const x = [true, 0]',
    ['const x = [, 0]', 'const x = [true, ]', 'const x = [false, 0]', 'const x = [true, 1]'],
  ],
  ['an await', 'const x = await a()', ['const x = (a())']],
  [
    'an early return',
    'function f() { if (a) return b }',
    ['function f() { if (!(a)) return b }', 'function f() { if (a) ; }'],
  ],
  ['no type, no import and no log line', "import a from 'b'\ntype T = 1 | true\nlog.info({ a: 1 }, 'b')", []],
])('a mutant changes %s', (_what, source, expected) => {
  expect(mutated(source).sort()).toEqual([...expected].sort())
})

test('every mutant of a file is another file that can still be read', () => {
  const directory = join(root, 'services/payment-proxy/src/domain')
  for (const file of readdirSync(directory)) {
    const source = readFileSync(join(directory, file), 'utf8')
    const texts = mutated(source)
    expect(new Set(texts).size).toBe(texts.length)
    for (const text of texts) {
      expect(text).not.toBe(source)
      expect(() => parseSync(text, { syntax: 'typescript', target: 'es2023' })).not.toThrow()
    }
  }
})

test('every file that decides has tests that exist', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const wanted = matching(decisive, files)
  expect(wanted.length).toBeGreaterThan(40)
  const without = wanted.filter((file: string) => suitesFor(file, files).fast.length === 0)
  // They wire or count, and decide nothing.
  const metrics = ['audit', 'authorization', 'limits'].map((folder) => `gateway/src/${folder}/metrics.ts`)
  expect(without.sort()).toEqual([...metrics, 'gateway/src/deps.ts', 'gateway/src/main.ts'].sort())
})
