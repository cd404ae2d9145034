/** @slow It parses every file of a service many times. */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { listMutants, withMutant } from '../scripts/tests/mutation/mutants.mjs'
import { codeFiles, nearestTests } from '../scripts/tests/mutation/nearest.mjs'

const root = resolve(import.meta.dirname, '..')
const mutated = (source: string) => listMutants(source).map((mutant) => withMutant(source, mutant))

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
  ['a lock', 'const x = sql`a FOR UPDATE SKIP LOCKED`', ['const x = sql`a FOR UPDATE`']],
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

test('every folder of the workspace with code has mutants, and nearly every file has tests', () => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const there = files.filter((file) => file !== '' && existsSync(join(root, file)))
  const code = codeFiles(root, there)
  const folders = [...new Set(code.map((file: string) => file.slice(0, file.indexOf('/src/'))))]
  const withCode = there.filter((file) => file.endsWith('/tsconfig.json')).map((file) => dirname(file))
  expect(new Set(folders)).toEqual(new Set(withCode.filter((folder) => folder !== 'test' && folder !== 'bench')))
  const nearestTo = nearestTests(root, there)
  const without = code.filter((file: string) => nearestTo(file).fast.length === 0)
  // The tests of the documentation read the files that it was built to.
  const untested = /\/(?:main|deps|dispatcher|metrics)\.ts$|^packages\/docs-site\//
  expect(without.filter((file: string) => !untested.test(file))).toEqual([])
})

test.each([
  [
    'a verb',
    'services/communication/src/verbs/update-template.ts',
    'services/communication/test/update-template.test.ts',
  ],
  ['a store, through its verb', 'services/rbac/src/store/roles.ts', 'services/rbac/test/create-role.test.ts'],
  ['what a test imports', 'packages/contracts/src/grammar/host.ts', 'packages/contracts/test/host.test.ts'],
  [
    'a package, through a service',
    'packages/chassis/src/database/turns.ts',
    'services/communication/test/fair-share.test.ts',
  ],
])('%s has the tests that use it', (_what, file, expected) => {
  const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n')
  const there = files.filter((one) => one !== '' && existsSync(join(root, one)))
  const { fast, slow } = nearestTests(root, there)(file)
  expect([...fast, ...slow]).toContain(expected)
})
