import { expect, test } from '@jest/globals'
import { type LongPart, longClasses, longFunctions } from './part-length.ts'
import { files, isSource, read } from './tracked-files.ts'

/** The sizes of the style guide. No database, no network. */
const source = files.filter(isSource)

test('no file of code has more than 300 lines; a contract, which is data, not more than 500', () => {
  const long = files
    .filter((file) => /\.(tsx?|mjs|cjs)$/.test(file) && !/(^|\/)generated\//.test(file))
    .map((file) => [file, read(file).split('\n').length - 1] as const)
    .filter(([file, lines]) => lines > (file.startsWith('packages/contracts/src/') ? 500 : 300))
  expect(long).toEqual([])
})

test('no function has more than 70 lines, methods and closures included; no class more than 120', () => {
  expect(findLongParts(longFunctions, 70)).toEqual([])
  expect(findLongParts(longClasses, 120)).toEqual([])
})

function findLongParts(find: (text: string, linesMax: number) => LongPart[], linesMax: number) {
  return source.flatMap((file) => {
    const text = read(file)
    return text.split('\n').length > linesMax ? find(text, linesMax).map((part) => ({ file, ...part })) : []
  })
}

test.each([
  ['a function', 'ü; export async function f() {\n\n}', 'f'],
  ['a method of a class', 'class A {\n  m() {\n\n}\n}', 'm'],
  ['a method of an object', 'const a = { m() {\n\n} }', 'm'],
  ['a closure', 'const c = () => {\n\n}', 'c'],
  ['a closure in a function', 'function f() { return [() => {\n\n}] }', 'f,f.(closure)'],
])('… and finds the lines of %s', (_what, text, names) => {
  expect(longFunctions(text, 2)).toEqual(names.split(',').map((name) => ({ name, lines: 3 })))
})

test.each([
  ['a class', 'ü; export abstract class A {\n  m() {}\n}', 'A'],
  ['a class as a value', 'const A = class {\n\n}', 'A'],
  ['a class as a value, with a name', 'register(class A {\n\n})', 'A'],
  ['a class in a function', 'function f() {\n  return class extends A {\n\n}\n}', 'f.(closure)'],
  ['a class in a method of a class', 'class A { m() { class B {\n\n} } }', 'A,m.B'],
])('… and finds the lines of %s', (_what, text, names) => {
  expect(longClasses(text, 2)).toEqual(names.split(',').map((name) => ({ name, lines: 3 })))
  expect(longClasses(text, 3)).toEqual([])
})

test('a main has at most 30 lines besides its imports', () => {
  const mains = source.filter((file) => /^(services\/[^/]+|gateway)\/src\/(main|dispatcher)\.ts$/.test(file))
  expect(mains.length).toBeGreaterThan(9)
  const countLines = (file: string) =>
    read(file)
      .replace(/^(import .*\n)+/, '')
      .trim()
      .split('\n').length
  expect(mains.filter((file) => countLines(file) > 30)).toEqual([])
})
